"""The environment, its tables, its format, and how it is written: every cycle into the tail, many cycles in
one commit."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter_ns

import lmdb
import msgspec

from fixgw.store.directory import sync_directory
from fixgw.store.failures import StoreError, in_words
from fixgw.store.keys import number_key, number_of
from fixgw.store.tail import Tail
from fixgw.store.transaction import Environment, Table, Transaction

FORMAT = 4
"""raised whenever a stored value changes its meaning"""
MAX_TABLES = 1024
"""named tables, of which two come with every kept trading day"""
PAGE_RESERVE = 64
"""pages left out of `free`: what one transaction may need for LMDB's own bookkeeping"""
CLEAN = b"digest"
"""in `meta` after a clean stop only: journal sequence and digest of the state then"""
OWNER = b"id"
"""in `meta`: what its tail must name as its store"""
COMMITS = b"commits"
"""in `meta`: how often cycles were committed"""
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[bytes | None]).decode


class Store:
    """`journal` by sequence, `outbox` by session and number, `sessions` by name, `audit` by number, `parked`
    by number, `accounts` by name, `references` by account and id, `meta` by word.

    Raises StoreError for a directory that is not a store, is of another format, or is damaged."""

    def __init__(self, directory: Path, map_size: int, *, readonly: bool = False) -> None:
        self.directory = directory
        self.full = False
        """as the cycle sees it before each turn: new orders are refused, and refusals are not kept"""
        self._map_size = map_size
        self._open: Transaction | None = None
        """holds what cycles have written since the last commit"""
        self._uncommitted = False
        self._commits = 0
        self._tail: Tail | None = None
        self._committed: Callable[[int, int], object] = lambda begin, end: None
        path = directory / "venue.mdb"
        with in_words(path):
            self._open_environment(path, readonly)
            check_length(self.environment, path)
            self._open_tables(readonly)
            if not readonly:
                self._open_tail()

    def _open_environment(self, path: Path, readonly: bool) -> None:
        if not path.exists():
            if readonly:
                raise StoreError(f"{path.parent}: holds no venue's data (there is no venue.mdb in it)")
            if (path.parent / "tail").exists():
                raise StoreError(f"{path}: is missing, but there is a tail: put it back, or begin elsewhere")
            create_environment(path, {b"format": str(FORMAT).encode(), OWNER: os.urandom(16)})
        self.environment = lmdb.open(
            str(path),
            map_size=self._map_size,
            max_dbs=MAX_TABLES,
            subdir=False,
            readonly=readonly,
            mode=0o600,
            max_spare_txns=4,
        )

    def _open_tables(self, readonly: bool) -> None:
        create = not readonly
        self.meta = self.table(b"meta", create=False)
        with self.read() as transaction:
            known = (transaction.get(b"format", db=self.meta) or b"?").decode(errors="replace")
        if known != str(FORMAT):
            raise StoreError(
                f"{self.directory}: data of format {known}, this release reads format {FORMAT}; "
                "use the release that wrote it, or another data directory"
            )
        self.journal = self.table(b"journal", create=create)
        self.outbox = self.table(b"outbox", create=create)
        self.sessions = self.table(b"sessions", create=create)
        self.audit = self.table(b"audit", create=create)
        self.parked = self.table(b"parked", create=create)
        self.accounts = self.table(b"accounts", create=create)
        if create:
            self.references = self.table(b"references")

    def table(self, name: bytes, transaction: Transaction | None = None, *, create: bool = True) -> Table:
        """Opens a table; in a transaction it may also make one."""
        raw = None if transaction is None else transaction.raw
        if transaction is not None:
            transaction.structural = True
        return Table(name, self.environment.open_db(name, txn=raw, create=create))

    def table_names(self, transaction: Transaction) -> list[str]:
        with transaction.raw.cursor() as cursor:
            return [bytes(key).decode() for key in cursor.iternext(values=False)]

    # -- writing -------------------------------------------------------------------------------------

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """A transaction that is committed at its end, with all that cycles have left open."""
        with self.cycle() as transaction:
            yield transaction
            transaction.structural = True

    @contextmanager
    def cycle(self) -> Iterator[Transaction]:
        """The transaction of one cycle. After it, all that was written in it is on disk: in the tail, to be
        committed later, or committed."""
        transaction = self._open or self._begin()
        transaction.redo = []
        try:
            yield transaction
        except BaseException:
            self._open = None
            transaction.raw.abort()
            raise
        if not (transaction.redo or transaction.structural):
            return
        self._uncommitted = True
        in_tail = self._tail is not None and not transaction.structural
        if not (in_tail and self._tail.append(_encode(transaction.redo))):  # type: ignore[union-attr]
            self.commit()

    def _begin(self) -> Transaction:
        self._open = Transaction(self.environment.begin(write=True))
        return self._open

    @property
    def commit_due(self) -> bool:
        """Better soon than when the tail is full."""
        return self._tail is not None and self._tail.half_full

    def commit(self) -> None:
        """Commits what cycles have written; returns when it is on disk."""
        if self._open is None or not self._uncommitted:
            return
        transaction, self._open = self._open, None
        self._uncommitted = False
        self._commits += 1
        transaction.put(COMMITS, number_key(self._commits), db=self.meta)
        begin = perf_counter_ns()
        transaction.raw.commit()
        self._committed(begin, perf_counter_ns())
        if self._tail is not None:
            self._tail.begin(self._commits)

    def tell(
        self, synced: Callable[[int, int, int], object], committed: Callable[[int, int], object]
    ) -> None:
        """`synced` is told of each wait for the tail (see there), `committed` of each commit of the database:
        begin and end by the clock of time.perf_counter_ns."""
        assert self._tail is not None
        self._tail.synced, self._committed = synced, committed

    def _open_tail(self) -> None:
        """Writes again what cycles had written when the process died, and goes on from there."""
        with self.read() as transaction:
            self._commits = number_of(transaction.get(COMMITS, db=self.meta) or number_key(0))
        tail = self._find_tail()
        payloads = list(tail.records(self._commits))
        with self.cycle() as transaction:
            for payload in payloads:
                self._write_again(transaction, payload)
        tail.begin(self._commits)
        self._tail = tail

    def _find_tail(self) -> Tail:
        """A tail that is lost or another's is no matter after a clean stop; after any other it may hold what
        was acknowledged last."""
        path = self.directory / "tail"
        with self.read() as transaction:
            owner = transaction.get(OWNER, db=self.meta) or b""
            needed = self._commits > 0 and transaction.get(CLEAN, db=self.meta) is None
        if not (needed or path.exists()):
            return Tail.make(path, owner)
        try:
            return Tail(path, owner)
        except StoreError as problem:
            if not needed:
                return Tail.make(path, owner)
            raise StoreError(
                f"{problem}; the last stop was not clean, and what was acknowledged last may be there only: "
                "put back the file that was with this venue.mdb"
            ) from None

    def _write_again(self, transaction: Transaction, payload: bytes) -> None:
        for name, key, value in decode_redo(payload):
            table = self.table(name, transaction)
            if value is None:
                transaction.delete(key, db=table)
            else:
                transaction.put(key, value, db=table)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """Sees what is committed; in the process that writes, also what is written."""
        if self._open is not None:
            yield self._open
            return
        with self.environment.begin() as raw:
            yield Transaction(raw)

    def free(self) -> int:
        """Bytes of the map never used so far. Pages that were freed and not reused are not counted, so the
        true room is larger."""
        info = self.environment.info()
        return int(self._map_size - (info["last_pgno"] + 1 + PAGE_RESERVE) * 4096)

    def forget_dead_readers(self) -> None:
        """A reader that was killed would keep the pages it saw from being used again."""
        self.environment.reader_check()

    def close(self) -> None:
        """What is not committed is in the tail."""
        if self._open is not None:
            self._open.raw.abort()
        if self._tail is not None:
            self._tail.close()
        self.environment.close()


def decode_redo(payload: bytes) -> Iterator[tuple[bytes, bytes, bytes | None]]:
    """Table, key and value of each write of one cycle; None as value for a deletion."""
    written = iter(_decode(payload))
    for name, key, value in zip(written, written, written, strict=True):
        assert name is not None and key is not None
        yield name, key, value


def check_length(environment: Environment, path: Path) -> None:
    """Raises StoreError for a file that was cut short: LMDB maps it, and would be killed by the kernel on
    touching a page that is not there."""
    pages = environment.info()["last_pgno"] + 1
    expected = pages * environment.stat()["psize"]
    if path.stat().st_size < expected:
        raise StoreError(f"{path}: damaged: {path.stat().st_size} bytes long where {expected} are in use")


def create_environment(path: Path, meta: Mapping[bytes, bytes]) -> None:
    """With a table `meta` that has these values. A new one has another name until it is whole: an empty file
    of the right name was one once, and is not begun anew."""
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with lmdb.open(str(new), subdir=False, lock=False, mode=0o600, max_dbs=1) as environment:
        table = environment.open_db(b"meta")
        with environment.begin(write=True) as transaction:
            for key, value in meta.items():
                transaction.put(key, value, db=table)
    os.replace(new, path)
    sync_directory(path.parent)
