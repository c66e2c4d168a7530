"""The record in PostgreSQL. A row of a user holds all there is of it, so that to read, to compare and to
write is one look at one index; the view `balances` shows it by currency."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, LiteralString

import msgspec
from msgspec import Meta, Struct
from psycopg.sql import SQL, Identifier

from engine.user_commands import Row
from engine.user_events import BeginDehydrate
from fixgw.record.connections import Connection, Connections
from fixgw.record.gathering import Gathering
from fixgw.record.migrations import migrate
from fixgw.record.record import MOST, Found, RecordError, Stored, Written, checked, is_name, outcome

_balances = msgspec.json.Decoder(dict[str, Annotated[int, Meta(ge=0, le=MOST)]]).decode
_references = msgspec.json.Decoder(tuple[str, ...]).decode
_encode = msgspec.json.Encoder().encode

READERS = 2
"""connections that reads take at most: others are left for flushes"""
BREATH = 100
"""rows that are written or looked at before the event loop is let on: about a millisecond"""
_COLUMNS = "name, version, client, balances::text, last_references::text, shard, epoch"
_GIVEN = """json_to_recordset(%s::json) AS given (name text, client text, expected bigint, balances jsonb,
    last_references jsonb, shard text, epoch bigint)"""
READ = f"SELECT {_COLUMNS} FROM {{users}} WHERE name = ANY (%s)"
LOCK = "SELECT FROM {users} WHERE name = ANY (%s) ORDER BY name FOR UPDATE"
"""in an order, so that no two who write at once wait for each other"""
UPDATE = f"""
    UPDATE {{users}} AS users
    SET version = given.expected + 1, client = given.client, balances = given.balances,
        last_references = given.last_references, shard = given.shard, epoch = given.epoch, written = now()
    FROM {_GIVEN} WHERE users.name = given.name AND users.version = given.expected
"""
INSERT = f"""
    INSERT INTO {{users}} (name, version, client, balances, last_references, shard, epoch)
    SELECT name, 1, client, balances, last_references, shard, epoch FROM {_GIVEN} ORDER BY name
    ON CONFLICT (name) DO NOTHING
