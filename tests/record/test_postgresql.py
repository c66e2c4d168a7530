"""What a server can be: slow, down, another release's, short of rights; and what its operator sees."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from fixgw.record import postgresql
from fixgw.record.migrations import STEPS
from fixgw.record.postgresql import PostgresqlRecord
from fixgw.record.record import MOST, Record, RecordError, Stored, Written
from tests.record.kinds import Postgresql, flush, opened
from tests.record.server import PASSWORD, PostgresqlServer


@pytest.fixture(scope="module")
def victim(server: PostgresqlServer) -> Iterator[PostgresqlServer]:
    """A server to be stopped and killed, which keeps what it says it keeps."""
    with PostgresqlServer(durable=True) as victim:
        yield victim


@pytest.fixture
def place(server: PostgresqlServer, schema: str) -> Postgresql:
    return Postgresql(server.url(), schema)


async def failure(record: Record) -> RecordError:
    with pytest.raises(RecordError) as caught:
        await record.read("A")
    return caught.value


def told(place: Postgresql) -> str:
    """What is said when it is read."""

    async def read() -> str:
        async with opened(place) as record:
            return str(await failure(record))

    return asyncio.run(read())


def write(place: Postgresql, *names: str) -> None:
    async def run() -> None:
        async with opened(place) as record:
            await record.write([flush(name, 0, ("BTC", 5), ("USD", MOST)) for name in names])

    asyncio.run(run())


def test_a_server_that_comes_back_is_used_again(victim: PostgresqlServer, schema: str) -> None:
    """Feature 38; users.md 2.10. All connections of the pool are dead then. What was acknowledged is there,
    even though the database was told not to wait for the disk."""
    with psycopg.connect(victim.url(), autocommit=True) as connection:
        connection.execute("ALTER DATABASE fixgw SET synchronous_commit = off")

    async def run() -> None:
        async with opened(Postgresql(victim.url(), schema, timeout=2)) as record:
            for version, how in enumerate([signal.SIGINT, signal.SIGQUIT, signal.SIGQUIT]):
                await asyncio.gather(*(record.read("A") for _ in range(20)))
                written = await record.write([flush("A", version, ("USD", version), epoch=version)])
                victim.stop(how)
                assert written == [Written(True, version + 1)]
                for _ in range(2):
                    problem = await failure(record)
                    assert problem.passing and "No such file or directory" in str(problem)
                    assert str(problem).startswith("PostgreSQL /fixgw: connection to server on socket ")
                victim.start()
                stored = await record.read("A")
                assert stored is not None and stored.version == version + 1

    asyncio.run(run())


def test_a_server_that_is_down_at_the_start_may_come_later(victim: PostgresqlServer, schema: str) -> None:
    victim.stop()

    async def run() -> None:
        async with opened(Postgresql(victim.url(), schema, timeout=1)) as record:
            with pytest.raises(RecordError):
                await record.open()
            victim.start()
            assert await record.write([flush("A")]) == [Written(True, 1)]

    asyncio.run(run())


def test_a_server_that_does_not_answer_is_waited_for_so_long(victim: PostgresqlServer, schema: str) -> None:
    """Feature 29; users.md 2.10. A flush that nothing is known of is written again, and done once."""

    async def run() -> None:
        async with opened(Postgresql(victim.url(), schema, timeout=0.5)) as record:
            await record.write([flush("A")])
            batch = [flush("A", 1, ("USD", 1), epoch=2)]
            victim.freeze()
            calls = [record.read("A"), record.write(batch), *(record.read("B") for _ in range(20))]
            found = await asyncio.gather(*calls, return_exceptions=True)
            victim.thaw()
            for each in found:
                assert isinstance(each, RecordError) and each.passing
                assert any(
                    words in str(each)
                    for words in ("no answer for 0.5 s", "no connection was free", "timeout")
                )
            assert await until_it_answers(record) in (Stored(1, flush("A").row), Stored(2, batch[0].row))
            assert await record.write(batch) == [Written(True, 2)]

    asyncio.run(run())


async def until_it_answers(record: Record) -> Stored | None:
    while True:
        try:
            return await record.read("A")
        except RecordError:
            continue


def test_a_row_that_someone_else_holds_is_waited_for_so_long(place: Postgresql) -> None:
    """The others go on, and the connection is as good as before."""
    place.timeout = 0.5

    async def run() -> None:
        async with opened(place) as record:
            await record.write([flush("A"), flush("B")])
            with psycopg.connect(place.url) as connection:
                connection.execute(f"SELECT FROM {place.schema}.users WHERE name = 'A' FOR UPDATE")
                with pytest.raises(RecordError, match=r"timed out: no answer for 0\.5 s"):
                    await record.write([flush("A", 1)])
                assert await record.write([flush("B", 1)]) == [Written(True, 2)]
                assert await record.read("A") is not None
            assert await record.write([flush("A", 1)]) == [Written(True, 2)]

    asyncio.run(run())


def test_who_may_not_come_in_is_told_why(server: PostgresqlServer, schema: str, tmp_path: Path) -> None:
    """No password is in any of it."""
    file = tmp_path / "password"
    careful = Postgresql(server.url(user="careful"), schema, file, timeout=1)
    assert told(careful) == f"PostgreSQL /fixgw: record.password_file: {file}: No such file or directory"
    file.write_text("wrong-horse\n")
    text = told(careful)
    assert 'password authentication failed for user "careful"' in text and "horse" not in text
    file.write_text(f"{PASSWORD}\n")
    write(careful, "A")
    nobody = Postgresql(server.url(user="nobody"), schema, timeout=1)
    assert 'role "nobody" does not exist' in told(nobody)
    nowhere = Postgresql(server.url("nowhere"), schema, timeout=1)
    assert told(nowhere).startswith("PostgreSQL /nowhere: ") and 'database "nowhere" does not exist' in told(
        nowhere
    )


def test_a_new_password_is_taken_without_a_restart(
    server: PostgresqlServer, schema: str, tmp_path: Path
) -> None:
    file = tmp_path / "password"
    file.write_text("old")

    async def run() -> None:
        async with opened(Postgresql(server.url(user="careful"), schema, file, timeout=1)) as record:
            assert "password" in str(await failure(record))
            file.write_text(PASSWORD)
            assert await record.read("A") is None

    asyncio.run(run())


def test_venues_that_start_at_once_do_not_collide(place: Postgresql) -> None:
    async def run() -> None:
        records = [place.make() for _ in range(8)]
        await asyncio.gather(*(record.open() for record in records))
        found = await asyncio.gather(*(record.write([flush(f"U{n}")]) for n, record in enumerate(records)))
        assert found == [[Written(True, 1)]] * 8
        await asyncio.gather(*(record.close() for record in records))

    asyncio.run(run())
    with psycopg.connect(place.url) as connection:
        steps = connection.execute(f"SELECT step FROM {place.schema}.migrations ORDER BY step").fetchall()
    assert steps == [(number,) for number in range(1, len(STEPS) + 1)]


@pytest.mark.parametrize("taken", range(len(STEPS)))
def test_a_schema_of_an_older_release_is_brought_up_to_date(
    place: Postgresql, monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    with monkeypatch.context() as older:
        older.setattr("fixgw.record.migrations.STEPS", STEPS[:taken])
        asyncio.run(open_only(place))
    write(place, "A")
    with psycopg.connect(place.url) as connection:
        found = connection.execute(
            f"SELECT currency, total FROM {place.schema}.balances ORDER BY 1"
        ).fetchall()
    assert found == [("BTC", 5), ("USD", MOST)]


async def open_only(place: Postgresql) -> None:
    async with opened(place) as record:
        await record.open()


def test_a_schema_of_a_newer_release_is_refused(place: Postgresql) -> None:
    write(place, "A")
    with psycopg.connect(place.url) as connection:
        connection.execute(f"INSERT INTO {place.schema}.migrations VALUES (99)")

    async def run() -> None:
        async with opened(place) as record:
            problem = await failure(record)
            assert not problem.passing and str(problem) == (
                f"PostgreSQL /fixgw: schema {place.schema} is that of a newer release (step 99, this release "
                f"knows {len(STEPS)}): use that release, or another schema"
            )

    asyncio.run(run())


def test_a_schema_with_tables_of_another_kind_is_refused_and_left_alone(place: Postgresql) -> None:
    with psycopg.connect(place.url) as connection:
        connection.execute(f"CREATE SCHEMA {place.schema} CREATE TABLE users (login text)")
    assert 'not as this release has made it: relation "users" already exists' in told(place)
    with psycopg.connect(place.url) as connection:
        found = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace", [place.schema]
        )
        assert found.fetchall() == [("users",)]


def test_a_schema_that_was_made_by_hand_needs_no_right_to_make_one(
    server: PostgresqlServer, schema: str
) -> None:
    """As docs/record.md sets it up: the role owns the schema and may nothing else."""
    with psycopg.connect(server.url()) as connection:
        connection.execute(f"CREATE ROLE {schema} LOGIN")
        connection.execute(f"CREATE SCHEMA {schema} AUTHORIZATION {schema}")
    write(Postgresql(server.url(user=schema), schema), "A")
    with psycopg.connect(server.url()) as connection:
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute(f"GRANT USAGE ON SCHEMA {schema} TO reader")
    reader = Postgresql(server.url(user="reader"), schema)
    assert "the role lacks a right: permission denied" in told(reader)


def test_a_standby_is_told_from_a_server_that_is_down(place: Postgresql) -> None:
    write(place, "A")
    place.url += "&options=-cdefault_transaction_read_only%3Don"

    async def run() -> None:
        async with opened(place) as record:
            assert await record.read("A") is not None
            with pytest.raises(RecordError, match="takes no writes, as a standby does"):
                await record.write([flush("A", 1)])

    asyncio.run(run())


@pytest.mark.parametrize(
    "balances", ['{"USD": 1.5}', '{"USD": -1}', '{"USD": "1"}', '{"USD": 9223372036854775808}']
)
def test_a_row_that_was_written_by_hand_is_not_misread(place: Postgresql, balances: str) -> None:
    write(place, "A", "B")
    with psycopg.connect(place.url) as connection:
        connection.execute(f"UPDATE {place.schema}.users SET balances = %s WHERE name = 'A'", [balances])
    assert told(place).startswith("PostgreSQL /fixgw: the row of user 'A' is damaged: ")

    async def go_on() -> None:
        async with opened(place) as record:
            reads = await asyncio.gather(record.read("A"), record.read("B"), return_exceptions=True)
            assert isinstance(reads[0], RecordError) and isinstance(reads[1], Stored)
            listed = await record.users(None, "", 9)
            assert "the row of user 'A' is damaged" in str(listed["A"]) and listed["B"] == reads[1]
            found = await record.write([flush("A", epoch=2), flush("B", 1, epoch=2)])
            assert found == [Written(False, 1), Written(True, 2)]

    asyncio.run(go_on())


def test_tables_that_went_away_are_noticed(place: Postgresql) -> None:
    write(place, "A")
    with psycopg.connect(place.url) as connection:
        connection.execute(f"DROP TABLE {place.schema}.users CASCADE")
    assert f'relation "{place.schema}.users" does not exist' in told(place)


def test_an_operator_reads_balances_as_a_table(place: Postgresql) -> None:
    write(place, "A", "B")
    with psycopg.connect(place.url) as connection:
        found = connection.execute(
            f"SELECT * FROM {place.schema}.balances ORDER BY name, currency"
        ).fetchall()
    assert [(name, client, currency, int(total)) for name, client, currency, total in found] == [
        (name, "ALPHA", currency, total) for name in "AB" for currency, total in (("BTC", 5), ("USD", MOST))
    ]


def test_a_thousand_reads_share_the_connections(place: Postgresql) -> None:
    async def run() -> None:
        async with opened(place) as record:
            await record.write([flush(f"U{number}", 0, ("USD", number)) for number in range(1000)])
            found = await asyncio.gather(*(record.read(f"U{number}") for number in range(1000)))
            assert [each and each.row.balances for each in found] == [(("USD", n),) for n in range(1000)]
            with psycopg.connect(place.url) as connection:
                [(lines,)] = connection.execute(
                    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE %s",
                    [f"%{place.schema}%users%name%"],
                ).fetchall()
            assert 1 <= lines <= 4 + 1

    asyncio.run(run())


def test_what_is_done_all_day_goes_by_an_index(place: Postgresql) -> None:
    """With many users; the read, each step of a flush, and pages."""
    write(place, "A")
    record = place.make()
    given = postgresql._given([flush("U7", 1, ("USD", 1)), flush("U8", 1, ("USD", 1))])
    names = ["U7", "U8"]
    with psycopg.connect(place.url, autocommit=True) as connection:
        connection.execute(
            f"INSERT INTO {place.schema}.users "
            "SELECT 'U' || n, 'C' || n % 1000, 1, '{}', '[]', 'S1', 1, now() "
            "FROM generate_series(1, 30000) AS n"
        )
        connection.execute(f"ANALYZE {place.schema}.users")

        def plan(statement: str, *values: object) -> str:
            sql = record._sql(f"EXPLAIN {statement}")
            return "\n".join(line for (line,) in connection.execute(sql, values).fetchall())

        for found in (
            plan(postgresql.READ, names),
            plan(postgresql.LOCK, names),
            plan(postgresql.UPDATE, given),
            plan(postgresql.PAGE, "U7", 100),
            plan(postgresql.PAGE_OF_CLIENT, "C7", "U7", 100),
        ):
            assert "Seq Scan" not in found and "users_" in found, found
        assert "users_by_client" in found
    asyncio.run(record.close())


def test_many_who_wait_for_a_server_that_is_down_wait_together(tmp_path: Path) -> None:
    """The first look at the schema is one for all: they do not queue up for it."""
    record = PostgresqlRecord(f"postgresql:///x?host={tmp_path}", None, "s", 4, 0.5)

    async def run() -> None:
        begin = asyncio.get_running_loop().time()
        found = await asyncio.gather(*(record.read("A") for _ in range(100)), return_exceptions=True)
        assert all(isinstance(each, RecordError) and each.passing for each in found)
        assert asyncio.get_running_loop().time() - begin < 25, "a hundred in turn would take 50 s"
        await record.close()

    asyncio.run(run())
