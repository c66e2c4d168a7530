"""Who may not trade with himself, market.md 5."""

from __future__ import annotations

from typing import Any

import pytest

from engine.words import (
    ALLOW,
    CANCEL_BOTH,
    CANCEL_MAKER,
    CANCEL_TAKER,
    DECREMENT,
    FILL_OR_KILL,
)
from tests.engine.market.desk import Desk

WHY = "self-trade prevention"


def of(mode: str) -> dict[str, Any]:
    return {"group": "g", "self_trade": mode}


def test_the_taker_is_canceled(desk: Desk) -> None:
    """market.md 5.1, 5.2."""
    desk.sell("s0", 1, 49)
    desk.sell("s1", 3, 50, group="g")
    assert desk.buy("b", 5, 50, **of(CANCEL_TAKER)) == [
        "b new",
        "b trades 1 @ 49, 4 left",
        "s0 trades 1 @ 49, 0 left",
        f"b canceled: {WHY}",
    ]
    end = desk.event_of("b")
    assert (end["restatement"], end["quantity"], end["cum_quantity"]) == ("99", 5, 1)
    assert (desk.bids(), desk.asks()) == ([], ["s1 3 @ 50"])


def test_the_maker_is_canceled(desk: Desk) -> None:
    """market.md 5.1, 5.2."""
    desk.sell("s1", 3, 50, **of(CANCEL_TAKER))
    desk.sell("s2", 3, 50)
    assert desk.buy("b", 4, 50, **of(CANCEL_MAKER)) == [
        "b new",
        f"s1 canceled: {WHY}",
        "b trades 3 @ 50, 1 left",
        "s2 trades 3 @ 50, 0 left",
    ]
    end = desk.event_of("s1")
    assert (end["restatement"], end["quantity"], end["ord_status"]) == ("99", 3, "4")
    assert desk.bids() == ["b 1 @ 50"]


def test_both_are_canceled_the_taker_first(desk: Desk) -> None:
    """market.md 5.1."""
    desk.sell("s1", 3, 50, group="g")
    desk.sell("s2", 3, 50, group="g")
    assert desk.buy("b", 4, 50, **of(CANCEL_BOTH)) == [
        "b new",
        f"b canceled: {WHY}",
        f"s1 canceled: {WHY}",
    ]
    assert desk.asks() == ["s2 3 @ 50"]


def test_the_maker_has_less_left(desk: Desk) -> None:
    """market.md 5.1: hidden quantity included."""
    desk.sell("s1", 3, 50, group="g", display=1)
    desk.sell("s2", 1, 50)
    assert desk.buy("b", 5, 50, **of(DECREMENT)) == [
        "b new",
        "b restated to 2, 2 left",
        f"s1 canceled: {WHY}",
        "b trades 1 @ 50, 1 left",
        "s2 trades 1 @ 50, 0 left",
    ]
    (restated,) = [e for e in desk.events if e["exec_type"] == "D"]
    assert (restated["restatement"], restated["ord_status"], restated["leaves_quantity"]) == ("5", "0", 2)
    assert desk.event_of("s1")["quantity"] == 3
    assert desk.bids() == ["b 1 @ 50"]
    assert desk.money("ALPHA", "USD")[1] == 100


def test_the_taker_has_less_left(desk: Desk) -> None:
    """market.md 5.1: the maker goes on in its place."""
    desk.sell("s1", 5, 50, group="g", display=3)
    desk.sell("s2", 1, 50)
    assert desk.buy("b", 3, 50, **of(DECREMENT)) == [
        "b new",
        f"b canceled: {WHY}",
        "s1 restated to 2, 2 left",
    ]
    assert desk.asks() == ["s1 2 @ 50", "s2 1 @ 50"]
    assert desk.money("BRAVO", "BTC")[1] == 30


def test_both_have_the_same_left(desk: Desk) -> None:
    """market.md 5.1."""
    desk.sell("s1", 3, 50, group="g")
    assert desk.buy("b", 3, 50, **of(DECREMENT)) == [
        "b new",
        f"b canceled: {WHY}",
        f"s1 canceled: {WHY}",
    ]


@pytest.mark.parametrize("more", [of(ALLOW), of(""), {}, {"group": "h", "self_trade": CANCEL_TAKER}])
def test_the_others_trade(desk: Desk, more: dict[str, Any]) -> None:
    """market.md 5.1. The mode of the maker does not matter."""
    desk.sell("s", 3, 50, by="ALPHA", **of(CANCEL_BOTH))
    assert desk.buy("b", 3, 50, **more)[1:] == ["b trades 3 @ 50, 0 left", "s trades 3 @ 50, 0 left"]


def test_a_group_goes_beyond_a_client(desk: Desk) -> None:
    """market.md 5.1: and one without a group is not in the group of others without one."""
    desk.sell("s", 3, 50, by="ALPHA")
    assert desk.buy("b", 3, 50, self_trade=CANCEL_TAKER)[1] == "b trades 3 @ 50, 0 left"


