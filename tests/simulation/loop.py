"""An event loop without a clock and without sockets: when there is nothing to do, it is later at once."""

from __future__ import annotations

import asyncio
from typing import Any


class VirtualLoop(asyncio.BaseEventLoop):
    """`now` is in seconds; what is due at the same time is done in the order in which it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self._clock_resolution = 1e-9
        self._selector: Any = self

    def time(self) -> float:
        return self.now

    def run_until(self, moment: float) -> None:
        """Or until somebody stops it."""
        handle = self.call_at(moment, self.stop)
        self.run_forever()
        handle.cancel()

    # -- what the loop asks of a selector ------------------------------------------------------------

    def select(self, timeout: float | None) -> list[Any]:
        assert timeout is not None, "nobody will ever do anything again"
        if timeout > 0:
            self.now += timeout
        return []

    def _process_events(self, events: list[Any]) -> None:
        pass
