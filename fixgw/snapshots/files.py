"""One file for each snapshot. It is whole or it does not count: its end has a checksum of all before it, and
its state must have the digest that it says."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from engine.restoring import restore
from engine.snapshot import Part, parts
from engine.venue import Venue
from fixgw.store.directory import private, sync_directory
from fixgw.store.failures import StoreError

FOLDER = "snapshots"
FORMAT = 2
_SUFFIX = ".snapshot"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Part).decode


class Head(Struct, array_like=True, frozen=True):
    """`store` is the id of the database that the journal is in."""

    format: int
    store: bytes
    sequence: int
    entry: bytes
    """the fingerprint of that journal entry"""
    event_sequence: int
    """of the last event up to there"""
    digest: str


_decode_head = msgspec.msgpack.Decoder(Head).decode


def write(directory: Path, store: bytes, venue: Venue, entry: bytes, event_sequence: int) -> Path:
    """Raises OSError. What is there under its name is whole, whenever it stops."""
    folder = directory / FOLDER
    path = folder / f"{venue.sequence:020d}{_SUFFIX}"
    new = path.with_suffix(".new")
    with open(new, "wb", opener=private) as file:
        checksum = sha256()
        head = Head(FORMAT, store, venue.sequence, entry, event_sequence, venue.digest())
        for block in (_encode(head), *map(_encode, parts(venue)), b""):
            record = len(block).to_bytes(4, "big") + block
            checksum.update(record)
            file.write(record)
        file.write(checksum.digest())
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    sync_directory(folder)
    return path


def read(path: Path, store: bytes) -> tuple[Venue, Head]:
    """Raises StoreError for one that is damaged, of another store, or not to be read by this release."""
    try:
        with path.open("rb") as file:
            blocks = _blocks(path, file)
            head = _decode_head(next(blocks))
            if head.format != FORMAT:
                raise StoreError(f"{path}: has format {head.format}, this release reads {FORMAT}")
            if head.store != store:
                raise StoreError(f"{path}: is of another venue's store")
            venue = restore(map(_decode, blocks))
    except OSError as problem:
        raise StoreError(f"{path}: {problem.strerror}") from None
    except (StopIteration, AssertionError, LookupError, TypeError, ValueError) as problem:
        raise StoreError(f"{path}: is damaged: {problem!r}") from None
    if venue.digest() != head.digest:
        raise StoreError(f"{path}: is damaged, or of a release that decides otherwise: its digest is another")
    return venue, head


def _blocks(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """Looks at the checksum first, so that nothing damaged is decoded."""
    _check(path, file)
    file.seek(0)
    while length := int.from_bytes(file.read(4), "big"):
        yield file.read(length)


def _check(path: Path, file: BinaryIO) -> None:
    left, checksum = os.fstat(file.fileno()).st_size - sha256().digest_size, sha256()
    while left > 0 and (piece := file.read(min(left, 1 << 20))):
        checksum.update(piece)
        left -= len(piece)
    if left or file.read() != checksum.digest():
        raise StoreError(f"{path}: is damaged: its checksum is wrong")


def found(directory: Path) -> list[Path]:
    """The newest first."""
    return sorted((directory / FOLDER).glob(f"*{_SUFFIX}"), reverse=True)


def sequence_of(path: Path) -> int:
    """Journal sequence; 0 for a name that is none of ours."""
    return int(path.stem) if path.stem.isdigit() else 0


def forget_old(directory: Path, newest: Path, keep: int) -> None:
    """All but the newest; those that are newer, which are of a journal that is not there any more; and what a
    killed process has left behind."""
    known = found(directory)
    first = known.index(newest)
    for path in [*known[:first], *known[first + keep :], *(directory / FOLDER).glob("*.new")]:
        path.unlink(missing_ok=True)


@contextmanager
def one_at_a_time(directory: Path) -> Iterator[None]:
    """Raises BlockingIOError while another process makes a snapshot."""
    folder = directory / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(number)
