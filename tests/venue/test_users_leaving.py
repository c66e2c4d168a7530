"""Users who leave memory and come back: features 26 and 34 to 36, users.md 2.4 to 2.8, 2.11 and 3."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import count
from pathlib import Path

import pytest

from engine.user_commands import Row
from engine.user_events import BeginDehydrate
from fixgw.admin.words import Accounts, OpenAccount, Resolve, Transfer
from fixgw.record.lmdb import LmdbRecord
from fixgw.record.record import Stored
from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, NEW, TRADE, Floor, logged_on, running
from tests.venue.operating import audit, done, fixgw, refused
from tests.venue.users import (
    CLIENTS,
    MANY,
    MONEY,
    QUICK,
    account,
    accounts,
    events,
    journal,
    leaves,
    money,
    opened,
    stalled_record,
    wait_for,
)

ALL = {name: Decimal(each * MANY * 3) for name, each in MONEY.items()}
UNIT = 10**8


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with running(tmp_path_factory.mktemp("floor"), users=QUICK, clients=CLIENTS) as venue:
        yield venue


@pytest.fixture(scope="module")
def next_account() -> Callable[[], str]:
    numbers = count(1)
    return lambda: str(next(numbers))


@pytest.fixture
def own(next_account: Callable[[], str]) -> str:
    return next_account()


def test_30_who_is_idle_leaves_and_comes_back_with_the_same_money(
    floor: Floor, market: str, own: str
) -> None:
    """users.md 2.4, 2.6"""
    buyer, seller = f"ALPHA-{own}", f"BRAVO-{own}"
    with logged_on(floor, market, "ALPHA", "BRAVO") as (one, other):
        for round_ in range(1, 4):
            one.new(f"a{round_}", BUY, "2", "100", account=own)
            one.told(f"a{round_}", NEW)
            other.new(f"b{round_}", SELL, "0.5", "90", account=own)
            other.told(f"b{round_}", NEW)
            one.told(f"a{round_}", TRADE)
            other.told(f"b{round_}", TRADE)
            leaves(floor, seller)
            there = account(floor, buyer)  # which has an open order
            assert (there.where, there.orders, there.balances["USD"][1]) == ("S1", 1, 150)
            one.cancel(f"c{round_}", f"a{round_}")
            one.told(f"c{round_}", CANCELED)
            leaves(floor, buyer)
            has = {name: account(floor, name).balances for name in (buyer, seller)}
            assert has[buyer]["USD"] == (MONEY["USD"] - 50 * round_, 0)
            assert has[buyer]["BTC"] == (MONEY["BTC"] + Decimal("0.5") * round_, 0)
            assert has[seller]["USD"] == (MONEY["USD"] + 50 * round_, 0)
            assert has[seller]["BTC"] == (MONEY["BTC"] - Decimal("0.5") * round_, 0)
    versions = [
        line.split("version=")[1].split()[0] for line in events(floor.data, "UserLeft") if buyer in line
    ]
    assert versions == sorted(versions)


def test_35_an_order_while_its_user_is_written_back_is_served_from_memory(floor: Floor, market: str) -> None:
    """users.md 2.7: the FlushComplete of then lets no one leave."""
    with logged_on(floor, market, "ALPHA") as (one,):
        with stalled_record(floor) as name:
            done(floor, Transfer(name, "500", "USD", "d1"))
            one.new("a", BUY, "1", "100", account=name.removeprefix("ALPHA-"))
            one.told("a", NEW)
        of_it = "FlushComplete", f"user={name}"
        [said] = wait_for(lambda: journal(floor.data, *of_it), "the record to answer")
        assert said.endswith("version=1")
        has = account(floor, name)
        assert (has.where, has.orders, has.balances["USD"]) == ("S1", 1, (500, 100))
        one.cancel("c", "a")
        one.told("c", CANCELED)
        leaves(floor, name)
        assert account(floor, name).balances["USD"] == (500, 0)
        [last] = events(floor.data, "UserLeft", f"user={name}")
        assert last.endswith("version=2")


def test_an_id_is_remembered_however_many_come_after_it(tmp_path: Path) -> None:
    """users.md 3.1: over kills, and in whatever order."""
    ids = [f"w-{number}" for number in range(40)]
    with running(tmp_path) as venue:
        for each in ids:
            done(venue, Transfer("ALPHA-1", "1", "USD", each))
        total = account(venue, "ALPHA-1").balances["USD"]
        venue.kill9()
        venue.start()
        for each in ids:
            for withdraws in False, True:
                answer = refused(venue, Transfer("ALPHA-1", "1", "USD", each, withdraws=withdraws))
                assert answer == f"{each} was done already; nothing was done now"
        assert account(venue, "ALPHA-1").balances["USD"] == total
        done(venue, Transfer("BRAVO-1", "1", "USD", ids[0]))  # ids are those of one account


def test_deposits_and_withdrawals(floor: Floor, own: str) -> None:
    """users.md 3.1, 3.2: each id once, whether or not the account is in memory meanwhile."""
    name = leaves(floor, f"ALPHA-{own}")
    before = MONEY["USD"]
    said = done(floor, Transfer(name, "12.5", "USD", "d-1"))
    assert said == [f"account {name} has 1000012.50000000 USD now (id d-1)"]
    assert account(floor, name).balances["USD"] == (before + Decimal("12.5"), 0)
    leaves(floor, name)
    again = refused(floor, Transfer(name, "12.5", "USD", "d-1"))
    assert again == "d-1 was done already; nothing was done now"
    assert refused(floor, Transfer(name, "1", "USD", "d-1", withdraws=True)) == again
    done(floor, Transfer(name, "2.5", "USD", "w-1", withdraws=True))
    assert account(floor, name).balances["USD"] == (before + 10, 0)
    too_much = refused(floor, Transfer(name, "1000010.00000001", "USD", "w-2", withdraws=True))
    assert too_much == f"account {name} has 1000010.00000000 USD available, not 1000010.00000001"
    done(floor, Transfer(name, "1000010", "USD", "w-2", withdraws=True))  # its id was not spent
    assert account(floor, name).balances["USD"] == (0, 0)
    done(floor, Transfer(name, "1000000", "USD", "back"))
    notes = [line for line in audit(floor.data) if name in line]
    assert any(f"deposit {name} 12.50000000 USD d-1" in line for line in notes)
    assert any(f"withdraw {name} 2.50000000 USD w-1" in line for line in notes)


def test_a_withdrawal_leaves_what_orders_reserve(floor: Floor, market: str, own: str) -> None:
    """users.md 3.2"""
    name = opened(floor, f"ALPHA-{own}-R", "ALPHA", USD=500)
    with logged_on(floor, market, "ALPHA") as (one,):
        one.new("a", BUY, "4", "100", account=f"{own}-R")
        one.told("a", NEW)
        said = refused(floor, Transfer(name, "101", "USD", "w", withdraws=True))
        assert said == f"account {name} has 100.00000000 USD available, not 101.00000000"
        done(floor, Transfer(name, "100", "USD", "w", withdraws=True))
        assert account(floor, name).balances["USD"] == (400, 400)
        one.cancel("c", "a")
        one.told("c", CANCELED)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (Transfer("ALPHA-1", "0", "USD", "x"), "the amount 0 is not a number above 0 in steps of 0.00000001"),
        (
            Transfer("ALPHA-1", "-5", "USD", "x"),
            "the amount -5 is not a number above 0 in steps of 0.00000001",
        ),
        (
            Transfer("ALPHA-1", "1e3", "USD", "x"),
            "the amount 1e3 is not a number above 0 in steps of 0.00000001",
        ),
        (
            Transfer("ALPHA-1", "0.000000001", "USD", "x"),
            "the amount 0.000000001 is not a number above 0 in steps of 0.00000001",
        ),
        (
            Transfer("ALPHA-1", "9" * 30, "USD", "x"),
            f"the amount {'9' * 30} is more than there can be of USD",
        ),
        (Transfer("ALPHA-1", "5", "USB", "x"), "there is no currency USB; did you mean USD?"),
        (Transfer("NO-ONE", "5", "USD", "x"), "there is no account NO-ONE"),
        (Accounts(["NO-ONE"]), "there is no account NO-ONE"),
        (OpenAccount("ALPHA-1", "ALPHA"), "there is an account ALPHA-1 already"),
        (OpenAccount("NEW", "ALPHAA"), "there is no client ALPHAA; did you mean ALPHA?"),
        (Resolve("ALPHA-1", keep=True), "nothing is to be decided about account ALPHA-1"),
        (Resolve("NO-ONE", keep=False), "the record does not know account NO-ONE"),
        (
            Transfer("ALPHA-1", "92233720368", "USD", "x"),
            "so much USD is more than the venue can count: ",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_words(floor: Floor, request_: object, said: str) -> None:
    before = money(floor)
    assert refused(floor, request_).startswith(said)  # type: ignore[arg-type]
    assert money(floor) == before


def test_accounts_are_shown_by_name_by_client_and_page_by_page(floor: Floor) -> None:
    """Whether they are in memory or not."""
    lines = done(floor, Accounts(client="BRAVO"))
    names = [line.split()[1] for line in lines]
    assert names == sorted(names) and len(names) >= MANY and all(n.startswith("BRAVO-") for n in names)
    assert [line.split()[1] for line in done(floor, Accounts(client="BRAVO", after=names[-3]))] == names[-2:]
    assert done(floor, Accounts(client="NO-ONE")) == ["client NO-ONE has no account"]
    everyone, found = list(accounts(floor)), list[str]()
    while True:  # page by page, by name
        after = found[-1] if found else ""
        *lines, last = done(floor, Accounts(after=after, limit=7))
        assert last.startswith("total    ") and " accounts are in memory and have " in last
        found += [line.split()[1] for line in lines if line.startswith("account ")]
        if len(lines) < 8:
            break
        assert lines[-1] == f"more     there may be: go on with --after {found[-1]}"
    assert found == everyone == sorted(everyone)
    assert len([each for each in done(floor, Accounts()) if each.startswith("account ")]) == 100
    assert list(accounts(floor, "CHARLIE-3", "ALPHA-3")) == ["CHARLIE-3", "ALPHA-3"]
    shown = fixgw("admin", "--data", floor.data, "accounts", "CHARLIE-3")
    assert shown.returncode == 0 and shown.stdout.startswith(
        "account  CHARLIE-3    CHARLIE      BTC 1000.00000000  USD "
    )
    shown = fixgw("admin", "--data", floor.data, "accounts", "--limit", "2", "--after", "CHARLIE-1")
    assert [line.split()[:2] for line in shown.stdout.splitlines()[:2]] == [
        ["account", "CHARLIE-10"],
        ["account", "CHARLIE-11"],
    ]
    assert fixgw("admin", "--data", floor.data, "accounts", "--limit", "0").returncode == 2


def written(venue: Floor, name: str, **balances: int) -> Stored:
    """Someone else writes the account in the record, and it has this then."""

    async def write() -> Stored:
        record = LmdbRecord(venue.data, 1 << 30)
        try:
            there = await record.read(name)
            version = 0 if there is None else there.version
            row = Row("ALPHA", tuple((each, amount * UNIT) for each, amount in sorted(balances.items())))
            [result] = await record.write([BeginDehydrate(1, name, "FOREIGN", 1, version, row)])
            assert result.done
            found = await record.read(name)
            assert found is not None
            return found
        finally:
            await record.close()

    return asyncio.run(write())


@pytest.mark.parametrize(("which", "has"), [("memory", 700), ("record", 9)])
def test_36_the_operator_decides_when_someone_else_has_written_an_account(
    tmp_path: Path, which: str, has: int
) -> None:
    """users.md 2.8"""
    slow = QUICK | {"idle_seconds": 5}
    with running(tmp_path, users=slow, clients=CLIENTS) as venue:
        opened(venue, "ALPHA-X", "ALPHA", USD=700)
        assert venue.terminate() == 0
        written(venue, "ALPHA-X", USD=9, BTC=1)
        venue.start()
        with logged_on(venue, "M1-USD", "ALPHA", "BRAVO") as (one, other):
            wait_for(lambda: events(venue.data, "UserConflict", "user=ALPHA-X"), "the conflict")
            assert "user ALPHA-X was written by someone else" in venue.errors
            one.new("a", BUY, "1", "100", account="X")
            one.refused("a", 0, t58="Account ALPHA-X is blocked: the operator has to look at it")
            other.new("a", BUY, "1", "100", account="1")
            other.told("a", NEW)
            blocked = "account ALPHA-X is blocked: `fixgw admin resolve ALPHA-X memory|record` decides"
            assert refused(venue, Transfer("ALPHA-X", "1", "USD", "d")) == blocked
            assert "blocked" in "".join(done(venue, Accounts(["ALPHA-X"])))
            said = fixgw("admin", "--data", venue.data, "resolve", "ALPHA-X", which)
            whose = {"memory": "venue", "record": "record"}[which]
            assert said.stdout == f"account ALPHA-X: what the {whose} has counts\n"
            leaves(venue, "ALPHA-X")
            assert account(venue, "ALPHA-X").balances["USD"] == (has, 0)
            one.new("b", BUY, "0.01", "100", account="X")
            one.told("b", NEW)
            assert account(venue, "ALPHA-X").balances["USD"] == (has, 1)


def test_26_a_start_reads_no_one_and_goes_on_with_who_was_there(tmp_path: Path) -> None:
    """users.md 2.11: also if the record has gone on without the venue; who is in it only has what it says."""
    slow = QUICK | {"idle_seconds": 600}
    with running(tmp_path, users=slow, clients=CLIENTS) as venue:
        opened(venue, "ALPHA-X", "ALPHA", USD=700)
        with logged_on(venue, "M1-USD", "ALPHA") as (one,):
            one.new("a", BUY, "1", "100", account="X")
            one.told("a", NEW)
        state = venue.status()["state"]
        assert venue.terminate() == 0
        written(venue, "ALPHA-X", USD=9)
        written(venue, "ALPHA-NEVER-SEEN", USD=11)
        venue.start()
        assert f"state={state[:16]}" in venue.ready_line
        assert account(venue, "ALPHA-X").balances["USD"] == (700, 100)
        assert not journal(venue.data, "HydrateUser")
        with logged_on(venue, "M1-USD", "ALPHA") as (one,):
            one.new("n", BUY, "1", "11", account="NEVER-SEEN")
            one.told("n", NEW)
            one.new("m", BUY, "1", "11", account="NEVER-SEEN")
            one.refused("m", 3)


def test_the_accounts_of_the_file_are_opened_once(tmp_path: Path) -> None:
    """users.md 3.3: and what the record knows counts."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with running(tmp_path / "a", users=QUICK, clients=CLIENTS) as venue:
        leaves(venue, "ALPHA-1")
        done(venue, Transfer("ALPHA-1", "5", "USD", "d"))
        leaves(venue, "ALPHA-1")
        for _ in range(2):
            assert venue.terminate() == 0
            venue.start()
            assert account(venue, "ALPHA-1").balances["USD"] == (MONEY["USD"] + 5, 0)
        assert money(venue) == {"BTC": ALL["BTC"], "USD": ALL["USD"] + 5}
        assert len(journal(venue.data, "OpenAccount", "ALPHA-1")) == 1
        assert venue.terminate() == 0
        data = tmp_path / "b" / "data"
        data.mkdir()
        (data / "accounts.mdb").write_bytes((venue.data / "accounts.mdb").read_bytes())
        venue.start()
    with running(tmp_path / "b", users=QUICK, clients=CLIENTS) as other:  # a new venue with that record
        assert account(other, "ALPHA-1").balances["USD"] == (MONEY["USD"] + 5, 0)
        assert not journal(other.data, "OpenAccount", "ALPHA-1")
