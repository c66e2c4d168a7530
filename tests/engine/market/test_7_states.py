"""The states of a market, market.md 7."""

from __future__ import annotations

import pytest

from engine.commands import CancelSession, EndDay, ExpireOrders, SetState, WithdrawOrder
from engine.words import (
    AT_THE_CLOSE,
    AT_THE_OPENING,
    CALL_PHASES,
    DAY,
    FILL_OR_KILL,
    GOOD_TILL_CANCEL,
    GOOD_TILL_DATE,
    IMMEDIATE_OR_CANCEL,
    STATES,
)
from tests.engine.market.desk import ETH_USD, TIME, Desk

ACTIVE = (*CALL_PHASES, "continuous")


def test_a_command_changes_one_market_or_all(desk: Desk) -> None:
    """market.md 7.1: in the order of listing; a market that is in that state already is left alone."""
    desk.send(ETH_USD)
    assert desk.enter("halted") == ["BTC-USD is halted"]
    assert (desk.state(), desk.state("ETH-USD")) == ("halted", "continuous")
    assert desk.enter("pre-open", "") == ["BTC-USD is pre-open", "ETH-USD is pre-open"]
    assert desk.enter("halted", "ETH-USD") == ["ETH-USD is halted"]
    assert desk.enter("halted", "") == ["BTC-USD is halted"]
    assert desk.enter("halted", "") == []
    assert desk.enter("halted", "XRP-USD") == ["refused: unknown symbol XRP-USD"]


def test_another_reason_is_told_and_nothing_else_happens(desk: Desk) -> None:
    """market.md 7.1."""
    desk.enter("cancel-only")
    assert desk.send(SetState(TIME, "BTC-USD", "cancel-only", "restart")) == [
        "BTC-USD is cancel-only (restart)"
    ]
    assert desk.send(SetState(TIME, "BTC-USD", "cancel-only", "restart")) == []


@pytest.mark.parametrize("state", STATES)
def test_what_is_taken(desk: Desk, state: str) -> None:
    """market.md 7.1: the table."""
    desk.buy("b1", 5, 50, GOOD_TILL_CANCEL)
    desk.buy("c1", 5, 50, GOOD_TILL_CANCEL)
    desk.enter(state)
    active = state in ACTIVE
    assert desk.buy("d", 1, 40) == (["d new"] if active else [f"refused: state orders {state}"])
    replaced = ["b2 replaces b1: 4 @ 50, 4 left"] if active else [f"refused: state replaces {state}"]
    assert desk.replace("b1", "b2", 4) == replaced
    canceled = ["refused: state cancels halted"] if state == "halted" else ["x canceled"]
    assert desk.cancel("c1", "x") == canceled


@pytest.mark.parametrize("state", CALL_PHASES)
def test_a_call_phase_only_gathers_orders(desk: Desk, state: str) -> None:
    """market.md 7.2: the book may be crossed; market orders come before prices."""
    desk.enter(state)
    assert desk.buy("b1", 5, 50) == ["b1 new"]
    assert desk.sell("s1", 5, 40, GOOD_TILL_CANCEL) == ["s1 new"]
    assert desk.buy("b2", 5) == ["b2 new"]
    assert desk.sell("s2", 5, 0, GOOD_TILL_DATE, expire_day="2030-01-01") == ["s2 new"]
    assert desk.buy("b3", 5, stop_price=60) == ["b3 new"]
    assert desk.buy("b4", 5, 55, stop_price=60) == ["b4 new"]
    assert desk.bids() == ["b2 5 @ 0", "b1 5 @ 50"]
    assert desk.asks() == ["s2 5 @ 0", "s1 5 @ 40"]
    assert desk.stops() == ["b3", "b4"]


@pytest.mark.parametrize("state", CALL_PHASES)
def test_what_a_call_phase_does_not_take(desk: Desk, state: str) -> None:
    """market.md 7.2."""
    desk.enter(state)
    assert desk.buy("b", 5, 50, IMMEDIATE_OR_CANCEL) == [f"refused: state TimeInForce 3 {state}"]
    assert desk.buy("b", 5, 50, FILL_OR_KILL) == [f"refused: state TimeInForce 4 {state}"]
    assert desk.buy("b", 5, 50, min_quantity=1) == [f"refused: state MinQty {state}"]
    assert desk.buy("b", 0, cash=100) == [f"refused: state CashOrderQty {state}"]


