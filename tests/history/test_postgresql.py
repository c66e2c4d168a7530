"""Feature 61 with a PostgreSQL server, which is stopped, stands still and comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.history.test_history import INSTRUMENTS, ask, caught_up, tables, trade
from tests.record.server import PASSWORD, PostgresqlServer, binaries
from tests.venue.floor import Floor, running
from tests.venue.operating import fixgw
from tests.venue.users import wait_for


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresqlServer]:
    if binaries() is None:
        pytest.skip("no PostgreSQL server is installed: apt-get install postgresql")
    with PostgresqlServer() as server:
        yield server


def fresh(server: PostgresqlServer, floor: Floor) -> None:
    """No tables of an earlier test."""
    done = fixgw("history", "rebuild", "--config", floor.config, "--data", floor.data)
    assert done.returncode == 0, done.stderr


def test_61_both_databases_have_the_same(tmp_path: Path, server: PostgresqlServer) -> None:
    password = tmp_path / "password"
    password.write_text(PASSWORD + "\n")
    history = {"on": "yes", "url": server.url(user="careful"), "password_file": str(password)}
    with running(tmp_path, history=history, instruments=INSTRUMENTS) as floor:
        trade(floor)
        wait_for(lambda: caught_up(floor), "the history")
        assert len(ask(floor, "fills", "--client", "ALPHA")) == 1
        assert PASSWORD not in floor.errors + "".join(floor.status().values())
    there = tables(floor)
    settings = yaml.safe_load(floor.config.read_text())
    settings["history"] = {"on": "yes"}
    floor.config.write_text(yaml.safe_dump(settings))
    fresh(server, floor)
    here = tables(floor)
    assert here == there
    server_only = fixgw("history", "fills", "--config", floor.config, "--data", floor.data)
    assert server_only.returncode == 0


def test_61_a_server_that_is_away_is_waited_for(tmp_path: Path, server: PostgresqlServer) -> None:
    """The venue trades on; what came meanwhile is written once the server is back."""
    history = {"on": "yes", "url": server.url(), "schema": "away"}
    with running(tmp_path, history=history, instruments=INSTRUMENTS) as floor:
        wait_for(lambda: "history ready" in floor.status()["output"], "the output")
        server.stop()
        trade(floor)
        wait_for(lambda: "the database cannot be used: " in floor.errors, "the words")
        said = fixgw("history", "fills", "--config", floor.config, "--data", floor.data)
        assert said.returncode == 2 and "the database cannot be used: " in said.stderr
        server.start()
        wait_for(lambda: caught_up(floor), "the history")
        assert "the database can be used again" in floor.errors
        assert len(ask(floor, "fills")) == 2
        server.freeze()
        trade(floor, "M2-USD")
        assert "events behind" in floor.status()["output"]
        server.thaw()
        wait_for(lambda: caught_up(floor), "the history")
        assert len(ask(floor, "fills")) == 4
