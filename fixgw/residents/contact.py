"""The record as the agent has it: whether it is the right one, whether it answers, and whose row it cannot
read."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from fixgw.record.record import Record, RecordError

PAUSE = 0.5
"""seconds until the record is tried again"""
LONG_PAUSE = 60.0
"""seconds until a user whose row is damaged is tried again: somebody has to do something about it"""
LOOK = 0.2
"""seconds that the operator waits for the record"""

log = logging.getLogger("fixgw.record")


class Contact:
    def __init__(self, record: Record, recognize: Callable[[str], None]) -> None:
        """`recognize` raises RecordError for the identity of a record that is not this venue's."""
        self.record = record
        self._recognize = recognize
        self._recognized = False
        self._looking = False
        self._tasks: set[asyncio.Task[None]] = set()
        self.begun = False
        """nothing is asked of it before the venue begins"""
        self.damaged: dict[str, str] = {}
        """users of whom the record has something that cannot be read, and what it says of that"""
        self.trouble = ""
        """what the record says is wrong with it; "" while it answers"""

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.record.close()

    async def meet(self) -> None:
        """Raises RecordError if the record is not the one that this venue had before: in another one no one
        would be known, and money would be given out again."""
        if not self._recognized:
            self._recognize(await self.record.identity())
            self._recognized = True

    def tell_damage(self, user: str, problem: RecordError) -> None:
        if self.damaged.get(user) != str(problem):
            log.error("user %s: %s; the others are not concerned", user, problem)
        self.damaged[user] = str(problem)

    def complain(self, problem: RecordError) -> None:
        if str(problem) != self.trouble:
            log.error("the record cannot be used: %s", problem)
        self.trouble = str(problem)

    def praise(self) -> None:
        if self.trouble:
            self.trouble = ""
            log.info("the record can be used again")

    async def look(self) -> None:
        """Whether what is said about the record still holds: nobody may have needed it since. Returns soon,
        whatever the record does."""
        if self.trouble and not self._looking:
            self._looking = True
            self.start(self._look())
            await asyncio.sleep(LOOK)

    async def _look(self) -> None:
        try:
            await self.record.identity()
            self.praise()
        except RecordError as problem:
            self.complain(problem)
        finally:
            self._looking = False
