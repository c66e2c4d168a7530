"""What a system of record does, of whatever kind it is: it has a row of each user, with a version that goes
up by one with every write, and it is written only where it has the version that the writer came with
(docs/users.md, 2)."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from engine.user_commands import Row
from engine.user_events import BeginDehydrate

LONGEST = 64
"""characters of the name of a user, client, shard or currency"""
MOST = 2**63 - 1
"""smallest units of a currency that a user can have"""


class RecordError(Exception):
    """The record cannot be read or written; the text tells an operator why. A write that ends so may have
    been done, all of it or nothing: to write again what was to be written brings that out."""

    def __init__(self, text: str, *, passing: bool = True) -> None:
        super().__init__(text)
        self.passing = passing
        """False: it is over only when somebody has done something about it"""


class Stored(Struct, frozen=True):
    version: int
    """at least 1"""
    row: Row


class Written(NamedTuple):
    """What became of a flush."""

    done: bool
    """False: someone else has written the user (docs/users.md, 2.8)"""
    version: int
    """that the record has now; 0 if it does not know the user"""


Found: TypeAlias = dict[str, Stored | RecordError]
"""what there is of each user, or what is to be said of a row that is damaged"""


class Record(Protocol):
    """All of it raises RecordError and nothing else. Calls may overlap. Names are 1 to LONGEST characters of
    ASCII without NUL; any other name is one that the record does not know."""

    async def open(self) -> None:
        """Makes it ready. Other calls do that themselves if need be: this one is for a start, to hear what is
        wrong."""

    async def identity(self) -> str:
        """Made with it, and never changed: by this a venue knows that the record is the one it had before."""

    async def read(self, user: str) -> Stored | None:
        """None if it does not know the user."""

    async def read_all(self, users: Sequence[str]) -> Found:
        """Those that it knows, of a few hundred."""

    async def write(self, flushes: Sequence[BeginDehydrate]) -> list[Written | RecordError]:
        """What became of each; those that were done are on disk. They are done in their order and in one
        transaction, in which one that cannot be done leaves the others alone: one over a row that is damaged
        is answered with what is to be said of that. What the same shard has written
        with the same epoch before is done. A few hundred at a time are fast and hold up nobody for long."""

    async def users(self, client: str | None, after: str, most: int) -> Found:
        """By name: the first `most` (at least 1) whose name comes after `after`, in order of bytes. `client`:
        only its."""

    async def totals(self) -> dict[str, int]:
        """Of each currency all that users have, at one moment."""

    async def close(self) -> None:
        """What was begun comes to its end or raises RecordError. After it every call but this one does."""


def is_name(text: str) -> bool:
    return 0 < len(text) <= LONGEST and text.isascii() and "\0" not in text


def checked(flushes: Sequence[BeginDehydrate]) -> list[BeginDehydrate]:
    """With balances in order of currencies. Raises RecordError for what no record can keep."""
    return [_checked(flush) for flush in flushes]


def _checked(flush: BeginDehydrate) -> BeginDehydrate:
    row = flush.row
    balances = dict(sorted(row.balances))
    for name in (flush.user, flush.shard, row.client, *balances):
        if not is_name(name):
            raise _unfit(flush, f"{name!r} is not a name of 1 to {LONGEST} ASCII characters")
    if len(balances) != len(row.balances) or not all(0 <= total <= MOST for total in balances.values()):
        raise _unfit(flush, "its balances are not one for each currency, from 0 to 2**63 - 1")
    if any("\0" in reference or not reference.isascii() for reference in row.references):
        raise _unfit(flush, "the reference of a deposit or withdrawal is not ASCII")
    in_order = tuple(balances.items())
    if in_order == row.balances:
        return flush
    return replace(flush, row=Row(row.client, in_order, row.references))


def _unfit(flush: BeginDehydrate, why: str) -> RecordError:
    return RecordError(f"user {flush.user!r} cannot be written: {why}", passing=False)


def outcome(flush: BeginDehydrate, stored: Stored, shard: str, epoch: int) -> Written:
    """Of a flush, when the record has this afterwards, written by that shard with that epoch. That the row is
    the same as well keeps apart two venues whose shards have the same name."""
    there = (stored.version, shard, epoch, stored.row)
    return Written(there == (flush.expected + 1, flush.shard, flush.epoch, flush.row), stored.version)
