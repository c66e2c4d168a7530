"""Feature V5, cancel on disconnect: by the session's setting or by CancelOnDisconnect(8013) of its Logon, on
connection loss, on logout, after a grace period; each cancelled order is reported at the next logon."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.raw import BUY, SELL, Received
from tests.venue.floor import (
    CANCELED,
    DAY,
    FAMILIES,
    FREE,
    GTC,
    NEW,
    TRADE,
    Floor,
    Member,
    logged_on,
    running,
)
from tests.venue.test_away import come_back

MODES: dict[str, dict[str, Any]] = {
    "": {"cancel_on_disconnect": "loss"},
    "2": {"cancel_on_disconnect": "loss-and-logout", "cancel_gtc": "yes"},
    "3": {"cancel_on_disconnect": "loss-and-logout", "cancel_grace_seconds": 2},
}
SESSIONS = {
    name + number: {"client": name, "begin_string": version} | FREE | mode
    for name, version in FAMILIES.items()
    for number, mode in MODES.items()
}
LOST = {"FIX.4.4": "99", "FIXT.1.1": "12"}
LOGGED_OUT = {"FIX.4.4": "99", "FIXT.1.1": "13"}
"""ExecRestatementReason(378): FIX.4.4 has no code of its own"""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with running(tmp_path_factory.mktemp("floor"), sessions=SESSIONS) as venue:
        yield venue


def enter(venue: Floor, market: str, session: str, logon: str = "") -> Member:
    """A member with a DAY order on each side and a GTC order. `logon`: its CancelOnDisconnect(8013)."""
    member = Member(venue, market, session)
    answer = member.logon(reset=True, extra=[(8013, logon)] if logon else [])
    assert answer.get(8013) == (logon or None), "what was asked for is confirmed, and nothing else"
    member.settle()
    for name, side, price, how in (("a", BUY, "100", DAY), ("b", SELL, "200", DAY), ("g", BUY, "99", GTC)):
        member.new(name, side, "1", price, time_in_force=how)
        member.told(name, NEW)
    return member


def lose(member: Member) -> None:
    member.close(abort=True)


def leave(member: Member) -> None:
    member.logout()


def cancel_all(member: Member) -> None:
    for name, side in (("a", BUY), ("b", SELL), ("g", BUY)):
        member.cancel(f"c{name}", name, side)
        member.told(f"c{name}", CANCELED)
    member.logout()


def told(reports: list[Received]) -> list[tuple[str, str, str | None]]:
    return [(each[11].rpartition(".")[2], each[150], each.get(378)) for each in reports]


def check_cancelled(reports: list[Received], names: str, reason: str) -> None:
    """ "Each cancelled order reported (ExecType 4 with 378)"; unsolicited, so without OrigClOrdID(41)."""
    assert told(reports) == [(name, CANCELED, reason) for name in names]
    for each in reports:
        assert (each[39], each[151], each.get(41)) == (CANCELED, "0.0000", None)
        assert each[58].startswith("cancel on disconnect: ")


@pytest.mark.parametrize("family", ["ALPHA", "CHARLIE"])
@pytest.mark.parametrize(
    ("number", "logon", "go", "names", "reason"),
    [
        ("", "", lose, "ab", LOST),
        ("2", "", lose, "abg", LOST),
        ("2", "", leave, "abg", LOGGED_OUT),
        ("3", "", lose, "ab", LOST),
        ("3", "", leave, "ab", LOGGED_OUT),
        ("", "Y", leave, "ab", LOGGED_OUT),
        ("2", "L", lose, "abg", LOST),
    ],
)
def test_orders_of_who_is_gone_are_cancelled(
    floor: Floor, market: str, family: str, number: str, logon: str,
    go: Callable[[Member], None], names: str, reason: dict[str, str],
) -> None:  # fmt: skip
    member = enter(floor, market, family + number, logon)
    before = floor.journaled()
    go(member)
    floor.wait_for_entries(before + 1)
    check_cancelled(come_back(floor, member), names, reason[FAMILIES[family]])
    left = [name for name in "abg" if name not in names]
    for name in left:
        member.cancel(f"c{name}", name)
        member.told(f"c{name}", CANCELED)
    member.cancel("x", "a")
    member.request_refused("x", "a", 0)
    member.logout()


@pytest.mark.parametrize(
    ("number", "logon", "go"), [("", "", leave), ("2", "N", lose), ("2", "N", leave), ("2", "L", leave)]
)
@pytest.mark.parametrize("family", ["ALPHA", "CHARLIE"])
def test_orders_stay_where_it_is_off(
    floor: Floor, market: str, family: str, number: str, logon: str, go: Callable[[Member], None]
) -> None:
    """Another client's loss is cancelled after it: by then this one's would have been."""
    member = enter(floor, market, family + number, logon)
    before = floor.journaled()
    go(member)
    other = enter(floor, market, "BRAVO")
    lose(other)
    floor.wait_for_entries(before + 4)
    assert come_back(floor, member) == []
    cancel_all(member)


def test_who_is_back_in_time_keeps_its_orders(floor: Floor, market: str) -> None:
    """ "A grace period", which begins anew with every loss."""
    member = enter(floor, market, "ALPHA3")
    before = floor.journaled()
    for _ in range(3):
        lose(member)
        assert come_back(floor, member) == []
    assert floor.journaled() == before
    cancel_all(member)


def test_a_fill_during_the_grace_period_is_reported_and_the_rest_cancelled(floor: Floor, market: str) -> None:
    member = enter(floor, market, "ALPHA3")
    with logged_on(floor, market, "BRAVO2") as (bravo,):
        lose(member)
        bravo.new("s", SELL, "0.4", "100")
        bravo.told("s", NEW)
        bravo.told("s", TRADE)
        before = floor.journaled()
        floor.wait_for_entries(before + 1)
    first, *others = come_back(floor, member)
    assert told([first]) == [("a", TRADE, None)]
    check_cancelled(others, "ab", "99")
    assert others[0][14] == "0.4000"
    member.cancel("c", "g")
    member.told("c", CANCELED)
    member.logout()


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_a_half_open_peer_is_found_out(floor: Floor, market: str, session: str) -> None:
    """Its machine is gone and no one says so: a TestRequest is not answered, and its orders are cancelled."""
    member = Member(floor, market, session)
    member.logon(heartbeat=1, reset=True)
    member.new("a", BUY, "1", "100")
    member.told("a", NEW)
    before = floor.journaled()
    floor.wait_for_entries(before + 1)
    member.close()
    check_cancelled(come_back(floor, member), "a", LOST[member.begin_string])
    member.logout()


def test_a_refused_logon_does_not_count_as_coming_back(floor: Floor, market: str) -> None:
    member = enter(floor, market, "ALPHA3")
    before = floor.journaled()
    lose(member)
    member.connect()
    member.send_logon(sequence=1)
    member.expect("5")
    member.close()
    floor.wait_for_entries(before + 1)


@pytest.mark.parametrize("value", ["X", "y", "YES"])
def test_another_value_of_the_field_refuses_the_logon(floor: Floor, market: str, value: str) -> None:
    member = Member(floor, market, "ALPHA").connect()
    member.send_logon(reset=True, extra=[(8013, value)])
    assert "8013" in member.expect("5")[58]
    member.close()


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE2"])
def test_many_orders_go_in_pieces(floor: Floor, market: str, session: str) -> None:
    """No turn is long: more orders than one command cancels."""
    member = Member(floor, market, session)
    member.logon(reset=True)
    member.settle()
    for number in range(1200):
        member.new(f"n{number}", BUY, "0.0001", "1")
    member.settle()
    before = floor.journaled()
    lose(member)
    floor.wait_for_entries(before + 3)
    reports = come_back(floor, member)
    check_cancelled(reports, [f"n{number}" for number in range(1200)], LOST[member.begin_string])  # type: ignore[arg-type]
    member.logout()


def stop(venue: Floor) -> None:
    assert venue.terminate() == 0


def kill(venue: Floor) -> None:
    venue.kill9()


@pytest.mark.parametrize("end", [stop, kill])
@pytest.mark.parametrize("gone_before", [False, True])
def test_a_venue_that_ends_does_not_forget(
    tmp_path: Path, end: Callable[[Floor], None], gone_before: bool
) -> None:
    """Who was connected, or away, when the venue ended is away from its start on: the grace period begins
    then, and whoever is not back is cancelled. ALPHA comes back in time, ALPHA2 and ALPHA3 do not."""
    long = {"cancel_grace_seconds": 600}
    sessions = SESSIONS | {"ALPHA": SESSIONS["ALPHA"] | long}
    with running(tmp_path, sessions=sessions) as venue:
        here = enter(venue, "M1-USD", "ALPHA")
        away = enter(venue, "M2-USD", "ALPHA2", "L")
        late = enter(venue, "M3-USD", "ALPHA3")
        if gone_before:
            leave(late)
        end(venue)
        for member in (here, away, late):
            member.close()
        venue.start()
        check_cancelled(come_back(venue, away), "abg", "99")
        assert come_back(venue, here) == []
        assert not any("CancelSession ALPHA " in line for line in log(venue))
        while not any("CancelSession ALPHA3 " in line for line in log(venue)):
            assert venue.process.poll() is None
        check_cancelled(come_back(venue, late), "ab", "99")
        for member in (here, away, late):
            member.logout()


def log(venue: Floor) -> list[str]:
    """The journal as `fixgw log` prints it."""
    command = [sys.executable, "-m", "fixgw", "log", "journal", "--data", str(venue.data)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
