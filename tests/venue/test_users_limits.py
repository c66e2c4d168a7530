"""Limits of waiting, of memory and of an account's orders: features 32 and 38, users.md 1.6, 2.3, 2.5."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
import yaml

from fixgw.admin.words import OpenAccount, Reload
from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, IOC, NEW, REPLACED, Floor, logged_on, running
from tests.venue.operating import done, refused
from tests.venue.users import (
    CLIENTS,
    MANY,
    QUICK,
    account,
    accounts,
    events,
    leaves,
    money,
    record,
    shards,
    stalled_record,
    wait_for,
)

RESIDENT, PARKED = 20, 5
USERS = QUICK | {"wait_seconds": 1, "parked": PARKED, "resident": RESIDENT}
FAST = "30"
"""the accounts with a limit of two orders a second"""
NOT_NOW = "cannot be looked up now: send it again later"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    clients = {
        name: section | {"limits": {f"{name}-{FAST}": {"max_orders_per_second": 2}}}
        for name, section in CLIENTS.items()
    }
    with running(tmp_path_factory.mktemp("floor"), users=USERS, clients=clients) as venue:
        yield venue


@pytest.fixture(scope="module")
def next_account() -> Callable[[], str]:
    numbers = count(1)
    return lambda: str(next(numbers))


@pytest.fixture
def cold(floor: Floor, next_account: Callable[[], str]) -> str:
    return leaves(floor, f"ALPHA-{next_account()}").removeprefix("ALPHA-")


def test_38_an_order_waits_so_long_and_may_be_sent_again(floor: Floor, market: str, cold: str) -> None:
    """users.md 2.3: its ClOrdID is not spent."""
    with logged_on(floor, market, "ALPHA") as (one,):
        with stalled_record(floor):
            one.new("a", BUY, "1", "100", account=cold)
            one.replace("r", "a", BUY, "1", "101", account=f"ALPHA-{cold}")
            one.refused("a", 0, t58=f"Account ALPHA-{cold} {NOT_NOW}")
            one.request_refused("r", "a", 1)
        one.new("a", BUY, "1", "100", account=cold)
        one.told("a", NEW)
        one.cancel("c", "a")
        one.told("c", CANCELED)


def test_38_so_many_may_wait(floor: Floor, market: str, cold: str) -> None:
    """users.md 2.3: more are refused at once, and so is what is said about those that wait."""
    with logged_on(floor, market, "ALPHA", "CHARLIE") as (one, other):
        with stalled_record(floor):
            for number in range(PARKED):
                one.new(f"a{number}", BUY, "1", "100", account=cold)
            one.new("b", BUY, "1", "100", account=cold)
            one.refused("b", 0, t58=f"Account ALPHA-{cold} {NOT_NOW}")
            one.replace("r", "a0", BUY, "2", "100", account=f"ALPHA-{cold}")
            one.request_refused("r", "a0", 2, t58=f"Account ALPHA-{cold} {NOT_NOW}")
            one.send("H", [(11, one.id("a0")), (55, market), (54, BUY)])
            one.told("a0", "I", t39="8")
            for number in range(PARKED):
                one.refused(f"a{number}", 0)
        assert other.settle() == []


@pytest.mark.parametrize("resident", [1, 12])
def test_32_a_flood_of_cold_users_finds_places_and_no_shard_has_too_many(
    tmp_path: Path, resident: int
) -> None:
    """users.md 2.5: many times as many as there is room for, none of them idle for long, and all get in."""
    users = QUICK | {"resident": resident, "idle_seconds": 3600}
    most, ended = [0], threading.Event()

    def watch() -> None:
        while not ended.is_set():
            most[0] = max(most[0], *(each.in_memory for each in shards(floor).values()))

    with running(tmp_path, users=users, clients=CLIENTS) as floor:
        wait_for(lambda: shards(floor)["S1"].in_memory <= resident, "those to leave who were just opened")
        watching = threading.Thread(target=watch)
        with logged_on(floor, "M1-USD", "ALPHA", "BRAVO", "CHARLIE") as members:
            watching.start()
            try:
                for member in members:
                    for number in range(1, MANY + 1):
                        member.new(f"a{number}", BUY, "1", "100", account=str(number), time_in_force=IOC)
                for member in members:
                    said = [member.receive(60) for _ in range(2 * MANY)]
                    for number in range(1, MANY + 1):
                        own = [each[150] for each in said if each[11] == member.id(f"a{number}")]
                        assert own == [NEW, CANCELED]
            finally:
                ended.set()
                watching.join()
        assert 0 < most[0] <= resident


def test_32_who_has_an_order_stays_and_the_next_waits_for_a_place(floor: Floor, market: str) -> None:
    """users.md 2.5: a shard full of those who are not flat takes no one, until one of them is."""
    wait_for(lambda: not any(each.in_memory for each in shards(floor).values()), "all to leave")
    with logged_on(floor, market, "ALPHA", "BRAVO") as (one, other):
        for number in range(1, RESIDENT + 1):
            one.new(f"a{number}", BUY, "1", "100", account=str(number))
            one.told(f"a{number}", NEW)
        before = record(floor)["read"]
        other.new("b", BUY, "1", "99", account="1")
        other.refused("b", 0, t58=f"Account BRAVO-1 {NOT_NOW}")
        assert record(floor)["read"] == before + 1  # however long it has waited for a place
        assert shards(floor)["S1"].in_memory == RESIDENT
        new = OpenAccount(f"ALPHA-{market}", "ALPHA")
        assert refused(floor, new) == (
            f"{RESIDENT} accounts are in memory on the shard of ALPHA-{market}, and no more may be "
            "(users.resident): try again when one has left"
        )
        other.new("b", BUY, "1", "99", account="1")
        one.cancel("c1", "a1")
        one.told("c1", CANCELED)
        other.told("b", NEW)
        assert account(floor, "ALPHA-1").where == ""
        other.cancel("cb", "b")
        other.told("cb", CANCELED)
        for number in range(2, RESIDENT + 1):
            one.cancel(f"c{number}", f"a{number}")
            one.told(f"c{number}", CANCELED)
        leaves(floor, "ALPHA-2")
        done(floor, new)


def test_32_accounts_of_the_file_are_opened_as_there_are_places(tmp_path: Path) -> None:
    """users.md 2.5, 3.3: all of them, but never more at a time than may be in memory."""
    users = QUICK | {"resident": 7, "idle_seconds": 3600}
    with running(tmp_path, users=users, clients=CLIENTS) as venue:
        assert len(accounts(venue)) == sum(len(client["accounts"]) for client in CLIENTS.values())
        there = most = 0
        for line in events(venue.data):
            there += (line.split()[0] == "AccountOpened") - (line.split()[0] == "UserLeft")
            most = max(most, there)
        assert most == 7


def test_max_orders_per_second(floor: Floor, market: str) -> None:
    """users.md 1.6: new orders and replaces, and no cancels."""
    with logged_on(floor, market, "ALPHA", "BRAVO") as (one, other):
        one.new("w", SELL, "1", "100", account=FAST)
        one.told("w", NEW)
        for number in range(5):
            one.new(f"a{number}", SELL, "1", "100", account=FAST)
        answers = [one.receive() for _ in range(5)]
        accepted = [each[11].rpartition(".")[2] for each in answers if each[150] == NEW]
        refused = [each for each in answers if each[150] == "8"]
        assert 1 <= len(accepted) <= 4 and refused  # they may be in two seconds
        assert {each[58] for each in refused} == {
            "The account has 2 orders a second, and no more: send it later"
        }
        for name in ["w", *accepted]:
            one.cancel(f"c{name}", name, SELL)
            one.told(f"c{name}", CANCELED)
        for number in range(6):
            other.new(f"b{number}", SELL, "1", "100", account="1")
            other.told(f"b{number}", NEW)
        for number in range(6):
            other.replace(f"r{number}", f"b{number}", SELL, "1", "101", account="BRAVO-1")
            other.told(f"r{number}", REPLACED)
            other.cancel(f"c{number}", f"r{number}", SELL)
            other.told(f"c{number}", CANCELED)


def test_limits_and_accounts_come_with_a_reload(floor: Floor, market: str, cold: str) -> None:
    """Also of users who are not in memory, and of shards."""
    settings = yaml.safe_load(floor.config.read_text())
    settings["users"]["resident"] = RESIDENT - 1
    alpha = settings["clients"]["ALPHA"]
    alpha["limits"][f"ALPHA-{cold}"] = {"max_open_orders": 1}
    alpha["accounts"][f"ALPHA-LOADED-{market}"] = {"USD": 1000}
    before = money(floor)
    with logged_on(floor, market, "ALPHA") as (one,):
        one.new("u", BUY, "1", "100", account=f"LOADED-{market}")
        one.refused("u", 15)
        floor.config.write_text(yaml.safe_dump(settings))
        said = done(floor, Reload())
        assert f"~ users: resident {RESIDENT - 1}, in_flight 100000" in said
        assert f"+ account ALPHA-LOADED-{market} of client ALPHA" in said
        assert f"~ account ALPHA-{cold}: max_open_orders 1" in said
        one.new("a", BUY, "1", "100", account=cold)
        one.told("a", NEW)
        one.new("b", BUY, "1", "100", account=cold)
        one.refused("b", 3, t58="The account has 1 open orders, and may have 1")
        one.cancel("c", "a")
        one.told("c", CANCELED)
        assert money(floor)["USD"] == before["USD"] + 1000
        leaves(floor, f"ALPHA-LOADED-{market}")
        one.new("u", BUY, "1", "100", account=f"LOADED-{market}")  # not taken for unknown any more
        one.told("u", NEW)
        one.cancel("v", "u")
        one.told("v", CANCELED)
