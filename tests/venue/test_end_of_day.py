"""The trading day with an end of its own: by clocks of a place, by the operator's hand, and while the venue
was down."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.process import ROOT
from tests.raw import BUY
from tests.venue.calendar import Calendar, moving, next_weekday
from tests.venue.floor import CANCELED, DUPLICATE, EXPIRED, GTC, Member, logged_on
from tests.venue.test_day import content, enter, tables

MARKET = "M1-USD"
NEW_YORK = ZoneInfo("America/New_York")
DAY = {"time_zone": "America/New_York", "end": "17:00"}
HOURS = timedelta(hours=1)


@pytest.fixture
def noon() -> datetime:
    return next_weekday(0, "12:00", "America/New_York")


def operator(venue: Calendar, *words: str, code: int = 0) -> str:
    """What the operator is told."""
    command = [sys.executable, "-m", "fixgw", "admin", "--data", str(venue.data), "end-of-day", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done
    return (done.stderr if code else done.stdout).strip()


def utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%d-%H:%M:%S} UTC"


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_a_day_that_ends_in_the_afternoon(tmp_path: Path, noon: datetime, session: str) -> None:
    """From 17:00 it is the next day: DAY orders of before expire, those after it live on over midnight."""
    with moving(tmp_path, begin=noon, day=DAY) as venue:
        assert venue.trading_day() == f"{noon:%Y-%m-%d}"
        with logged_on(venue, MARKET, session) as (member,):
            enter(member, "a")
            venue.move_to(noon.replace(hour=16, minute=59, second=30))
            enter(member, "b")
            assert member.settle() == []
            venue.move_to(noon.replace(hour=17))
            member.told("a", EXPIRED)
            member.told("b", EXPIRED)
            enter(member, "a")
            for moment in noon + 12 * HOURS, noon + 28 * HOURS:
                venue.move_to(moment)
                assert venue.trading_day() == f"{noon + 24 * HOURS:%Y-%m-%d}"
                assert member.settle() == []
            venue.move_to(noon + 29 * HOURS)
            member.told("a", EXPIRED)


def test_days_on_which_clocks_are_set(tmp_path: Path) -> None:
    """On both edges the day ends at 17:00 by the clock, not 24 hours after the last."""
    sundays = [sunday for sunday in sundays_of_a_year() if is_edge(sunday)]
    assert len(sundays) == 2
    with moving(tmp_path, begin=sundays[0] - 20 * HOURS, day=DAY) as venue:
        for sunday in sundays:
            venue.move_to(sunday - 20 * HOURS)  # Saturday evening: the day that ends on Sunday has begun
            venue.wait_for_day(f"{sunday:%Y-%m-%d}")
            with logged_on(venue, MARKET, "ALPHA") as (member,):
                enter(member, "a")
                venue.move_to(sunday - timedelta(seconds=30))
                assert member.settle() == []
                venue.move_to(sunday)
                member.told("a", EXPIRED)
                assert venue.trading_day() == f"{sunday + 24 * HOURS:%Y-%m-%d}"


def sundays_of_a_year() -> list[datetime]:
    """17:00 of each from tomorrow on."""
    first = next_weekday(6, "17:00", "America/New_York").replace(tzinfo=None)
    return [(first + timedelta(weeks=number)).replace(tzinfo=NEW_YORK) for number in range(52)]


def is_edge(sunday: datetime) -> bool:
    day_before = (sunday.replace(tzinfo=None) - timedelta(days=1)).replace(tzinfo=NEW_YORK)
    return sunday.utcoffset() != day_before.utcoffset()


@pytest.mark.parametrize("way", ["kill9", "terminate"])
def test_days_that_end_while_the_venue_is_down(tmp_path: Path, noon: datetime, way: str) -> None:
    """Five at once: the orders expire once, at the start, and one report each waits for the client. What the
    day before knew is kept: only days on which the venue ran count."""
    with moving(tmp_path, begin=noon, day=DAY) as venue:
        members = [Member(venue, MARKET, name) for name in ("ALPHA", "CHARLIE")]
        for member in members:
            member.logon()
            enter(member, "a")
            enter(member, "gtc", GTC)
            member.logout()
        getattr(venue, way)()
        venue.move_to(noon + 5 * 24 * HOURS)
        venue.start()
        assert venue.trading_day() == f"{noon + 5 * 24 * HOURS:%Y-%m-%d}"
        state = venue.status()["state"]
        venue.kill9()
        venue.start()
        assert venue.status()["state"] == state
        (ended,) = venue.deeds("calendar")
        assert ended == (
            f"day {noon:%Y-%m-%d} ended, DAY orders expired: 2; day {noon + 120 * HOURS:%Y-%m-%d} began"
        )
        for member in members:
            member.address = (venue.host, venue.port)
            first = member.next_inbound
            member.logon()
            member.send("2", [(7, first), (16, 0)])
            (expired,) = [message for message in member.settle() if message.msg_type == "8"]
            assert (expired[11], expired[150]) == (member.id("a"), EXPIRED)
            member.cancel("late", "a")
            member.request_refused("late", "a", 0, t39=EXPIRED)
            enter(member, "a")
            member.logout()


def test_an_end_of_day_by_the_operator(tmp_path: Path, noon: datetime) -> None:
    """DAY orders expire, those of clients that are away as well, and their reports wait; GTC orders live on;
    ids are free; the journal has it, the audit who. The calendar's end of that day then changes nothing."""
    today, tomorrow = f"{noon:%Y-%m-%d}", f"{noon + 24 * HOURS:%Y-%m-%d}"
    with moving(tmp_path, begin=noon, day=DAY) as venue:
        away = Member(venue, MARKET, "CHARLIE")
        away.logon()
        enter(away, "a")
        enter(away, "gtc", GTC)
        away.logout()
        with logged_on(venue, MARKET, "ALPHA") as (member,):
            enter(member, "a")
            enter(member, "gtc", GTC)
            entries = venue.status()["journal"]
            said = operator(venue)
            ends = utc((noon + 24 * HOURS).replace(hour=17))
            assert said == (
                f"day {today} has ended, DAY orders expired: 2; day {tomorrow} has begun, and ends {ends}"
            )
            assert content(member.told("a", EXPIRED))[58] == "end of the day"
            assert int(venue.status()["journal"].split()[0]) == int(entries.split()[0]) + 1
            enter(member, "a")
            for name in "a", "gtc":
                member.new(name, BUY, "1", "100")
                member.refused(name, 6, t58=DUPLICATE)
            venue.move_to(noon.replace(hour=17))
            assert member.settle() == []
            assert venue.trading_day() == tomorrow
            venue.move_to((noon + 24 * HOURS).replace(hour=17))
            member.told("a", EXPIRED)
            member.cancel("c", "gtc")
            member.told("c", CANCELED)
        first = away.next_inbound
        away.logon()
        away.send("2", [(7, first), (16, 0)])
        (expired,) = [message for message in away.settle() if message.msg_type == "8"]
        assert (expired[11], expired[150]) == (away.id("a"), EXPIRED)
        away.logout()
        assert venue.terminate() == 0
        (deed,) = venue.deeds(pwd.getpwuid(os.getuid()).pw_name)
        assert deed == f"day {today} ended, DAY orders expired: 2; day {tomorrow} began"
        assert len(venue.deeds("calendar")) == 1
        venue.start()


