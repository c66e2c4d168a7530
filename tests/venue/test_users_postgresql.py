"""A venue whose record is a PostgreSQL server that is stopped, stands still or dies: features 29 and 38,
users.md 2.10 and 3.3."""

from __future__ import annotations

import select
import signal
from collections.abc import Iterator
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from tests.raw import BUY, SELL
from tests.record.server import PostgresqlServer, binaries
from tests.venue.floor import CANCELED, NEW, TRADE, Floor, Member, logged_on, running
from tests.venue.starting import refused as start_refused
from tests.venue.users import (
    CLIENTS,
    MANY,
    MONEY,
    QUICK,
    account,
    accounts,
    events,
    leaves,
    money,
    shards,
    wait_for,
)

ALL = {name: Decimal(each * MANY * 3) for name, each in MONEY.items()}
NOT_NOW = "cannot be looked up now: send it again later"
UNIT = 10**8
_schemas = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresqlServer]:
    if binaries() is None:
        pytest.skip("no PostgreSQL server is installed: apt-get install postgresql")
    with PostgresqlServer() as server:
        yield server


@pytest.fixture
def settings(server: PostgresqlServer) -> dict[str, Any]:
    record = {"kind": "postgresql", "url": server.url(), "schema": f"v{next(_schemas)}", "timeout_seconds": 1}
    return {"record": record, "users": QUICK | {"wait_seconds": 2}, "clients": CLIENTS}


@pytest.fixture
def venue(tmp_path: Path, settings: dict[str, Any]) -> Iterator[Floor]:
    with running(tmp_path, **settings) as venue:
        yield venue


def hot(member: Member) -> None:
    """ALPHA-1 gets an order that stays, so that it stays in memory."""
    member.new("hot", BUY, "1", "50", account="1")
    member.told("hot", NEW)


def round_trip(member: Member, name: str) -> None:
    member.new(name, BUY, "1", "60", account="1")
    member.told(name, NEW)
    member.cancel(f"c{name}", name)
    member.told(f"c{name}", CANCELED)


def trades_until_refused(one: Member, other: Member, order: str) -> None:
    """Who is in memory trades, round after round, until the other is told that its cold order must come
    again."""
    other.new(order, SELL, "1", "500", account="9")
    trips = 0
    while not select.select([other.socket], [], [], 0)[0]:
        round_trip(one, f"{order}{trips}")
        trips += 1
    assert trips > 0
    other.refused(order, 0, t58=f"Account BRAVO-9 {NOT_NOW}")


def all_cold(venue: Floor) -> None:
    wait_for(lambda: not any(each.in_memory for each in shards(venue).values()), "all to leave")


def works_again(venue: Floor, one: Member, other: Member) -> None:
    """By itself; all is as it was, and nothing is left over."""
    wait_for(lambda: venue.status()["record"].startswith("ok"), "the record to be used again")
    other.new("again", SELL, "1", "500", account="9")
    other.told("again", NEW)
    other.cancel("cagain", "again", SELL)
    other.told("cagain", CANCELED)
    one.cancel("chot", "hot")
    one.told("chot", CANCELED)
    all_cold(venue)
    assert money(venue) == ALL
    assert not events(venue.data, "UserConflict")


def trade(one: Member, other: Member, name: str, account: str) -> None:
    one.new(f"{name}b", BUY, "2", "100", account=account)
    one.told(f"{name}b", NEW)
    other.new(f"{name}s", SELL, "2", "100", account=account)
    other.told(f"{name}s", NEW)
    other.told(f"{name}s", TRADE)
    one.told(f"{name}b", TRADE)