@pytest.mark.parametrize("state", STATES)
def test_at_the_opening_is_taken_before_the_opening_only(desk: Desk, state: str) -> None:
    """market.md 7.2."""
    desk.enter(state)
    expected = {
        "pre-open": "b new",
        "opening-auction": "b new",
        "continuous": "refused: state TimeInForce 2 continuous",
        "closing-auction": "refused: state TimeInForce 2 closing-auction",
        "volatility-auction": "refused: state TimeInForce 2 volatility-auction",
    }.get(state, f"refused: state orders {state}")
    assert desk.buy("b", 1, 50, AT_THE_OPENING) == [expected]
    assert desk.buy("b", 1, 0, AT_THE_OPENING) == ([expected] if expected != "b new" else ["refused: "
        "duplicate ClOrdID b"])  # fmt: skip


def test_at_the_opening_cannot_be_replaced_after_it(desk: Desk) -> None:
    """market.md 7.2, 4.1."""
    desk.enter("pre-open")
    desk.buy("b", 1, 50, AT_THE_OPENING)
    desk.enter("closing-auction")
    assert desk.replace("b", "c", 2) == ["refused: state TimeInForce 2 closing-auction"]
    assert desk.cancel("b", "x") == ["x canceled"]


@pytest.mark.parametrize("state", ["pre-open", "opening-auction", "volatility-auction", "continuous"])
def test_at_the_close_waits_outside_of_the_book(desk: Desk, state: str) -> None:
    """market.md 7.3."""
    desk.sell("s", 9, 50)
    desk.enter(state)
    assert desk.buy("b1", 1, 60, AT_THE_CLOSE) == ["b1 new"]
    assert desk.buy("b2", 1, 0, AT_THE_CLOSE) == ["b2 new"]
    assert (desk.bids(), desk.parked()) == ([], ["b1", "b2"])
    assert desk.money("ALPHA", "USD")[1] == 2 * (60 + 1000)
    assert desk.enter("closing-auction") == ["BTC-USD is closing-auction"]
    assert (desk.bids(), desk.parked()) == (["b2 1 @ 0", "b1 1 @ 60"], [])


@pytest.mark.parametrize("state", ["cancel-only", "halted", "closed"])
def test_at_the_close_is_not_taken_where_other_orders_are_not(desk: Desk, state: str) -> None:
    """market.md 7.3."""
    desk.enter(state)
    assert desk.buy("b", 1, 60, AT_THE_CLOSE) == [f"refused: state orders {state}"]


def test_at_the_close_in_the_closing_auction(desk: Desk) -> None:
    """market.md 7.3: it enters at once; those before it in the order of their places."""
    desk.buy("c1", 1, 60, AT_THE_CLOSE)
    desk.buy("a", 1, 60)
    desk.buy("d", 1, 60, AT_THE_CLOSE)
    desk.replace("c1", "c2", 2)
    assert desk.parked() == ["d", "c2"]
    desk.enter("closing-auction")
    desk.buy("e", 1, 60, AT_THE_CLOSE)
    assert desk.bids() == ["a 1 @ 60", "d 1 @ 60", "c2 2 @ 60", "e 1 @ 60"]


@pytest.mark.parametrize("state", [*CALL_PHASES, "cancel-only", "halted"])
def test_continuous_begins_with_an_auction(desk: Desk, state: str) -> None:
    """market.md 7.4: from any other state."""
    desk.enter("pre-open")
    desk.buy("b", 5, 50)
    desk.sell("s", 5, 50)
    desk.enter(state)
    assert desk.enter("continuous") == [
        "BTC-USD is continuous",
        "b trades 5 @ 50, 0 left",
        "s trades 5 @ 50, 0 left",
    ]


def test_closed_comes_after_an_auction_only_from_closing_auction(desk: Desk) -> None:
    """market.md 7.4."""
    desk.enter("pre-open")
    desk.buy("b", 5, 50, GOOD_TILL_CANCEL)
    desk.sell("s", 4, 50, GOOD_TILL_CANCEL)
    assert desk.enter("closed") == ["BTC-USD is closed"]
    for state in "opening-auction", "halted", "cancel-only", "volatility-auction", "closing-auction":
        assert desk.enter(state) == [f"BTC-USD is {state}"]
    assert desk.enter("closed") == [
        "BTC-USD is closed",
        "b trades 4 @ 50, 1 left",
        "s trades 4 @ 50, 0 left",
    ]
    assert desk.bids() == ["b 1 @ 50"]


