"""What tests of the calendar share: moments near which clocks are set, and a reference that knows nothing of
offsets: it steps through the minutes and looks at the clock."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import strategies as st

SECOND = 10**9
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAYS = timedelta(days=1)
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

ODD = [
    "America/New_York", "Europe/London", "Australia/Lord_Howe",  # half an hour
    "Africa/Casablanca",  # back for a month that moves
    "America/St_Johns", "America/Sao_Paulo", "America/Nuuk", "America/Havana",  # at midnight, or just before
    "Pacific/Apia", "Asia/Kolkata", "Asia/Tokyo", "Antarctica/Troll", "UTC",
]  # fmt: skip
ZONES = [*ODD, *sorted(available_timezones() - {"localtime"})]


def at(text: str, zone: str = "UTC") -> int:
    """Nanoseconds since the epoch of a local time `2026-03-08 02:30`, the first of two."""
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()) * SECOND


def clock(zone: str, time: int) -> datetime:
    return datetime.fromtimestamp(time // SECOND, ZoneInfo(zone)).replace(tzinfo=None)


@cache
def edges(zone: str, year: int) -> list[int]:
    """About when clocks are set in a year: the midnights (UTC) before."""
    start = datetime(year, 1, 1, tzinfo=UTC)
    days = [start + number * DAYS for number in range(367)]
    offsets = [day.astimezone(ZoneInfo(zone)).utcoffset() for day in days]
    return [
        int(day.timestamp()) * SECOND
        for day, offset, then in zip(days, offsets, offsets[1:], strict=False)
        if offset != then
    ]


@st.composite
def moments(draw: st.DrawFn) -> tuple[str, int]:
    """A zone and an instant, mostly within three days of one at which clocks are set there."""
    zone = draw(st.sampled_from(ODD) | st.sampled_from(ZONES))
    year = draw(st.integers(1975, 2036))
    base = draw(st.sampled_from(edges(zone, year) or [at(f"{year}-07-01 00:00")]))
    return zone, base + draw(st.integers(-3 * 1440, 3 * 1440)) * MINUTE + draw(st.integers(0, MINUTE - 1))


day_times = st.builds(
    lambda hour, minute: f"{hour:02}:{minute:02}", st.integers(0, 23), st.sampled_from([0, 1, 15, 30, 59])
)


class Minutes:
    """All minutes from eleven days before an instant to nineteen after it, and the latest that the clock has
    shown up to each."""

    def __init__(self, zone: str, time: int) -> None:
        start = time // HOUR * 3600 - 11 * 86400
        self._seconds = range(start, start + 30 * 86400, 60)
        self._today = clock(zone, time).date()
        self._latest = list(accumulate(_shown(ZoneInfo(zone), self._seconds), max))

    def first(self, local: datetime) -> int:
        """The first minute in which the clock shows `local` or later."""
        seconds = int(local.replace(tzinfo=UTC).timestamp())
        return self._seconds[bisect_left(self._latest, seconds)] * SECOND

    def spans(self, days: list[str], start: str, end: str, later: int) -> Iterator[tuple[int, int]]:
        """Those that begin on one of these weekdays within nine days, empty ones left out."""
        for number in range(-9, 10):
            day = self._today + number * DAYS
            if WEEKDAYS[day.weekday()] in days:
                begin = self.first(datetime.fromisoformat(f"{day} {start}"))
                stop = self.first(datetime.fromisoformat(f"{day + later * DAYS} {end}"))
                if begin < stop:
                    yield begin, stop


def _shown(place: ZoneInfo, seconds: range) -> Iterator[int]:
    """What the clock shows in each minute, counted like seconds of UTC. It is read every minute in hours in
    which it is set, else every hour."""
    for hour in range(seconds.start, seconds.stop, 3600):
        ahead = _ahead(place, hour)
        set_within = ahead != _ahead(place, hour + 3600)
        for minute in range(hour, hour + 3600, 60):
            yield minute + (_ahead(place, minute) if set_within else ahead)


def _ahead(place: ZoneInfo, second: int) -> int:
    return int(datetime.fromtimestamp(second, place).replace(tzinfo=UTC).timestamp()) - second
