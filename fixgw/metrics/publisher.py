"""`fixgw publish metrics`."""

import asyncio
import copy
import logging
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from prometheus_client import CollectorRegistry, ProcessCollector

from fixgw.metrics import around, tally
from fixgw.metrics.around import Readers, Sizes
from fixgw.metrics.endpoint import serve
from fixgw.metrics.exposition import VenueCollector
from fixgw.metrics.tally import Tally
from fixgw.settings import Settings, SettingsError
from fixgw.station.running import stop_with
from fixgw.store.follow import Follower
from fixgw.store.journal import Entry

NAME = "metrics"
PAUSE = 0.05
"""seconds between looks at a log that has nothing new"""
BATCH = 200
"""entries that are counted at once: a scrape waits for as many"""
LOOK = 1.0
"""seconds between looks at the sizes"""
SAVE = 5.0
"""seconds between two times that the counts are saved: what a start has to count again at most"""

log = logging.getLogger("fixgw.metrics")


class Counter:
    """Follows the log, counts, and looks around now and then. `step` is called by one thread only."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.readers = Readers(directory)
        self.sizes: Sizes | None = None
        self._follower = Follower(directory)
        self._folder = directory / NAME
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._tally = tally.load(self._folder, self._follower)
        self._follower.next = self._tally.sequence + 1
        self._lock = threading.Lock()
        self._caught_up = False
        self._last: tuple[int, Entry] | None = None
        self._saved = self._tally.sequence
        self._look_at = self._save_at = 0.0

    @property
    def taken(self) -> int:
        """The last event that is counted."""
        return self._tally.event

    def tally(self) -> Tally | None:
        """A copy; None until all was counted once that there was: counters that run after the log would look
        like a burst of trades."""
        if not self._caught_up:
            return None
        with self._lock:
            return copy.deepcopy(self._tally)

    def step(self) -> bool:
        """Counts what is next; False if there is nothing new."""
        entries = self._follower.entries(BATCH)
        with self._lock:
            for sequence, entry in entries:
                tally.count(self._tally, sequence, entry)
        if entries:
            self._last = entries[-1]
        self._caught_up = self._caught_up or not entries
        self.readers.mark(max(self._follower.written, self.taken), time.time_ns())
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + LOOK
            with suppress(OSError):
                self.sizes = around.sizes(self._directory, self._follower.store) or self.sizes
        if now >= self._save_at:
            self._save_at = now + SAVE
            self.save()
        return bool(entries)

    def save(self) -> None:
        if self._last is not None and self._saved != self._tally.sequence:
            tally.save(self._folder, self._tally, self._last[1])
            self._saved = self._tally.sequence

    def close(self) -> None:
        self.save()
        self._follower.close()


def publish(settings: Settings, source: Path, directory: Path, port: int | None, beside: int | None) -> int:
    """Exit code. Raises SettingsError or StoreError."""
    section = settings.metrics
    counter = Counter(directory)
    collector = VenueCollector(
        directory,
        counter.readers,
        counter.tally,
        lambda: counter.sizes,
        lambda: counter.taken,
    )
    registry = CollectorRegistry()
    registry.register(collector)
    ProcessCollector("fixgw_venue", lambda: collector.process or "none", registry=registry)
    ProcessCollector("fixgw_metrics", os.getpid, registry=registry)
    where = section.address, section.port if port is None else port
    try:
        server = serve(*where, registry)
    except OSError as problem:
        reason = os.strerror(problem.errno) if problem.errno and problem.errno > 0 else str(problem)
        raise SettingsError(f"{source}: metrics: cannot listen on {where[0]}:{where[1]}: {reason}") from None
    try:
        print(f"ready fixgw {NAME} {server.server_name}:{server.server_port} path=/metrics", flush=True)
        asyncio.run(_run(counter, beside))
    finally:
        server.shutdown()
        counter.close()
    return 0


async def _run(counter: Counter, beside: int | None) -> None:
    stop = stop_with(beside)
    while not stop.is_set():
        pause = 0.0 if counter.step() else PAUSE
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), pause)
