"""Orders of users who are not in memory: features 26 to 29 and 38, users.md 2.1 to 2.3."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import lmdb
import pytest

from fixgw.admin.words import Accounts, Kill, OpenAccount
from tests.raw import BUY, SELL
from tests.venue.floor import (
    CANCELED,
    FREE,
    GTC,
    NEW,
    REPLACED,
    STATUS,
    TRADE,
    Floor,
    Member,
    logged_on,
    running,
)
from tests.venue.operating import done
from tests.venue.test_away import come_back
from tests.venue.users import (
    CLIENTS,
    QUICK,
    account,
    journal,
    leaves,
    opened,
    record,
    stalled_record,
    wait_for,
)

SESSIONS = {
    "ALPHA3": {"cancel_on_disconnect": "loss"},
    "ALPHA4": {"cancel_on_disconnect": "loss", "cancel_gtc": "yes"},
}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    sessions = {
        name: {"client": "ALPHA", "begin_string": "FIX.4.4"} | FREE | how for name, how in SESSIONS.items()
    }
    directory = tmp_path_factory.mktemp("floor")
    with running(directory, users=QUICK, clients=CLIENTS, sessions=sessions) as venue:
        yield venue


@pytest.fixture(scope="module")
def next_account() -> Callable[[], str]:
    numbers = count(1)
    return lambda: str(next(numbers))


@pytest.fixture
def cold(floor: Floor, next_account: Callable[[], str]) -> str:
    """An account of each client that is in the record only: ALPHA-7, BRAVO-7, CHARLIE-7."""
    name = next_account()
    for client in ("ALPHA", "BRAVO", "CHARLIE"):
        leaves(floor, f"{client}-{name}")
    return name


def hydrations(floor: Floor, name: str) -> list[str]:
    return journal(floor.data, "HydrateUser", name)


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_27_the_first_order_of_a_cold_user_brings_it_into_memory(
    floor: Floor, market: str, cold: str, session: str
) -> None:
    """users.md 2.1: what it has stands before the order in the journal."""
    name = f"{session}-{cold}"
    with logged_on(floor, market, session) as (member,):
        member.new("a", BUY, "1", "100", account=cold)
        member.told("a", NEW, t1=name)
        assert account(floor, name).balances["USD"] == (10**6, 100)
        lines = wait_for(lambda: journal(floor.data, f"ClOrdID={market}.a") and journal(floor.data), "it")
        at = next(number for number, line in enumerate(lines) if f"ClOrdID={market}.a" in line)
        assert lines[at - 1].startswith(f"HydrateUser {name} version=1 client={session} smallest units: ")
        member.new("b", SELL, "1", "200", account=cold)
        member.told("b", NEW, t1=name)
        assert len(hydrations(floor, name)) == 1
        for order, side in (("a", BUY), ("b", SELL)):
            member.cancel(f"c{order}", order, side)
            member.told(f"c{order}", CANCELED)


def test_28_a_thousand_orders_of_one_cold_user_are_one_read_and_stay_in_order(
    floor: Floor, market: str, cold: str
) -> None:
    """users.md 2.2"""
    before = record(floor)["read"]
    with logged_on(floor, market, "ALPHA", "ALPHA2") as (one, two):
        with stalled_record(floor):
            for number in range(500):
                one.new(f"a{number}", BUY, "0.0001", "10", account=cold)
                two.new(f"b{number}", BUY, "0.0001", "10", account=cold)
            assert one.settle() == two.settle() == []
        for number in range(500):
            one.told(f"a{number}", NEW)
            two.told(f"b{number}", NEW)
        assert len(hydrations(floor, f"ALPHA-{cold}")) == 1
        assert record(floor)["read"] == before + 1
        one.send("q", [(11, one.id("q")), (530, 1), (55, market), (60, "20260101-00:00:00")])
        assert [one.receive()[150] for _ in range(1000)] == [CANCELED] * 1000  # who asked hears of all
        one.expect("r", t533="1000")
        assert [two.receive()[150] for _ in range(500)] == [CANCELED] * 500


def test_29_what_is_said_about_an_order_that_waits_waits_behind_it(
    floor: Floor, market: str, cold: str
) -> None:
    """users.md 2.1"""
    with logged_on(floor, market, "ALPHA", "ALPHA2", "BRAVO") as (one, two, other):
        with stalled_record(floor):
            one.new("a", BUY, "1", "100", account=cold)
            one.send("H", [(11, one.id("a")), (55, market), (54, BUY)])
            one.replace("b", "a", BUY, "2", "101", account=f"ALPHA-{cold}")
            assert one.settle() == two.settle() == []
            other.cancel("a", "a")  # of another client: that is none of its orders
            other.request_refused("a", "a", 1)
        one.told("a", NEW)
        one.told("a", STATUS, t39="0")
        one.told("b", REPLACED, t38="2.0000", t44="101.00")
        two.cancel("c", "b")
        one.told("c", CANCELED, t41=one.id("b"))
        two.told("c", CANCELED, t41=one.id("b"))


def test_29_a_cancel_of_an_order_that_waits_ends_it_at_once(floor: Floor, market: str, cold: str) -> None:
    """users.md 2.1: through whatever session of the client; one that means another order ends none."""
    with logged_on(floor, market, "ALPHA", "ALPHA2") as (one, two):
        with stalled_record(floor):
            one.new("a", BUY, "1", "100", account=cold)
            one.settle()
            two.cancel("c", "a", SELL)
            two.request_refused("c", "a", 99, t58="Side 2 is not the order's, which is 1")
            two.cancel("c", "a", extra=[(1, "ALPHA-1")])
            two.request_refused("c", "a", 99)
            two.cancel("c", "a", extra=[(37, "12")])
            two.request_refused("c", "a", 1)
            two.cancel("a", "a")
            two.request_refused("a", "a", 6)  # what waits under it came first
            two.cancel("c", "a", extra=[(1, f"ALPHA-{cold}")])
            one.refused("a", 0, t58="Canceled before it was accepted")
            two.request_refused("c", "a", 0, t39="8", t37="NONE")
            two.cancel("d", "a")
            two.request_refused("d", "a", 1)  # it is not there any more
            assert one.settle() == two.settle() == []
        one.new("a", BUY, "1", "100", account=cold)  # its id was not spent
        one.told("a", NEW)
        two.cancel("c", "a")  # nor was that of the cancel
        two.told("c", CANCELED)
        one.told("c", CANCELED)


def test_29_a_cancel_ends_an_order_that_waits_with_its_replaces_and_copies(
    floor: Floor, market: str, cold: str
) -> None:
    """users.md 2.1: nothing of it is left to be accepted when the user is there."""
    with logged_on(floor, market, "ALPHA") as (one,):
        with stalled_record(floor):
            one.new("a", BUY, "1", "100", account=cold)
            one.new("a", BUY, "1", "100", account=cold, possresend=True)
            one.replace("b", "a", BUY, "2", "101", account=f"ALPHA-{cold}")
            one.replace("e", "b", BUY, "2", "102", account=f"ALPHA-{cold}")
            one.new("x", BUY, "1", "99", account=cold)
            assert one.settle() == []
            one.cancel("c", "e")
            one.refused("a", 0)
            one.refused("a", 0)
            one.request_refused("b", "a", 1)
            one.request_refused("e", "b", 1)
            one.request_refused("c", "e", 0)
        one.told("x", NEW)
        assert one.settle() == []
        one.cancel("cx", "x")
        one.told("cx", CANCELED)


def test_29_a_flood_of_cancels_takes_no_room_from_orders_that_wait(tmp_path: Path) -> None:
    """users.md 2.3: cancels do not wait, so they are not among those that may."""
    users = QUICK | {"parked": 5}
    with running(tmp_path, users=users, clients=CLIENTS) as venue:
        leaves(venue, "ALPHA-1")
        leaves(venue, "BRAVO-1")
        with logged_on(venue, "M1-USD", "ALPHA", "BRAVO") as (one, other):
            with stalled_record(venue):
                one.new("a", BUY, "1", "100")
                for number in range(100):
                    one.cancel(f"c{number}", "a")
                one.refused("a", 0)
                one.request_refused("c0", "a", 0)
                for number in range(1, 100):
                    one.request_refused(f"c{number}", "a", 1)
                for number in range(5):
                    other.new(f"o{number}", BUY, "1", "100")
                assert other.settle() == []
            for number in range(5):
                other.told(f"o{number}", NEW)


def test_29_all_else_flows_while_orders_wait(
    floor: Floor, market: str, cold: str, next_account: Callable[[], str]
) -> None:
    """users.md 2.1: other users, and other orders of the same client."""
    warm = leaves(floor, f"ALPHA-{next_account()}").removeprefix("ALPHA-")
    with logged_on(floor, market, "ALPHA", "BRAVO") as (one, other):
        one.new("w", BUY, "1", "100", account=warm)
        one.told("w", NEW)
        with stalled_record(floor):
            one.new("a", BUY, "1", "90", account=cold)
            one.new("x", BUY, "1", "99", account=warm)
            one.told("x", NEW)
            one.cancel("cx", "x")
            one.told("cx", CANCELED)
            one.replace("v", "w", BUY, "1", "98", account=f"ALPHA-{warm}")
            one.told("v", REPLACED)
        one.told("a", NEW)
        other.new("s", SELL, "2", "90", account=cold)
        other.told("s", NEW)
        other.told("s", TRADE, t31="98.00")
        other.told("s", TRADE, t31="90.00")
        one.told("v", TRADE)
        one.told("a", TRADE)


def test_28_an_id_is_used_once_while_its_order_waits(
    floor: Floor, market: str, cold: str, next_account: Callable[[], str]
) -> None:
    """users.md 2.3: decided in the order in which they were sent."""
    second = next_account()
    leaves(floor, f"ALPHA-{second}")
    with logged_on(floor, market, "ALPHA", "ALPHA2") as (one, two):
        with stalled_record(floor):
            one.new("a", BUY, "1", "100", account=cold)
            one.new("a", BUY, "1", "100", account=cold, possresend=True)  # a copy of what waits already
            one.new("a", BUY, "3", "100", account=second)  # another order that has its id
            one.settle()
            two.new("a", BUY, "2", "100", account=cold)
            assert two.settle() == []
        one.told("a", NEW, t38="1.0000")
        one.refused("a", 6, t58="Duplicate ClOrdID")
        two.refused("a", 6, t58="Duplicate ClOrdID")
        one.cancel("c", "a")
        one.told("c", CANCELED)


def test_29_a_mass_cancel_refuses_the_orders_that_wait_and_fit(
    floor: Floor, market: str, cold: str, next_market: Callable[[], str]
) -> None:
    """users.md 2.1"""
    elsewhere = next_market()
    with logged_on(floor, market, "ALPHA", "ALPHA2", "BRAVO") as (one, two, other):
        with stalled_record(floor):
            one.new("a", BUY, "1", "100", account=cold)
            two.new("b", SELL, "1", "200", account=cold)
            other.new("o", BUY, "1", "100", account=cold)
            one.market = elsewhere
            one.new("e", BUY, "1", "100", account=cold)
            one.market = market
            assert two.settle() == one.settle() == []
            one.send("q", [(11, one.id("q")), (530, 1), (55, market), (60, "20260101-00:00:00")])
            one.expect("r", t531="1", t533="0")
            one.refused("a", 0, t58="Canceled before it was accepted")
            two.refused("b", 0, t58="Canceled before it was accepted")
        one.market = elsewhere
        one.told("e", NEW)
        one.cancel("ce", "e")
        one.told("ce", CANCELED)
        one.market = market
        one.new("a", BUY, "1", "100", account=cold)  # its id was not spent
        one.told("a", NEW)
        other.told("o", NEW)
        for member, name in ((one, "a"), (other, "o")):
            member.cancel("c", name)
            member.told("c", CANCELED)


def test_29_what_waited_behind_an_order_that_is_refused_is_decided_without_it(
    floor: Floor, market: str, cold: str
) -> None:
    with logged_on(floor, market, "ALPHA") as (one,):
        with stalled_record(floor):
            one.new("a", BUY, "1", "100", account=cold)
            one.replace("b", "a", BUY, "2", "100", account=f"ALPHA-{cold}")
            one.send("q", [(11, one.id("q")), (530, 7), (60, "20260101-00:00:00")])
            one.expect("r", t531="7")
            one.refused("a", 0, t58="Canceled before it was accepted")
            assert one.settle() == []
        one.request_refused("b", "a", 1)


@pytest.mark.parametrize("scope", ["account", "client", "venue"])
def test_29_a_kill_switch_refuses_the_orders_that_wait(
    floor: Floor, market: str, cold: str, scope: str
) -> None:
    """users.md 2.1: also if it is off again when their user is there."""
    name = {"account": f"ALPHA-{cold}", "client": "ALPHA", "venue": ""}[scope]
    with logged_on(floor, market, "ALPHA", "BRAVO") as (one, other):
        with stalled_record(floor):
            one.new("a", BUY, "1", "100", account=cold)
            other.new("o", BUY, "1", "100", account=cold)
            assert one.settle() == other.settle() == []
            done(floor, Kill(scope, name))  # type: ignore[arg-type]
            one.refused("a", 0, t58="Canceled before it was accepted")
            done(floor, Kill(scope, name, on=False))  # type: ignore[arg-type]
        if scope == "venue":
            other.refused("o", 0)
        else:
            other.told("o", NEW)
            other.cancel("c", "o")
            other.told("c", CANCELED)
        assert one.settle() == []


@pytest.mark.parametrize(("session", "gone"), [("ALPHA3", "ac"), ("ALPHA4", "agc")])
def test_29_the_orders_that_wait_go_with_their_client(
    floor: Floor, market: str, cold: str, session: str, gone: str
) -> None:
    """Cancel on disconnect, feature V5: GTC orders only if the session says so."""
    with stalled_record(floor):
        member = Member(floor, market, session)
        member.logon(reset=True)
        member.new("a", BUY, "1", "100", account=cold)
        member.new("g", BUY, "1", "99", account=cold, time_in_force=GTC)
        member.replace("c", "a", BUY, "2", "100", account=f"ALPHA-{cold}")
        assert member.settle() == []
        member.close(abort=True)
        wait_for(lambda: floor.status()[f"session {session}"].startswith("logged off"), "it to be gone")
    wait_for(lambda: not waiting(floor), "all to be decided")
    said = {each[11].rpartition(".")[2]: each for each in come_back(floor, member)}
    assert sorted(said) == sorted("agc")
    assert said["a"][58] == "Canceled before it was accepted"
    assert said["c"][102] == "1"
    assert (said["g"][150] == "8") == ("g" in gone)
    if "g" not in gone:
        member.cancel("cg", "g")
        member.told("cg", CANCELED)
    member.logout()


def waiting(floor: Floor) -> int:
    """How many messages wait for a user."""
    return int(floor.status()["users"].split(" orders wait")[0].rsplit(" ", 1)[-1])


def test_28_an_account_that_no_one_knows_is_refused_and_remembered(floor: Floor, market: str) -> None:
    """users.md 2.2: known again at once when it is opened."""
    name = f"NEW-{market}"
    with logged_on(floor, market, "ALPHA") as (one,):
        before = record(floor)["read"]
        for number in range(3):
            one.new(f"a{number}", BUY, "1", "100", account=name)
            one.refused(f"a{number}", 15, t58=f"Account ALPHA-{name} is not one of this client")
        assert record(floor)["read"] == before + 1  # within the second for which that is remembered
        done(floor, OpenAccount(f"ALPHA-{name}", "ALPHA"))
        one.new("b", BUY, "1", "100", account=name)
        one.refused("b", 3, t58="Insufficient funds: 100.00000000 USD needed, 0.00000000 USD available")
        leaves(floor, f"ALPHA-{name}")
        one.new("c", BUY, "1", "100", account=name)
        one.refused("c", 3)


def test_28_an_account_that_is_opened_while_its_order_waits(floor: Floor, market: str) -> None:
    name = f"LATE-{market}"
    with logged_on(floor, market, "ALPHA") as (one,):
        one.new("a", BUY, "1", "100", account=name)
        one.refused("a", 15)
        opened(floor, f"ALPHA-{name}", "ALPHA", USD=500)
        one.new("a", BUY, "1", "100", account=name)
        one.told("a", NEW)
        one.cancel("c", "a")
        one.told("c", CANCELED)


def test_28_an_account_of_another_client_is_as_good_as_none(floor: Floor, market: str, cold: str) -> None:
    with logged_on(floor, market, "ALPHA", "BRAVO") as (one, other):
        one.send(
            "D",
            [
                (11, one.id("a")),
                (1, f"BRAVO-{cold}"),
                (55, market),
                (54, BUY),
                (38, 1),
                (40, 1),
                (59, 3),
                (60, "20260101-00:00:00"),
            ],
        )
        one.refused("a", 15, t58=f"Account BRAVO-{cold} is not one of this client")
        other.new("a", BUY, "1", "100", account=cold)
        other.told("a", NEW)
        other.cancel("c", "a")
        other.told("c", CANCELED)


def test_29_a_damaged_row_is_no_other_user_s(tmp_path: Path) -> None:
    """users.md 2.10: its orders are refused in words, the operator is told, and all others trade."""
    users = QUICK | {"wait_seconds": 1}
    with running(tmp_path, users=users, clients=CLIENTS) as venue:
        for name in ("ALPHA-1", "ALPHA-2", "ALPHA-3", "ALPHA-4"):
            leaves(venue, name)
        with logged_on(venue, "M1-USD", "ALPHA") as (one,):
            one.new("d", BUY, "1", "100", account="4")
            one.told("d", NEW)
            damage(venue, "ALPHA-2", "ALPHA-4")
            for number in range(1, 4):
                one.new(f"a{number}", BUY, "1", "100", account=str(number))
            answers = [one.receive() for _ in range(3)]
            assert sorted((each[11][-2:], each[150]) for each in answers) == [
                ("a1", NEW),
                ("a2", "8"),
                ("a3", NEW),
            ]
            refused = next(each for each in answers if each[150] == "8")
            assert refused[58] == "Account ALPHA-2 cannot be looked up now: send it again later"
            for name in ("d", "a1", "a3"):
                one.cancel(f"c{name}", name)
                one.told(f"c{name}", CANCELED)
            leaves(venue, "ALPHA-1")
            leaves(venue, "ALPHA-3")
            wait_for(lambda: venue.errors.count(": damaged: ") == 2, "the operator to be told of both")
            assert "the checksum of user 'ALPHA-" in venue.status()["damaged"]
            assert venue.status()["record"].startswith("ok, ")
            one.new("e", BUY, "1", "100", account="4")  # who cannot be written stays, and trades
            one.told("e", NEW)
            one.cancel("ce", "e")
            one.told("ce", CANCELED)
        assert "cannot be read: " in "".join(done(venue, Accounts(["ALPHA-2"])))


def damage(venue: Floor, *names: str) -> None:
    """In the record."""
    path = str(venue.data / "accounts.mdb")
    with lmdb.open(path, subdir=False, map_size=1 << 34, max_dbs=3) as environment:
        users = environment.open_db(b"users", create=False)
        with environment.begin(write=True) as transaction:
            for name in names:
                transaction.put(name.encode(), b"what is this", db=users)
