"""The tables of the record in PostgreSQL, step by step from nothing to how this release knows them. Steps
that have been released are never changed; what is to be otherwise is a new one at the end."""

from psycopg import AsyncConnection
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Identifier

from fixgw.record.record import RecordError

STEPS = [
    SQL(
        """
        CREATE TABLE {schema}.users (
            name text COLLATE "C" PRIMARY KEY,
            client text COLLATE "C" NOT NULL,
            version bigint NOT NULL CHECK (version >= 1),
            balances jsonb NOT NULL CHECK (jsonb_typeof(balances) = 'object'),
            last_references jsonb NOT NULL CHECK (jsonb_typeof(last_references) = 'array'),
            shard text NOT NULL,
            epoch bigint NOT NULL,
            written timestamptz NOT NULL DEFAULT now()
        ) WITH (fillfactor = 80);
        CREATE INDEX users_by_client ON {schema}.users (client, name);
        COMMENT ON TABLE {schema}.users IS 'Each user as it was when it last left the memory';
        COMMENT ON COLUMN {schema}.users.version IS 'goes up by one with every write';
        COMMENT ON COLUMN {schema}.users.balances IS 'smallest units, by currency';
        COMMENT ON COLUMN {schema}.users.last_references IS 'of deposits and withdrawals, the latest last';
        COMMENT ON COLUMN {schema}.users.shard IS 'that wrote it, with this epoch of the user';
        """
    ),
    SQL(
        """
        CREATE TABLE {schema}.identity (
            id uuid NOT NULL DEFAULT gen_random_uuid(),
            one boolean PRIMARY KEY DEFAULT true CHECK (one)
        );
        INSERT INTO {schema}.identity DEFAULT VALUES;
        COMMENT ON TABLE {schema}.identity IS 'By which a venue knows that this is the record it had before';
        """
    ),
    SQL(
        """
        CREATE VIEW {schema}.balances AS
            SELECT name, client, currency COLLATE "C" AS currency, total::numeric(20, 0) AS total
            FROM {schema}.users, jsonb_each_text(balances) AS each (currency, total);
        COMMENT ON VIEW {schema}.balances IS 'One line of each user and currency, in smallest units';
        """
    ),
]
_TABLE = """
    SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = %s AND relname = 'migrations'
"""
_LOCK = 0x66697867
"""of those who migrate, in all schemas: the first half of an advisory lock's key"""


async def migrate(connection: AsyncConnection[TupleRow], schema: str) -> None:
    """Takes the steps that the schema does not have yet. Of several venues that do this at once one takes
    them and the others wait. Raises RecordError for a schema of a newer release."""
    if await _version(connection, schema) == len(STEPS):
        return  # without a lock, and for a role that may make no tables
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_LOCK, schema])
        version = await _version(connection, schema)
        if version is None:
            await _begin(connection, schema)
        for number, step in enumerate(STEPS[version or 0 :], (version or 0) + 1):
            await connection.execute(step.format(schema=Identifier(schema)))
            add = SQL("INSERT INTO {schema}.migrations (step) VALUES (%s)")
            await connection.execute(add.format(schema=Identifier(schema)), [number])


async def _begin(connection: AsyncConnection[TupleRow], schema: str) -> None:
    found = await connection.execute("SELECT to_regnamespace(%s)", [schema])
    if await found.fetchone() == (
        None,
    ):  # to make one that is there needs a right that its owner may not have
        await connection.execute(SQL("CREATE SCHEMA {}").format(Identifier(schema)))
    table = "CREATE TABLE {}.migrations (step int PRIMARY KEY, taken timestamptz NOT NULL DEFAULT now())"
    await connection.execute(SQL(table).format(Identifier(schema)))


async def _version(connection: AsyncConnection[TupleRow], schema: str) -> int | None:
    """How many steps have been taken; None without a table that would say so."""
    # Tables are looked for by a query: to_regclass may not see yet what the one before in the lock has made.
    found = await connection.execute(_TABLE, [schema])
    if await found.fetchone() is None:
        return None
    last = SQL("SELECT coalesce(max(step), 0) FROM {}.migrations").format(Identifier(schema))
    row = await (await connection.execute(last)).fetchone()
    version = int(row[0]) if row else 0
    if version > len(STEPS):
        raise RecordError(
            f"schema {schema} is that of a newer release (step {version}, this release knows {len(STEPS)}): "
            "use that release, or another schema",
            passing=False,
        )
    return version
