"""Continuous trading, market.md 1."""

from __future__ import annotations

import pytest

from engine.words import (
    BUY,
    DAY,
    DECREMENT,
    FILL_OR_KILL,
    GOOD_TILL_CANCEL,
    IMMEDIATE_OR_CANCEL,
    REFUSE,
    SELL,
    SLIDE,
)
from tests.engine.market.desk import Desk


def test_the_best_price_comes_first_then_the_longest_there(desk: Desk) -> None:
    """market.md 1.1."""
    for name, price in ("s1", 52), ("s2", 51), ("s3", 50), ("s4", 51), ("s5", 50):
        desk.sell(name, 1, price)
    assert desk.asks() == ["s3 1 @ 50", "s5 1 @ 50", "s2 1 @ 51", "s4 1 @ 51", "s1 1 @ 52"]
    desk.buy("b", 5, 52)
    assert [e["cl_ord_id"] for e in desk.events if e["side"] == SELL] == ["s3", "s5", "s2", "s4", "s1"]
    for name, price in ("b1", 40), ("b2", 41), ("b3", 42), ("b4", 41), ("b5", 42):
        desk.buy(name, 1, price)
    assert desk.bids() == ["b3 1 @ 42", "b5 1 @ 42", "b2 1 @ 41", "b4 1 @ 41", "b1 1 @ 40"]
    desk.sell("s", 5, 40)
    assert [e["cl_ord_id"] for e in desk.events if e["side"] == BUY] == ["b3", "b5", "b2", "b4", "b1"]


def test_a_trade_is_at_the_price_of_the_maker(desk: Desk) -> None:
    """market.md 1.2."""
    desk.sell("s1", 3, 48)
    assert desk.buy("b1", 2, 50) == ["b1 new", "b1 trades 2 @ 48, 0 left", "s1 trades 2 @ 48, 1 left"]
    desk.cancel("s1")
    desk.buy("b2", 3, 50)
    assert desk.sell("s2", 2, 48) == ["s2 new", "s2 trades 2 @ 50, 0 left", "b2 trades 2 @ 50, 1 left"]


@pytest.mark.parametrize("tif", [DAY, GOOD_TILL_CANCEL, IMMEDIATE_OR_CANCEL])
def test_a_market_order_takes_what_there_is_and_never_rests(desk: Desk, tif: str) -> None:
    """market.md 1.3."""
    assert desk.buy("b0", 3, 0, tif) == ["b0 new", "b0 canceled: no liquidity"]
    assert desk.sell("s0", 3, 0, tif) == ["s0 new", "s0 canceled: no liquidity"]
    desk.sell("s1", 1, 50)
    desk.sell("s2", 1, 1000)
    assert desk.buy("b1", 3, 0, tif) == [
        "b1 new",
        "b1 trades 1 @ 50, 2 left",
        "s1 trades 1 @ 50, 0 left",
        "b1 trades 1 @ 1000, 1 left",
        "s2 trades 1 @ 1000, 0 left",
        "b1 canceled: no liquidity",
    ]
    assert desk.bids() == desk.asks() == []


def test_immediate_or_cancel_takes_what_its_limit_allows(desk: Desk) -> None:
    """market.md 1.4."""
    desk.sell("s1", 1, 50)
    desk.sell("s2", 1, 52)
    assert desk.buy("b", 3, 51, IMMEDIATE_OR_CANCEL) == [
        "b new",
        "b trades 1 @ 50, 2 left",
        "s1 trades 1 @ 50, 0 left",
        "b canceled: no liquidity",
    ]
    assert desk.bids() == []


def test_fill_or_kill_is_filled_whole_or_not_at_all(desk: Desk) -> None:
    """market.md 1.4. Neither price nor quantity may fall short by one; hidden quantity counts."""
    desk.sell("s1", 2, 50)
    desk.sell("s2", 2, 51, display=1)
    end = "canceled: not enough liquidity to fill the whole order"
    assert desk.buy("b1", 5, 51, FILL_OR_KILL) == ["b1 new", f"b1 {end}"]
    assert desk.buy("b2", 3, 50, FILL_OR_KILL) == ["b2 new", f"b2 {end}"]
    assert desk.buy("b3", 5, 0, FILL_OR_KILL) == ["b3 new", f"b3 {end}"]
    assert desk.asks() == ["s1 2 @ 50", "s2 1 of 2 @ 51"]
    assert desk.buy("b4", 4, 51, FILL_OR_KILL)[-1] == "s2 trades 1 @ 51, 0 left"
    assert desk.event_of("b4")["ord_status"] == "2"


def test_min_qty_is_traded_at_once_or_nothing_is(desk: Desk) -> None:
    """market.md 1.5."""
    desk.sell("s1", 2, 50)
    desk.sell("s2", 1, 51, display=1)
    end = "canceled: not enough liquidity for MinQty"
    assert desk.buy("b1", 9, 50, min_quantity=3) == ["b1 new", f"b1 {end}"]
    assert desk.buy("b2", 9, 0, min_quantity=4) == ["b2 new", f"b2 {end}"]
    assert desk.asks() == ["s1 2 @ 50", "s2 1 @ 51"]
    desk.buy("b3", 5, 50, min_quantity=2)
    assert desk.bids() == ["b3 3 @ 50"]
    desk.buy("b4", 5, 51, IMMEDIATE_OR_CANCEL, min_quantity=1)
    assert desk.event_of("b4")["text"] == "no liquidity"
    assert desk.event_of("b4")["cum_quantity"] == 1
    assert desk.bids() == ["b3 3 @ 50"]


