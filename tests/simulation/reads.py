"""What the agent of one process asks the record (docs/users.md, 2.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.user_events import BeginDehydrate
from engine.venue import Venue
from fixgw.record.record import Found
from tests.simulation.record import SimulatedRecord


class CountedReads:
    """The record as the agent of one process sees it; users.md 2.2 is about what it asks."""

    def __init__(self, record: SimulatedRecord, venue: Venue, now: Callable[[], int]) -> None:
        self.write = record.write
        self.close = record.close
        self.unknown: dict[str, int] = {}
        """until when nobody is to be asked again, in logged time"""
        self.unknown_seconds = 0
        self._record = record
        self._venue = venue
        self._now = now
        self._reading: set[str] = set()

    def told_by(self, agent: Any) -> None:
        """That a user may be known from now on."""
        write = agent.write

        def both(flushes: Iterable[BeginDehydrate]) -> None:
            flushes = list(flushes)
            for flush in flushes:
                self.unknown.pop(flush.user, None)
            write(flushes)

        agent.write = both

    async def identity(self) -> str:
        return await self._record.identity()

    async def read_all(self, users: Sequence[str]) -> Found:
        for user in users:
            assert user not in self._reading, f"{user} is read twice at a time"
            assert self.unknown.get(user, 0) <= self._now(), f"{user} is not known, and is read again"
        self._reading.update(users)
        try:
            found = await self._record.read_all(users)
        finally:
            self._reading.difference_update(users)
        for user in users:
            if user not in found and user not in self._record.rows and user not in self._venue.users:
                self.unknown[user] = self._now() + self.unknown_seconds * 1_000_000_000
        return found
