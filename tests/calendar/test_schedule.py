"""When sessions are, and when clients may be connected."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixgw.calendar.schedule import Schedule
from tests.calendar.clockwork import HOUR, MINUTE, WEEKDAYS, Minutes, at, clock, day_times, moments


def later(start: str, end: str) -> int:
    """Days from the date on which a session begins to that on which it ends."""
    if " " not in start:
        return 0 if end > start else 1
    first, last = (WEEKDAYS.index(text[:3]) for text in (start, end))
    return (last - first) % 7 or (0 if end[4:] > start[4:] else 7)


week_times = st.builds(lambda day, clock: f"{day} {clock}", st.sampled_from(WEEKDAYS), day_times)
periods = st.one_of(
    st.tuples(day_times, day_times, st.lists(st.sampled_from(WEEKDAYS), min_size=1, unique=True)),
    st.tuples(week_times, week_times, st.just(list(WEEKDAYS))),
)
windows = st.just(("", "")) | st.tuples(day_times, day_times).filter(lambda both: both[0] != both[1])


@settings(max_examples=80, deadline=None)
@given(moment=moments(), period=periods, window=windows)
def test_against_a_reference_that_steps_through_the_minutes(
    moment: tuple[str, int], period: tuple[str, str, list[str]], window: tuple[str, str]
) -> None:
    zone, time = moment
    start, end, days = period
    minutes = Minutes(zone, time)
    begins_on = [start[:3]] if " " in start else days
    sessions = list(minutes.spans(begins_on, start[-5:], end[-5:], later(start, end)))
    open_windows = [(0, 2**63)]
    if window[0]:
        open_windows = list(minutes.spans(list(WEEKDAYS), *window, later(*window)))

    standing = Schedule(zone, start, end, days, *window).at(time)
    now = [each for each in sessions if each[0] <= time < each[1]]
    connected = any(begin <= time < stop for begin, stop in open_windows)
    assert len(now) <= 1
    assert standing.inside == bool(now)
    assert standing.open == (bool(now) and connected)
    assert standing.period == max((begin for begin, _ in sessions if begin <= time), default=standing.period)
    changes = [
        edge for span in sessions + (open_windows if window[0] else []) for edge in span if edge > time
    ]
    assert standing.until == min(changes, default=standing.until)


@settings(max_examples=60, deadline=None)
@given(moment=moments(), period=periods, window=windows)
def test_periods_follow_each_other(
    moment: tuple[str, int], period: tuple[str, str, list[str]], window: tuple[str, str]
) -> None:
    """From change to change: something differs, nothing does in between, and no period comes back."""
    zone, time = moment
    schedule = Schedule(zone, *period, *window)
    standings = [schedule.at(time)]
    for _ in range(40):
        until = standings[-1].until
        assert schedule.at(until - 1) == standings[-1]
        standings.append(schedule.at(until))
    for one, other in pairwise(standings):
        assert one.until < other.until and one.period <= other.period
        assert one.inside or not one.open
        assert not (other.inside and not one.inside) or other.period > one.period, "it began"


@settings(max_examples=60, deadline=None)
@given(moment=moments(), period=periods, window=windows)
def test_it_opens_at_the_first_moment_of_a_session_in_a_window(
    moment: tuple[str, int], period: tuple[str, str, list[str]], window: tuple[str, str]
) -> None:
    zone, time = moment
    schedule = Schedule(zone, *period, *window)
    opens, month = schedule.opens(time), time + 31 * 24 * HOUR
    while time < month and not schedule.at(time).open:
        assert opens is None or schedule.opens(time) == opens
        time = schedule.at(time).until
    assert opens == (time if time < month else None)


@settings(max_examples=60, deadline=None)
@given(moment=moments(), start=day_times)
def test_a_session_of_a_whole_day_is_longer_or_shorter_by_what_clocks_are_set(
    moment: tuple[str, int], start: str
) -> None:
    zone, time = moment
    schedule = Schedule(zone, start, start)
    first = schedule.at(time)
    assert first.inside and schedule.at(first.until).period == first.until
    begin, end = clock(zone, first.period), clock(zone, first.until)
    if f"{begin:%H:%M}" == f"{end:%H:%M}" == start and (end - begin).days == 1:  # neither was skipped
        set_by = (end - begin).total_seconds() * 10**9 - (first.until - first.period)
        offset = lambda time: at(str(clock(zone, time))) - time // 10**9 * 10**9  # noqa: E731
        assert set_by == offset(first.until) - offset(first.period)


NEW_YORK = "America/New_York"


@pytest.mark.parametrize(
    ("schedule", "instant", "length"),
    [
        (Schedule(NEW_YORK, "17:00", "17:00"), "2026-03-08 12:00", 23),
        (Schedule(NEW_YORK, "17:00", "17:00"), "2026-11-01 12:00", 25),
        (Schedule(NEW_YORK, "17:00", "17:00"), "2026-07-01 12:00", 24),
        (Schedule(NEW_YORK, "01:00", "04:00"), "2026-03-08 07:30", 2),
        (Schedule(NEW_YORK, "01:00", "04:00"), "2026-11-01 07:30", 4),
        (Schedule(NEW_YORK, "02:15", "03:30"), "2026-03-08 07:15", 0.5),  # begins with the skip
        (Schedule(NEW_YORK, "01:30", "02:30"), "2026-11-01 06:45", 2),  # from the first 01:30
        (Schedule(NEW_YORK, "Sun 17:00", "Fri 17:00"), "2026-03-10 12:00", 120),
        (Schedule(NEW_YORK, "Sat 17:00", "Sat 17:00"), "2026-03-10 12:00", 167),
        (Schedule(NEW_YORK, "Sat 17:00", "Sat 17:00"), "2026-11-04 12:00", 169),
        (Schedule("Australia/Lord_Howe", "00:00", "00:00"), "2026-04-05 00:00", 24.5),
        (Schedule("Australia/Lord_Howe", "00:00", "00:00"), "2026-10-04 00:00", 23.5),
        (Schedule("Africa/Casablanca", "00:00", "00:00"), "2026-02-15 12:00", 25),
        (Schedule("Asia/Tokyo", "Mon 08:00", "Mon 18:00"), "2026-01-05 03:00", 10),
    ],
)
def test_lengths(schedule: Schedule, instant: str, length: float) -> None:
    standing = schedule.at(at(instant))
    assert standing.inside and standing.until - standing.period == length * HOUR


def test_an_hour_that_is_skipped_is_no_session() -> None:
    schedule = Schedule(NEW_YORK, "02:00", "03:00")
    around = [schedule.at(at(f"2026-03-0{day} 12:00")) for day in (7, 8, 9)]
    assert [clock(NEW_YORK, each.period).day for each in around] == [7, 7, 9]


def test_a_week_with_a_weekend_and_nights() -> None:
    """From Sunday to Friday, connections by day only: the state after each change."""
    schedule = Schedule("Europe/Berlin", "Sun 18:00", "Fri 17:00", WEEKDAYS, "07:00", "19:00")
    time = at("2026-01-02 12:00", "Europe/Berlin")
    seen = []
    for _ in range(8):
        standing = schedule.at(time)
        seen.append((clock("Europe/Berlin", time).strftime("%a %H:%M"), standing.inside, standing.open))
        time = standing.until
    assert seen == [
        ("Fri 12:00", True, True),
        ("Fri 17:00", False, False),
        ("Fri 19:00", False, False),
        ("Sat 07:00", False, False),
        ("Sat 19:00", False, False),
        ("Sun 07:00", False, False),
        ("Sun 18:00", True, True),
        ("Sun 19:00", True, False),
    ]
    opens = schedule.opens(at("2026-01-02 17:00", "Europe/Berlin"))
    assert opens == at("2026-01-04 18:00", "Europe/Berlin")
    assert schedule.in_words(opens) == "20260104-17:00:00 UTC (Sun 18:00 Europe/Berlin)"


def test_a_window_over_midnight() -> None:
    schedule = Schedule("UTC", "00:00", "00:00", WEEKDAYS, "22:00", "02:00")
    open_at = [schedule.at(at(f"2026-01-05 {hour:02}:00")).open for hour in (0, 1, 2, 12, 21, 22, 23)]
    assert open_at == [True, True, False, False, False, True, True]


def test_one_that_is_never_open_says_so() -> None:
    schedule = Schedule("UTC", "09:00", "17:00", WEEKDAYS, "18:00", "08:00")
    assert schedule.opens(at("2026-01-05 12:00")) is None
    assert schedule.at(at("2026-01-05 12:00")).until == at("2026-01-05 17:00") and MINUTE
