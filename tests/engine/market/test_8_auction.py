"""Auctions, market.md 8. The worked examples of the price are in tests/engine/test_auction_price.py."""

from __future__ import annotations

from engine.commands import TellIndicative
from engine.words import BUY, SELL
from tests.engine.market.desk import SYMBOL, TIME, Desk


def test_one_price_for_all_trades(desk: Desk) -> None:
    """market.md 8.1."""
    desk.enter("opening-auction")
    for name, quantity, price in ("b1", 10, 102), ("b2", 5, 101):
        desk.buy(name, quantity, price)
    desk.sell("s1", 3, 100)
    desk.sell("s2", 5, 99)
    desk.enter("continuous")
    trades = [e for e in desk.events if e.get("exec_type") == "F"]
    assert {e["last_price"] for e in trades} == {102}
    assert desk.bids() == ["b1 2 @ 102", "b2 5 @ 101"]
    assert desk.money("ALPHA", "USD") == (1_000_000 - 8 * 102 * 2, (2 * 102 + 5 * 101) * 2)


def test_no_price_is_worse_than_the_limit_of_a_market_order(desk: Desk) -> None:
    """market.md 8.1, 6.4: the limit is the end of the band; bids press the price up to it."""
    desk.rules(band=1000, reference_price=100)
    desk.enter("opening-auction")
    desk.buy("b", 10)
    desk.rules()
    desk.sell("s1", 5, 105)
    desk.sell("s2", 5, 120)
    assert desk.enter("continuous")[1:] == [
        "b trades 5 @ 110, 5 left",
        "s1 trades 5 @ 110, 0 left",
        "b canceled: no liquidity",
    ]


def test_a_market_order_whose_limit_is_outside_stops_the_auction(desk: Desk) -> None:
    """market.md 8.1, 8.3."""
    desk.rules(band=1000, reference_price=100)
    desk.enter("opening-auction")
    desk.buy("b", 10)
    desk.rules(reference_price=150)
    desk.sell("s", 5)
    assert desk.send(TellIndicative(TIME, SYMBOL)) == ["would trade 0 @ 0, surplus 0"]
    assert desk.enter("continuous")[1:] == ["b canceled: no liquidity", "s canceled: no liquidity"]


def test_market_orders_come_first_then_price_and_place(desk: Desk) -> None:
    """market.md 8.2: the first bid with the first offer; of a trade the buy order's event is first."""
    desk.enter("opening-auction")
    for name, price in ("b1", 50), ("b2", 51), ("b3", 0), ("b4", 51), ("b5", 0):
        desk.buy(name, 2, price)
    for name, price in ("s1", 50), ("s2", 49), ("s3", 0):
        desk.sell(name, 3, price)
    desk.enter("continuous")
    trades = [e for e in desk.events if e.get("exec_type") == "F"]
    assert [e["side"] for e in trades] == [BUY, SELL] * (len(trades) // 2)
    pairs = [
        (b["cl_ord_id"], s["cl_ord_id"], b["last_quantity"])
        for b, s in zip(trades[::2], trades[1::2], strict=True)
    ]
    assert pairs == [
        ("b3", "s3", 2),
        ("b5", "s3", 1),
        ("b5", "s2", 1),
        ("b2", "s2", 2),
        ("b4", "s1", 2),
        ("b1", "s1", 1),
    ]
    assert desk.bids() == ["b1 1 @ 50"]


def test_an_iceberg_has_the_place_of_its_shown_part(desk: Desk) -> None:
    """market.md 8.2, 3.2."""
    desk.enter("opening-auction")
    desk.buy("i", 6, 50, display=2)
    desk.buy("b", 3, 50)
    desk.sell("s", 7, 50)
    desk.enter("continuous")
    buys = [(e["cl_ord_id"], e["last_quantity"]) for e in desk.events if e.get("last_quantity")][::2]
    assert buys == [("i", 2), ("b", 3), ("i", 2)]
    assert desk.bids() == ["i 2 @ 50"]


def test_hidden_quantity_counts_for_the_price(desk: Desk) -> None:
    """market.md 8.1: of an iceberg all that is left."""
    desk.enter("opening-auction")
    desk.buy("i", 6, 50, display=1)
    desk.sell("s1", 3, 50)
    desk.sell("s2", 3, 49)
    assert desk.send(TellIndicative(TIME, SYMBOL)) == ["would trade 6 @ 50, surplus 0"]


def test_only_market_orders_trade_at_the_reference_price(desk: Desk) -> None:
    """market.md 8.3: without one they do not trade."""
    desk.enter("opening-auction")
    desk.buy("b1", 8)
    desk.sell("s1", 5)
    assert desk.enter("continuous")[1:] == ["b1 canceled: no liquidity", "s1 canceled: no liquidity"]
    desk.trade(103)
    desk.enter("opening-auction")
    desk.buy("b2", 8)
    desk.sell("s2", 5)
    assert desk.enter("continuous")[1:] == [
        "b2 trades 5 @ 103, 3 left",
        "s2 trades 5 @ 103, 0 left",
        "b2 canceled: no liquidity",
    ]


def test_the_indicative_price(desk: Desk) -> None:
    """market.md 8.4: nothing changes by being asked; outside of call phases there is none."""
    desk.enter("pre-open")
    desk.buy("b", 10, 101)
    desk.sell("s", 4, 100)
    before = desk.bids(), desk.asks()
    for _ in range(2):
        assert desk.send(TellIndicative(TIME, SYMBOL)) == ["would trade 4 @ 101, surplus 6"]
    assert (desk.bids(), desk.asks()) == before
    desk.cancel("s")
    assert desk.send(TellIndicative(TIME, SYMBOL)) == ["would trade 0 @ 0, surplus 0"]
    desk.enter("continuous")
    assert desk.send(TellIndicative(TIME, SYMBOL)) == []
    assert desk.send(TellIndicative(TIME, "XRP-USD")) == ["refused: unknown symbol XRP-USD"]


def test_the_trades_of_an_auction_touch_stops(desk: Desk) -> None:
    """market.md 2.2, 7.5."""
    desk.enter("opening-auction")
    desk.sell("up", 1, stop_price=49)
    desk.buy("late", 1, stop_price=50)
    desk.sell("early", 1, stop_price=50)
    desk.buy("b", 1, 50)
    desk.sell("s", 1, 50)
    assert desk.enter("continuous")[3:] == [
        "late triggered",
        "late canceled: no liquidity",
        "early triggered",
        "early canceled: no liquidity",
    ]
    assert desk.stops() == ["up"]


def test_a_market_order_stands_at_its_limit(desk: Desk) -> None:
    """market.md 8.1, 8.2: it is not before those who would pay more, or they were left in a crossed book."""
    desk.rules(band=1000, reference_price=100)
    desk.enter("opening-auction")
    desk.buy("b1", 5)
    desk.rules()
    desk.sell("s1", 5, 100)
    desk.sell("s2", 5, 120)
    desk.buy("b2", 5, 130)
    assert desk.enter("continuous")[1:] == [
        "b2 trades 5 @ 111, 0 left",
        "s1 trades 5 @ 111, 0 left",
        "b1 canceled: no liquidity",
    ]
    assert desk.asks() == ["s2 5 @ 120"]
