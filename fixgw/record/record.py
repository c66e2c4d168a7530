"""What a system of record does, of whatever kind it is: it has a row of each user, with a version that goes up
by one with every write, and it is written only where it has the version that the writer came with
(docs/users.md, 2)."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from engine.user_commands import Row
from engine.user_events import BeginDehydrate

LONGEST = 64
"""characters of the name of a user, client, shard or currency"""
MOST = 2**63 - 1
"""smallest units of a currency that a user can have"""


class RecordError(Exception):
    """The record cannot be read or written; the text tells an operator why. A write that ends so may have been
    done, all of it or nothing: to write again what was to be written brings that out."""

    def __init__(self, text: str, *, passing: bool = True) -> None:
        super().__init__(text)
        self.passing = passing
        """whether it may be over at the next try, without a change of settings, release or data"""


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


class Record(Protocol):
    """All of it raises RecordError and nothing else. Calls may overlap. Names are 1 to LONGEST characters of
    ASCII without NUL; any other name is one that the record does not know."""

    async def open(self) -> None:
        """Makes it ready. Other calls do that themselves if need be: this one is for a start, to hear what is
        wrong."""

    async def read(self, user: str) -> Stored | None:
        """None if it does not know the user."""

    async def write(self, flushes: Sequence[BeginDehydrate]) -> list[Written]:
        """What became of each; those that were done are on disk. They are done in their order and in one
        transaction, in which one that cannot be done leaves the others alone. What the same shard has written
        with the same epoch before is done."""

    async def users(self, client: str | None, after: str, most: int) -> dict[str, Stored]:
        """By name: the first `most` (at least 1) whose name comes after `after`, in order of bytes. `client`:
        only its."""

    async def totals(self) -> dict[str, int]:
        """Of each currency all that users have, at one moment."""

    async def close(self) -> None:
        """What was begun is ended first. After it every call but this one raises RecordError."""


def is_name(text: str) -> bool:
    return 0 < len(text) <= LONGEST and text.isascii() and "\0" not in text


def check_flushes(flushes: Sequence[BeginDehydrate]) -> None:
    """Raises RecordError for what no record can keep."""
    for flush in flushes:
        row = flush.row
        names = [flush.user, flush.shard, row.client, *(currency for currency, _ in row.balances)]
        for name in names:
            if not is_name(name):
                raise RecordError(
                    f"user {flush.user!r} cannot be written: {name!r} is not a name of 1 to {LONGEST} ASCII "
                    "characters",
                    passing=False,
                )
        if not all(0 <= total <= MOST for _, total in row.balances):
            raise RecordError(
                f"user {flush.user!r} cannot be written: a balance is not from 0 to 2**63 - 1", passing=False
            )


def outcome(flush: BeginDehydrate, version: int, by: tuple[str, int], row: Row) -> Written:
    """Of a flush, when the record has this afterwards. That the row is the same as well keeps apart two venues
    whose shards have the same name."""
    same = (version, *by, row) == (flush.expected + 1, flush.shard, flush.epoch, flush.row)
    return Written(same, version)
