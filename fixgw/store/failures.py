"""Why a data directory is refused."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lmdb
import msgspec


class StoreError(Exception):
    """The data directory cannot be used; the text says why and what would help."""


@contextmanager
def in_words(directory: Path) -> Iterator[None]:
    """Whatever a full or damaged database raises inside becomes a StoreError."""
    try:
        yield
    except lmdb.MapFullError:
        raise StoreError(f"{directory}: the database is full; raise store.map_size_mib") from None
    except (lmdb.Error, msgspec.DecodeError, struct.error, UnicodeDecodeError) as problem:
        raise StoreError(f"{directory}: damaged: {problem}") from None
