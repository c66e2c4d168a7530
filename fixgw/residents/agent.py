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

READS = 100
"""users that are read at once: about a millisecond of work"""
WRITES = 150
"""users that are written at once: more of them would hold up the loop"""
GATHER_READS, GATHER_WRITES = 0.005, 0.02
"""seconds for which users are gathered, so that many are read or written at once; whoever comes first while
nothing is read does not wait"""
PAUSE = 0.5
"""seconds until the record is tried again"""
LONG_PAUSE = 60.0
"""seconds until a user whose row is damaged is tried again: somebody has to do something about it"""
LOOK_AGAIN = 0.1
"""seconds until those are looked at again for whom there was no place"""
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
        self._reads_on = False
        self._read: list[tuple[str, Stored | RecordError | None]] = []
        self._outdated: set[str] = set()
        """those of them who were written meanwhile: what was read may be from before"""
        self._full: dict[str, dict[str, Stored]] = {}
        """by shard, who found no place there, and what the record has of it"""
        self._moving: dict[str, None] = {}
        """who found itself on its way to another shard"""
        self._looks_again = False
        self._to_write: deque[BeginDehydrate] = deque()
        self._brought: dict[str, list[asyncio.Future[bool]]] = {}
        self._wake_writer = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking = False
        self.reads = self.writes = 0
        """users that the record was asked for, and that it has written, since the start"""
        self.writing = 0
        """users that it has been given to write and has not answered for"""
        self.damaged: dict[str, str] = {}
        """users of whom the record has something that cannot be read, and what it says of that"""
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
            self._read_again(user)

    async def bring(self, user: str) -> bool:
        """Waits until the user is in memory; False if the record does not know it. Raises RecordError if what
        it has of the user is damaged."""
        if user in self._venue.users:
            return True
        future = asyncio.get_running_loop().create_future()
        self._brought.setdefault(user, []).append(future)
        self.want(user)
        return bool(await future)

    def _read_again(self, user: str) -> None:
        self._to_read.append(user)
        self._read_more()

    def _read_more(self) -> None:
        """Before the venue begins nothing is read."""
        if self._to_read and not self._reads_on and self._tasks:
            self._reads_on = True
            self._start(self._read_all())

    async def _read_all(self) -> None:
        try:
            while self._to_read:
                await self._read_batch(
                    [self._to_read.popleft() for _ in range(min(READS, len(self._to_read)))]
                )
                if len(self._to_read) < READS:
                    await asyncio.sleep(GATHER_READS)
        finally:
            self._reads_on = False

    async def _read_batch(self, users: list[str]) -> None:
        wanted = []
        for user in users:
            if user in self._venue.users:  # what the record has of it is older, or about to be
                self._deliver(user, NOT_READ)
            else:
                wanted.append(user)
        if not wanted:
            return
        self.reads += len(wanted)
        try:
            await self.meet()
            found = await self._record.read_all(wanted)
        except RecordError as problem:
            self._complain(problem)
            await asyncio.sleep(PAUSE)
            for user in wanted:
                if self._is_wanted(user):
                    self._to_read.append(user)
                else:
                    self._forget(user)
            return
        self._praise()
        for user in wanted:
            self._deliver(user, found.get(user))

    def _is_wanted(self, user: str) -> bool:
        return self._is_needed(user) or user in self._brought or user in self._venue.unheard

    def _forget(self, user: str) -> None:
        """Nothing is under way for it any more."""
        del self._reading[user]
        self._outdated.discard(user)

    def _deliver(self, user: str, stored: Stored | RecordError | None) -> None:
        if not self._read:
            self._operate(self._enter)
        self._read.append((user, stored))

    def _enter(self, recorder: Recorder, time: int) -> None:
        """In a turn: who was read comes into memory, ahead of what waits for it."""
        read, self._read = self._read, []
        for user, stored in read:
            self._come(recorder, time, user, stored)

    def _come(self, recorder: Recorder, time: int, user: str, stored: Stored | RecordError | None) -> None:
        resident = self._venue.users.get(user)
        if resident is not None:
            if resident.state == MOVING:
                self._wait_for_move(user)
                return
        elif isinstance(stored, RecordError):
            self._suffer(user, stored)
            return
        elif stored is NOT_READ or (stored is None and user in self._outdated):
            self._outdated.discard(user)
            self._read_again(user)  # it has come and gone since
            return
        elif stored is None:
            self._remember_unknown(user, time)
        elif not self._hydrate(recorder, time, user, stored):
            return
        self._forget(user)
        self.damaged.pop(user, None)
        self._arrived(user, time)
        for future in self._brought.pop(user, ()):
            if not future.done():
                future.set_result(user in self._venue.users)

    def _hydrate(self, recorder: Recorder, time: int, user: str, stored: Stored) -> bool:
        """False if there is no place for it now."""
        command = HydrateUser(time, user, stored.version, stored.row)
        refusal = self._venue.refusal(command)
        if refusal is None:
            recorder.accept(command)
        elif refusal.reason == refusals.SHARD_FULL:
            self._full.setdefault(self._venue.router.owner(user), {})[user] = stored
            self._look_again()
        elif refusal.reason == refusals.ON_THE_MOVE:
            self._wait_for_move(user)
        else:
            assert refusal.reason == refusals.SUPPLY, refusal
            problem = f"user {user} cannot come into memory: its balance of {refusal.unit} is too large"
            self._suffer(user, RecordError(problem, passing=False))
        return refusal is None

    def _suffer(self, user: str, problem: RecordError) -> None:
        """It cannot come into memory. Its orders wait as long as they may; others do not notice."""
        self._tell_damage(user, problem)
        self._forget(user)
        for future in self._brought.pop(user, ()):
            if not future.done():
                future.set_exception(problem)
        if user in self._venue.unheard:
            asyncio.get_running_loop().call_later(LONG_PAUSE, self.want, user)

    def _remember_unknown(self, user: str, time: int) -> None:
        if len(self._unknown) >= REMEMBERED:
            del self._unknown[next(iter(self._unknown))]
        self._unknown[user] = time + self._unknown_seconds() * SECOND

    # -- who finds no place --------------------------------------------------------------------------

    def _wait_for_move(self, user: str) -> None:
        self._moving[user] = None
        self._look_again()

    def _look_again(self) -> None:
        if not self._looks_again:
            self._looks_again = True
            self._start(self._go_on_looking())

    async def _go_on_looking(self) -> None:
        """When someone has left, they are looked at as well; this is for all else that can make room."""
        while self._full or self._moving:
            await asyncio.sleep(LOOK_AGAIN)
            await self._operate(self._let_in)
        self._looks_again = False

    def _let_in(self, recorder: Recorder, time: int) -> None:
        """In a turn: whoever has a place now comes into memory, with what was read before; who has moved is
        read for its new shard."""
        for name in list(self._full):
            waiting = self._full.pop(name)
            while waiting:
                shard = self._venue.shards.get(name)
                if shard is not None and len(shard.users) >= self._venue.resident:
                    break
                user = next(iter(waiting))
                self._come_if_wanted(recorder, time, user, waiting.pop(user))
            for user in [user for user in waiting if not self._is_wanted(user)]:
                del waiting[user]
                self._forget(user)
            if waiting:
                self._full[name] = waiting | self._full.get(name, {})
        for user in list(self._moving):
            resident = self._venue.users.get(user)
            moves = user in self._venue.moving or (resident is not None and resident.state == MOVING)
            if not moves or not self._is_wanted(user):
                del self._moving[user]
                self._come_if_wanted(recorder, time, user, NOT_READ)

    def _come_if_wanted(self, recorder: Recorder, time: int, user: str, stored: Stored) -> None:
        if self._is_wanted(user):
            self._come(recorder, time, user, stored)
        else:
            self._forget(user)

    # -- writing -------------------------------------------------------------------------------------

    def write(self, flushes: Iterable[BeginDehydrate]) -> None:
        """After the commit of the turn that asked for it: what the record has must be in the journal."""
        for flush in flushes:
            self._unknown.pop(flush.user, None)
            if flush.user in self._reading:
                self._outdated.add(flush.user)
            self._to_write.append(flush)
            self._wake_writer.set()

    async def _write_all(self) -> None:
        most = WRITES
        while True:
            await self._wake_writer.wait()
            if len(self._to_write) < most:
                await asyncio.sleep(GATHER_WRITES)
            batch = [self._to_write.popleft() for _ in range(min(most, len(self._to_write)))]
            if not self._to_write:
                self._wake_writer.clear()
            if not batch:
                continue
            self.writing = len(batch)
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
            self.writing = 0
            most = min(most * 2, WRITES)
            done: list[tuple[BeginDehydrate, Written]] = []
            for flush, outcome in zip(batch, written, strict=True):
                if isinstance(outcome, RecordError):
                    self._tell_damage(flush.user, outcome)
                    asyncio.get_running_loop().call_later(LONG_PAUSE, self.write, (flush,))
                else:
                    self.damaged.pop(flush.user, None)
                    done.append((flush, outcome))
            self.writes += len(done)
            await self._operate(partial(_leave, done))
            if self._full:
                self._operate(self._let_in)

    def _tell_damage(self, user: str, problem: RecordError) -> None:
        if self.damaged.get(user) != str(problem):
            log.error("user %s: %s; the others are not concerned", user, problem)
        self.damaged[user] = str(problem)

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


def _leave(written: list[tuple[BeginDehydrate, Written]], recorder: Recorder, time: int) -> None:
    """In a turn: the record has them, or has something else."""
    for flush, (done, version) in written:
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
