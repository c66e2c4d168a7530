"""One Logon before the gate, and the three ways in which it may not be let in at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fixgw.door.peer import Peer


@dataclass
class Visit:
    """A complete Logon, and what was computed for it in a thread."""

    logon: Mapping[str, str]
    peer: Peer
    time: int
    """when it was complete: nanoseconds since the epoch"""
    length: int = 0
    """its bytes"""
    signed: bool = False
    """its signature was right, and opens nothing any more"""
    checked: tuple[str, bool] = ("", False)
    """a hash from the settings, and whether it is that of the Password(554)"""
    new_hash: str = ""
    """that of the NewPassword(925)"""


class Stay(Exception):
    """Stays outside, without a word; the text is for the venue's own log and holds no secret."""

    counts = True
    """as a failed Logon of its address"""


class Occupied(Stay):
    """No fault of who wants to come in."""

    counts = False


class Wrong(Stay):
    """Has not shown who it is: also counts as a failed Logon of the session."""


class Soon(Exception):
    """The connection before is closing, but the session has not read its last bytes yet: try again."""


class Compute(Exception):
    """`work` must be done first, in a thread, as it takes long; it leaves its result in the Visit."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__()
        self.work = work
