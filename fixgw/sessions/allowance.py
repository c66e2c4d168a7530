"""How much one session may send."""

from fixgw.codec.times import SECOND


class Allowance:
    """At most `rate` messages at once, and in the long run `rate` a second. Counted in time: each message
    puts off by its share of a second the moment at which all of the allowance is there again."""

    __slots__ = ("_over", "_over_since", "_whole_at")

    def __init__(self) -> None:
        self._whole_at = 0
        self._over = self._over_since = -SECOND

    def wait(self, time: int, rate: int) -> int:
        """0, and the message is counted; or the nanoseconds until there is room for one. `time`: nanoseconds
        since the epoch; `rate`: messages a second, 1 or more."""
        share = SECOND // rate
        wait = self._whole_at - time - (SECOND - share)
        if wait > 0:
            if time - self._over > SECOND:
                self._over_since = time
            self._over = time
            return wait
        self._whole_at = max(self._whole_at, time) + share
        return 0

    def forgive(self) -> None:
        """A new connection: the flood of an earlier one is over."""
        self._over = self._over_since = -SECOND

    @property
    def over_for(self) -> int:
        """Nanoseconds for which a message was too much in every second; of the time of the last one."""
        return self._over - self._over_since
