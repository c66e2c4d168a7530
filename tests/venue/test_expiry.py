"""Orders that end at a time or with a day, with no one sending anything, and with the venue down when it
comes. Feature V1; docs/market.md, 10.1."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import pytest

from fixgw.admin.words import EndOfDay
from fixgw.codec.times import nanoseconds, utc_timestamp
from tests.raw import BUY, SELL, Received
from tests.venue.calendar import Calendar, moving
from tests.venue.floor import EXPIRED, IOC, NEW, Floor, Member, logged_on
from tests.venue.operating import done, set_state
from tests.venue.test_log import log
from tests.venue.trading import GTD, Tags, enter, in_one_write
from tests.venue.wiretap import wait_for

HOUR = 3600
CLIENTS = pytest.mark.parametrize("client", ["ALPHA", "CHARLIE"])
LIMIT: Tags = {40: "2", 44: "100", 38: "1", 59: GTD}
ORDERS: dict[str, Tags] = {
    "book": LIMIT,
    "stop": {40: "3", 99: "200", 38: "1", 59: GTD},
    "ice": LIMIT | {111: "0.5"},
}
"""in the book, outside of it, and with a part that is hidden"""


def ahead(venue: Calendar, seconds: int) -> str:
    """An ExpireTime by the venue's clock."""
    return utc_timestamp(int((venue.now + timedelta(seconds=seconds)).timestamp() * 10**9))


def enter_all(member: Member, tags: Tags) -> None:
    for name, order in ORDERS.items():
        enter(member, name, BUY, order | tags)
        member.told(name, NEW)


def missed(member: Member) -> list[Received]:
    """Reports that come with the next logon."""
    first = member.next_inbound
    member.logon()
    member.send("2", [(7, first), (16, 0)])
    return [message for message in member.settle() if message.msg_type == "8"]


def check_expired(reports: list[Received], member: Member, names: list[str]) -> None:
    assert [each[11] for each in reports] == [member.id(name) for name in names]
    for each in reports:
        assert (each[150], each[39], each[151]) == (EXPIRED, EXPIRED, "0.0000")


@CLIENTS
def test_at_its_time_though_no_one_is_there(floor: Floor, market: str, client: str) -> None:
    """Not before it, wherever the order waits, in the order of times; reported at the next logon."""
    with logged_on(floor, market, client) as (member,):
        now = time.time_ns()
        enter_all(member, {126: utc_timestamp(now + 1_500_000_000)})
        soon = utc_timestamp(now + 1_200_000_000, 9)
        enter(member, "first", BUY, LIMIT | {126: soon})
        member.told("first", NEW, t126=soon)
        member.logout()

        def expired() -> list[str]:
            return [
                line for line in log(floor.data, "events") if f" {market} " in line and " EXPIRED " in line
            ]

        wait_for(lambda: len(expired()) == 4)
        times = [nanoseconds(line.split()[1]) for line in expired()]
        assert times[0] >= now + 1_200_000_000 and times[1] >= now + 1_499_000_000
        check_expired(missed(member), member, ["first", *ORDERS])


@CLIENTS
def test_at_its_time_in_every_state_of_the_market(floor: Floor, market: str, client: str) -> None:
    """market.md 7.7"""
    with logged_on(floor, market, client) as (member,):
        for state in ("halted", "closed"):
            soon = utc_timestamp(time.time_ns() + 1_200_000_000)
            enter(member, state, BUY, LIMIT | {126: soon})
            member.told(state, NEW)
            set_state(floor, state, market)
            told = {message.msg_type: message for message in (member.receive(), member.receive())}
            assert (told["f"][58], told["8"][150], told["8"][58]) == (state, EXPIRED, "expired")
            set_state(floor, "continuous", market, member)


@CLIENTS
@pytest.mark.parametrize("clean", [True, False])
def test_a_time_that_came_while_the_venue_was_down(tmp_path: Path, client: str, clean: bool) -> None:
    """It ends before anyone can meet it."""
    with moving(tmp_path) as venue:
        member = Member(venue, "M1-USD", client)
        member.logon()
        enter_all(member, {126: ahead(venue, HOUR)})
        enter(member, "later", BUY, LIMIT | {126: ahead(venue, 3 * HOUR)})
        member.told("later", NEW)
        member.logout()
        if clean:
            assert venue.terminate() == 0
        else:
            venue.kill9()
        venue.move(2 * HOUR)
        venue.start()
        member.address = (venue.host, venue.port)
        with logged_on(venue, "M1-USD", "BRAVO") as (bravo,):
            bravo.new("hit", SELL, "3", "100", time_in_force=IOC)
            bravo.told("hit", NEW)
            bravo.told("hit", "F", t32="1.0000")
            bravo.told("hit", "4", t14="1.0000")
        reports = missed(member)
        assert reports.pop()[11] == member.id("later")
        check_expired(reports, member, list(ORDERS))
        member.logout()


def test_many_at_the_same_time(tmp_path: Path) -> None:
    """500 to a command, all before anything else."""
    with moving(tmp_path) as venue, logged_on(venue, "M1-USD", "ALPHA") as (member,):
        end = ahead(venue, HOUR)
        with in_one_write(member):
            for number in range(600):
                enter(member, f"n{number}", BUY, LIMIT | {38: "0.0001", 126: end})
        for number in range(600):
            member.told(f"n{number}", NEW)
        venue.move(HOUR + 1)
        for number in range(600):
            member.told(f"n{number}", EXPIRED)
        lines = [line.split()[2] for line in log(venue.data, "journal")]
        words = [word for word in lines if word != "Reconcile"]
        assert words.count("ExpireOrders") == 2 and words[-2:] == ["ExpireOrders"] * 2


@CLIENTS
def test_with_its_day(tmp_path: Path, client: str) -> None:
    """ExpireDate is the last day on which it lives: by the operator's hand, by the calendar, and if the venue
    is down when it ends."""
    with moving(tmp_path) as venue:
        member = Member(venue, "M1-USD", client)
        member.logon()
        days = [(venue.day + timedelta(days=number)).strftime("%Y%m%d") for number in range(4)]
        for number, day in enumerate(days):
            enter(member, f"day{number}", BUY, LIMIT | {432: day})
            member.told(f"day{number}", NEW, t432=day)
        done(venue, EndOfDay(False))
        member.told("day0", EXPIRED, t58="end of the day", t432=days[0])
        enter(member, "past", BUY, LIMIT | {432: days[0]})
        said = f"ExpireDate {days[0]} has passed: it is {days[1]}"
        member.refused("past", 99, t58=said)
        venue.move(24 * HOUR)
        assert member.settle() == []
        venue.move(24 * HOUR)
        member.told("day1", EXPIRED)
        member.logout()
        assert venue.terminate() == 0
        venue.move(24 * HOUR)
        venue.start()
        member.address = (venue.host, venue.port)
        check_expired(missed(member), member, ["day2"])
        venue.move(24 * HOUR)
        member.told("day3", EXPIRED)
        member.logout()
