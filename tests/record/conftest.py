"""Records of both kinds, new for each test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.record.kinds import Lmdb, Place, Postgresql
from tests.record.server import PostgresqlServer, binaries

_schemas = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresqlServer]:
    """One for all tests that leave it running."""
    if binaries() is None:
        pytest.skip("no PostgreSQL server is installed: apt-get install postgresql")
    with PostgresqlServer() as server:
        yield server


@pytest.fixture
def schema() -> str:
    return f"s{next(_schemas)}"


@pytest.fixture(params=["lmdb", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "lmdb":
        return Lmdb(tmp_path)
    return Postgresql(request.getfixturevalue("server").url(), request.getfixturevalue("schema"))
