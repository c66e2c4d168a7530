"""Which trading day it is."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixgw.calendar.trading_day import TradingDay
from tests.calendar.clockwork import HOUR, MINUTE, Minutes, at, clock, day_times, moments


@settings(max_examples=60, deadline=None)
@given(moment=moments(), end=day_times)
def test_a_day_ends_when_the_clock_shows_its_end(moment: tuple[str, int], end: str) -> None:
    """Against a reference that steps through the minutes: the day before has ended, this one has not."""
    zone, time = moment
    days = TradingDay(zone, end)
    minutes, name = Minutes(zone, time), days.name(time)

    def ends(day: str) -> int:
        return minutes.first(
            datetime.fromisoformat(f"{days.following(day) if end == '00:00' else day} {end}")
        )

    assert ends(days.before(name)) <= time < ends(name) == days.end(name)


@settings(deadline=None)
@given(moment=moments(), end=day_times, later=st.integers(0, 4 * 1440))
def test_names_never_go_back(moment: tuple[str, int], end: str, later: int) -> None:
    zone, time = moment
    days = TradingDay(zone, end)
    assert days.name(time) <= days.name(time + later * MINUTE)
    over = days.end(days.name(time))
    assert days.name(over - 1) == days.name(time) < days.name(over)


@settings(deadline=None)
@given(moment=moments())
def test_one_that_ends_at_midnight_has_the_date_on_the_clock(moment: tuple[str, int]) -> None:
    """But where midnight comes twice: from the first on it is the next day's."""
    zone, time = moment
    days = TradingDay(zone, "00:00")
    date, name = str(clock(zone, time).date()), days.name(time)
    assert name == date or name == days.following(date) == str(clock(zone, days.end(date)).date())


@pytest.mark.parametrize(
    ("zone", "end", "instant", "name"),
    [
        ("UTC", "00:00", "2026-01-05 00:00", "2026-01-05"),
        ("UTC", "00:00", "2026-01-05 23:59", "2026-01-05"),
        ("America/New_York", "17:00", "2026-01-05 21:59", "2026-01-05"),
        ("America/New_York", "17:00", "2026-01-05 22:00", "2026-01-06"),  # Monday 17:00 to Tuesday 17:00
        ("America/New_York", "17:00", "2026-07-06 21:00", "2026-07-07"),  # an hour earlier in summer
        ("Asia/Tokyo", "00:00", "2026-01-05 15:00", "2026-01-06"),
        ("America/Nuuk", "23:30", "2026-03-29 00:59", "2026-03-28"),  # 23:00 to 00:00 is skipped
        ("America/Nuuk", "23:30", "2026-03-29 01:00", "2026-03-29"),
    ],
)
def test_known_days(zone: str, end: str, instant: str, name: str) -> None:
    assert TradingDay(zone, end).name(at(instant)) == name


@pytest.mark.parametrize(
    ("zone", "date", "hours"),
    [
        ("America/New_York", "2026-03-08", 23),
        ("America/New_York", "2026-03-09", 24),
        ("America/New_York", "2026-11-01", 25),
        ("Australia/Lord_Howe", "2026-04-05", 24.5),
        ("Australia/Lord_Howe", "2026-10-04", 23.5),
        ("Africa/Casablanca", "2026-02-15", 25),
        ("Africa/Casablanca", "2026-03-22", 23),
        ("Pacific/Apia", "2011-12-29", 24),
        ("Pacific/Apia", "2011-12-30", 0),
        ("UTC", "2026-03-08", 24),
    ],
)
def test_a_day_on_which_clocks_are_set_is_longer_or_shorter(zone: str, date: str, hours: float) -> None:
    days = TradingDay(zone, "00:00")
    assert days.end(date) - days.end(days.before(date)) == hours * HOUR
