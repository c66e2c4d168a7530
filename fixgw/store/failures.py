"""Why a data directory is refused."""

import errno
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lmdb
import msgspec


class StoreError(Exception):
    """The data directory cannot be used; the text says why and what would help."""


@contextmanager
def in_words(path: Path, size: str = "store.map_size_mib") -> Iterator[None]:
    """Whatever a full or damaged database, or a file that cannot be used, raises inside becomes a StoreError.
    `size` names the setting of how large the database may be."""
    try:
        yield
    except lmdb.Error as problem:
        raise StoreError(f"{path}: {_of_database(problem, size)}") from None
    except (msgspec.DecodeError, struct.error, UnicodeDecodeError) as problem:
        raise StoreError(f"{path}: damaged: {problem}") from None
    except BrokenPipeError:
        raise  # the reader of what is printed has gone
    except OSError as problem:
        raise StoreError(f"{problem.filename or path}: {of_system(problem)}") from None


def of_system(problem: OSError) -> str:
    """What the system could not do, in its own words; a full disk in ours."""
    full = problem.errno in (errno.ENOSPC, errno.EDQUOT)
    return "the disk is full" if full else problem.strerror or str(problem)


def _of_database(problem: lmdb.Error, size: str) -> str:
    if isinstance(problem, lmdb.MapFullError):
        return f"the database is full; raise {size}"
    if isinstance(problem, lmdb.DiskError):
        return "the disk is full"
    what = str(problem).rpartition(": ")[2]
    if type(problem) is lmdb.Error or isinstance(problem, lmdb.ReadonlyError):  # the system's, not LMDB's
        return what
    return f"damaged or not a store of fixgw: {what}"