"""
PAGE = f"SELECT {_COLUMNS} FROM {{users}} WHERE name > %s ORDER BY name LIMIT %s"
PAGE_OF_CLIENT = f"SELECT {_COLUMNS} FROM {{users}} WHERE client = %s AND name > %s ORDER BY name LIMIT %s"
IDENTITY = "SELECT id::text FROM {identity}"
TOTALS = "SELECT currency, sum(total)::text FROM {balances} GROUP BY currency"


class _Given(Struct):
    name: str
    client: str
    expected: int
    balances: dict[str, int]
    last_references: tuple[str, ...]
    shard: str
    epoch: int


class PostgresqlRecord:
    """A Record."""

    def __init__(
        self, url: str, password_file: Path | None, schema: str, connections: int, timeout: float
    ) -> None:
        """`timeout`: seconds that the server may take to answer, and a connection to be had."""
        self._connections = Connections(url, password_file, connections, timeout)
        self._schema = schema
        self._reads = Gathering(self._read, min(connections, READERS))
        self._statements: dict[str, bytes] = {}
        self._ready = False
        self._opening: asyncio.Task[None] | None = None
        """shared by all who wait for it"""

    async def open(self) -> None:
        if self._ready:
            return
        if self._opening is None:
            self._opening = asyncio.create_task(self._migrate())
            self._opening.add_done_callback(self._opened)
        await asyncio.shield(self._opening)

    async def _migrate(self) -> None:
        async with self._connections.one() as connection:
            await migrate(connection, self._schema)

    def _opened(self, task: asyncio.Task[None]) -> None:
        self._ready = not task.cancelled() and task.exception() is None
        self._opening = None

    async def identity(self) -> str:
        await self.open()
        async with self._connections.one() as connection:
            [identity] = await (await connection.execute(self._sql(IDENTITY))).fetchall()
            return str(identity[0])

    async def read(self, user: str) -> Stored | None:
        await self.open()
        return await self._reads.read(user) if is_name(user) else None

    async def read_all(self, users: Sequence[str]) -> Found:
        await self.open()
        return await self._read([user for user in users if is_name(user)])

    async def _read(self, users: Sequence[str]) -> Found:
        async with self._connections.one() as connection:
            rows = await (await connection.execute(self._sql(READ), [users], prepare=True)).fetchall()
        return self._found(rows)

    def _found(self, rows: Sequence[tuple[Any, ...]]) -> Found:
        found: Found = {}
        for row in rows:
            try:
                found[row[0]] = _stored(row)
            except RecordError as problem:
                found[row[0]] = RecordError(f"{self._connections.where}: {problem}", passing=False)
        return found

    async def write(self, flushes: Sequence[BeginDehydrate]) -> list[Written | RecordError]:
        ready = checked(flushes)
        await self.open()
        async with self._connections.one() as connection:
            results = []
            async with connection.pipeline(), connection.transaction():
                for part in _parts(ready):
                    await self._write(connection, part)
                    names = [flush.user for flush in part]
                    results.append((part, await connection.execute(self._sql(READ), [names])))
                    await asyncio.sleep(0)
            written: list[Written | RecordError] = []
            for part, result in results:
                await asyncio.sleep(0)
                rows = {row[0]: row for row in await result.fetchall()}
                written += [_outcome(flush, rows.get(flush.user)) for flush in part]
            return written

    async def _write(self, connection: Connection, flushes: list[BeginDehydrate]) -> None:
        known = [flush for flush in flushes if flush.expected]
        new = [flush for flush in flushes if not flush.expected]
        if known:
            await connection.execute(self._sql(LOCK), [[flush.user for flush in known]])
            await connection.execute(self._sql(UPDATE), [_given(known)])
        if new:
            await connection.execute(self._sql(INSERT), [_given(new)])

    async def users(self, client: str | None, after: str, most: int) -> Found:
        await self.open()
        async with self._connections.one() as connection:
            if client is None:
                page = await connection.execute(self._sql(PAGE), [after, most])
            else:
                page = await connection.execute(self._sql(PAGE_OF_CLIENT), [client, after, most])
            return self._found(await page.fetchall())

    async def totals(self) -> dict[str, int]:
        await self.open()
        async with self._connections.one() as connection:
            found = await connection.execute(self._sql(TOTALS))
            return {currency: int(total) for currency, total in await found.fetchall()}

    async def close(self) -> None:
        if self._opening is not None:
            await asyncio.wait([self._opening])
        self._ready = False
        await self._connections.close()
        await self._reads.close()

    def _sql(self, text: LiteralString) -> bytes:
        made = self._statements.get(text)
        if made is None:
            names = {name: Identifier(self._schema, name) for name in ("users", "balances", "identity")}
            made = self._statements[text] = SQL(text).format(**names).as_bytes(None)
        return made


def _parts(flushes: list[BeginDehydrate]) -> Iterator[list[BeginDehydrate]]:
    """Runs of them in which no user is twice, as one statement would do only one of them; and short ones, so
    that the event loop is let on between them."""
    part: dict[str, BeginDehydrate] = {}
    for flush in flushes:
        if flush.user in part or len(part) == BREATH:
            yield list(part.values())
            part = {}
        part[flush.user] = flush
    yield list(part.values())


def _given(flushes: list[BeginDehydrate]) -> str:
    """JSON: one value however many there are."""
    given = [
        _Given(
            flush.user,
            flush.row.client,
            flush.expected,
            dict(flush.row.balances),
            flush.row.references,
            flush.shard,
            flush.epoch,
        )
        for flush in flushes
    ]
    return _encode(given).decode()


def _stored(row: tuple[Any, ...]) -> Stored:
    name, version, client, balances, references, *_ = row
    try:
        by_currency = tuple(sorted(_balances(balances).items()))
        return Stored(version, Row(client, by_currency, _references(references)))
    except msgspec.DecodeError as problem:
        raise RecordError(f"the row of user {name!r} is damaged: {problem}", passing=False) from None


def _outcome(flush: BeginDehydrate, row: tuple[Any, ...] | None) -> Written:
    if row is None:
        return Written(False, 0)
    _, version, *_, shard, epoch = row
    try:
        return outcome(flush, _stored(row), shard, epoch)
    except RecordError:  # someone else has written it, and badly
        return Written(False, version)
