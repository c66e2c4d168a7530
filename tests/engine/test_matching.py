"""Who trades with whom, and at what price."""

from __future__ import annotations

import pytest

from engine.events import Execution
from engine.words import (
    BUY,
    CANCELED,
    DAY,
    FILL_OR_KILL,
    FILLED,
    GOOD_TILL_CANCEL,
    IMMEDIATE_OR_CANCEL,
    LIMIT,
    NEW,
    PARTIALLY_FILLED,
    SELL,
    TRADE,
)
from tests.engine.desk import Desk, told


def test_an_order_that_meets_no_one_rests() -> None:
    """Feature 52."""
    desk = Desk()
    assert told(desk.buy("b", 3, 50)) == ["b new"]
    assert told(desk.sell("s", 2, 51)) == ["s new"]
    assert desk.bids() == ["b 3 @ 50"]
    assert desk.asks() == ["s 2 @ 51"]


def test_the_trade_is_at_the_price_of_the_maker() -> None:
    """Feature 54."""
    desk = Desk()
    desk.sell("s", 3, 48)
    assert told(desk.buy("b", 2, 50)) == ["b new", "b trades 2 @ 48, 0 left", "s trades 2 @ 48, 1 left"]
    desk = Desk()
    desk.buy("b", 3, 50)
    assert told(desk.sell("s", 2, 48)) == ["s new", "s trades 2 @ 50, 0 left", "b trades 2 @ 50, 1 left"]


def test_the_best_price_comes_first_then_the_earliest() -> None:
    """Feature 54: arrival decides only among orders of one price."""
    desk = Desk()
    for name, price in ("s1", 52), ("s2", 51), ("s3", 50), ("s4", 51), ("s5", 50):
        desk.sell(name, 1, price)
    assert desk.asks() == ["s3 1 @ 50", "s5 1 @ 50", "s2 1 @ 51", "s4 1 @ 51", "s1 1 @ 52"]
    makers = [event.cl_ord_id for event in desk.buy("b", 5, 52) if event.side == SELL]
    assert makers == ["s3", "s5", "s2", "s4", "s1"]

    for name, price in ("b1", 40), ("b2", 41), ("b3", 42), ("b4", 41), ("b5", 42):
        desk.buy(name, 1, price)
    assert desk.bids() == ["b3 1 @ 42", "b5 1 @ 42", "b2 1 @ 41", "b4 1 @ 41", "b1 1 @ 40"]
    makers = [event.cl_ord_id for event in desk.sell("s", 5, 40) if event.side == BUY]
    assert makers == ["b3", "b5", "b2", "b4", "b1"]


def test_a_taker_stops_at_its_limit_and_its_rest_joins_the_book() -> None:
    """Feature 54."""
    desk = Desk()
    desk.sell("s1", 1, 50)
    desk.sell("s2", 1, 52)
    assert told(desk.buy("b", 4, 51)) == ["b new", "b trades 1 @ 50, 3 left", "s1 trades 1 @ 50, 0 left"]
    assert desk.bids() == ["b 3 @ 51"]
    assert desk.asks() == ["s2 1 @ 52"]


def test_a_partly_filled_maker_keeps_its_place() -> None:
    """Feature 54."""
    desk = Desk()
    desk.sell("s1", 3, 50)
    desk.sell("s2", 3, 50)
    desk.buy("b1", 2, 50)
    assert desk.asks() == ["s1 1 @ 50", "s2 3 @ 50"]


def test_every_event_says_all_there_is_to_say() -> None:
    """Features 51, 52: no earlier event is needed to understand one."""
    desk = Desk()
    desk.sell("s1", 2, 50)
    desk.sell("s2", 4, 51)
    new, *trades = desk.buy("b", 5, 51, GOOD_TILL_CANCEL)
    order = (6, "ALPHA", "ALPHA", "ALPHA-1", "BTC-USD", "b", "", BUY, LIMIT, GOOD_TILL_CANCEL, 5, 51)
    assert new == Execution(5, NEW, NEW, *order, 0, 5, 0)
    assert trades[0] == Execution(
        5, TRADE, PARTIALLY_FILLED, *order, 2, 3, 100, 2, 50, 1, liquidity="2", step=2
    )
    assert trades[2] == Execution(5, TRADE, FILLED, *order, 5, 0, 253, 3, 51, 2, liquidity="2", step=3)
    maker = (4, "BRAVO", "BRAVO", "BRAVO-1", "BTC-USD", "s1", "", SELL, LIMIT, DAY, 2, 50)
    assert trades[1] == Execution(5, TRADE, FILLED, *maker, 2, 0, 100, 2, 50, 1, liquidity="1", step=2)
    maker = (5, "BRAVO", "BRAVO", "BRAVO-1", "BTC-USD", "s2", "", SELL, LIMIT, DAY, 4, 51)
    assert trades[3] == Execution(
        5, TRADE, PARTIALLY_FILLED, *maker, 3, 1, 153, 3, 51, 2, liquidity="1", step=2
    )


