"""How much more the store can take, seen before it is full."""

import os

from fixgw.store.store import Store


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
        disk = os.statvfs(self._store.directory)
        self._disk_full = disk.f_bavail * disk.f_frsize < self._reserve

    @property
    def full(self) -> bool:
        return self._disk_full or self._store.free() < self._reserve
