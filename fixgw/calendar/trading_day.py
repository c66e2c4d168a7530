"""The trading day: at which instant which one it is, and when it ends."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from fixgw.calendar.clocks import first_shown, shown

DAY = timedelta(days=1)


class TradingDay:
    """A day has the name (YYYY-MM-DD) of the date on which it ends; one that ends at midnight has that of the
    date before. Names follow each other like dates, also over a weekend."""

    def __init__(self, time_zone: str, end: str) -> None:
        """`end`: HH:MM"""
        self._zone = ZoneInfo(time_zone)
        self._end = time.fromisoformat(end)
        self._beyond = DAY if self._end == time(0) else timedelta()

    def name(self, instant: int) -> str:
        """Of the day that `instant` is in."""
        day = shown(self._zone, instant).date() - DAY
        while self._end_of(day) <= instant:
            day += DAY
        return day.isoformat()

    def end(self, name: str) -> int:
        """The first instant after the day of that name."""
        return self._end_of(date.fromisoformat(name))

    @staticmethod
    def following(name: str) -> str:
        return (date.fromisoformat(name) + DAY).isoformat()

    @staticmethod
    def before(name: str) -> str:
        return (date.fromisoformat(name) - DAY).isoformat()

    def _end_of(self, day: date) -> int:
        return first_shown(self._zone, datetime.combine(day + self._beyond, self._end))
