"""How much more the store can take, seen before it is full."""

import os
from pathlib import Path

from fixgw.store.failures import StoreError
from fixgw.store.store import Store
from fixgw.store.tail import SIZE

START = 1 << 20
"""bytes of disk that a start takes beside those of a new tail"""


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
    """`full` once map or disk have less than `reserve` bytes left: then new orders are refused in words while
    cancels, which need little, still pass."""

    def __init__(self, store: Store, reserve: int) -> None:
        self._store = store
        self._reserve = reserve
        self._disk_full = False
        self.look()

    def look(self) -> None:
        """Asks the file system; once a second is often enough for what a second can write."""
        self._store.forget_dead_readers()
        self._disk_full = _free(self._store.directory) < self._reserve

    @property
    def full(self) -> bool:
        return self._disk_full or self._store.free() < self._reserve
