"""A venue that starts, and one that must not."""

from __future__ import annotations

from pathlib import Path

from tests.process import VenueProcess
from tests.raw import BUY
from tests.venue.floor import MARKETS, NEW, Floor, logged_on


def refused(venue: VenueProcess) -> str:
    """The one line it says; it must end before it is ready."""
    venue.spawn()
    try:
        assert venue.wait() == 2, venue.errors
    finally:
        venue.process.kill()
    assert venue.output == []
    lines = venue.errors.splitlines()
    assert len(lines) == 1 and lines[0].startswith("fixgw serve: "), venue.errors
    return lines[0].removeprefix("fixgw serve: ")


def used(directory: Path) -> Floor:
    """A floor with an order in its book, stopped in good order."""
    venue = Floor(directory)
    with venue:
        with logged_on(venue, "M1-USD", "ALPHA") as (member,):
            member.new("a", BUY, "1", "100")
            member.told("a", NEW)
        assert venue.terminate() == 0
    return venue


LAST = 1 + MARKETS + 2 * 3 + 1
"""the journal entry of that order: after the day, the markets and the accounts"""


def starts(venue: VenueProcess) -> None:
    with venue:
        assert venue.terminate() == 0
