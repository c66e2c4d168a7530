"""Connections to a PostgreSQL server that may be slow, down or gone, and its failures in words."""

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self, TypeAlias
from urllib.parse import urlsplit

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from fixgw.record.record import RecordError

Connection: TypeAlias = AsyncConnection[TupleRow]

logging.getLogger("psycopg").setLevel(logging.CRITICAL)
"""what it would say is in the RecordError of whoever needed the connection"""

_SESSION = """
    SELECT set_config('statement_timeout', %s, false),
           set_config('synchronous_commit', CASE current_setting('synchronous_commit')
               WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)
"""
"""what is said to be written is on disk, whatever else the server is used for"""


class Connections:
    """At most `most`, made when they are needed and kept. One that has died is noticed before it is used."""

    def __init__(self, url: str, password_file: Path | None, most: int, timeout: float) -> None:
        """`timeout`: seconds for whatever one connection is used for, and for getting one."""
        self.where = _where(url)
        self._timeout = timeout
        self._failure = ""
        """why the last one was not made; "" if it was"""
        self._opened = False
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            url,
            connection_class=self._class(password_file),
            kwargs={"connect_timeout": max(int(timeout), 2), "autocommit": True, "client_encoding": "utf8"},
            min_size=0,
            max_size=most,
            open=False,
            timeout=timeout,
            reconnect_timeout=timeout,
            configure=self._configure,
        )

    @asynccontextmanager
    async def one(self) -> AsyncIterator[Connection]:
        """A connection to one's own, in autocommit. Raises RecordError, also for what is raised inside."""
        late = asyncio.Event()
        try:
            if not self._opened:
                self._opened = True
                await self._pool.open()
            connection = await self._alive()
            try:
                async with self._limited(connection, late):
                    yield connection
            finally:
                await self._pool.putconn(connection)
        except RecordError as problem:
            raise RecordError(f"{self.where}: {problem}", passing=problem.passing) from None
        except (psycopg.Error, OSError) as problem:
            raise self._in_words(problem, late.is_set()) from None

    async def close(self) -> None:
        await self._pool.close(self._timeout)

    async def _alive(self) -> Connection:
        """The pool's own check would ask the server something each time, and pause after a failed one."""
        while _ended(connection := await self._pool.getconn()):
            await connection.close()
            await self._pool.putconn(connection)
        return connection

    @asynccontextmanager
    async def _limited(self, connection: Connection, late: asyncio.Event) -> AsyncIterator[None]:
        """A server that has stopped answers no request to stop either, so the line is cut."""

        def cut() -> None:
            late.set()
            with socket.socket(fileno=os.dup(connection.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)

        # After the server's own limit, which leaves the connection whole.
        timer = asyncio.get_running_loop().call_later(self._timeout * 1.1 + 0.1, cut)
        try:
            yield
        finally:
            timer.cancel()

    async def _configure(self, connection: Connection) -> None:
        async with asyncio.timeout(self._timeout):
            await connection.execute(_SESSION, [f"{max(int(self._timeout * 1000), 1)}ms"])

    def _class(self, password_file: Path | None) -> type[Connection]:
        """The pool makes connections in the background and says only that there was none in time; these say
        why."""
        outer = self

        class Watched(AsyncConnection[TupleRow]):
            @classmethod
            async def connect(cls, conninfo: str = "", **options: Any) -> Self:
                try:
                    if password_file is not None:
                        options["password"] = await asyncio.to_thread(_first_line, password_file)
                    made = await super().connect(conninfo, **options)
                except RecordError as problem:
                    outer._failure = str(problem)
                    raise
                except (psycopg.Error, OSError) as problem:
                    outer._failure = _one_line(problem)
                    raise
                outer._failure = ""
                return made

        return Watched

    def _in_words(self, problem: Exception, late: bool) -> RecordError:
        text, passing = self._said(problem, late)
        return RecordError(f"{self.where}: {text}", passing=passing)

    def _said(self, problem: Exception, late: bool) -> tuple[str, bool]:
        match problem:
            case PoolClosed():
                return "is closed", False
            case PoolTimeout() if self._failure:
                return self._failure, True
            case PoolTimeout():
                return f"no connection was free for {self._timeout:g} s", True
            case _ if late or isinstance(problem, errors.QueryCanceled | errors.LockNotAvailable):
                return f"timed out: no answer for {self._timeout:g} s", True
            case errors.InsufficientPrivilege():
                return f"the role lacks a right: {_one_line(problem)}", False
            case errors.ReadOnlySqlTransaction():
                return f"takes no writes, as a standby does: {_one_line(problem)}", True
            case psycopg.OperationalError() | psycopg.InterfaceError() | OSError():
                return _one_line(problem), True
            case _:  # tables that someone has changed, values that do not fit
                return f"not as this release has made it: {_one_line(problem)}", False


def _ended(connection: Connection) -> bool:
    """By the server: then there is something to read, if only the end."""
    with socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.setblocking(False)
        try:
            line.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
    return True


def _where(url: str) -> str:
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2] + parts.path
    return f"PostgreSQL {place}"


def _first_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline(1000).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "is not UTF-8 text"
        raise RecordError(f"record.password_file: {path}: {why}") from None


def _one_line(problem: Exception) -> str:
    primary = problem.diag.message_primary if isinstance(problem, psycopg.Error) else None
    text = " ".join((primary or str(problem) or type(problem).__name__).split())
    return text.removeprefix("connection failed: ").removeprefix("connection is bad: ")