def test_cash_buys_as_many_lots_as_it_pays_for(desk: Desk) -> None:
    """market.md 1.6. One lot costs 2 USD per tick."""
    desk.sell("s1", 2, 50)
    desk.sell("s2", 5, 60)
    assert desk.buy("b0", 0, cash=99) == ["refused: no lot 99"]
    assert desk.buy("b1", 0, cash=2 * 2 * 50 + 3 * 2 * 60 - 1)[0] == "b1 new"
    assert {(e["quantity"], e["cash"]) for e in desk.events if e["side"] == BUY} == {(4, 559)}
    assert desk.event_of("b1")["cum_quantity"] == 4
    assert desk.asks() == ["s2 3 @ 60"]
    desk.buy("b2", 0, 0, IMMEDIATE_OR_CANCEL, cash=10_000)
    assert desk.event_of("b2")["quantity"] == 3, "all there is"
    assert desk.buy("b3", 0, cash=10_000) == ["refused: no lot 10000"]


def test_cash_sells_no_more_than_it_says(desk: Desk) -> None:
    """market.md 1.6."""
    desk.buy("b1", 1, 60, display=1)
    desk.buy("b2", 5, 50)
    assert desk.sell("s0", 0, cash=119) == ["refused: no lot 119"]
    desk.sell("s1", 0, cash=120 + 2 * 100 + 99)
    assert desk.event_of("s1")["quantity"] == desk.event_of("s1")["cum_quantity"] == 3
    desk.sell("s2", 0, cash=100)
    assert desk.event_of("s2")["quantity"] == 1


def test_cash_meets_the_limits_of_the_market(desk: Desk) -> None:
    """market.md 1.6, 6.1, 6.4: not more than the highest OrderQty, nor beyond the collar."""
    desk.rules(collar=1000)
    for name in "s1", "s2":
        desk.sell(name, 80, 10)
    desk.sell("s3", 5, 12)
    desk.buy("b1", 0, cash=4000)
    assert desk.event_of("b1")["quantity"] == 100
    desk.buy("b2", 0, cash=4000)
    assert desk.event_of("b2")["quantity"] == 60
    desk.buy("b3", 0, cash=23)
    assert desk.events == [], "one lot at 12 costs 24"


def test_post_only_is_refused_where_it_would_trade(desk: Desk) -> None:
    """market.md 1.7."""
    desk.sell("s", 1, 50)
    assert desk.buy("b1", 1, 50, post_only=REFUSE) == ["refused: would take 50 50"]
    assert desk.buy("b2", 1, 49, post_only=REFUSE) == ["b2 new"]
    assert desk.event_of("b2")["post_only"] is True
    assert desk.sell("s2", 1, 48, post_only=REFUSE) == ["refused: would take 48 49"]


def test_post_only_slides_one_tick_away(desk: Desk) -> None:
    """market.md 1.7."""
    desk.sell("s", 1, 50)
    assert desk.buy("b1", 1, 55, post_only=SLIDE) == ["b1 new"]
    assert desk.event_of("b1")["price"] == 49
    assert desk.buy("b2", 1, 30, post_only=SLIDE) == ["b2 new"]
    assert desk.sell("s2", 1, 20, post_only=SLIDE) == ["s2 new"]
    assert desk.bids() == ["b1 1 @ 49", "b2 1 @ 30"]
    assert desk.asks() == ["s 1 @ 50", "s2 1 @ 50"]
    assert desk.money("ALPHA", "USD")[1] == 2 * 49 + 2 * 30


def test_post_only_is_refused_where_there_is_no_tick_to_slide_to(desk: Desk) -> None:
    """market.md 1.7."""
    desk.sell("s", 1, 1)
    assert desk.buy("b", 1, 5, post_only=SLIDE) == ["refused: would take 5 1"]
    desk.cancel("s")
    desk.buy("b", 1, 1000)
    assert desk.sell("s", 1, 5, post_only=SLIDE) == ["refused: would take 5 1000"]


def test_post_only_is_an_order_like_any_other_in_a_call_phase(desk: Desk) -> None:
    """market.md 1.7."""
    desk.enter("pre-open")
    desk.sell("s", 1, 50)
    assert desk.buy("b", 1, 55, post_only=REFUSE) == ["b new"]
    assert desk.enter("continuous")[1:] == ["b trades 1 @ 50, 0 left", "s trades 1 @ 50, 0 left"]


def test_what_is_left_takes_the_last_place_at_its_price(desk: Desk) -> None:
    """market.md 1.8."""
    desk.sell("s", 1, 50)
    desk.buy("b1", 1, 49)
    desk.buy("b2", 3, 50)
    desk.buy("b3", 3, 50)
    assert desk.bids() == ["b2 2 @ 50", "b3 3 @ 50", "b1 1 @ 49"]


def test_a_partly_filled_maker_keeps_its_place(desk: Desk) -> None:
    """market.md 1.1."""
    desk.sell("s1", 3, 50)
    desk.sell("s2", 3, 50)
    desk.buy("b1", 2, 50)
    assert desk.asks() == ["s1 1 @ 50", "s2 3 @ 50"]


def test_min_qty_counts_what_self_trade_prevention_lets_through(desk: Desk) -> None:
    """market.md 1.5, 5.3."""
    desk.sell("s1", 2, 50, group="g")
    desk.sell("s2", 2, 50)
    same = {"group": "g", "self_trade": DECREMENT}
    end = "canceled: not enough liquidity for MinQty"
    assert desk.buy("b1", 4, 50, min_quantity=3, **same) == ["b1 new", f"b1 {end}"]
    assert desk.buy("b2", 4, 50, min_quantity=2, **same) == [
        "b2 new",
        "b2 restated to 2, 2 left",
        "s1 canceled: self-trade prevention",
        "b2 trades 2 @ 50, 0 left",
        "s2 trades 2 @ 50, 0 left",
    ]
