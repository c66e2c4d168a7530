"""Cancel-only, of one market and of the venue: "new orders and replaces get 35=8/35=9 with a plain text,
cancels pass"; a journaled command that survives a restart."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.process import ROOT
from tests.raw import BUY
from tests.venue.floor import CANCELED, NEW, REPLACED, Floor, Member, logged_on

CANCEL_ONLY = "{} is cancel-only: no new orders, no replaces; cancels pass"


def admin(venue: Floor, *words: str) -> str:
    """What the operator is told; the command must succeed."""
    command = [sys.executable, "-m", "fixgw", "admin", "--data", str(venue.data), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout.strip()


def check_closed(member: Member, live: str) -> None:
    member.new("n", BUY, "1", "100")
    member.refused("n", 0, t37="NONE", t58=CANCEL_ONLY.format(member.market))
    member.replace("r", live, BUY, "0.5", "100")
    text = CANCEL_ONLY.format(member.market)
    member.request_refused("r", live, 2, t434="2", t39="0", t58=text)


def check_open(member: Member, suffix: str) -> None:
    """The ids that were refused are free."""
    member.new(f"n{suffix}", BUY, "1", "100")
    member.told(f"n{suffix}", NEW)
    member.replace(f"r{suffix}", f"n{suffix}", BUY, "0.5", "100")
    member.told(f"r{suffix}", REPLACED)


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
@pytest.mark.parametrize("symbol", ["M1-USD", ""])
def test_one_market_or_the_whole_venue(tmp_path: Path, session: str, symbol: str) -> None:
    """On, over a kill -9 and a clean stop, and off again; a market's switch leaves the others open."""
    with Floor(tmp_path) as venue:
        with logged_on(venue, "M1-USD", session) as (member,):
            for name in ("a", "b", "c"):
                member.new(name, BUY, "1", "100")
                member.told(name, NEW)
            place = symbol or "the venue"
            assert admin(venue, "cancel-only", "on", *symbol.split()) == f"cancel-only is on for {place}"
            check_closed(member, "a")
        venue.kill9()
        venue.start()
        where = f"market {symbol}" if symbol else "venue"
        assert venue.status()[where] == "cancel-only"
        with logged_on(venue, "M1-USD", session) as (member,):
            check_closed(member, "a")
            member.cancel("ca", "a")
            member.told("ca", CANCELED)
            member.market = "M2-USD"
            if symbol:
                check_open(member, "")
        assert venue.terminate() == 0
        venue.start()
        with logged_on(venue, "M1-USD", session) as (member,):
            check_closed(member, "b")
            assert admin(venue, "cancel-only", "off", *symbol.split()) == f"cancel-only is off for {place}"
            check_open(member, "")
            member.cancel("cb", "b")
            member.told("cb", CANCELED)
        assert venue.status()[where] == "open"


def test_two_switches_are_two(floor: Floor, market: str) -> None:
    """The venue's going off does not open a market that was closed by its own."""
    with logged_on(floor, market, "ALPHA") as (member,):
        member.new("a", BUY, "1", "100")
        member.told("a", NEW)
        admin(floor, "cancel-only", "on", market)
        admin(floor, "cancel-only", "on")
        admin(floor, "cancel-only", "off")
        check_closed(member, "a")
        admin(floor, "cancel-only", "off", market)
        check_open(member, "")


def test_a_refused_possible_resend_is_still_refused(floor: Floor, market: str) -> None:
    """Its id was never spent, so it is not "seen": the client must not take silence for an order."""
    with logged_on(floor, market, "ALPHA") as (member,):
        admin(floor, "cancel-only", "on", market)
        for possresend in False, True, True:
            member.new("a", BUY, "1", "100", possresend=possresend)
            member.refused("a", 0)
        admin(floor, "cancel-only", "off", market)
        member.new("a", BUY, "1", "100", possresend=True)
        member.told("a", NEW)


def test_the_switch_is_an_entry_of_the_journal(floor: Floor, market: str) -> None:
    """ "A journaled command": one entry and one event each, and the status has another digest."""
    before = floor.status()
    admin(floor, "cancel-only", "on", market)
    after = floor.status()
    entries, events = (int(before["journal"].split()[index]) for index in (0, 2))
    assert after["journal"] == f"{entries + 1} entries, {events + 1} events"
    assert after["state"] != before["state"]
    assert after[f"market {market}"] == "cancel-only"