def test_what_ends_when_continuous_trading_begins(desk: Desk) -> None:
    """market.md 7.5: after the auction, in the order of OrderID; then touched stops."""
    desk.enter("pre-open")
    desk.buy("stop", 1, 0, GOOD_TILL_CANCEL, stop_price=50)
    desk.buy("a", 4, 50, AT_THE_OPENING)
    desk.buy("b", 1)
    desk.buy("c", 1, 50)
    desk.buy("d", 1, 0, AT_THE_CLOSE)
    desk.buy("e", 1, 49, AT_THE_OPENING)
    desk.sell("s", 3, 50)
    assert desk.enter("continuous") == [
        "BTC-USD is continuous",
        "b trades 1 @ 50, 0 left",
        "s trades 1 @ 50, 2 left",
        "a trades 2 @ 50, 2 left",
        "s trades 2 @ 50, 0 left",
        "a expired: end of the auction",
        "e expired: end of the auction",
        "stop triggered",
        "stop canceled: no liquidity",
    ]
    assert (desk.bids(), desk.parked()) == (["c 1 @ 50"], ["d"])


def test_market_orders_that_nobody_wanted(desk: Desk) -> None:
    """market.md 7.5."""
    desk.enter("opening-auction")
    desk.sell("s", 1, 70)
    desk.sell("t", 2)
    desk.buy("b", 1, 60)
    assert desk.enter("continuous")[1:] == [
        "b trades 1 @ 60, 0 left",
        "t trades 1 @ 60, 1 left",
        "t canceled: no liquidity",
    ]
    assert desk.asks() == ["s 1 @ 70"]


def test_at_the_close_ends_with_the_closing_auction(desk: Desk) -> None:
    """market.md 7.5: also where it is followed by continuous trading."""
    desk.enter("closing-auction")
    desk.buy("b", 2, 50, AT_THE_CLOSE)
    desk.sell("s", 1, 50, AT_THE_CLOSE)
    assert desk.enter("continuous")[-1] == "b expired: end of the auction"


def test_what_ends_when_the_market_closes(desk: Desk) -> None:
    """market.md 7.5, 7.6: wherever it waits."""
    desk.buy("x0", 1, 0, AT_THE_CLOSE)
    desk.enter("pre-open")
    desk.buy("a", 1, 50, GOOD_TILL_CANCEL)
    desk.buy("b", 1, 50)
    desk.buy("c", 1, 0, GOOD_TILL_CANCEL)
    desk.buy("d", 1, 50, AT_THE_OPENING)
    desk.buy("e", 1, 0, GOOD_TILL_CANCEL, stop_price=50)
    desk.buy("f", 1, 0, stop_price=50)
    desk.buy("g", 1, 50, GOOD_TILL_DATE, expire_day="2030-01-01")
    assert desk.enter("closed") == [
        "BTC-USD is closed",
        "x0 expired: the market is closed",
        "b expired: the market is closed",
        "c canceled: no liquidity",
        "d expired: the market is closed",
        "f expired: the market is closed",
    ]
    assert (desk.bids(), desk.stops(), desk.parked()) == (["a 1 @ 50", "g 1 @ 50"], ["e"], [])
    desk.enter("opening-auction")
    desk.sell("s", 1, 50)
    assert desk.enter("continuous")[1] == "a trades 1 @ 50, 0 left", "they wait for the next opening"


def test_touched_stops_of_the_day_end_when_the_market_closes(desk: Desk) -> None:
    """market.md 7.5, 7.6."""
    desk.trade(50)
    desk.enter("pre-open")
    desk.buy("a", 1, stop_price=50)
    desk.buy("b", 1, 0, GOOD_TILL_CANCEL, stop_price=50)
    assert desk.enter("closed") == ["BTC-USD is closed", "a expired: the market is closed"]
    assert desk.touched() == ["b"]


@pytest.mark.parametrize("state", STATES)
def test_cancels_of_the_venue_are_carried_out_in_every_state(desk: Desk, state: str) -> None:
    """market.md 7.7."""
    for name in "abcdef":
        desk.buy(name, 1, 50, GOOD_TILL_DATE, expire_time=2000)
    desk.enter(state)
    assert desk.send(WithdrawOrder(TIME, desk.event_of("a")["order_id"], "gone")) == ["a canceled: gone"]
    assert desk.cancel_many(most=1, client="ALPHA", text="killed") == ["b canceled: killed"]
    why = "cancel on disconnect: connection lost"
    assert desk.send(CancelSession(TIME, "ALPHA", "12", True, 1)) == [f"c canceled: {why}"]
    assert desk.send(ExpireOrders(2000, 1)) == ["d expired: expired"]
    desk.replace("e", "e", 1)
    assert desk.send(EndDay(2000, "2026-01-02")) == ["2026-01-02 begins"]
    assert desk.send(ExpireOrders(2000, 9)) == ["e expired: expired", "f expired: expired"]


def test_nothing_is_left_of_a_day_order_after_the_day(desk: Desk) -> None:
    """market.md 7.6, 10.1."""
    desk.buy("a", 1, 50, DAY)
    desk.enter("halted")
    assert desk.send(EndDay(TIME, "2026-01-02"))[0] == "a expired: end of the day"
