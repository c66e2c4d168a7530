"""What may be done to the tables. What is written is noted as well, so that it can be written again."""

from typing import TYPE_CHECKING, TypeAlias

import lmdb

if TYPE_CHECKING:
    Raw: TypeAlias = lmdb.Transaction[bytes]
    Cursor: TypeAlias = lmdb.Cursor[bytes]
    Handle: TypeAlias = lmdb._Database
    Environment: TypeAlias = lmdb.Environment
else:
    Raw = Cursor = Handle = Environment = object


class Table:
    """A named table of the environment."""

    __slots__ = ("handle", "name")

    def __init__(self, name: bytes, handle: Handle) -> None:
        self.name = name
        self.handle = handle


class Transaction:
    """A transaction of the database, over one table at a time."""

    __slots__ = ("_put", "raw", "redo", "structural")

    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        self.redo: list[bytes | None] = []
        """name, key, value of each write in order; None as value for a deletion"""
        self.structural = False
        """tables came or went, which is not noted"""
        self._put = raw.put

    def put(
        self, key: bytes, value: bytes, *, db: Table, overwrite: bool = True, append: bool = False
    ) -> bool:
        """False if the key was there and is not to be overwritten."""
        done = self._put(key, value, overwrite=overwrite, append=append, db=db.handle)
        if done:
            self.redo += (db.name, key, value)
        return done

    def delete(self, key: bytes, *, db: Table) -> bool:
        """False if the key was not there."""
        done = self.raw.delete(key, db=db.handle)
        if done:
            self.redo += (db.name, key, None)
        return done

    def get(self, key: bytes, *, db: Table) -> bytes | None:
        return self.raw.get(key, db=db.handle)

    def cursor(self, *, db: Table) -> Cursor:
        """For reading only."""
        return self.raw.cursor(db=db.handle)

    def drop(self, table: Table) -> None:
        self.raw.drop(table.handle, delete=True)
        self.structural = True
