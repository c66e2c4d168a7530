"""A system of record that is a dict: it keeps to the contract of fixgw.record.record, but answers when it
likes. Under bad weather calls fail before they are done, after they were, or before they are done all the
same, long after; and they take from nothing to seconds."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from msgspec import Struct

from engine.user_commands import Row
from engine.user_events import BeginDehydrate
from fixgw.record.record import Found, RecordError, Stored, Written, checked, outcome
from tests.simulation.loop import VirtualLoop

T = TypeVar("T")


class Weather(Struct):
    """Chances from 0 to 1, times in seconds."""

    longest: float = 0.0
    """that a call takes; each as long as chance has it"""
    failing: float = 0.0
    """calls that fail and are not done"""
    forgotten: float = 0.0
    """calls that are done, but end with an error"""
    late: float = 0.0
    """calls that end with an error, and are done afterwards"""
    passing: bool = True
    """what the errors say of themselves"""


FAIR = Weather(longest=0.02)
WEATHERS = {
    "fair": FAIR,
    "instant": Weather(),
    "slow": Weather(longest=2.5),
    "down": Weather(longest=0.05, failing=1.0),
    "broken": Weather(longest=0.05, failing=1.0, passing=False),
    "stormy": Weather(longest=1.5, failing=0.25, forgotten=0.25, late=0.2),
}
LATEST = 6.0
"""seconds after which a call that is late is done at last"""


class Kept(Struct, frozen=True):
    version: int
    shard: str
    epoch: int
    row: Row


class SimulatedRecord:
    """The same for all who use it, and it outlives them."""

    def __init__(self, loop: VirtualLoop, seed: int) -> None:
        self.rows: dict[str, Kept] = {}
        self.weather = FAIR
        self._loop = loop
        self._seed = seed
        self._calls: Counter[str] = Counter()

    async def open(self) -> None:
        pass

    async def identity(self) -> str:
        return "simulated"

    async def read(self, user: str) -> Stored | None:
        return await self._do(f"read {user}", lambda: self._read(user))

    async def read_all(self, users: Sequence[str]) -> Found:
        return await self._do(f"read {users[0]}", lambda: self._read_all(users))

    def _read_all(self, users: Sequence[str]) -> Found:
        return {user: stored for user in users if (stored := self._read(user)) is not None}

    async def write(self, flushes: Sequence[BeginDehydrate]) -> list[Written]:
        ready = checked(flushes)
        return await self._do(f"write {flushes[0].user}", lambda: [self.put(flush) for flush in ready])

    async def users(self, client: str | None, after: str, most: int) -> dict[str, Stored]:
        names = sorted(name for name in self.rows if name > after)
        return {name: Stored(self.rows[name].version, self.rows[name].row) for name in names[:most]}

    async def totals(self) -> dict[str, int]:
        return self.money()

    async def close(self) -> None:
        pass

    def money(self) -> dict[str, int]:
        totals: dict[str, int] = {}
        for kept in self.rows.values():
            for currency, amount in kept.row.balances:
                totals[currency] = totals.get(currency, 0) + amount
        return totals

    def _read(self, user: str) -> Stored | None:
        kept = self.rows.get(user)
        return None if kept is None else Stored(kept.version, kept.row)

    def put(self, flush: BeginDehydrate) -> Written:
        """Compare and set."""
        kept = self.rows.get(flush.user)
        if flush.expected != (kept.version if kept else 0):
            if kept is None:
                return Written(False, 0)
            return outcome(flush, Stored(kept.version, kept.row), kept.shard, kept.epoch)
        self.rows[flush.user] = Kept(flush.expected + 1, flush.shard, flush.epoch, flush.row)
        return Written(True, flush.expected + 1)

    async def _do(self, what: str, work: Callable[[], T]) -> T:
        """What becomes of a call is decided when it begins, not by those before it, and comes to
        pass even if nobody waits for it any more."""
        self._calls[what] += 1
        weather, choose = self.weather, Random(f"{self._seed} {what} {self._calls[what]}")
        fate, first, second = choose.random(), choose.random(), choose.random()
        takes, later = first * weather.longest, second * weather.longest
        if fate < weather.failing:
            await asyncio.sleep(takes)
            raise RecordError("the weather is bad", passing=weather.passing)
        done: asyncio.Future[T] = self._loop.create_future()
        fate -= weather.failing
        if fate < weather.late:
            self._loop.call_later(takes + second * LATEST, lambda: done.set_result(work()))
            await asyncio.sleep(takes)
            raise RecordError("the record does not answer", passing=weather.passing)
        self._loop.call_later(takes, lambda: done.set_result(work()))
        result = await asyncio.shield(done)
        await asyncio.sleep(later)
        if fate - weather.late < weather.forgotten:
            raise RecordError("the answer of the record was lost", passing=weather.passing)
        return result
