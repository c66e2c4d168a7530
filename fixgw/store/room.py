"""How much more the store can take, seen before it is full."""

import logging
import os
from pathlib import Path

from fixgw.store.failures import StoreError
from fixgw.store.store import Store
from fixgw.store.tail import SIZE

START = 1 << 20
"""bytes of disk that a start takes beside those of a new tail"""
LAST = 1 << 18
"""bytes that stay for the rest of a turn, such as the numbers of sessions, when no order can end any more"""
END_OF_ORDER = 4096
"""bytes that the end of one order takes at most: its event, its reports, its ClOrdID, and half empty pages"""
UNSEEN = 2 * SIZE
"""bytes that may be gone before the database is committed, and what is left is seen"""

log = logging.getLogger("fixgw.store")


def check_disk(directory: Path) -> None:
    """Raises StoreError where a start would meet a full disk: after that the last stop would not count as
    clean, and LMDB's lock file, which is written through memory, can have it killed by the kernel."""
    needed = START if (directory / "tail").exists() else START + SIZE
    free = _free(directory)
    if free < needed:
        raise StoreError(
            f"{directory}: the disk is full: {free} bytes are free, a start takes up to {needed}"
        )


def _free(directory: Path) -> int:
    disk = os.statvfs(directory)
    return disk.f_bavail * disk.f_frsize


class Room:
    """What is left of map and disk. With less than `reserve` bytes the store is full: new orders are refused
    in words, while cancels, which need little, still pass. So do orders that end by a command for many, as
    many at a time as there is room for; the others wait for more."""

    def __init__(self, store: Store, reserve: int) -> None:
        self.scarce = False
        """every turn is to be committed, so that the next one sees what it has taken"""
        self.waiting = False
        """orders are to end that there was no room for"""
        self._store = store
        self._reserve = reserve
        self._disk = 0
        self._ends = 0
        self._none = False
        self.look()

    @property
    def full(self) -> bool:
        return self._store.full

    @property
    def any(self) -> bool:
        """Left in this turn."""
        return self._ends > 0

    def look(self) -> None:
        """Asks the file system; once a second is often enough for what a second can write."""
        self._store.forget_dead_readers()
        self._disk = _free(self._store.directory)

    def begin(self) -> None:
        """A new turn."""
        if self.scarce:
            self._disk = _free(self._store.directory)
        left = min(self._disk, self._store.free())
        self._store.full = left < self._reserve
        self.scarce = left < self._reserve + UNSEEN
        self._ends = max(left - LAST, 0) // END_OF_ORDER
        self._none = not self._ends
        if self.waiting and self._ends:
            log.warning("the store has room again: orders that are to end go on to")
            self.waiting = False

    def take(self, most: int) -> int:
        """Room for the ends of `most` orders in this turn, or of as many as there is room for, which may be
        none."""
        granted = min(most, self._ends)
        self._ends -= granted
        return granted

    def take_all(self, number: int) -> bool:
        """Room for so many or none."""
        return number <= self._ends and self.take(number) == number

    def take_or_wait(self, most: int) -> int:
        """The same for one who asks again in every turn. Once a turn begins without room this is told."""
        granted = self.take(most)
        if self._none and not self.waiting:
            self.waiting = True
            log.error(
                "the store has no room left: orders that are to end (mass cancels, kill switches, expiry, "
                "the end of the day) wait for more, a larger store.map_size_mib or a disk with more room"
            )
        return granted
