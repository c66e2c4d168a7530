"""From a time on the clock to the instant, on days when clocks are set."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixgw.calendar.clocks import first_shown, shown
from tests.calendar.clockwork import MINUTE, Minutes, at, clock, moments


@settings(max_examples=60, deadline=None)
@given(moment=moments(), shift=st.integers(-2 * 1440, 2 * 1440))
def test_the_first_minute_in_which_the_clock_shows_it_or_later(moment: tuple[str, int], shift: int) -> None:
    """Against a reference that steps through the minutes."""
    zone, time = moment
    local = clock(zone, time).replace(second=0) + timedelta(minutes=shift)
    assert first_shown(ZoneInfo(zone), local) == Minutes(zone, time).first(local)


@settings(deadline=None)
@given(moment=moments(), shift=st.integers(0, 3 * 1440))
def test_a_later_time_is_never_an_earlier_instant(moment: tuple[str, int], shift: int) -> None:
    zone, time = moment
    local = clock(zone, time)
    assert first_shown(ZoneInfo(zone), local) <= first_shown(
        ZoneInfo(zone), local + shift * timedelta(minutes=1)
    )


@settings(deadline=None)
@given(moment=moments())
def test_every_instant_shows_a_time_that_was_first_shown_then_or_before(moment: tuple[str, int]) -> None:
    zone, time = moment
    first = first_shown(ZoneInfo(zone), shown(ZoneInfo(zone), time))
    assert first <= time < first + 26 * 60 * MINUTE


@pytest.mark.parametrize(
    ("zone", "local", "utc"),
    [
        ("America/New_York", "2026-03-08 01:59", "2026-03-08 06:59"),
        ("America/New_York", "2026-03-08 02:30", "2026-03-08 07:00"),  # skipped: from 02:00 to 03:00
        ("America/New_York", "2026-03-08 03:00", "2026-03-08 07:00"),
        ("America/New_York", "2026-11-01 01:30", "2026-11-01 05:30"),  # the first of two
        ("America/New_York", "2026-11-01 02:00", "2026-11-01 07:00"),
        ("Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-04 14:45"),  # the first of two
        ("Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-03 15:30"),  # half an hour is skipped
        ("Africa/Casablanca", "2026-02-15 02:30", "2026-02-15 01:30"),  # the first of two
        ("Africa/Casablanca", "2026-03-22 02:30", "2026-03-22 02:00"),  # skipped
        ("Pacific/Apia", "2011-12-30 12:00", "2011-12-30 10:00"),  # a day that never was
        ("Asia/Kolkata", "2026-03-08 02:30", "2026-03-07 21:00"),
    ],
)
def test_known_moments(zone: str, local: str, utc: str) -> None:
    assert first_shown(ZoneInfo(zone), datetime.fromisoformat(local)) == at(utc)
