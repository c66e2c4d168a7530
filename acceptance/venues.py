"""Venues of our own for scripts that need other settings, or one to themselves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from acceptance.casting import Cast
from acceptance.target import OwnVenue, Unreached

Settings = dict[str, Any]


@dataclass
class Lent:
    venue: OwnVenue
    cast: Cast
    good: bool = field(default=False)
    """it is as it was started, as far as a script can tell: the borrower says so"""


class Venues:
    """By their settings. Safe to use from many threads."""

    def __init__(self, another: Callable[[Settings], OwnVenue]) -> None:
        self._another = another
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        self._free: list[tuple[Settings, Lent]] = []
        self._shared: list[tuple[Settings, Lent]] = []
        self._all: list[OwnVenue] = []
        """that were not ended yet"""
        self._closed = False

    @contextmanager
    def lend(self, settings: Settings) -> Iterator[Lent]:
        """To one borrower at a time. One that came back good is lent again. Raises Unreached."""
        lent = self._take(settings) or self._started(settings)
        lent.good = False
        try:
            yield lent
        finally:
            if lent.good:
                with self._lock:
                    self._free.append((settings, lent))
            else:
                self._end(lent.venue)

    def share(self, settings: Settings) -> Lent:
        """The one that all who want these settings use together. Raises Unreached."""
        with self._starting:
            for other, lent in self._shared:
                if other == settings:
                    return lent
            lent = self._started(settings)
            self._shared.append((settings, lent))
            return lent

    def close(self) -> None:
        """Ends them all, also those that are being started or played against. No others start."""
        with self._lock:
            self._closed = True
            venues = list(self._all)
        for venue in venues:
            self._end(venue)

    def _end(self, venue: OwnVenue) -> None:
        venue.__exit__()
        with self._lock:
            if venue in self._all:
                self._all.remove(venue)

    def _take(self, settings: Settings) -> Lent | None:
        with self._lock:
            for place, (other, _) in enumerate(self._free):
                if other == settings:
                    return self._free.pop(place)[1]
        return None

    def _started(self, settings: Settings) -> Lent:
        venue = self._another(settings)
        with self._lock:
            self._all.append(venue)
            closed = self._closed
        try:
            if closed:
                raise Unreached("the run is over")
            venue.__enter__()
        except Unreached:
            self._end(venue)
            raise
        return Lent(venue, Cast(venue.profile))
