"""Cancel-only, of one market and of the venue: "new orders and replaces get 35=8/35=9 with a plain text,
cancels pass"; a journaled command that survives a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.raw import BUY
from tests.venue.floor import CANCELED, MARKETS, NEW, REPLACED, Floor, Member, logged_on
from tests.venue.operating import fixgw, set_state, told_state, told_state_of_all

TEXT = "{} is in state cancel-only: it takes no {}"


def admin(venue: Floor, *words: str) -> str:
    """What the operator is told; the command must succeed."""
    done = fixgw("admin", "--data", venue.data, *words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout.strip()


def check_closed(member: Member, live: str) -> None:
    member.new("n", BUY, "1", "100")
    member.refused("n", 0, t37="NONE", t58=TEXT.format(member.market, "orders"))
    member.replace("r", live, BUY, "0.5", "100")
    text = TEXT.format(member.market, "replaces")
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
    """On, over a kill -9 and a clean stop, and off again; a market's switch leaves the others open. Who is
    logged on is told of it."""
    told = told_state if symbol else told_state_of_all
    with Floor(tmp_path) as venue:
        with logged_on(venue, "M1-USD", session, "BRAVO") as (member, other):
            for name in ("a", "b", "c"):
                member.new(name, BUY, "1", "100")
                member.told(name, NEW)
            place = symbol or "all markets"
            assert admin(venue, "cancel-only", "on", *symbol.split()) == f"cancel-only is on for {place}"
            for each in member, other:
                told(each, "cancel-only")
            check_closed(member, "a")
        venue.kill9()
        venue.start()
        assert venue.status()["market M1-USD"] == "cancel-only"
        assert venue.status()["market M2-USD"] == ("continuous" if symbol else "cancel-only")
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
            told(member, "continuous")
            check_open(member, "")
            member.cancel("cb", "b")
            member.told("cb", CANCELED)
        assert {state for name, state in venue.status().items() if name.startswith("market ")} == {
            "continuous"
        }


def test_off_for_all_opens_those_that_are_in_it(floor: Floor, market: str) -> None:
    """A market that was halted stays halted; each that changes is told."""
    with logged_on(floor, market, "ALPHA") as (member,):
        set_state(floor, "halted", "M99-USD", member)
        set_state(floor, "cancel-only", market, member)
        set_state(floor, "cancel-only", "M98-USD", member)
        assert admin(floor, "cancel-only", "off") == "cancel-only is off for all markets"
        for symbol in sorted((market, "M98-USD"), key=lambda name: int(name[1:-4])):
            told_state(member, "continuous", symbol)
        assert floor.status()["market M99-USD"] == "halted"
        set_state(floor, "continuous", "M99-USD", member)
        check_open(member, "")


def test_a_refused_possible_resend_is_still_refused(floor: Floor, market: str) -> None:
    """Its id was never spent, so it is not "seen": the client must not take silence for an order."""
    with logged_on(floor, market, "ALPHA") as (member,):
        set_state(floor, "cancel-only", market, member)
        for possresend in False, True, True:
            member.new("a", BUY, "1", "100", possresend=possresend)
            member.refused("a", 0)
        set_state(floor, "continuous", market, member)
        member.new("a", BUY, "1", "100", possresend=True)
        member.told("a", NEW)


def test_the_switch_is_an_entry_of_the_journal(floor: Floor, market: str) -> None:
    """ "A journaled command": one entry, and an event for each market that changes; the status has another
    digest."""
    before = floor.status()
    admin(floor, "cancel-only", "on", market)
    after = floor.status()
    entries, events = (int(before["journal"].split()[index]) for index in (0, 2))
    assert after["journal"] == f"{entries + 1} entries, {events + 1} events"
    assert after["state"] != before["state"]
    assert after[f"market {market}"] == "cancel-only"
    admin(floor, "cancel-only", "on")
    assert floor.status()["journal"] == f"{entries + 2} entries, {events + MARKETS} events"
    admin(floor, "cancel-only", "off")
    assert floor.status()["journal"] == f"{entries + 3} entries, {events + 2 * MARKETS} events"
