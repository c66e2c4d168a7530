"""A real venue under attack, with an honest client in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.attack import Attackers
from tests.fuzz.honest import Honest
from tests.fuzz.place import ATTACKERS, HONEST_MARKET, Watch, floor, identity
from tests.fuzz.suspects import keep_smallest
from tests.venue.floor import Floor


class Found(AssertionError):
    """The venue did what it must not; the text says what, and where the input is."""


@dataclass
class Report:
    """`before` and `during`: latencies of the honest client in seconds."""

    messages: int = 0
    connections: int = 0
    answers: int = 0
    """messages the attackers heard"""
    seconds: float = 0.0
    before: list[float] = field(default_factory=list)
    during: list[float] = field(default_factory=list)
    memory: tuple[float, float] = (0.0, 0.0)
    """MiB of the venue's own before and after"""


def run(directory: Path, seed: int, messages: int, rate: float, quiet: float) -> Report:
    """`messages` mutated ones from all attackers together, while the honest client sends `rate` orders a
    second; before that, for `quiet` seconds, it is alone. Raises Found."""
    report = Report()
    with floor(directory) as venue:
        attackers = Attackers(
            (venue.host, venue.port), seed, [identity(name) for name in ATTACKERS], messages
        )
        sound = Watch(venue)
        try:
            attackers.start()
            honest = Honest(venue, HONEST_MARKET, "BRAVO")
            honest.logon(reset=True)
            honest.trade(rate, _for(2.0))
            report.before = honest.trade(rate, _for(quiet))
            before = venue.memory_mib()["own_mib"]
            begin = time.monotonic()
            attackers.go.set()
            report.during = honest.trade(rate, lambda: attackers.busy and sound())
            report.seconds = time.monotonic() - begin
            sound.check()
            report.memory = before, venue.memory_mib()["own_mib"]
            report.messages, report.connections = sum(attackers.sent), sum(attackers.numbers)
            report.answers = sum(attackers.heard)
            honest.check()
            honest.logout()
            _restarts(venue)
        except (AssertionError, OSError) as failure:
            attackers.end()
            suspects = list(zip(attackers.identities, attackers.numbers, strict=True))
            where = keep_smallest(directory, seed, suspects)
            raise Found(
                f"seed {seed}: {failure}\n{where}\nthe venue wrote:\n{venue.errors[-3000:]}"
            ) from None
        finally:
            attackers.end()
    return report


def _for(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() < end


def _restarts(venue: Floor) -> None:
    """With the same state, after a kill and after a stop in good order."""
    state = venue.status()["state"]
    venue.kill9()
    for _ in range(2):
        venue.start()
        assert venue.status()["state"] == state, "its state after a restart is another"
        assert venue.terminate() == 0, "it did not stop in good order"
        assert "Traceback" not in venue.errors, "it wrote a traceback"
