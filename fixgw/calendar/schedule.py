"""When a FIX session is, and when its client may be connected."""

from collections.abc import Collection
from datetime import time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from fixgw.calendar.clocks import in_utc, shown
from fixgw.calendar.recurring import Recurring
from fixgw.codec.times import SECOND

MONTH = 31 * 24 * 3600 * SECOND
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Standing(NamedTuple):
    """How a session stands at an instant."""

    period: int
    """when the session began that is, or if there is none now, the last one"""
    inside: bool
    """it has not ended yet"""
    open: bool
    """its client may be connected: it has not ended, and the connection window is open"""
    until: int
    """when any of this changes next"""


class Schedule:
    """Sessions one after the other, each a *period* of its own, and the window of each day in which clients
    may be connected."""

    def __init__(
        self,
        time_zone: str,
        start: str,
        end: str,
        days: Collection[str] = WEEKDAYS,
        connect_from: str = "",
        connect_until: str = "",
        reset: bool = True,
    ) -> None:
        """`start` and `end`: HH:MM for a session on each of `days`, `Sun HH:MM` for a weekly one. The window:
        HH:MM, or "" for always."""
        self.reset = reset
        """whether numbers begin again with 1 in each period"""
        self._zone = ZoneInfo(time_zone)
        self._periods = self._recurring(start, end, days)
        self._windows = self._recurring(connect_from, connect_until, WEEKDAYS) if connect_from else None
        # What was found last, and from when on it holds: many sessions follow one schedule, and ask at once.
        self._since, self._standing = 0, Standing(0, inside=False, open=False, until=0)
        self._closed_since, self._opens = 0, 0

    def _recurring(self, start: str, end: str, days: Collection[str]) -> Recurring:
        start_day, _, start_clock = start.rpartition(" ")
        end_day, _, end_clock = end.rpartition(" ")
        begin, stop = time.fromisoformat(start_clock), time.fromisoformat(end_clock)
        later = 0
        if start_day:
            days = [start_day]
            later = (WEEKDAYS.index(end_day) - WEEKDAYS.index(start_day)) % 7
        if later == 0 and stop <= begin:
            later = 7 if start_day else 1
        weekdays = {WEEKDAYS.index(day) for day in days}
        return Recurring(self._zone, weekdays, begin, stop, timedelta(days=later))

    def at(self, instant: int) -> Standing:
        if not self._since <= instant < self._standing.until:
            self._since, self._standing = instant, self._look(instant)
        return self._standing

    def _look(self, instant: int) -> Standing:
        period = self._periods.last(instant)
        inside = instant < period.end
        changes = [period.end, self._periods.following(instant).start]
        open_ = inside
        if self._windows is not None:
            window = self._windows.last(instant)
            open_ = inside and instant < window.end
            changes += [window.end, self._windows.following(instant).start]
        return Standing(period.start, inside, open_, min(time for time in changes if time > instant))

    def opens(self, instant: int) -> int | None:
        """The first instant from this one on at which a client may be connected; None if that is never in a
        month."""
        if self._closed_since <= instant < self._opens:
            return self._opens
        standing, opens, last = self.at(instant), instant, instant + MONTH
        while not standing.open:
            opens = standing.until
            if opens >= last:
                return None
            standing = self._look(opens)
        self._closed_since, self._opens = instant, opens
        return opens

    def in_words(self, instant: int) -> str:
        """For people on both ends: in UTC, and as clocks of the schedule show it."""
        local = shown(self._zone, instant)
        there = f"{WEEKDAYS[local.weekday()]} {local:%H:%M} {self._zone.key}"
        return f"{in_utc(instant)} UTC ({there})"
