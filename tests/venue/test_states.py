"""The states of a market, as the operator sets them: what each takes and refuses, who is told, and what is
left of them after a stop of any kind. Features 63 and 64; docs/market.md, 7 and 12."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fixgw.admin.words import MarketState, State
from tests.raw import BUY, Received
from tests.venue.floor import (
    CANCELED,
    EXPIRED,
    FAMILIES,
    FOK,
    GTC,
    IOC,
    NEW,
    REPLACED,
    Floor,
    Member,
    logged_on,
)
from tests.venue.operating import (
    OF_A_MARKET,
    done,
    set_state,
    told_state,
)
from tests.venue.test_log import log
from tests.venue.trading import CLOSE, OPENING, enter

CALL_PHASES: list[State] = ["pre-open", "opening-auction", "closing-auction", "volatility-auction"]
ALL_STATES: list[State] = [*CALL_PHASES, "continuous", "cancel-only", "halted", "closed"]
TAKEN: dict[State, str] = {**dict.fromkeys([*CALL_PHASES, "continuous"], "DGF"), "cancel-only": "F"}
TAKEN |= {"halted": "", "closed": "F"}
"""MsgTypes by state, as in docs/market.md, 7.1"""
CLOSED_CODE = {"cancel-only": 0, "halted": 2, "closed": 2}
"""OrdRejReason(103) of new orders"""
MIXED = "markets are in different states"
CLIENTS = pytest.mark.parametrize("client", ["ALPHA", "CHARLIE"])


@pytest.fixture
def everyone(floor: Floor, market: str) -> Iterator[list[Member]]:
    """A session of each client."""
    with logged_on(floor, market, *FAMILIES) as members:
        yield members


@CLIENTS
@pytest.mark.parametrize("state", ALL_STATES)
def test_what_a_state_takes_and_refuses(floor: Floor, market: str, client: str, state: State) -> None:
    text = f"{market} is in state {state}: it takes no {{}}"
    with logged_on(floor, market, client) as (member,):
        for name in "rc":
            member.new(name, BUY, "1", "100", time_in_force=GTC)
            member.told(name, NEW)
        if state == "continuous":
            set_state(floor, "pre-open", market, member)
        set_state(floor, state, market, member)
        assert floor.status()[f"market {market}"] == state
        member.new("n", BUY, "1", "100")
        if "D" in TAKEN[state]:
            member.told("n", NEW)
        else:
            member.refused("n", CLOSED_CODE[state], t37="NONE", t58=text.format("orders"))
        member.replace("r2", "r", BUY, "2", "99")
        if "G" in TAKEN[state]:
            member.told("r2", REPLACED, t44="99.00")
        else:
            member.request_refused("r2", "r", 2, t434="2", t39="0", t58=text.format("replaces"))
        member.cancel("c2", "c")
        if "F" in TAKEN[state]:
            member.told("c2", CANCELED)
        else:
            member.request_refused("c2", "c", 2, t434="1", t39="0", t58=text.format("cancels"))
        set_state(floor, "continuous", market, *[member] * (state != "continuous"))
        for name, msg_type in {"n": "D", "r2": "G", "c2": "F"}.items():
            if msg_type not in TAKEN[state]:  # it has spent no ClOrdID
                member.new(name, BUY, "1", "100")
                member.told(name, NEW)
        assert member.settle() == []


@CLIENTS
@pytest.mark.parametrize("state", CALL_PHASES)
def test_what_a_call_phase_does_not_take(floor: Floor, market: str, client: str, state: State) -> None:
    """market.md 7.2"""
    with logged_on(floor, market, client) as (member,):
        set_state(floor, state, market, member)
        never = [
            ({40: "2", 44: "100", 38: "1", 59: IOC}, "TimeInForce 3"),
            ({40: "2", 44: "100", 38: "1", 59: FOK}, "TimeInForce 4"),
            ({40: "2", 44: "100", 38: "1", 110: "1"}, "MinQty"),
            ({40: "1", 152: "100"}, "CashOrderQty"),
        ]
        opening = ({40: "2", 44: "100", 38: "1", 59: OPENING}, "TimeInForce 2")
        if state not in ("pre-open", "opening-auction"):
            never.append(opening)
        for tags, what in never:
            enter(member, "n", BUY, tags)
            member.refused("n", 11, t58=f"{market} is in state {state}: it takes no {what}")
        taken = [{40: "2", 44: "100", 38: "1"}, {40: "1", 38: "1"}, {40: "3", 99: "200", 38: "1"}]
        taken += [{40: "4", 99: "200", 44: "200", 38: "1"}, {40: "1", 38: "1", 59: CLOSE}]
        if state in ("pre-open", "opening-auction"):
            taken.append(opening[0])
        for number, tags in enumerate(taken):
            enter(member, f"n{number}", BUY, tags)
            member.told(f"n{number}", NEW, t14="0.0000")
        assert member.settle() == []


@CLIENTS
def test_closing_ends_all_but_gtc_orders(floor: Floor, market: str, client: str) -> None:
    """market.md 7.5, 7.6: in the order of OrderID, wherever they wait."""
    with logged_on(floor, market, client) as (member,):
        day = {"stop": {40: "3", 99: "200", 38: "1"}, "close": {40: "1", 38: "1", 59: CLOSE}}
        day["limit"] = {40: "2", 44: "100", 38: "1"}
        for name, tags in {"gtc": day["limit"] | {59: GTC}, **day}.items():
            enter(member, name, BUY, tags)
            member.told(name, NEW)
        done(floor, MarketState("closed", market))
        for name in day:
            member.told(name, EXPIRED, t58="the market is closed", t151="0.0000")
        told_state(member, "closed")
        set_state(floor, "continuous", market, member)
        member.cancel("c", "gtc")
        member.told("c", CANCELED)


def test_every_change_is_told_to_all_who_are_logged_on(
    floor: Floor, market: str, everyone: list[Member]
) -> None:
    """Whether they have asked or not, with their next number; and again if they ask for it again. Who was not
    there is not told later."""
    absent = Member(floor, market, "ALPHA2")
    absent.logon(reset=True)
    absent.logout()
    for state in ("halted", "closed", "pre-open", "opening-auction", "continuous"):
        before = [member.next_inbound for member in everyone]
        set_state(floor, state, market, *everyone)
        assert [member.next_inbound for member in everyone] == [number + 1 for number in before]
        set_state(floor, state, market)  # nothing has changed
    for member in everyone:
        assert member.settle() == []
        member.send("2", [(7, member.next_inbound - 2), (16, member.next_inbound - 2)])
        member.expect("f", t43="Y", t55=market, t58="continuous")
        member.received.clear()
    assert absent.logon().sequence == absent.next_inbound - 1
    assert absent.settle() == []
    absent.logout()


def ask_market(member: Member, name: str, symbol: str = "", kind: str = "0") -> Received:
    member.send("e", [(324, name), (55, symbol or member.market), (263, kind)])
    return member.expect("f", t324=name, t325="N", t55=symbol or member.market)


def test_the_state_of_a_market_can_be_asked_for(floor: Floor, market: str, everyone: list[Member]) -> None:
    """Feature V1: with the name of the request, once, in every state; and nothing is journaled for it."""
    for state in ALL_STATES:
        set_state(floor, state, market, *[] if state == floor.status()[f"market {market}"] else everyone)
        before = floor.status()["journal"]
        for member in everyone:
            for kind in "012":
                answer = ask_market(member, f"{state}-{kind}", kind=kind)
                assert (answer[326], answer[58]) == (OF_A_MARKET[state], state)
            assert member.settle() == []
        assert floor.status()["journal"] == before
    for member in everyone:
        answer = ask_market(member, "x", "NO-SUCH")
        assert (answer[326], answer[58]) == ("20", "unknown Symbol")
    set_state(floor, "continuous", market, *everyone)


def test_a_question_without_its_name_is_rejected(everyone: list[Member]) -> None:
    for member in everyone:
        for msg_type, tag in (("e", 324), ("g", 335)):
            member.send(msg_type, [(55, member.market)] * (msg_type == "e") + [(263, "0")])
            member.expect("3", t371=tag, t372=msg_type, t373="1")


def test_states_outlive_every_stop(tmp_path: Path) -> None:
    """What the operator has set stays, after a kill -9 and a clean stop, and is one entry each of the journal
    and of the audit."""
    with Floor(tmp_path) as venue:
        for number, state in enumerate(ALL_STATES):
            set_state(venue, state, f"M{number}-USD")
        for stop in (venue.kill9, venue.terminate):
            stop()
            venue.start()
            status = venue.status()
            assert [status[f"market M{number}-USD"] for number, _ in enumerate(ALL_STATES)] == ALL_STATES
            with logged_on(venue, "M6-USD", "ALPHA", "CHARLIE") as members:
                for member in members:
                    member.new("n", BUY, "1", "100")
                    member.refused("n", 2, t58="M6-USD is in state halted: it takes no orders")
                    assert ask_market(member, "q")[326] == OF_A_MARKET["halted"]
        changed = [each for each in enumerate(ALL_STATES) if each[1] != "continuous"]
        journal = [line.split(" ", 2)[2] for line in log(venue.data, "journal")]
        for number, state in changed:
            assert journal.count(f"SetState symbol=M{number}-USD state={state}") == 1
        events = [line.split(" ", 2)[2] for line in log(venue.data, "events")]
        assert [line for line in events if line.startswith("StateSet")] == [
            f"StateSet symbol=M{number}-USD state={state}" for number, state in changed
        ]
        audit = [line.split(": ", 1)[1] for line in log(venue.data, "audit")]
        assert audit == [f"market M{number}-USD {state}" for number, state in enumerate(ALL_STATES)]