def test_fill_or_kill_foresees_it(desk: Desk) -> None:
    """market.md 5.3."""
    end = "canceled: not enough liquidity to fill the whole order"
    desk.sell("s1", 2, 50)
    desk.sell("s2", 2, 50, group="g")
    desk.sell("s3", 2, 50)
    for n, mode in enumerate((CANCEL_TAKER, CANCEL_BOTH, DECREMENT)):
        assert desk.buy(f"b{n}", 4, 50, FILL_OR_KILL, **of(mode)) == [f"b{n} new", f"b{n} {end}"]
    assert desk.buy("c", 5, 50, FILL_OR_KILL, **of(CANCEL_MAKER)) == ["c new", f"c {end}"]
    assert desk.buy("d", 4, 50, FILL_OR_KILL, **of(CANCEL_MAKER))[-1] == "s3 trades 2 @ 50, 0 left"
    assert desk.event_of("d")["ord_status"] == "2"


def test_what_hides_behind_it_is_not_there_either(desk: Desk) -> None:
    """market.md 5.3, 3.2: the next part of an iceberg stands behind the order that stops the taker."""
    desk.sell("i", 5, 50, display=1)
    desk.sell("s", 1, 50, group="g")
    end = "canceled: not enough liquidity to fill the whole order"
    assert desk.buy("b", 2, 50, FILL_OR_KILL, **of(CANCEL_TAKER)) == ["b new", f"b {end}"]
    assert desk.buy("c", 0, cash=1000, **of(CANCEL_TAKER))[0] == "c new"
    assert desk.event_of("c")["quantity"] == 1


def test_hidden_quantity_beside_it_is_there(desk: Desk) -> None:
    """market.md 5.3, 1.4: at the same price as an order that is taken out of the way."""
    desk.sell("s", 1, 50, group="g")
    desk.sell("i", 5, 50, display=1)
    desk.buy("b", 5, 50, FILL_OR_KILL, **of(CANCEL_MAKER))
    assert desk.event_of("b")["ord_status"] == "2"


def test_the_funds_of_a_market_order_foresee_it(desk: Desk) -> None:
    """market.md 5.3."""
    desk.sell("s1", 9, 50, group="g")
    desk.sell("s2", 1, 60)
    desk.leave(120)
    assert desk.buy("b1", 9) == ["refused: insufficient funds 900 120 USD"]
    assert desk.buy("b2", 9, **of(CANCEL_TAKER)) == ["b2 new", f"b2 canceled: {WHY}"]
    assert desk.buy("b3", 9, **of(CANCEL_MAKER))[-1] == "b3 canceled: no liquidity"
    assert desk.event_of("b3")["cum_quantity"] == 1


def test_cash_foresees_it(desk: Desk) -> None:
    """market.md 5.3: `decrement` counts as `maker`."""
    desk.sell("s1", 2, 50, group="g")
    desk.sell("s2", 9, 60)
    assert desk.buy("b1", 0, cash=600, **of(CANCEL_TAKER)) == ["refused: no lot 600"]
    assert desk.buy("b2", 0, cash=600, **of(CANCEL_BOTH)) == ["refused: no lot 600"]
    assert desk.buy("b3", 0, cash=600, **of(DECREMENT)) == [
        "b3 new",
        "b3 restated to 3, 3 left",
        f"s1 canceled: {WHY}",
        "b3 trades 3 @ 60, 0 left",
        "s2 trades 3 @ 60, 6 left",
    ]
    desk.sell("s3", 2, 50, group="g")
    desk.buy("b4", 0, cash=600, **of(CANCEL_MAKER))
    assert desk.event_of("b4")["cum_quantity"] == 5


def test_in_an_auction_everyone_may_trade_with_everyone(desk: Desk) -> None:
    """market.md 5.4."""
    desk.enter("opening-auction")
    desk.sell("s", 3, 50, **of(CANCEL_BOTH))
    desk.buy("b", 3, 50, **of(CANCEL_BOTH))
    assert desk.enter("continuous")[1:] == ["b trades 3 @ 50, 0 left", "s trades 3 @ 50, 0 left"]


def test_a_triggered_stop_and_a_replaced_order_are_takers_too(desk: Desk) -> None:
    """market.md 5.1."""
    desk.sell("s", 3, 60, group="g")
    desk.buy("stop", 1, stop_price=55, **of(CANCEL_TAKER))
    desk.trade(55)
    assert desk.event_of("stop")["text"] == WHY
    desk.buy("b1", 1, 50, **of(CANCEL_TAKER))
    assert desk.replace("b1", "b2", 1, 60) == ["b2 replaces b1: 1 @ 60, 1 left", f"b2 canceled: {WHY}"]
    assert (desk.bids(), desk.asks()) == ([], ["s 3 @ 60"])