def test_users_leave_for_the_server_and_come_back(
    venue: Floor, server: PostgresqlServer, settings: dict[str, Any]
) -> None:
    """What the server has is what the operator is shown."""
    with logged_on(venue, "M1-USD", "ALPHA", "BRAVO") as (one, other):
        for number in range(3):
            trade(one, other, f"r{number}", "2")
            leaves(venue, "ALPHA-2")
            leaves(venue, "BRAVO-2")
    all_cold(venue)
    assert money(venue) == ALL
    assert account(venue, "ALPHA-2").balances["USD"] == (MONEY["USD"] - 600, 0)
    with psycopg.connect(server.url()) as connection:
        query = f"SELECT name, currency, total FROM {settings['record']['schema']}.balances"
        rows = connection.execute(query.encode()).fetchall()
    there = {(name, currency): Decimal(int(total)) / UNIT for name, currency, total in rows}
    shown = {
        (name, currency): total
        for name, each in accounts(venue).items()
        for currency, (total, _) in each.balances.items()
    }
    assert there == shown


def test_38_a_server_that_is_stopped_and_comes_back(venue: Floor, server: PostgresqlServer) -> None:
    """Who is in memory trades on, others are refused in words, and it goes on by itself."""
    with logged_on(venue, "M1-USD", "ALPHA", "BRAVO") as (one, other):
        all_cold(venue)
        hot(one)
        trade(one, other, "t", "2")
        server.stop()
        try:
            for order in ("a", "b"):
                trades_until_refused(one, other, order)
            wait_for(lambda: shards(venue)["S1"].being_written == 2, "those who traded to be written")
            assert "PostgreSQL" in venue.status()["record"]
            assert "the record cannot be used: PostgreSQL" in venue.errors
        finally:
            server.start()
        works_again(venue, one, other)


@pytest.mark.slow
def test_29_a_server_that_stands_still_for_seconds(venue: Floor, server: PostgresqlServer) -> None:
    """It holds up none of those who are in memory, however long."""
    with logged_on(venue, "M1-USD", "ALPHA", "BRAVO") as (one, other):
        all_cold(venue)
        hot(one)
        server.freeze()
        try:
            for order in ("a", "b", "c"):  # each waits 2 s
                trades_until_refused(one, other, order)
        finally:
            server.thaw()
        works_again(venue, one, other)


def test_34_a_server_that_dies_while_users_are_written(venue: Floor, server: PostgresqlServer) -> None:
    """Whether or not it has done what it was asked for: no write is lost, and none is taken for another's."""
    with logged_on(venue, "M1-USD", "ALPHA", "BRAVO") as (one, other):
        hot(one)
        cut_short = 0
        for step in range(4):
            for number in range(10, 16):
                trade(one, other, f"r{step}.{number}", str(number))
            server.freeze()
            wait_for(
                lambda: shards(venue)["S1"].being_written or shards(venue)["S1"].in_memory == 1, "a write"
            )
            cut_short += shards(venue)["S1"].being_written
            server.thaw()
            server.stop(signal.SIGQUIT)
            server.start()
        assert cut_short
        works_again(venue, one, other)
        assert account(venue, "BRAVO-12").balances["USD"] == (MONEY["USD"] + 4 * 200, 0)


def test_a_venue_starts_without_its_server_and_goes_on_when_it_is_there(
    venue: Floor, server: PostgresqlServer
) -> None:
    """users.md 2.10, 2.11, 3.3: with those who were in memory; new accounts of the file need the server."""
    with logged_on(venue, "M1-USD", "ALPHA") as (one,):
        all_cold(venue)
        hot(one)
    assert venue.terminate() == 0
    before = venue.config.read_text()
    server.stop()
    try:
        changed = yaml.safe_load(before)
        changed["clients"]["ALPHA"]["accounts"]["ALPHA-NEW"] = {"USD": 1}
        venue.config.write_text(yaml.safe_dump(changed))
        assert start_refused(venue).startswith(f"{venue.config}: record: PostgreSQL ")
        venue.config.write_text(before)
        venue.start()
        with logged_on(venue, "M1-USD", "ALPHA", "BRAVO") as (one, other):
            trades_until_refused(one, other, "a")
    finally:
        server.start()
    with logged_on(venue, "M1-USD", "ALPHA", "BRAVO") as (one, other):
        works_again(venue, one, other)
