"""Venues of our own for scripts that need one to themselves. One that a script passed on is lent again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

from acceptance.casting import Cast
from acceptance.target import OwnVenue


@dataclass
class Lent:
    venue: OwnVenue
    cast: Cast
    good: bool = field(default=False)
    """it is as it was started, as far as a script can tell: the borrower says so"""


class Venues:
    """By their settings. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[tuple[dict[str, Any], Lent]] = []

    @contextmanager
    def lend(self, settings: dict[str, Any]) -> Iterator[Lent]:
        """Raises RuntimeError if it does not start."""
        lent = self._take(settings) or self._started(settings)
        lent.good = False
        try:
            yield lent
        finally:
            if lent.good:
                with self._lock:
                    self._free.append((settings, lent))
            else:
                lent.venue.__exit__()

    def _take(self, settings: dict[str, Any]) -> Lent | None:
        with self._lock:
            for place, (other, _) in enumerate(self._free):
                if other == settings:
                    return self._free.pop(place)[1]
        return None

    @staticmethod
    def _started(settings: dict[str, Any]) -> Lent:
        venue = OwnVenue(settings).__enter__()
        return Lent(venue, Cast(venue.profile))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for _settings, lent in self._free:
            lent.venue.__exit__()
        self._free.clear()
