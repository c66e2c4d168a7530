"""The data directory: made once, private, used by one writing process at a time."""

import fcntl
import os
import stat
from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fixgw.store.failures import StoreError, of_system

_WORDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a directory",
    stat.S_IFSOCK: "a socket",
    stat.S_IFIFO: "a pipe",
}
_KINDS = {
    **dict.fromkeys(
        ("venue.mdb", "venue.mdb-lock", "venue.new", "tail", "tail.new", "lock", "pulse"), stat.S_IFREG
    ),
    **dict.fromkeys(("accounts.mdb", "accounts.mdb-lock", "accounts.new"), stat.S_IFREG),
    "run": stat.S_IFDIR,
    "snapshots": stat.S_IFDIR,
    "admin.sock": stat.S_IFSOCK,
}
"""what may have these names in a data directory"""


def data_path(text: str) -> Path:
    """The --data of a command line. An empty one is a variable that was not set, and means no directory."""
    if not text:
        raise ArgumentTypeError("is empty; a dot means the current directory")
    return Path(text)


def check_kinds(directory: Path, names: Iterable[str] = _KINDS) -> None:
    """Raises StoreError for anything that stands where one of the venue's own files belongs: to open it
    could mean to wait without end. Raises OSError where this user may not look."""
    for name in names:
        path, wanted = directory / name, _KINDS[name]
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


def private(path: str, flags: int) -> int:
    """Opens a file that no other user may read, whatever the umask says."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
    with suppress(PermissionError):  # not ours to change
        os.fchmod(descriptor, 0o600)
    return descriptor


class DirectoryLock:
    """One process's alone until released or until the process ends, however it ends. Held are the directory
    itself, as a file in it can be deleted, and `DIRECTORY/lock`, which names the process and at which
    `in_use` looks."""

    def __init__(self, directory: Path) -> None:
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            check_kinds(directory)
            self._directory = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
            self._lock(directory)
            self._file = open(directory / "lock", "w", opener=private)  # noqa: SIM115 (held until release)
            self.mode = stat.S_IMODE(directory.stat().st_mode)
            """the directory's, as it is"""
        except OSError as problem:
            raise StoreError(f"{directory}: cannot be used as data directory: {of_system(problem)}") from None
        fcntl.flock(self._file, fcntl.LOCK_EX)  # at most an `in_use` of this moment has it
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def _lock(self, directory: Path) -> None:
        try:
            fcntl.flock(self._directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._directory)
            lock = directory / "lock"
            owner = lock.read_text().strip() if lock.exists() else ""
            raise StoreError(f"{directory}: in use by another venue, process {owner or 'unknown'}") from None

    def release(self) -> None:
        self._file.close()
        os.close(self._directory)


def in_use(directory: Path) -> bool:
    """Whether a venue runs on it; True as well for a user who may not look."""
    try:
        with (directory / "lock").open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