@pytest.mark.parametrize("time_in_force", [DAY, GOOD_TILL_CANCEL, IMMEDIATE_OR_CANCEL])
def test_a_market_order_takes_what_there_is_and_never_rests(time_in_force: str) -> None:
    """Feature 52."""
    desk = Desk()
    desk.sell("s1", 1, 50)
    desk.sell("s2", 1, 99)
    assert told(desk.buy("b", 3, 0, time_in_force)) == [
        "b new",
        "b trades 1 @ 50, 2 left",
        "s1 trades 1 @ 50, 0 left",
        "b trades 1 @ 99, 1 left",
        "s2 trades 1 @ 99, 0 left",
        "b canceled: no liquidity",
    ]
    assert desk.bids() == desk.asks() == []
    assert desk.venue.order("ALPHA", "b") is None


def test_a_market_order_in_an_empty_book_ends_at_once() -> None:
    """Feature 52."""
    desk = Desk()
    for executions in desk.buy("b", 3, 0), desk.sell("s", 3, 0):
        new, end = executions
        assert (new.exec_type, new.leaves_quantity) == (NEW, 3)
        assert (end.exec_type, end.ord_status) == (CANCELED, CANCELED)
        assert (end.cum_quantity, end.leaves_quantity, end.text) == (0, 0, "no liquidity")
        assert (end.cl_ord_id, end.orig_cl_ord_id) == (new.cl_ord_id, "")


def test_a_market_order_to_sell_goes_down_to_the_last_bid() -> None:
    desk = Desk()
    desk.buy("b1", 1, 1)
    desk.buy("b2", 1, 50)
    trades = [told([event])[0] for event in desk.sell("s", 2, 0) if event.side == SELL]
    assert trades == ["s new", "s trades 1 @ 50, 1 left", "s trades 1 @ 1, 0 left"]


def test_immediate_or_cancel_takes_what_its_limit_allows() -> None:
    """Feature 52."""
    desk = Desk()
    desk.sell("s1", 1, 50)
    desk.sell("s2", 1, 52)
    assert told(desk.buy("b", 3, 51, IMMEDIATE_OR_CANCEL)) == [
        "b new",
        "b trades 1 @ 50, 2 left",
        "s1 trades 1 @ 50, 0 left",
        "b canceled: no liquidity",
    ]
    assert desk.bids() == []


def test_fill_or_kill_is_filled_whole_or_not_at_all() -> None:
    """Feature 52. Neither price nor quantity may fall short by one."""
    desk = Desk()
    desk.sell("s1", 2, 50)
    desk.sell("s2", 2, 51)
    killed = ["canceled: not enough liquidity to fill the whole order"]
    assert told(desk.buy("b1", 5, 51, FILL_OR_KILL)) == ["b1 new", f"b1 {killed[0]}"]
    assert told(desk.buy("b2", 3, 50, FILL_OR_KILL)) == ["b2 new", f"b2 {killed[0]}"]
    assert told(desk.buy("b3", 5, 0, FILL_OR_KILL)) == ["b3 new", f"b3 {killed[0]}"]
    assert desk.asks() == ["s1 2 @ 50", "s2 2 @ 51"]
    assert desk.buy("b4", 4, 51, FILL_OR_KILL)[-2].ord_status == FILLED
    assert desk.asks() == []


def test_a_client_may_trade_with_itself() -> None:
    """Both sides are reported and no money moves; self-trade prevention is another matter."""
    desk = Desk()
    desk.sell("s", 2, 50, by="ALPHA")
    assert told(desk.buy("b", 2, 50)) == ["b new", "b trades 2 @ 50, 0 left", "s trades 2 @ 50, 0 left"]
    assert desk.money("ALPHA", "USD") == (10_000, 0)
    assert desk.money("ALPHA", "BTC") == (1_000, 0)
