"""What the venue's process writes into its page of numbers: a few additions, no system call but the clock's.
What is written is never read back: nothing here can change what the venue does."""

import gc
import time
from collections.abc import Callable
from typing import Any

from fixgw.codec.refusals import REASONS
from fixgw.metrics.buckets import TOTAL, bucket
from fixgw.metrics.table import (
    CAUSES,
    GC_PAUSE,
    KINDS,
    LAYOUT,
    LAYOUT_NUMBER,
    LONG_REPLAY,
    LONG_START,
    LONG_TICK,
    LONG_TURN,
    RING,
    SLOW_COMMIT,
    SLOW_FSYNC,
    SNAPSHOT,
    SPAN_SIZE,
    SPANS,
    place,
)

MS = 1_000_000
LIMITS = {
    SLOW_FSYNC: 20 * MS,  # a solid disk takes 0.1 to 5 ms, one that turns about 10
    SLOW_COMMIT: 50 * MS,  # it writes many pages and waits twice; at most 20 a second
    GC_PAUSE: 4 * MS,  # half of what a turn may take before it takes nothing more
    LONG_TURN: 25 * MS,  # what a turn may take, and a disk that is not slow yet
    LONG_TICK: 10 * MS,  # a turn cannot begin meanwhile
    LONG_REPLAY: 1000 * MS,  # its client waits for all that comes after it
    LONG_START: 1000 * MS,  # no one could log on
    SNAPSHOT: 0,  # a processor and the disk are shared with it
}
"""nanoseconds from which on a span is noted"""
_KIND = {kind: number for number, kind in enumerate(CAUSES)}

_FSYNC, _COMMIT, _REPLAY, _TICK, _RECOVERY = map(
    place, ("fsync_seconds", "database_commit_seconds", "replay_seconds", "tick_seconds", "recovery_seconds")
)
_SNAPSHOT = place("snapshot_running")
_GC = [place("gc_pause_seconds", generation) for generation in "012"]
_REJECTS = {reason: place("rejects", reason) for reason in REASONS}
_COUNT = [0, *(place("spans", kind) for kind in KINDS)]
_SUM = [0, *(place("spans_seconds", kind) for kind in KINDS)]
_LONGEST = [0, *(place("spans_longest_seconds", kind) for kind in KINDS)]


class Meter:
    def __init__(
        self,
        numbers: "memoryview[int]",
        clock: Callable[[], int] = time.perf_counter_ns,
        wall: Callable[[], int] = time.time_ns,
    ) -> None:
        """`numbers`: the page, all 0. `clock` and `wall`: nanoseconds, since anything and since the epoch."""
        self.numbers = numbers
        self.clock = clock
        self._wall = wall
        self.longest = (0, 0)
        """duration and kind of the longest span, for who sets it to (0, 0) before"""
        self._gc_began = self._snapshot_began = 0
        numbers[place("start_time_seconds")] = wall()
        numbers[LAYOUT] = LAYOUT_NUMBER

    def observe(self, at: int, duration: int, weight: int = 1) -> None:
        """Adds a time in nanoseconds to the histogram."""
        numbers = self.numbers
        numbers[at + bucket(duration)] += weight
        numbers[at + TOTAL] += duration * weight

    def span(self, kind: str, begin: int, end: int, detail: int = 0) -> None:
        """Notes it, if it was long; times of the clock."""
        duration = end - begin
        if duration < LIMITS[kind]:
            return
        number, numbers = _KIND[kind], self.numbers
        self.longest = max(self.longest, (duration, number))
        numbers[_COUNT[number]] += 1
        numbers[_SUM[number]] += duration
        numbers[_LONGEST[number]] = max(numbers[_LONGEST[number]], duration)
        at = SPANS + 1 + numbers[SPANS] % RING * SPAN_SIZE
        began = self._wall() - (self.clock() - begin)
        for offset, value in enumerate((number, max(began, 0), duration, detail)):
            numbers[at + offset] = value
        numbers[SPANS] += 1

    # -- what rooms tell it ---------------------------------------------------------------------------

    def rejected(self, reason: str) -> None:
        """`reason`: of fixgw.codec.refusals."""
        self.numbers[_REJECTS[reason]] += 1

    def synced(self, begin: int, end: int, size: int) -> None:
        """A turn has waited for the disk to have so many bytes."""
        self.observe(_FSYNC, end - begin)
        self.span(SLOW_FSYNC, begin, end, size)

    def committed(self, begin: int, end: int) -> None:
        """The database was."""
        self.observe(_COMMIT, end - begin)
        self.span(SLOW_COMMIT, begin, end)

    def replayed(self, begin: int, end: int, messages: int) -> None:
        """A ResendRequest was answered."""
        self.observe(_REPLAY, end - begin)
        self.span(LONG_REPLAY, begin, end, messages)

    def ticked(self, begin: int, end: int) -> None:
        self.observe(_TICK, end - begin)
        self.span(LONG_TICK, begin, end)

    def recovered(self, begin: int, end: int, entries: int) -> None:
        """A start has replayed so many."""
        self.numbers[_RECOVERY] = end - begin
        self.span(LONG_START, begin, end, entries)

    def snapshot_begins(self) -> None:
        self.numbers[_SNAPSHOT] = 1
        self._snapshot_began = self.clock()

    def snapshot_ends(self, sequence: int) -> None:
        """It was asked for at this journal entry."""
        self.numbers[_SNAPSHOT] = 0
        self.span(SNAPSHOT, self._snapshot_began, self.clock(), sequence)

    # -- garbage collections --------------------------------------------------------------------------

    def watch_gc(self) -> None:
        gc.callbacks.append(self._collecting)

    def close(self) -> None:
        if self._collecting in gc.callbacks:
            gc.callbacks.remove(self._collecting)

    def _collecting(self, phase: str, info: dict[str, Any]) -> None:
        if phase == "start":
            self._gc_began = self.clock()
            return
        end, generation = self.clock(), info["generation"]
        self.observe(_GC[generation], end - self._gc_began)
        self.span(GC_PAUSE, self._gc_began, end, generation)
