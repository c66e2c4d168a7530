"""Icebergs, market.md 3."""

from __future__ import annotations

from engine.words import BUY
from tests.engine.market.desk import Desk


def test_not_more_than_display_is_shown(desk: Desk) -> None:
    """market.md 3.1."""
    assert desk.buy("b", 10, 50, display=3) == ["b new"]
    assert desk.event_of("b")["display"] == 3
    assert desk.bids() == ["b 3 of 10 @ 50"]
    desk.sell("s", 10, 51, display=10)
    assert desk.asks() == ["s 10 @ 51"]


def test_a_stop_limit_order_may_be_an_iceberg(desk: Desk) -> None:
    """market.md 3.1."""
    desk.buy("b", 10, 50, display=3, stop_price=45)
    desk.trade(45)
    assert desk.bids() == ["b 3 of 10 @ 50"]


def test_the_next_part_is_shown_at_the_last_place(desk: Desk) -> None:
    """market.md 3.2."""
    desk.sell("i", 5, 50, display=2)
    desk.sell("s", 2, 50)
    desk.buy("b1", 1, 50)
    assert desk.asks() == ["i 1 of 4 @ 50", "s 2 @ 50"]
    desk.buy("b2", 1, 50)
    assert desk.asks() == ["s 2 @ 50", "i 2 of 3 @ 50"]


def test_a_taker_meets_it_again(desk: Desk) -> None:
    """market.md 3.2."""
    desk.sell("i", 5, 50, display=2)
    desk.sell("s", 2, 50)
    desk.buy("b", 7, 50)
    trades = [(e["cl_ord_id"], e["last_quantity"]) for e in desk.events[1:] if e["side"] != BUY]
    assert trades == [("i", 2), ("s", 2), ("i", 2), ("i", 1)]


def test_what_is_left_at_the_end_is_shown(desk: Desk) -> None:
    """market.md 3.2."""
    desk.sell("i", 5, 50, display=3)
    desk.buy("b", 3, 50)
    assert desk.asks() == ["i 2 @ 50"]


def test_a_taker_trades_with_what_it_is(desk: Desk) -> None:
    """market.md 3.3."""
    desk.sell("s", 6, 50)
    assert desk.buy("i", 9, 50, display=2)[1] == "i trades 6 @ 50, 3 left"
    assert desk.bids() == ["i 2 of 3 @ 50"]
