"""The end of a trading day: DAY orders expire, GTC orders live on, yesterday's ClOrdIDs are free. The venue
runs with a clock that the test moves from one day to the next."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import lmdb
import pytest

from tests.raw import BUY, SELL
from tests.venue.calendar import Calendar, moving
from tests.venue.floor import (
    CANCELED,
    DUPLICATE,
    EXPIRED,
    GTC,
    NEW,
    REPLACED,
    TRADE,
    Member,
    content,
    logged_on,
)

MARKET = "M1-USD"


@pytest.fixture
def venue(tmp_path: Path) -> Iterator[Calendar]:
    if datetime.now(UTC).strftime("%H:%M") == "23:59":
        pytest.skip("midnight is too near for a test of days")
    with moving(tmp_path) as venue:
        yield venue


def enter(member: Member, name: str, time_in_force: str = "0") -> None:
    member.new(name, BUY, "2", "100", time_in_force=time_in_force)
    member.told(name, NEW)


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_day_orders_expire_and_others_live_on(venue: Calendar, session: str) -> None:
    """An expired order is told in full, keeps what was filled of it, and holds nothing any more."""
    with logged_on(venue, MARKET, session, "BRAVO") as (member, bravo):
        enter(member, "filled")
        bravo.new("s", SELL, "0.5", "100")
        bravo.told("s", NEW)
        member.told("filled", TRADE)
        bravo.told("s", TRADE)
        enter(member, "whole")
        enter(member, "gtc", GTC)
        member.new("all-the-money", BUY, "1", "100", "POOR")
        member.told("all-the-money", NEW)
        venue.next_day()
        assert content(member.told("filled", EXPIRED)) == {
            11: "filled", 150: EXPIRED, 39: EXPIRED, 1: f"{member.client}-1", 55: MARKET, 54: BUY,
            38: "2.0000", 40: "2", 44: "100.00", 59: "0", 151: "0.0000", 14: "0.5000", 6: "100.00",
            58: "end of the day",
        }  # fmt: skip
        member.told("whole", EXPIRED, t151="0.0000", t14="0.0000", t6="0")
        member.told("all-the-money", EXPIRED)
        assert member.settle() == []
        assert venue.status()["fixgw"].endswith(f"day {venue.day}")
        member.new("again", BUY, "1", "100", "POOR")
        member.told("again", NEW)
        bravo.new("s2", SELL, "3", "100", time_in_force="3")
        bravo.told("s2", NEW)
        member.told("gtc", TRADE, t151="0.0000")
        member.told("again", TRADE, t151="0.0000")


def test_ids_are_free_again_but_those_of_live_orders(venue: Calendar) -> None:
    """Features 10 and 15: the old set goes at once, for D, F and G; an order that lives on keeps its id."""
    with logged_on(venue, MARKET, "ALPHA", "ALPHA2") as (member, other):
        enter(member, "d")
        enter(member, "old", GTC)
        member.replace("live", "old", BUY, "3", "100")
        member.told("live", REPLACED)
        member.cancel("f", "d")
        member.told("f", CANCELED)
        for name in ("d", "f", "old", "live"):
            other.new(name, BUY, "1", "100")
            other.refused(name, 6, t58=DUPLICATE)
        venue.next_day()
        venue.wait_for_day()
        other.new("live", BUY, "1", "100")
        other.refused("live", 6, t58=DUPLICATE)
        for name in ("d", "f", "old"):
            enter(other, name)
            other.new(name, BUY, "1", "100")
            other.refused(name, 6, t58=DUPLICATE)
        member.cancel("c", "live")
        member.told("c", CANCELED)


def test_what_was_yesterday_is_too_late_not_unknown(venue: Calendar) -> None:
    """How an order ended is known while its day is kept; then it is unknown, and its ids take no room."""
    with logged_on(venue, MARKET, "ALPHA") as (member,):
        enter(member, "a")
        venue.next_day()
        member.told("a", EXPIRED)
        for _ in range(2):
            member.cancel("c", "a")
            member.request_refused("c", "a", 0, t39=EXPIRED)
            venue.next_day()
            venue.wait_for_day()
        member.cancel("c", "a")
        member.request_refused("c", "a", 1, t37="NONE")
    days = [str(venue.day - timedelta(days=ago)) for ago in (2, 1, 0)]
    assert tables(venue.data, "clordids/") == tables(venue.data, "ended/") == days


def tables(data: Path, kind: str) -> list[str]:
    """The days for which the store has a table of this kind."""
    path = str(data / "venue.mdb")
    with lmdb.open(path, subdir=False, readonly=True) as environment, environment.begin() as transaction:
        names = [bytes(name).decode() for name, _ in transaction.cursor()]
    return [name.removeprefix(kind) for name in names if name.startswith(kind)]


def test_a_day_that_ends_while_no_one_is_there(venue: Calendar) -> None:
    """The orders expire all the same, at once."""
    member = Member(venue, MARKET, "ALPHA")
    member.logon()
    enter(member, "a")
    member.logout()
    venue.next_day()
    venue.wait_for_day()
    assert member.logon().sequence == member.next_inbound + 1, "one report came before it"
    member.logout()


@pytest.mark.parametrize("way", ["kill9", "terminate"])
def test_a_day_that_ends_while_the_venue_is_down(venue: Calendar, way: str) -> None:
    """The orders expire at the start; their reports wait for the client."""
    member = Member(venue, MARKET, "ALPHA")
    member.logon()
    enter(member, "a")
    enter(member, "gtc", GTC)
    member.logout()
    getattr(venue, way)()
    venue.next_day()
    venue.start()
    member.address = (venue.host, venue.port)
    first = member.next_inbound
    member.logon()
    member.send("2", [(7, first), (16, 0)])
    (expired,) = [message for message in member.settle() if message.msg_type == "8"]
    assert (expired[11], expired[150], expired[43]) == (member.id("a"), EXPIRED, "Y")
    enter(member, "a")
    member.logout()


def test_a_replay_across_the_end_of_a_day_agrees(venue: Calendar) -> None:
    """Feature 15: the same digest after a kill -9, and the ids of the new day are still its own."""
    with logged_on(venue, MARKET, "ALPHA") as (member,):
        enter(member, "a")
        enter(member, "gtc", GTC)
        venue.next_day()
        member.told("a", EXPIRED)
        enter(member, "a")
        state = venue.status()["state"]
        venue.kill9()
        member.close()
    venue.start()
    assert venue.status()["state"] == state
    with logged_on(venue, MARKET, "ALPHA") as (member,):
        member.new("a", BUY, "1", "100")
        member.refused("a", 6, t58=DUPLICATE)


def test_a_clock_set_back_does_not_bring_yesterday_back(venue: Calendar) -> None:
    with logged_on(venue, MARKET, "ALPHA") as (member,):
        enter(member, "a")
        venue.next_day()
        member.told("a", EXPIRED)
        today = venue.status()["fixgw"]
        enter(member, "b")
        venue.set_back()
        venue.kill9()
        member.close()
    venue.start()
    assert venue.status()["fixgw"] == today
    with logged_on(venue, MARKET, "ALPHA") as (member,):
        member.new("b", BUY, "1", "100")
        member.refused("b", 6, t58=DUPLICATE)
        member.cancel("c", "b")
        member.told("c", CANCELED)
