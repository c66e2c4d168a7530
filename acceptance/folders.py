"""Folders for venues of our own. Each is locked by the process that uses it, so that the next run can tell
those that a killed one has left behind, and remove them."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import threading
from functools import cache
from pathlib import Path

PREFIX = "fixgw-certify-"
LOCK = "lock"


class Folder:
    """Several threads may remove it."""

    def __init__(self) -> None:
        sweep(tempfile.gettempdir())
        self._folder = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
        self.path = Path(self._folder.name)
        lock = self.path / f"{LOCK}.new"
        self._lock = os.open(lock, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._removing = threading.Lock()
        lock.rename(self.path / LOCK)  # there from the first moment is only one that is locked

    def remove(self) -> None:
        """May be called again."""
        with self._removing:
            self._folder.cleanup()
            if self._lock >= 0:
                os.close(self._lock)
                self._lock = -1


@cache
def sweep(place: str) -> None:
    """Once in a process. What cannot be removed is let be."""
    for folder in Path(place).glob(f"{PREFIX}*"):
        try:
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            handle = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # in use
        finally:
            os.close(handle)
