"""Where a record is, so that it can be opened, closed and opened again; and flushes for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from engine.user_commands import Row
from engine.user_events import BeginDehydrate
from fixgw.record.lmdb import LmdbRecord
from fixgw.record.postgresql import PostgresqlRecord
from fixgw.record.record import Record

MIB = 1 << 20


class Place(Protocol):
    def make(self) -> Record: ...

    def another(self) -> Place: ...


@dataclass
class Lmdb:
    directory: Path
    map_size: int = 64 * MIB

    def make(self) -> LmdbRecord:
        return LmdbRecord(self.directory, self.map_size)

    def another(self) -> Lmdb:
        (self.directory / "another").mkdir()
        return replace(self, directory=self.directory / "another")


@dataclass
class Postgresql:
    url: str
    schema: str
    password_file: Path | None = None
    timeout: float = 20

    def make(self) -> PostgresqlRecord:
        return PostgresqlRecord(self.url, self.password_file, self.schema, 4, self.timeout)

    def another(self) -> Postgresql:
        return replace(self, schema=f"{self.schema}_another")


@asynccontextmanager
async def opened(place: Place) -> AsyncIterator[Record]:
    record = place.make()
    try:
        yield record
    finally:
        await record.close()


def flush(
    user: str,
    expected: int = 0,
    *balances: tuple[str, int],
    client: str = "ALPHA",
    shard: str = "S1",
    epoch: int = 1,
    references: tuple[str, ...] = (),
) -> BeginDehydrate:
    return BeginDehydrate(7, user, shard, epoch, expected, Row(client, balances, references))
