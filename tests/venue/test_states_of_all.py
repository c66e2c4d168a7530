"""The state of all markets at once, and of the venue as a whole. Feature 63; docs/market.md, 12. No test here
leaves an order in a market."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixgw.admin.words import MarketState
from tests.raw import Received
from tests.venue.floor import FAMILIES, Floor, Member, logged_on
from tests.venue.operating import OF_THE_VENUE, done, fixgw, refused, set_state, told_state_of_all

MIXED = "markets are in different states"


@pytest.fixture
def everyone(floor: Floor, market: str) -> Iterator[list[Member]]:
    with logged_on(floor, market, *FAMILIES) as members:
        yield members


def ask_venue(member: Member, name: str, **more: object) -> Received:
    member.send("g", [(335, name), (263, "0"), *((int(tag[1:]), value) for tag, value in more.items())])
    return member.expect("h", t335=name)


def test_all_markets_at_once(floor: Floor, everyone: list[Member]) -> None:
    """One message to each session, whatever the number of markets."""
    for state in ("halted", "cancel-only", "pre-open", "opening-auction", "closing-auction", "continuous"):
        assert done(floor, MarketState(state)) == [f"all markets: {state}"]
        for member in everyone:
            told_state_of_all(member, state)
            answer = ask_venue(member, state)
            assert (answer[336], answer[325], answer[340], answer[58]) == (
                "1", "N", OF_THE_VENUE[state], state,
            )  # fmt: skip
            assert member.settle() == []


def test_markets_in_different_states(floor: Floor, market: str, everyone: list[Member]) -> None:
    """The venue as a whole is open as soon as one of them trades."""
    set_state(floor, "halted", market, *everyone)
    for member in everyone:
        assert (ask_venue(member, "a")[340], member.received[-1][58]) == ("2", MIXED)
    done(floor, MarketState("closed"))
    for member in everyone:
        told_state_of_all(member, "closed")
    set_state(floor, "pre-open", market, *everyone)
    for member in everyone:
        assert (ask_venue(member, "b", t336="1")[340], member.received[-1][58]) == ("1", MIXED)
    done(floor, MarketState("continuous"))
    for member in everyone:
        told_state_of_all(member, "continuous")


def test_there_is_one_trading_session(everyone: list[Member]) -> None:
    for member in everyone:
        answer = ask_venue(member, "y", t336="2")
        assert (answer[340], answer[567], answer[58]) == ("6", "1", "the venue has one trading session, 1")


def test_a_market_there_is_not(floor: Floor, market: str) -> None:
    assert refused(floor, MarketState("halted", "M1-USE")).startswith(
        "there is no market M1-USE; did you mean "
    )
    shown = fixgw("admin", "--data", floor.data, "market", market, "halted")
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, f"{market}: halted\n", "")
    assert f"market   {market:<12} halted\n" in fixgw("admin", "--data", floor.data, "status").stdout
    shown = fixgw("admin", "--data", floor.data, "market", "ALL", "continuous")
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "all markets: continuous\n", "")
    assert floor.status()[f"market {market}"] == "continuous"
