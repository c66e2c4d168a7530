"""Writes users back to the record, many at once, while the cycle goes on. What became of it enters that
as commands (docs/users.md, 2.6 to 2.8)."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from engine.user_commands import FlushComplete, FlushFailed
from engine.user_events import BeginDehydrate
from fixgw.cycle.operating import Operate
from fixgw.cycle.recorder import Recorder
from fixgw.record.record import RecordError, Written
from fixgw.residents.contact import LONG_PAUSE, PAUSE, Contact

WRITES = 150
"""users that are written at once: more of them would hold up the loop"""
GATHER = 0.02
"""seconds for which users are gathered, so that many are written at once"""

log = logging.getLogger("fixgw.record")


class Writer:
    def __init__(self, contact: Contact, operate: Operate, left: Callable[[], None]) -> None:
        """`left` is told that users may have left."""
        self._contact = contact
        self._operate = operate
        self._left = left
        self._to_write: deque[BeginDehydrate] = deque()
        self._wake = asyncio.Event()
        self.writes = 0
        """users that the record has written since the start"""
        self.writing = 0
        """users that it has been given to write and has not answered for"""

    def begin(self) -> None:
        self._contact.start(self._write_all())

    def write(self, flushes: Iterable[BeginDehydrate]) -> None:
        self._to_write.extend(flushes)
        self._wake.set()

    async def _write_all(self) -> None:
        most = WRITES
        while True:
            await self._wake.wait()
            if len(self._to_write) < most:
                await asyncio.sleep(GATHER)
            batch = [self._to_write.popleft() for _ in range(min(most, len(self._to_write)))]
            if not self._to_write:
                self._wake.clear()
            if not batch:
                continue
            self.writing = len(batch)
            try:
                await self._contact.meet()
                written = await self._contact.record.write(batch)
            except RecordError as problem:
                self._contact.complain(problem)
                most = WRITES if problem.passing else 1  # one that cannot be written holds no other up
                self._to_write.extend(batch)
                self._wake.set()
                await asyncio.sleep(PAUSE)
                continue
            self._contact.praise()
            self.writing = 0
            most = min(most * 2, WRITES)
            done = list(self._done(zip(batch, written, strict=True)))
            self.writes += len(done)
            await self._operate(partial(_leave, done))
            self._left()

    def _done(
        self, outcomes: Iterable[tuple[BeginDehydrate, Written | RecordError]]
    ) -> Iterator[tuple[BeginDehydrate, Written]]:
        """Without those whose row is damaged: they are tried again."""
        for flush, outcome in outcomes:
            if isinstance(outcome, RecordError):
                self._contact.tell_damage(flush.user, outcome)
                asyncio.get_running_loop().call_later(LONG_PAUSE, self.write, (flush,))
            else:
                self._contact.damaged.pop(flush.user, None)
                yield flush, outcome


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
