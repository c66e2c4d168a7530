"""The database: where it is, whether it is one of ours, and how rows are put over others."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from fixgw.history.tables import VERSION, metadata, position
from fixgw.settings import History, SettingsError
from fixgw.store.directory import private

FOLDER = "history"
WAIT = 30
"""seconds for a lock that another process has"""


class Position(NamedTuple):
    log: bytes
    event: int
    journal: int
    entry: bytes
    """fingerprint of that journal entry"""
    time: int
    day: str


NOWHERE = Position(b"", 0, 0, b"", 0, "")


def make_engine(settings: History, source: Path, directory: Path) -> sa.Engine:
    """`source`: the file of the settings; `directory`: the venue's data. Raises SettingsError."""
    url = settings.url or f"sqlite:///{directory / FOLDER / 'history.db'}"
    path = f"{source}: history"
    try:
        parsed = sa.make_url(url)
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise sa.exc.ArgumentError
        if parsed.get_backend_name() == "sqlite":
            return _sqlite(source.parent / (parsed.database or ""), not settings.url, directory)
        password = _password(source.parent / settings.password_file) if settings.password_file else None
        parsed = parsed.set(drivername="postgresql+psycopg", password=password or parsed.password)
        options = {"connect_timeout": 5, "options": f"-csearch_path={settings.schema}"}
        engine = sa.create_engine(parsed, pool_pre_ping=True, connect_args=options)
        sa.event.listen(engine, "first_connect", partial(_make_schema, settings.schema))
        return engine
    except sa.exc.ArgumentError:
        raise SettingsError(
            f"{path}.url: must be sqlite:///PATH or postgresql://USER@HOST:PORT/DATABASE"
        ) from None
    except OSError as problem:
        raise SettingsError(f"{path}: {problem.filename}: {problem.strerror}") from None
    except ModuleNotFoundError as problem:
        raise SettingsError(
            f"{path}.url: postgresql needs more packages: pip install 'fixgw[postgresql]' ({problem})"
        ) from None


def _sqlite(path: Path, default: bool, directory: Path) -> sa.Engine:
    if default:
        path = directory / FOLDER / "history.db"
        path.parent.mkdir(mode=0o700, exist_ok=True)
    if not path.exists():
        open(path, "wb", opener=private).close()
    engine = sa.create_engine(f"sqlite:///{path}", connect_args={"timeout": WAIT})

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # else what is read is in no transaction
        connection.execute("pragma journal_mode = wal")  # who reads does not keep the writer waiting
        connection.execute(
            "pragma synchronous = normal"
        )  # what a power loss takes is read from the log again

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("begin")

    return engine


def _make_schema(schema: str, connection: Any, _: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute("select 1 from pg_namespace where nspname = %s", (schema,))
        if cursor.fetchone() is None:  # who may not make one may use one
            cursor.execute(f"create schema if not exists {schema}")
    connection.commit()


def _password(path: Path) -> str:
    with path.open() as file:
        return file.readline().rstrip("\n")


def prepare(engine: sa.Engine) -> Position:
    """Makes the tables if there are none; returns how far they are. Raises SettingsError for tables of
    another release."""
    with engine.begin() as connection:
        if not sa.inspect(connection).has_table(position.name):
            _make(connection)
        return standing(connection)


def begin_anew(engine: sa.Engine) -> None:
    """All tables go, of whatever release, and empty ones come."""
    with engine.begin() as connection:
        known = sa.inspect(connection)
        found = sa.MetaData()
        found.reflect(connection, only=[name for name in metadata.tables if known.has_table(name)])
        found.drop_all(connection)
        _make(connection)


def _make(connection: sa.Connection) -> None:
    metadata.create_all(connection)
    connection.execute(position.insert().values(_values(NOWHERE)))


def standing(connection: sa.Connection) -> Position:
    """No one else moves it while this transaction lasts, or one of the two fails. Raises SettingsError."""
    row = connection.execute(sa.select(position).with_for_update()).mappings().one()
    if row["version"] != VERSION:
        raise SettingsError(
            f"the history has tables of version {row['version']}, this release has version {VERSION}: `fixgw "
            "history rebuild` makes them again from the log"
        )
    return Position(
        bytes.fromhex(row["log"]), row["event"], row["journal"], bytes.fromhex(row["entry"]), row["time"],
        row["day"],
    )  # fmt: skip


def move(connection: sa.Connection, to: Position) -> None:
    connection.execute(position.update().values(_values(to)))


def _values(at: Position) -> dict[str, object]:
    return at._asdict() | {"version": VERSION, "log": at.log.hex(), "entry": at.entry.hex()}


def put(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Over those that have the same key."""
    if not rows:
        return
    insert: Any = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    statement = insert(table)
    keys = [column.name for column in table.primary_key]
    others = {
        column.name: statement.excluded[column.name] for column in table.columns if column.name not in keys
    }
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=others), list(rows))


def add(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Those that are new. PostgreSQL takes them as a stream, at half of what so many statements cost."""
    if not rows:
        return
    if connection.dialect.name != "postgresql":
        connection.execute(table.insert(), list(rows))
        return
    names = [column.name for column in table.columns]
    raw: Any = connection.connection.driver_connection
    with raw.cursor() as cursor, cursor.copy(f"copy {table.name} ({', '.join(names)}) from stdin") as copy:
        for row in rows:
            copy.write_row([row[name] for name in names])


def in_a_line(problem: sa.exc.DBAPIError) -> str:
    """What the database says."""
    return (str(problem.orig).strip() or repr(problem.orig)).splitlines()[0]
