"""What leaves for one client, in the order of its numbers and never before the commit that covers it.

While the client keeps up, a report goes from the cycle to its socket. While it is behind (a replay is under
way, or its socket is full), reports wait in the outbox, where they are anyway, and are read from there in
pieces: memory does not grow with what a client leaves unread, and no other session notices."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from time import perf_counter_ns

from fixgw.codec.frame import Frame
from fixgw.sessions.client import Line
from fixgw.settings import Door
from fixgw.store import outbox
from fixgw.store.store import Store

log = logging.getLogger("fixgw.sessions")

PIECE = 16384
"""bytes read from the outbox and written to one client in one turn of the loop"""
MAX_REPLAYS = 16
"""replays one client may have waiting"""


class Span:
    """Numbers [first, end) still to be read from the outbox; `replay` for what was sent before."""

    __slots__ = ("began", "due", "end", "first", "generation", "messages", "replay")

    def __init__(self, generation: int, first: int, end: int, replay: bool, due: float = 0.0) -> None:
        self.generation = generation
        self.first = first
        self.end = end
        self.replay = replay
        self.due = due
        """not before this time of the event loop"""
        self.began = 0
        """when its first message was read, by time.perf_counter_ns; 0: not yet"""
        self.messages = 0
        """that were read"""


class Outflow:
    def __init__(
        self, store: Store, prefix: bytes, frame: Frame, sending_time: Callable[[], str], limits: Door
    ) -> None:
        self._store = store
        self._prefix = prefix
        self._frame = frame
        self._sending_time = sending_time
        self.limits = limits
        self._queue: deque[bytes | Span] = deque()
        self._behind = False
        self._again: asyncio.Handle | None = None
        self._ended = False
        self._replayed = (0, 0)
        """(generation, number) up to which this connection was sent something again"""
        self._repeats = 0
        self.replayed: Callable[[int, int, int], object] = lambda begin, end, messages: None
        """told of each replay that is over, with times of time.perf_counter_ns"""
        self.line: Line | None = None
        self.unread = 0
        """bytes of messages that are due for this client and not yet handed to its socket"""
        self.last_out = ""
        """when something was last handed to its socket: UTCTimestamp; empty: not since the start"""

    def open(self, line: Line) -> None:
        assert self.line is None
        self.line = line
        self._ended = False
        self._replayed = (0, 0)
        self._repeats = 0

    def close(self) -> None:
        """The client is gone. What it did not get is in the outbox and comes with its next resend request."""
        self.line = None
        self._queue.clear()
        self._behind = False
        self.unread = 0
        self._rest()

    def report(self, generation: int, sequence: int, message: bytes) -> None:
        """A message that is in the outbox under `sequence`."""
        if self.line is None or self._ended:
            return
        self.unread += len(message)
        if not self._behind and not self.line.congested:
            self._queue.append(message)
            return
        self._behind = True
        last = self._queue[-1] if self._queue else None
        if type(last) is Span and not last.replay and last.end == sequence:
            last.end += 1
        else:
            self._queue.append(Span(generation, sequence, sequence + 1, replay=False))

    def administer(self, message: bytes) -> None:
        """A session message, which is kept nowhere else."""
        if self.line is not None:
            self.unread += len(message)
            self._queue.append(message)

    def replay(self, generation: int, first: int, end: int) -> None:
        """The client asks for [first, end) again. One replay at a time, and what is about to be sent again
        is not sent twice: a client that asks after each message it gets costs little."""
        if self.line is None:
            return
        last = self._queue[-1] if self._queue else None
        if type(last) is Span and last.replay and last.generation == generation and last.first <= first:
            last.end = max(last.end, end)
            return
        if sum(type(item) is Span and item.replay for item in self._queue) >= MAX_REPLAYS:
            self.line.cut(f"more than {MAX_REPLAYS} resend requests waiting")
            return
        self._behind = True
        self._queue.append(Span(generation, first, end, replay=True, due=self._due(generation, first, end)))

    def _due(self, generation: int, first: int, end: int) -> float:
        """When a replay may begin: after a few that repeat what this connection was sent again before, the
        next must wait, as it costs the venue more than the client."""
        repeated = (generation, first) < self._replayed
        self._replayed = max(self._replayed, (generation, end))
        self._repeats += repeated
        if not repeated or self._repeats <= self.limits.resend_repeats:
            return 0.0
        return asyncio.get_running_loop().time() + self.limits.resend_pause_seconds

    def forget(self) -> None:
        """Drops what is still to be read from the outbox, as after a reset: it comes under new numbers."""
        self._queue = deque(item for item in self._queue if type(item) is not Span)
        self._behind = False
        self.unread = sum(map(len, self._queue))  # type: ignore[arg-type]

    def end(self) -> None:
        """The last session message is in the queue: reports born from here on wait for the next logon."""
        self._ended = True

    def finish(self) -> bool:
        """The connection ends: session messages still leave, and what is to be read from the outbox waits
        there for the next one. True if nothing does: the client is sent all that was due before the end."""
        whole = not any(type(item) is Span for item in self._queue)
        self.forget()
        if self.line is not None and self._queue:
            self._write_ready(self.line)
        return whole

    def now(self) -> str:
        """The SendingTime(52) of what is made in this moment."""
        return self._sending_time()

    def pump(self) -> None:
        """Writes what may be written now; called after each commit and when the socket has room again."""
        line, queue = self.line, self._queue
        self._rest()
        if line is None:
            return
        if self.unread > self.limits.unread_bytes:
            line.cut(f"{self.unread} bytes unread, the limit is {self.limits.unread_bytes}")
            return
        while queue and not line.congested:
            if type(queue[0]) is not Span:
                self._write_ready(line)
            elif self._must_wait(queue[0]):
                return
            else:
                try:
                    self._write_piece(line, queue[0])
                except outbox.DamagedReport as damage:
                    log.critical("%s", damage)
                    line.cut(str(damage))
                break
        self._behind = any(type(item) is Span for item in queue) if self._behind else False
        if queue and not line.congested and self._again is None:
            self._again = asyncio.get_running_loop().call_soon(self.pump)

    def _rest(self) -> None:
        """Forgets when it was to be pumped again."""
        if self._again is not None:
            self._again.cancel()
            self._again = None

    def _must_wait(self, span: Span) -> bool:
        """Whether it is one replay too many, whose time has not come. It keeps waiting what is behind it."""
        loop = asyncio.get_running_loop()
        wait = span.due - loop.time() if span.due else 0.0
        if wait > 0:
            self._again = loop.call_later(wait, self.pump)
        return wait > 0

    def _write_ready(self, line: Line) -> None:
        ready = []
        while self._queue and type(self._queue[0]) is not Span:
            ready.append(self._queue.popleft())
        data = b"".join(ready)  # type: ignore[arg-type]
        self.unread -= len(data)
        self.last_out = self._sending_time()
        line.write(data)

    def _write_piece(self, line: Line, span: Span) -> None:
        parts: list[bytes] = []
        size = 0
        now = self._sending_time()
        span.began = span.began or perf_counter_ns()
        with self._store.read() as transaction:
            found = outbox.records(
                self._store, transaction, self._prefix, span.generation, span.first, span.end
            )
            for sequence, record in found:
                if sequence > span.first:
                    assert span.replay, "a report that is due is in the outbox"
                    parts.append(self._frame.gap_fill(span.first, sequence, now))
                if span.replay:
                    parts.append(self._frame.replay(sequence, record, now))
                else:
                    parts.append(self._frame.first_send(sequence, record))
                    self.unread -= len(parts[-1])
                span.first = sequence + 1
                span.messages += 1
                size += len(parts[-1])
                if size >= PIECE:
                    break
            else:
                if span.first < span.end:
                    parts.append(self._frame.gap_fill(span.first, span.end, now))
                span.first = span.end
        if span.first >= span.end:
            self._queue.popleft()
            if span.replay:
                self.replayed(span.began, perf_counter_ns(), span.messages)
        self.last_out = now
        line.write(b"".join(parts))
