"""Follows the log, counts what it says, and looks around now and then."""

import copy
import threading
import time
from contextlib import suppress
from pathlib import Path

from fixgw.metrics import around, tally
from fixgw.metrics.around import Readers, Sizes
from fixgw.metrics.tally import Tally
from fixgw.store.follow import Follower
from fixgw.store.journal import Entry

FOLDER = "metrics"
"""in the data directory"""
BATCH = 200
"""entries that are counted at once: a scrape waits for as many"""
LOOK = 1.0
"""seconds between looks at the sizes"""
SAVE = 5.0
"""seconds between two times that the counts are saved: what a start has to count again at most"""


class Counter:
    """`step` is called by one thread only; the rest by any. Raises StoreError."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.readers = Readers(directory)
        self.sizes: Sizes | None = None
        """None until they were looked at"""
        self._follower = Follower(directory)
        self._folder = directory / FOLDER
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._tally = tally.load(self._folder, self._follower)
        self._follower.next = self._tally.sequence + 1
        self._lock = threading.Lock()
        self._caught_up = False
        self._last: Entry | None = None
        self._saved = self._tally.sequence
        self._look_at = self._save_at = 0.0

    @property
    def taken(self) -> int:
        """The last event that is counted."""
        return self._tally.event

    @property
    def sequence(self) -> int:
        """The last journal entry that is counted."""
        return self._tally.sequence

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
            self._last = entries[-1][1]
        else:
            self._caught_up = True
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
            tally.save(self._folder, self._tally, self._last)
            self._saved = self._tally.sequence

    def close(self) -> None:
        self.save()
        self._follower.close()
