"""What operator and venue say to each other: one JSON object a line, one line each way."""

from typing import Annotated

from msgspec import Meta, Struct

SOCKET = "admin.sock"
"""in the data directory"""
MAX_LINE = 65536
"""bytes of a request"""
LAST_NUMBER = 2**31 - 1
"""highest MsgSeqNum that can be set"""

Text = Annotated[str, Meta(pattern=r"^[ -~]{1,200}\Z")]
"""what a client reads as Text(58)"""
Number = Annotated[int, Meta(ge=1, le=LAST_NUMBER)]


class CancelOnly(Struct, forbid_unknown_fields=True, tag="cancel-only"):
    on: bool
    symbol: str = ""
    """empty: the whole venue"""


class EndOfDay(Struct, forbid_unknown_fields=True, tag="end-of-day"):
    again: bool
    """also a day that has not begun by the calendar"""


class Status(Struct, forbid_unknown_fields=True, tag="status"):
    digest: bool = False
    """with the digest of the whole state: the venue stands still while it counts, 0.1 s per 100,000 live
    orders"""


class Reload(Struct, forbid_unknown_fields=True, tag="reload"):
    pass


class Sessions(Struct, forbid_unknown_fields=True, tag="sessions"):
    """Each line of the answer is a SessionState as JSON."""


class LogOut(Struct, forbid_unknown_fields=True, tag="logout"):
    session: str
    text: Text = "logged out by the operator"


class Disconnect(Struct, forbid_unknown_fields=True, tag="disconnect"):
    session: str


class Block(Struct, forbid_unknown_fields=True, tag="block"):
    session: str
    on: bool = True
    """false: unblock"""


class SetNumbers(Struct, forbid_unknown_fields=True, tag="set-seqnum"):
    session: str
    next_in: Number | None = None
    next_out: Number | None = None


class Reset(Struct, forbid_unknown_fields=True, tag="reset"):
    session: str


OfSession = LogOut | Disconnect | Block | SetNumbers | Reset
Request = CancelOnly | EndOfDay | Status | Reload | Sessions | OfSession


class Answer(Struct):
    ok: bool
    lines: list[str]
    """for people"""


class SessionState(Struct):
    """A session at this moment. Times are UTCTimestamps, empty if it did not happen since the start."""

    session: str
    client: str
    state: str
    """logged on, logging on, logged off or blocked"""
    address: str
    """of its client, with the port; empty without one"""
    next_out: int
    next_in: int
    last_out: str
    last_in: str
    unread_bytes: int
    resends: int
    """resend requests since the start"""
    blocked: bool
    schedule: str
    begin_string: str
    comp_id: str
