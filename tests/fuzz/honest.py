"""A client that keeps to the standard and trades at a steady rate, whatever others do."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from itertools import count

from tests.raw import BUY, RawClient
from tests.venue.floor import CANCELED, NEW, Floor, Member

SILENCE = 20.0
"""seconds without an answer after which the venue counts as stopped"""


class Honest(Member):
    """Sends orders that can only end (IOC, and no one sells), one at a time on a schedule. Latency counts
    from when an order was due, so that a stall is not hidden from those that should have been sent in it."""

    def __init__(self, venue: Floor, market: str, session: str) -> None:
        super().__init__(venue, market, session)
        self.answers: dict[str, list[str]] = {}
        """ExecTypes by ClOrdID"""
        self._due: dict[str, float] = {}
        self._names = count()

    def trade(self, rate: float, going: Callable[[], bool]) -> list[float]:
        """`rate` orders a second while `going`, then until all are answered; returns latencies in seconds."""
        latencies: list[float] = []
        begin, sent = time.perf_counter(), 0
        while (more := going()) or self._due:
            wait = begin + sent / rate - time.perf_counter() if more else SILENCE
            if more and wait <= 0:
                self._order(begin + sent / rate)
                sent += 1
                continue
            ready, _, _ = select.select([self.socket], [], [], min(wait, SILENCE))
            assert ready or more, f"no answer to {len(self._due)} orders"
            if ready:
                latencies += self._answered()
            oldest = next(iter(self._due.values()), begin + sent / rate)
            assert time.perf_counter() - oldest < SILENCE, f"{len(self._due)} orders wait for an answer"
        return latencies

    def check(self) -> None:
        """Every order was answered, each step of it once."""
        wrong = {name: steps for name, steps in self.answers.items() if steps != [NEW, CANCELED]}
        assert not wrong, f"answered otherwise: {wrong}"

    def _order(self, due: float) -> None:
        name = f"h{next(self._names)}"
        self._due[self.id(name)] = due
        self.answers[self.id(name)] = []
        self.new(name, BUY, "1", "100", time_in_force="3")

    def _answered(self) -> list[float]:
        """Takes all that has come."""
        latencies = []
        while True:
            message = RawClient.receive(self)
            assert message.msg_type in "018", message
            if message.msg_type == "1":
                self.send("0", [(112, message[112])])
            if message.msg_type == "8":
                steps = self.answers[message[11]]
                steps.append(message[150])
                if message[150] == NEW:
                    latencies.append(time.perf_counter() - self._due.pop(message[11]))
            if not self._waiting:
                return latencies
