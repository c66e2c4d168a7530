"""The file `accounts.mdb`: a row of each user, with a checksum, as LMDB would not notice a flipped bit. It
blocks the thread that calls it, and raises StoreError."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32

import lmdb
import msgspec
from msgspec import Struct

from engine.user_commands import Row
from engine.user_events import BeginDehydrate
from fixgw.record.record import Found, RecordError, Stored, Written, outcome
from fixgw.store.failures import StoreError, in_words
from fixgw.store.store import OWNER, check_length, create_environment
from fixgw.store.transaction import Cursor, Raw

FORMAT = 1
"""raised whenever a stored value changes its meaning"""
SIZE = "record.map_size_mib"
SLICE = 200
"""rows that a sum looks at in one go"""
BREATH = 40
"""rows that are written before the event loop, which needs the interpreter, is let on: about 1 ms"""


class _Kept(Struct, array_like=True, frozen=True):
    version: int
    shard: str
    """who wrote it, and with which epoch"""
    epoch: int
    row: Row

    @property
    def stored(self) -> Stored:
        return Stored(self.version, self.row)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Kept).decode


class Accounts:
    """`users` by name, `clients` (nothing, by client and user), `meta` by word."""

    def __init__(self, path: Path, map_size: int) -> None:
        self._path = path
        with in_words(path, SIZE):
            if not path.exists():
                create_environment(path, {b"format": str(FORMAT).encode(), OWNER: os.urandom(16)})
            self._environment = lmdb.open(str(path), map_size=map_size, max_dbs=3, subdir=False, mode=0o600)
            try:
                self._open_tables()
            except BaseException:
                self._environment.close()
                raise

    def _open_tables(self) -> None:
        check_length(self._environment, self._path)
        self._environment.reader_check()
        meta = self._environment.open_db(b"meta", create=False)
        with self._environment.begin() as transaction:
            known = (transaction.get(b"format", db=meta) or b"?").decode(errors="replace")
            self.identity = (transaction.get(OWNER, db=meta) or b"").hex()
        if known != str(FORMAT):
            raise StoreError(
                f"{self._path}: users of format {known}, this release reads format {FORMAT}; use the release "
                "that wrote it"
            )
        self._users = self._environment.open_db(b"users")
        self._clients = self._environment.open_db(b"clients")

    def read(self, users: Sequence[str]) -> Found:
        """Those that there are."""
        found: Found = {}
        with self._reading() as transaction:
            for user in users:
                try:
                    kept = self._get(transaction, user)
                except StoreError as problem:
                    found[user] = _of_one(problem)
                else:
                    if kept is not None:
                        found[user] = kept.stored
        return found

    def write(self, flushes: Sequence[BeginDehydrate]) -> list[Written | RecordError]:
        """One transaction, on disk when this returns."""
        with in_words(self._path, SIZE), self._environment.begin(write=True) as transaction:
            written: list[Written | RecordError] = []
            for number, flush in enumerate(flushes, 1):
                try:
                    written.append(self._write(transaction, flush))
                except StoreError as problem:
                    written.append(_of_one(problem))
                if number % BREATH == 0:
                    time.sleep(0.0001)
            return written

    def users(self, client: str | None, after: str, most: int) -> Found:
        prefix = b"" if client is None else client.encode() + b"\0"
        table = self._users if client is None else self._clients
        found: Found = {}
        with self._reading() as transaction, transaction.cursor(table) as cursor:
            more = cursor.set_range(prefix + after.encode() + b"\0")  # no name has a NUL
            while more and len(found) < most and cursor.key().startswith(prefix):
                name = cursor.key()[len(prefix) :].decode(errors="backslashreplace")
                try:
                    kept = self._get(transaction, name)
                    if kept is None or client not in (None, kept.row.client):
                        raise StoreError(f"{self._path}: damaged: the row of user {name!r} is missing")
                except StoreError as problem:
                    found[name] = _of_one(problem)
                else:
                    found[name] = kept.stored
                more = cursor.next()
        return found

    def totals(self) -> Iterator[dict[str, int] | None]:
        """At last the totals of one moment; until then None after every slice, so that other work can be done
        between them."""
        totals: dict[str, int] = {}
        with self._reading() as transaction, transaction.cursor(self._users) as cursor:
            for number, (key, value) in enumerate(cursor, 1):
                for currency, total in self._decoded(key, value).row.balances:
                    totals[currency] = totals.get(currency, 0) + total
                if number % SLICE == 0:
                    yield None
        yield totals

    def close(self) -> None:
        self._environment.close()

    @contextmanager
    def _reading(self) -> Iterator[Raw]:
        with in_words(self._path, SIZE), self._environment.begin() as transaction:
            yield transaction

    def _write(self, transaction: Raw, flush: BeginDehydrate) -> Written:
        kept = self._get(transaction, flush.user)
        if flush.expected != (kept.version if kept else 0):
            return outcome(flush, kept.stored, kept.shard, kept.epoch) if kept else Written(False, 0)
        key, client = flush.user.encode(), flush.row.client
        if kept is not None and kept.row.client != client:
            transaction.delete(kept.row.client.encode() + b"\0" + key, db=self._clients)
        written = _Kept(flush.expected + 1, flush.shard, flush.epoch, flush.row)
        body = _encode(written)
        transaction.put(key, _checksum(key, body) + body, db=self._users)
        if kept is None or kept.row.client != client:
            transaction.put(client.encode() + b"\0" + key, b"", db=self._clients)
        return Written(True, written.version)

    def _get(self, transaction: Raw, user: str) -> _Kept | None:
        key = user.encode()
        value = transaction.get(key, db=self._users)
        if value is not None:
            return self._decoded(key, value)
        with transaction.cursor(self._users) as cursor:
            self._check_gap(cursor, key)
        return None

    def _check_gap(self, cursor: Cursor, key: bytes) -> None:
        """A row whose key was damaged is next to where it was: who is not there is missing between two rows
        that are whole."""
        if cursor.set_range(key):
            self._decoded(cursor.key(), cursor.value())
            before = cursor.prev()
        else:
            before = cursor.last()
        if before:
            self._decoded(cursor.key(), cursor.value())

    def _decoded(self, key: bytes, value: bytes) -> _Kept:
        body = value[4:]
        if _checksum(key, body) != value[:4]:
            name = key.decode("ascii", "backslashreplace")
            raise StoreError(f"{self._path}: damaged: the checksum of user {name!r} is wrong")
        return _decode(body)


def _of_one(problem: StoreError) -> RecordError:
    """A row is damaged; the others are not."""
    return RecordError(str(problem), passing=False)


def _checksum(key: bytes, body: bytes) -> bytes:
    return crc32(body, crc32(key)).to_bytes(4, "big")
