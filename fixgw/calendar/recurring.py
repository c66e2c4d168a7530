"""Spans of time that come again every day or every week."""

from collections.abc import Collection, Iterator
from datetime import date, datetime, time, timedelta
from itertools import count
from typing import NamedTuple
from zoneinfo import ZoneInfo

from fixgw.calendar.clocks import first_shown, shown


class Span(NamedTuple):
    """The instants from `start` up to, not including, `end`."""

    start: int
    end: int


class Recurring:
    """One span for each date with one of these weekdays; no two have an instant in common."""

    def __init__(
        self, zone: ZoneInfo, weekdays: Collection[int], start: time, end: time, later: timedelta
    ) -> None:
        """`weekdays`: 0 is Monday; at least one. `start` is on the date itself, `end` a whole number of days
        `later`, and not after the start of the next span."""
        self._zone = zone
        self._weekdays = weekdays
        self._start = start
        self._end = end
        self._later = later

    def last(self, instant: int) -> Span:
        """The span that began last, at `instant` or before."""
        return next(span for span in self._spans(instant, -1) if span.start <= instant)

    def following(self, instant: int) -> Span:
        """The first span that begins after `instant`."""
        return next(span for span in self._spans(instant, 1) if span.start > instant)

    def _spans(self, instant: int, step: int) -> Iterator[Span]:
        """Those around `instant` and on, forwards (1) or backwards (-1). Clocks that are set back over
        midnight show a date again: the one before was there already."""
        today = shown(self._zone, instant).date()
        for number in count(-1):
            span = self._span(today + timedelta(days=number * step))
            if span is not None:
                yield span

    def _span(self, day: date) -> Span | None:
        """None too if clocks skip all of it: there is no such time on that day."""
        if day.weekday() not in self._weekdays:
            return None
        start = first_shown(self._zone, datetime.combine(day, self._start))
        end = first_shown(self._zone, datetime.combine(day + self._later, self._end))
        return Span(start, end) if start < end else None
