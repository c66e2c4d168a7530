"""A client's connection, as the session side sees it; the door makes them."""

from collections.abc import Callable
from typing import Protocol


class Line(Protocol):
    """The client's end: a transport that is told when it may write."""

    congested: bool

    def write(self, data: bytes) -> None: ...

    def cut(self, why: str) -> None: ...


class Client(Line, Protocol):
    """A client's connection, as its session sees it."""

    logon: bytes
    """the whole Logon but for its secrets, until the session takes it"""
    objection: str
    """why the session must not take it; empty: it may"""
    next_expected: int | None
    """its NextExpectedMsgSeqNum(789)"""
    new_password: tuple[str, str] | None
    """the password its Logon wants from now on, as `Mailbox.choose_password` needs it"""
    heartbeat: int
    """its HeartBtInt(108), seconds"""
    cancels: str
    """its CancelOnDisconnect(8013); "" if it leaves that to the settings"""
    gone: bool
    """the client has hung up; what it sent before is still to be read"""
    waiting: int
    """bytes received and not taken yet"""

    @property
    def peer(self) -> object:
        """Where it is; str() shows it."""
        ...

    @property
    def closing(self) -> bool:
        """Its end has been seen, on either side, but perhaps not told yet."""
        ...

    def peek(self, most: int) -> bytes: ...

    def drop(self, count: int) -> None: ...

    def note(self, text: str) -> None:
        """Says something in the session's message log."""
        ...

    def finish(self, farewell: Callable[[], None] | None) -> None:
        """Closes once everything is written. With `farewell` the client may close first, and if it does so
        in good order, `farewell` is called."""
