"""The data directory: made once, private, used by one writing process at a time."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from fixgw.store.failures import StoreError, of_system

_WORDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a directory",
    stat.S_IFSOCK: "a socket",
    stat.S_IFIFO: "a pipe",
}
_KINDS = {
    **dict.fromkeys(("venue.mdb", "venue.mdb-lock", "venue.new", "tail", "tail.new", "lock"), stat.S_IFREG),
    "run": stat.S_IFDIR,
    "admin.sock": stat.S_IFSOCK,
}
"""what may have these names in a data directory"""


def check_kinds(directory: Path) -> None:
    """Raises StoreError for anything that stands where one of the venue's own files belongs: to open it
    could mean to wait without end."""
    for name, wanted in _KINDS.items():
        path = directory / name
        try:
            kind = stat.S_IFMT(path.stat().st_mode)
        except FileNotFoundError:
            if path.is_symlink():
                raise StoreError(f"{path}: is a link to nowhere; {_WORDS[wanted]} belongs there") from None
            continue
        if kind != wanted:
            found = _WORDS.get(kind, "a device")
            raise StoreError(f"{path}: is {found}; {_WORDS[wanted]} belongs there")


@contextmanager
def short_path(directory: Path, name: str) -> Iterator[str]:
    """A path to `name` in `directory` that suits a Unix socket, whose path has about 100 bytes at most,
    however long the directory's own is."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}/{name}"
    finally:
        os.close(descriptor)


def sync_directory(directory: Path) -> None:
    """Puts the names in it on disk."""
    descriptor = os.open(directory, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


class DirectoryLock:
    """Holds `DIRECTORY/lock` until released or until the process ends, however it ends."""

    def __init__(self, directory: Path) -> None:
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            check_kinds(directory)
            self._file: TextIO = (directory / "lock").open("a+")
        except OSError as problem:
            raise StoreError(f"{directory}: cannot be used as data directory: {of_system(problem)}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            owner = self._file.read().strip() or "unknown"
            self._file.close()
            raise StoreError(f"{directory}: in use by another venue, process {owner}") from None
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def release(self) -> None:
        self._file.close()
