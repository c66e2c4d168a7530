"""How many messages a session may send."""

from __future__ import annotations

from math import ceil


class Throttle:
    """`rate` messages at once, and in the long run as many a second."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._left = float(rate)
        self._at = 0.0
        self._over = self._over_since = -1.0

    def forgive(self) -> None:
        """A new connection: the flood of an earlier one is over."""
        self._over = self._over_since = -1.0

    def wait(self, now: float) -> int:
        """0, and the message is counted; or milliseconds until there is room for one."""
        self._left = min(self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left >= 1:
            self._left -= 1
            return 0
        if now - self._over > 1:
            self._over_since = now
        self._over = now
        return max(1, ceil((1 - self._left) / self._rate * 1000))

    @property
    def over_for(self) -> float:
        """Seconds for which a message was too much in every second."""
        return self._over - self._over_since
