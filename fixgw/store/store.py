"""The environment, its tables and its format."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lmdb

from fixgw.store.failures import StoreError
from fixgw.store.types import Transaction

FORMAT = 1
"""raised whenever a stored value changes its meaning"""
MAX_TABLES = 1024
"""named tables, of which two come with every kept trading day"""
PAGE_RESERVE = 64
"""pages left out of `free`: what one transaction may need for LMDB's own bookkeeping"""


class Store:
    """`journal` by sequence, `outbox` by session and number, `sessions` by name, `meta` by word.

    Raises StoreError for a directory that is not a store, is of another format, or is damaged."""

    def __init__(self, directory: Path, map_size: int, *, readonly: bool = False) -> None:
        self.directory = directory
        self.full = False
        """as the cycle sees it before each turn: new orders are refused, and refusals are not kept"""
        self._map_size = map_size
        path = directory / "venue.mdb"
        try:
            if not path.exists():
                if readonly:
                    raise StoreError(f"{directory}: holds no venue's data (there is no venue.mdb in it)")
                _create(path)
            self.environment = lmdb.open(
                str(path),
                map_size=map_size,
                max_dbs=MAX_TABLES,
                subdir=False,
                readonly=readonly,
                mode=0o600,
                max_spare_txns=4,
            )
            self._check_length(path)
            self._open_tables(readonly)
        except lmdb.Error as problem:
            raise StoreError(f"{path}: damaged or not a store of fixgw: {problem}") from None

    def _check_length(self, path: Path) -> None:
        # LMDB maps the file and would be killed by the kernel on touching a page that is not there.
        pages = self.environment.info()["last_pgno"] + 1
        expected = pages * self.environment.stat()["psize"]
        if path.stat().st_size < expected:
            raise StoreError(f"{path}: damaged: {path.stat().st_size} bytes long where {expected} are in use")

    def _open_tables(self, readonly: bool) -> None:
        create = not readonly
        self.meta = self.environment.open_db(b"meta", create=False)
        with self.read() as transaction:
            known = transaction.get(b"format", db=self.meta, default=b"?").decode(errors="replace")
        if known != str(FORMAT):
            raise StoreError(
                f"{self.directory}: data of format {known}, this release reads format {FORMAT}; "
                "use the release that wrote it, or another data directory"
            )
        self.journal = self.environment.open_db(b"journal", create=create)
        self.outbox = self.environment.open_db(b"outbox", create=create)
        self.sessions = self.environment.open_db(b"sessions", create=create)

    def write(self) -> Transaction:
        """The transaction of one cycle. Its commit returns when everything is on disk."""
        return self.environment.begin(write=True)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        with self.environment.begin() as transaction:
            yield transaction

    def free(self) -> int:
        """Bytes of the map never used so far. Pages that were freed and not reused are not counted, so the
        true room is larger."""
        info = self.environment.info()
        return int(self._map_size - (info["last_pgno"] + 1 + PAGE_RESERVE) * 4096)

    def forget_dead_readers(self) -> None:
        """A reader that was killed would keep the pages it saw from being used again."""
        self.environment.reader_check()

    def close(self) -> None:
        self.environment.close()


def _create(path: Path) -> None:
    """A new store has another name until it is whole: an empty file of the right name was one once, and is
    not begun anew."""
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with lmdb.open(str(new), subdir=False, lock=False, mode=0o600, max_dbs=1) as environment:
        meta = environment.open_db(b"meta")
        with environment.begin(write=True) as transaction:
            transaction.put(b"format", str(FORMAT).encode(), db=meta)
    os.replace(new, path)
    directory = os.open(path.parent, os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)
