"""Reads that are asked for while others are under way go together, so that many who come at once cost little
more than one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice

from fixgw.record.record import Found, RecordError, Stored

MOST = 100
"""names in one go: about a millisecond of work"""


class Gathering:
    def __init__(self, read: Callable[[Sequence[str]], Awaitable[Found]], at_once: int) -> None:
        """`read` has an entry for each user that there is, or raises RecordError for all of them."""
        self._read = read
        self._wanted: dict[str, asyncio.Future[Stored | None]] = {}
        """nobody has begun to read these"""
        self._free = at_once
        """of those who read"""
        self._readers: set[asyncio.Task[None]] = set()

    async def read(self, user: str) -> Stored | None:
        """As the record has it at some moment from now on."""
        waiting = self._wanted.get(user)
        if waiting is None:
            waiting = self._wanted[user] = asyncio.get_running_loop().create_future()
            if self._free:
                self._free -= 1
                reader = asyncio.create_task(self._read_all())
                self._readers.add(reader)
                reader.add_done_callback(self._readers.discard)
        return await asyncio.shield(waiting)

    async def close(self) -> None:
        """Waits for what is under way."""
        if self._readers:
            await asyncio.wait(self._readers)

    async def _read_all(self) -> None:
        while self._wanted:
            users = {user: self._wanted.pop(user) for user in list(islice(self._wanted, MOST))}
            try:
                found = await self._read(list(users))
            except RecordError as problem:
                found = dict.fromkeys(users, problem)
            for user, waiting in users.items():
                stored = found.get(user)
                if isinstance(stored, RecordError):
                    waiting.set_exception(stored)
                    waiting.exception()  # who asked may be gone
                else:
                    waiting.set_result(stored)
        self._free += 1  # in the step in which nobody was found waiting, so that nobody is left waiting
