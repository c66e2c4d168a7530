"""The persistence agent: reads users from the record and writes them back, while the cycle goes on. What it
has found out enters the cycle as commands."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

from engine import refusals
from engine.user_commands import FlushComplete, FlushFailed, HydrateUser, Row
from engine.user_events import BeginDehydrate
from engine.words import MOVING
from fixgw.codec.times import SECOND
from fixgw.cycle.recorder import Recorder
from fixgw.record.record import Record, RecordError, Stored, Written

READS = 16
"""users that are read at the same time"""
WRITES = 150
"""users that are written at once: more of them would hold up the loop"""
PAUSE = 0.5
"""seconds until the record is tried again"""
LOOK = 0.2
"""seconds that the operator waits for the record"""
REMEMBERED = 100_000
"""users whom the record did not know"""
NOT_READ = Stored(0, Row("", ()))
"""stands for the row of a user who was in memory when it was to be read"""

log = logging.getLogger("fixgw.record")


class Operate(Protocol):
    def __call__(self, operation: Callable[[Recorder, int], Any], /) -> "asyncio.Future[Any]": ...


class Agent:
    def __init__(
        self,
        record: Record,
        recorder: Recorder,
        operate: Operate,
        arrived: Callable[[str, int], None],
        is_needed: Callable[[str], bool],
        unknown_seconds: Callable[[], int],
        recognize: Callable[[str], None],
    ) -> None:
        """`arrived` is told, in a turn, that a user is in memory, or that the record does not know it;
        `is_needed`: whether somebody still waits for a user who could not be read; `recognize` raises
        RecordError for the identity of a record that is not this venue's."""
        self._record = record
        self._venue = recorder.venue
        self._operate = operate
        self._arrived = arrived
        self._is_needed = is_needed
        self._unknown_seconds = unknown_seconds
        self._recognize = recognize
        self._recognized = False
        self._unknown: dict[str, int] = {}
        """until when, in logged time, the record is taken not to know a user"""
        self._to_read: deque[str] = deque()
        self._reading: dict[str, None] = {}
        """who is to be read, is read, or has been and is not in memory yet"""
        self._readers = 0
        self._read: list[tuple[str, Stored | None]] = []
        self._to_write: deque[BeginDehydrate] = deque()
        self._brought: dict[str, list[asyncio.Future[bool]]] = {}
        self._wake_writer = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking = False
        self.trouble = ""
        """what the record says is wrong with it; "" while it answers"""

    def begin(self) -> None:
        """In the loop. What was to be written when the venue stopped is written again, and who was wanted is
        read."""
        self._start(self._write_all())
        for shard in self._venue.shards.values():
            self.write(shard.flushing.values())
        for user in self._venue.unheard:
            self.want(user)
        for _ in range(len(self._to_read)):
            self._read_more()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._record.close()

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def meet(self) -> None:
        """Raises RecordError if the record is not the one that this venue had before: in another one no one
        would be known, and money would be given out again."""
        if not self._recognized:
            self._recognize(await self._record.identity())
            self._recognized = True

    # -- reading -------------------------------------------------------------------------------------

    def is_unknown(self, user: str, time: int) -> bool:
        """The record did not know it a moment ago (docs/users.md, 2.2)."""
        until = self._unknown.get(user, 0)
        if until and until <= time:
            del self._unknown[user]
        return until > time

    def want(self, user: str) -> None:
        """However often it is asked for: it is read once."""
        if user not in self._reading:
            self._reading[user] = None
            self._to_read.append(user)
            self._read_more()

    async def bring(self, user: str) -> bool:
        """Waits until the user is in memory; False if the record does not know it."""
        if user in self._venue.users:
            return True
        future = asyncio.get_running_loop().create_future()
        self._brought.setdefault(user, []).append(future)
        self.want(user)
        return bool(await future)

    def _read_more(self) -> None:
        """One reader more; before the venue begins there is none."""
        if self._to_read and self._readers < READS and self._tasks:
            self._readers += 1
            self._start(self._read_some())

    async def _read_some(self) -> None:
        try:
            while self._to_read:
                await self._read_one(self._to_read.popleft())
        finally:
            self._readers -= 1

    async def _read_one(self, user: str) -> None:
        if user in self._venue.users:  # what the record has of it is older, or about to be
            self._deliver(user, NOT_READ)
            return
        try:
            await self.meet()
            stored = await self._record.read(user)
        except RecordError as problem:
            self._complain(problem)
            await asyncio.sleep(PAUSE)
            if self._is_needed(user) or user in self._brought or user in self._venue.unheard:
                self._to_read.append(user)
            else:
                del self._reading[user]
            return
        self._praise()
        self._deliver(user, stored)

    def _deliver(self, user: str, stored: Stored | None) -> None:
        if not self._read:
            self._operate(self._enter)
        self._read.append((user, stored))

    def _enter(self, recorder: Recorder, time: int) -> None:
        """In a turn: who was read comes into memory, ahead of what waits for it."""
        read, self._read = self._read, []
        for user, stored in read:
            if stored is None and user not in self._venue.users:
                self._remember_unknown(user, time)
            elif not self._is_there(recorder, time, user, stored):
                self._start(self._again(user))  # its shard is full, or it moves: that passes
                continue
            del self._reading[user]
            self._arrived(user, time)
            for future in self._brought.pop(user, ()):
                if not future.done():
                    future.set_result(user in self._venue.users)

    def _is_there(self, recorder: Recorder, time: int, user: str, stored: Stored | None) -> bool:
        """Brings it in if need be; False if there is no place for it now, or it has to be read again."""
        resident = self._venue.users.get(user)
        if resident is not None:
            return resident.state != MOVING
        return stored is not None and stored is not NOT_READ and self._hydrate(recorder, time, user, stored)

    def _hydrate(self, recorder: Recorder, time: int, user: str, stored: Stored) -> bool:
        command = HydrateUser(time, user, stored.version, stored.row)
        refusal = self._venue.refusal(command)
        if refusal is None:
            recorder.accept(command)
        elif refusal.reason == refusals.SUPPLY:
            log.error("user %s cannot come into memory: its balance of %s is too large", user, refusal.unit)
        return refusal is None

    def _remember_unknown(self, user: str, time: int) -> None:
        if len(self._unknown) >= REMEMBERED:
            del self._unknown[next(iter(self._unknown))]
        self._unknown[user] = time + self._unknown_seconds() * SECOND

    async def _again(self, user: str) -> None:
        await asyncio.sleep(PAUSE / 5)
        if self._is_needed(user) or user in self._brought or user in self._venue.unheard:
            self._to_read.append(user)
            self._read_more()
        else:
            del self._reading[user]

    # -- writing -------------------------------------------------------------------------------------

    def write(self, flushes: Iterable[BeginDehydrate]) -> None:
        """After the commit of the turn that asked for it: what the record has must be in the journal."""
        for flush in flushes:
            self._unknown.pop(flush.user, None)
            self._to_write.append(flush)
            self._wake_writer.set()

    async def _write_all(self) -> None:
        most = WRITES
        while True:
            await self._wake_writer.wait()
            batch = [self._to_write.popleft() for _ in range(min(most, len(self._to_write)))]
            if not self._to_write:
                self._wake_writer.clear()
            if not batch:
                continue
            try:
                await self.meet()
                written = await self._record.write(batch)
            except RecordError as problem:
                self._complain(problem)
                most = WRITES if problem.passing else 1  # one that cannot be written holds no other up
                self._to_write.extend(batch)
                self._wake_writer.set()
                await asyncio.sleep(PAUSE)
                continue
            self._praise()
            most = min(most * 2, WRITES)
            await self._operate(partial(_leave, batch, written))

    def _complain(self, problem: RecordError) -> None:
        if str(problem) != self.trouble:
            log.error("the record cannot be used: %s", problem)
        self.trouble = str(problem)

    async def look(self) -> None:
        """Whether what is said about the record still holds: nobody may have needed it since. Returns soon,
        whatever the record does."""
        if self.trouble and not self._looking:
            self._looking = True
            self._start(self._look())
            await asyncio.sleep(LOOK)

    async def _look(self) -> None:
        try:
            await self._record.identity()
            self._praise()
        except RecordError as problem:
            self._complain(problem)
        finally:
            self._looking = False

    def _praise(self) -> None:
        if self.trouble:
            self.trouble = ""
            log.info("the record can be used again")


def _leave(batch: list[BeginDehydrate], written: list[Written], recorder: Recorder, time: int) -> None:
    """In a turn: the record has them, or has something else."""
    for flush, (done, version) in zip(batch, written, strict=True):
        user = recorder.venue.users.get(flush.user)
        outstanding = None if user is None else user.shard.flushing.get(flush.user)
        if outstanding is None or outstanding.epoch != flush.epoch:
            continue
        if done:
            recorder.accept(FlushComplete(time, flush.user, flush.epoch, version))
            continue
        log.critical(
            "user %s was written by someone else: the record has version %d, this venue came with %d; it "
            "takes no order until `fixgw admin resolve %s` says which counts",
            flush.user, version, flush.expected, flush.user,
        )  # fmt: skip
        recorder.accept(FlushFailed(time, flush.user, flush.epoch, version))
