"""The venue's store as it is on a disk that loses nothing that was committed: tables in memory, one
transaction for each cycle, and a process that can die before or after any commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sortedcontainers import SortedDict

from fixgw.bridge.identity import OWN
from fixgw.store.keys import number_of
from fixgw.store.store import OWNER
from fixgw.store.transaction import Table


class Crash(Exception):
    """The process is gone."""


Tables = dict[bytes, SortedDict]


class Disk:
    """What outlives a process."""

    def __init__(self) -> None:
        self.tables: Tables = {b"meta": SortedDict({OWNER: b"the simulated one", OWN: b"this data"})}
        self.crash_before = 0
        """the process dies in the transaction that has this journal entry: it never was"""
        self.crash_after = 0
        """it dies when that is on disk, and nobody has heard of it"""

    @property
    def last(self) -> int:
        """Journal sequence."""
        journal = self.tables.get(b"journal")
        return number_of(journal.peekitem()[0]) if journal else 0


class MemoryStore:
    """One process's. `committed` is called after each commit."""

    def __init__(self, disk: Disk, directory: Path, committed: Callable[[], None]) -> None:
        self.directory = directory
        self.disk = disk
        self.full = False
        self.commit_due = False
        self.dead = False
        self._committed = committed
        for name in ("meta", "journal", "outbox", "sessions", "audit", "parked", "accounts", "references"):
            setattr(self, name, self.table(name.encode()))

    def table(
        self, name: bytes, transaction: MemoryTransaction | None = None, *, create: bool = True
    ) -> Table:
        if name not in self.disk.tables:
            self.disk.tables[name] = SortedDict()
            if transaction is not None:
                transaction.made.append(name)
        handle: Any = None
        return Table(name, handle)

    def table_names(self, transaction: object) -> list[str]:
        return [name.decode() for name in self.disk.tables]

    @contextmanager
    def cycle(self) -> Iterator[MemoryTransaction]:
        if self.dead:
            raise Crash
        transaction = MemoryTransaction(self.disk)
        try:
            yield transaction
        except BaseException:
            transaction.undo()
            self.dead = True
            raise
        if not transaction.undone:
            return
        try:
            self._committed()
            if 0 < self.disk.crash_after <= self.disk.last:
                self.disk.crash_after = 0
                raise Crash
        except BaseException:
            self.dead = True
            raise

    @contextmanager
    def read(self) -> Iterator[MemoryTransaction]:
        yield MemoryTransaction(self.disk)

    write = read
    """what is written is there"""

    def commit(self) -> None:
        pass


class MemoryTransaction:
    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._tables = disk.tables
        self.undone: list[tuple[bytes, bytes, bytes | None]] = []
        """table, key and the value before, of each write"""
        self.made: list[bytes] = []
        """tables that there were not before"""

    def put(
        self, key: bytes, value: bytes, *, db: Table, overwrite: bool = True, append: bool = False
    ) -> bool:
        table = self._tables[db.name]
        before = table.get(key)
        if before is not None and not overwrite:
            return False
        if db.name == b"journal" and 0 < self._disk.crash_before <= number_of(key):
            self._disk.crash_before = 0
            raise Crash
        assert not (append and table and table.peekitem()[0] >= key), key
        self.undone.append((db.name, key, before))
        table[key] = bytes(value)
        return True

    def delete(self, key: bytes, *, db: Table) -> bool:
        before = self._tables[db.name].pop(key, None)
        if before is not None:
            self.undone.append((db.name, key, before))
        return before is not None

    def get(self, key: bytes, *, db: Table) -> bytes | None:
        value: bytes | None = self._tables[db.name].get(key)
        return value

    def cursor(self, *, db: Table) -> MemoryCursor:
        return MemoryCursor(self._tables[db.name])

    def drop(self, table: Table) -> None:
        for key in list(self._tables[table.name]):
            self.delete(key, db=table)
        del self._tables[table.name]

    def undo(self) -> None:
        for name, key, before in reversed(self.undone):
            table = self._tables.setdefault(name, SortedDict())
            if before is None:
                del table[key]
            else:
                table[key] = before
        for name in self.made:
            self._tables.pop(name, None)


class MemoryCursor:
    def __init__(self, table: SortedDict) -> None:
        self._table = table
        self._at = 0

    def __enter__(self) -> MemoryCursor:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        return iter(list(self._table.items()[self._at :]))

    def _go(self, at: int) -> bool:
        self._at = at
        return 0 <= at < len(self._table)

    def set_range(self, key: bytes) -> bool:
        return self._go(self._table.bisect_left(key))

    def first(self) -> bool:
        return self._go(0)

    def last(self) -> bool:
        return self._go(len(self._table) - 1)

    def next(self) -> bool:
        return self._go(self._at + 1)

    def prev(self) -> bool:
        return self._go(self._at - 1)

    def key(self) -> bytes:
        key: bytes = self._table.peekitem(self._at)[0]
        return key

    def value(self) -> bytes:
        value: bytes = self._table.peekitem(self._at)[1]
        return value
