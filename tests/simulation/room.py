"""In place of fixgw.store.room.Room: how much more the store can take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PLENTY = 1 << 30
NARROW = 2
"""ends of orders in one turn, while the store is full"""


class Room:
    """There is always some, but for the ends of few orders in one turn."""

    scarce = waiting = False
    any = True

    def __init__(self, store: Any, now: Callable[[], float]) -> None:
        self.full_until = 0.0
        """seconds, as `now`"""
        self._store = store
        self._now = now
        self._left = PLENTY

    @property
    def full(self) -> bool:
        return bool(self._store.full)

    def look(self) -> None:
        pass

    def begin(self) -> None:
        self._store.full = self._now() < self.full_until
        self._left = NARROW if self._store.full else PLENTY

    def take(self, most: int) -> int:
        granted = min(most, self._left)
        self._left -= granted
        return granted

    def take_all(self, number: int) -> bool:
        return number <= self._left and self.take(number) == number

    def take_or_wait(self, most: int) -> int:
        return self.take(min(most, 4))