def test_a_second_end_of_day_is_probably_a_mistake(tmp_path: Path, noon: datetime) -> None:
    """Until the calendar has caught up it must be said twice; also after a restart, and with a clock set
    back."""
    with moving(tmp_path, begin=noon, day=DAY) as venue:
        operator(venue)
        for _ in range(2):
            said = operator(venue, code=1)
            begins = utc(noon.replace(hour=17))
            assert said == (
                f"day {noon + 24 * HOURS:%Y-%m-%d} has begun early, and by the calendar begins {begins}; "
                "nothing was done; say --again to end it as well"
            )
            venue.kill9()
            venue.start()
        assert operator(venue, "--again").startswith(f"day {noon + 24 * HOURS:%Y-%m-%d} has ended")
        venue.move_to(noon.replace(hour=18))
        assert "say --again" in operator(venue, code=1)
        venue.move_to(noon + 30 * HOURS)
        assert operator(venue).startswith(f"day {noon + 48 * HOURS:%Y-%m-%d} has ended")
        venue.move_to(noon)
        assert "say --again" in operator(venue, code=1)


def test_an_answer_to_a_duplicate_is_the_same_over_the_end_of_a_day(tmp_path: Path, noon: datetime) -> None:
    """Features 13 and 15: before and after a restart; free at the new day, and only there."""
    with moving(tmp_path, begin=noon, day=DAY) as venue:
        member = Member(venue, MARKET, "ALPHA")
        member.logon()
        enter(member, "day")
        enter(member, "gtc", GTC)

        def answers() -> list[dict[int, str]]:
            found = []
            for name in "day", "gtc":
                member.new(name, BUY, "1", "100")
                found.append({**content(member.told(name, "8")), 60: ""})
            return found

        def restarted() -> None:
            venue.kill9()
            member.close()
            venue.start()
            member.address = (venue.host, venue.port)
            member.logon(reset=True)
            member.settle()

        before = answers()
        assert all(answer[103] == "6" for answer in before)
        restarted()
        assert answers() == before
        operator(venue)
        member.settle()
        restarted()
        enter(member, "day")
        assert answers() == before
        restarted()
        assert answers() == before
        member.logout()


def test_days_are_kept_as_configured_and_then_dropped_whole(tmp_path: Path, noon: datetime) -> None:
    """Feature 15: by days, whoever ended them, also over a restart."""
    with moving(tmp_path, begin=noon, day=DAY, store={"clordid_days": "1"}) as venue:
        days = [f"{noon + number * 24 * HOURS:%Y-%m-%d}" for number in range(5)]
        with logged_on(venue, MARKET, "ALPHA") as (member,):
            for _ in range(3):
                enter(member, "a")
                operator(venue, "--again")
                member.told("a", EXPIRED)
                member.cancel("c", "a")
                member.request_refused("c", "a", 0, t39=EXPIRED)
            enter(member, "a")
        venue.kill9()
        venue.start()
        assert tables(venue.data, "clordids/") == tables(venue.data, "ended/") == days[2:4]
        venue.move_to(noon + 4 * 24 * HOURS)
        venue.wait_for_day(days[4])
        assert tables(venue.data, "clordids/") == tables(venue.data, "ended/") == days[3:5]


def test_who_may_not_speak_to_the_venue_ends_no_day(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fixgw", "admin", "--data", str(tmp_path), "end-of-day"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (3, "") and "no venue runs" in done.stderr
