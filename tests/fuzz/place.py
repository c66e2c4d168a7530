"""The venue that is attacked, and who is in it."""

from __future__ import annotations

import time
from pathlib import Path

from tests.fuzz.draft import Identity
from tests.venue.floor import FAMILIES, Floor

UNLIMITED = {
    "failed_logons_per_address": 100_000,
    "failed_logons_per_session": 100_000,
    "connections_per_address": 1000,
}
"""settings of the door with which no attacker is kept out before it could do harm"""
SPARED = {"messages_per_second": 1_000_000, "flood_seconds": 3600}
"""the same for the attackers' sessions"""
ATTACKERS = ("ALPHA", "ALPHA2", "CHARLIE", "CHARLIE2")
MARKET, HONEST_MARKET = "M1-USD", "M2-USD"


def identity(session: str) -> Identity:
    client = session.rstrip("234")
    return Identity(FAMILIES[client], session, f"{client}-1", MARKET)


def floor(directory: Path) -> Floor:
    sessions = {
        name: {"client": name.rstrip("2"), "begin_string": identity(name).begin_string, **SPARED}
        for name in ATTACKERS
    }
    return Floor(directory, door=UNLIMITED, sessions=sessions)


class Watch:
    """Whether the venue lives and has written no traceback. May be asked often."""

    def __init__(self, venue: Floor) -> None:
        self._venue = venue
        self._next = 0.0
        self._sound = True

    def __call__(self) -> bool:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + 0.25
            self._sound = self._venue.process.poll() is None and "Traceback" not in self._venue.errors
        return self._sound

    def check(self) -> None:
        self._next = 0.0
        assert self(), "it died, or wrote a traceback"
