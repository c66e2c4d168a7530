"""Limits of markets and accounts, market.md 6."""

from __future__ import annotations

from typing import Any

import pytest

from engine.commands import LimitAccount
from engine.words import AT_THE_CLOSE, FILL_OR_KILL, IMMEDIATE_OR_CANCEL
from tests.engine.market.desk import TIME, Desk


def test_prices_below_the_lowest_are_refused(desk: Desk) -> None:
    """market.md 6.1."""
    assert desk.rules(min_price=10) == ["RulesSet"]
    assert desk.buy("b", 1, 9) == ["refused: below minimum 9 10 Price"]
    assert desk.buy("b", 1, 9, stop_price=8) == ["refused: below minimum 9 10 Price"]
    assert desk.buy("b", 1, 10, stop_price=9) == ["refused: below minimum 9 10 StopPx"]
    assert desk.buy("b", 1, stop_price=9) == ["refused: below minimum 9 10 StopPx"]
    assert desk.buy("b", 1, 10) == ["b new"]


def test_the_value_of_an_order_is_limited(desk: Desk) -> None:
    """market.md 6.1: OrderQty times limit, at 2 USD per lot and tick."""
    desk.rules(max_notional=1000)
    assert desk.buy("b", 10, 51) == ["refused: notional 1020 1000 market"]
    assert desk.sell("s", 10, 51) == ["refused: notional 1020 1000 market"]
    assert desk.buy("b", 10, 50) == ["b new"]
    assert desk.sell("s", 10, 51, stop_price=51) == ["refused: notional 1020 1000 market"]
    assert desk.buy("c", 1, stop_price=5) == ["refused: notional 2000 1000 market"], "its limit is 1000"
    assert desk.sell("s", 100, stop_price=1000) == ["s new"], "its limit is one tick"
    assert desk.buy("c", 1, 0, AT_THE_CLOSE) == ["refused: notional 2000 1000 market"]


def test_the_value_of_a_market_order_is_what_its_trades_come_to(desk: Desk) -> None:
    """market.md 6.1."""
    desk.sell("s1", 5, 50)
    desk.sell("s2", 5, 60)
    desk.rules(max_notional=1000)
    assert desk.buy("b1", 10) == ["refused: notional 1100 1000 market"]
    assert desk.buy("b2", 10, 0, FILL_OR_KILL) == ["refused: notional 1100 1000 market"]
    assert desk.buy("b3", 11, 0, FILL_OR_KILL)[0] == "b3 new", "it trades nothing"
    assert desk.buy("b4", 0, cash=1100) == ["refused: notional 1100 1000 market"]
    assert desk.buy("b5", 9)[0] == "b5 new"
    desk.enter("pre-open")
    assert desk.buy("b6", 1) == ["refused: notional 2000 1000 market"], "in a call phase by its limit"


def test_the_value_of_a_min_qty_order_that_ends_without_a_trade(desk: Desk) -> None:
    """market.md 6.1, 1.5."""
    desk.sell("s", 5, 50)
    desk.rules(max_notional=400)
    assert desk.buy("b1", 9, min_quantity=5) == ["refused: notional 500 400 market"]
    assert desk.buy("b2", 9, min_quantity=6)[1] == "b2 canceled: not enough liquidity for MinQty"


def test_prices_beyond_the_band_are_refused(desk: Desk) -> None:
    """market.md 6.2, 6.3: 10 percent of the reference price; the ends are rounded to the tick inside."""
    desk.rules(band=1000, reference_price=55)
    assert desk.buy("b", 1, 61) == ["refused: out of band 61 60 Price"]
    assert desk.sell("s", 1, 49) == ["refused: out of band 49 50 Price"]
    assert desk.buy("b", 1, 60, stop_price=61) == ["refused: out of band 61 60 StopPx"]
    assert desk.sell("s", 1, stop_price=49) == ["refused: out of band 49 50 StopPx"]
    assert desk.buy("b1", 1, 50) == ["b1 new"]
    assert desk.sell("s1", 1, 60) == ["s1 new"]


def test_the_reference_price_is_that_of_the_last_trade(desk: Desk) -> None:
    """market.md 6.3."""
    desk.rules(band=1000, reference_price=55)
    desk.trade(60)
    assert desk.buy("b", 1, 67) == ["refused: out of band 67 66 Price"]
    assert desk.buy("b", 1, 66) == ["b new"]


def test_another_reference_price_counts_in_place_of_the_last_trade(desk: Desk) -> None:
    """market.md 6.3: for the band and the halt, until the next trade. The same one, or none, does nothing."""
    desk.rules(band=1000, reference_price=55)
    desk.trade(60)
    for same in 55, 0:
        desk.rules(band=1000, reference_price=same)
        assert desk.buy("b", 1, 67) == ["refused: out of band 67 66 Price"]
    desk.rules(band=1000, dynamic_band=500, reference_price=50)
    assert desk.buy("b", 1, 56) == ["refused: out of band 56 55 Price"]
    desk.sell("s1", 1, 52)
    desk.sell("s2", 1, 55)
    assert desk.buy("b1", 1, 52)[1] == "b1 trades 1 @ 52, 0 left"
    assert desk.buy("b2", 1, 57) == ["b2 new", "BTC-USD is volatility-auction (volatility)"]
    desk.rules(band=1000, reference_price=50)
    assert desk.buy("b3", 1, 58) == ["refused: out of band 58 57 Price"], "it is the same as before"


def test_stops_and_another_reference_price(desk: Desk) -> None:
    """market.md 6.3: those that wait are not touched by it, those that come are measured against it."""
    desk.buy("waits", 1, stop_price=80)
    desk.trade(40)
    desk.rules(reference_price=90)
    assert desk.stops() == ["waits"]
    assert desk.buy("b1", 1, stop_price=85)[:2] == ["b1 new", "b1 triggered"]
    assert desk.buy("b2", 1, stop_price=95) == ["b2 new"]


def test_before_the_first_trade_stops_know_no_reference_price(desk: Desk) -> None:
    """market.md 2.3, 6.3."""
    desk.rules(reference_price=90)
    desk.rules(reference_price=95)
    assert desk.buy("b", 1, stop_price=85) == ["b new"]


def test_without_a_reference_price_there_is_no_band(desk: Desk) -> None:
    """market.md 6.2."""
    desk.rules(band=1000)
    assert desk.buy("b", 1, 1000) == ["b new"]
    assert desk.sell("s", 1, 1)[0] == "s new"


def test_below_the_minimum_is_said_before_out_of_band(desk: Desk) -> None:
    """market.md 6.1, 6.2: of Price, then StopPx."""
    desk.rules(band=1000, reference_price=55, min_price=10)
    assert desk.buy("b", 1, 70, stop_price=9) == ["refused: below minimum 9 10 StopPx"]
    assert desk.buy("b", 1, 71, stop_price=70) == ["refused: out of band 71 60 Price"]


def test_a_market_order_goes_no_further_than_the_collar(desk: Desk) -> None:
    """market.md 6.4: 10 percent of 55 is 5.5, so that 60 is the last tick."""
    desk.rules(collar=1000)
    for price in 55, 60, 61:
        desk.sell(f"s{price}", 1, price)
    assert desk.buy("b", 3)[-1] == "b canceled: no liquidity"
    assert desk.asks() == ["s61 1 @ 61"]
    desk.cancel("s61")
    for price in 55, 50, 49:
        desk.buy(f"b{price}", 1, price)
    desk.sell("s", 3, 0, IMMEDIATE_OR_CANCEL)
    assert desk.bids() == ["b49 1 @ 49"]


@pytest.mark.parametrize(
    ("rules", "limit"),
    [
        ({}, 1000),
        ({"collar": 1000}, 55),
        ({"band": 2000, "reference_price": 50}, 60),
        ({"band": 2000}, 1000),
        ({"collar": 1000, "band": 2000, "reference_price": 50}, 55),
        ({"collar": 200_000}, 1000),
    ],
)
def test_the_limit_of_a_stop_order_to_buy(desk: Desk, rules: dict[str, int], limit: int) -> None:
    """market.md 6.4: in every state, from its StopPx."""
    desk.rules(**rules)
    desk.buy("b1", 1, stop_price=50)
    assert desk.money("ALPHA", "USD")[1] == 2 * limit
    desk.enter("pre-open")
    desk.buy("b2", 1, stop_price=50)
    assert desk.money("ALPHA", "USD")[1] == 4 * limit


def test_the_limit_of_a_stop_order_to_sell(desk: Desk) -> None:
    """market.md 6.4, 2.4: the limit is the one it got when it came."""
    desk.rules(collar=1000)
    desk.sell("s", 3, stop_price=55)
    desk.rules(collar=5000)
    for price in 50, 49:
        desk.buy(f"b{price}", 1, price)
    desk.buy("b54", 1, 54)
    desk.sell("t", 1, 54)
    assert desk.event_of("s")["cum_quantity"] == 1
    assert desk.bids() == ["b49 1 @ 49"]


def test_a_replace_with_another_stop_price_gives_another_limit(desk: Desk) -> None:
    """market.md 6.4, 2.4."""
    desk.rules(collar=1000)
    desk.buy("b1", 1, stop_price=50)
    desk.rules(collar=2000)
    desk.replace("b1", "b2", 2)
    assert desk.money("ALPHA", "USD")[1] == 2 * 2 * 55
    desk.replace("b2", "b3", 2, stop_price=100)
    assert desk.money("ALPHA", "USD")[1] == 2 * 2 * 120


@pytest.mark.parametrize(
    ("rules", "limit"),
    [
        ({}, 1000),
        ({"collar": 1000, "reference_price": 50}, 1000),
        ({"band": 2000, "reference_price": 50}, 60),
    ],
)
def test_the_limit_of_a_market_order_that_waits(desk: Desk, rules: dict[str, int], limit: int) -> None:
    """market.md 6.4: it has no collar."""
    desk.rules(**rules)
    desk.sell("s", 1, 50)
    desk.buy("b1", 1, 0, AT_THE_CLOSE)
    assert desk.money("ALPHA", "USD")[1] == 2 * limit
    desk.enter("opening-auction")
    desk.buy("b2", 1)
    assert desk.money("ALPHA", "USD")[1] == 4 * limit


def test_a_market_order_to_sell_stops_at_the_lowest_price(desk: Desk) -> None:
    """market.md 6.4, 6.6."""
    desk.buy("b1", 1, 9)
    desk.rules(min_price=10)
    assert desk.sell("s", 1) == ["s new", "s canceled: no liquidity"]
    desk.rules()
    assert desk.sell("s", 1)[1] == "s trades 1 @ 9, 0 left"


def test_a_market_order_in_a_band_without_anyone_opposite(desk: Desk) -> None:
    """market.md 6.4: no price opposite at its arrival, so that the band decides; it finds no one."""
    desk.rules(band=2000, collar=1000, reference_price=50)
    assert desk.buy("b", 1) == ["b new", "b canceled: no liquidity"]


def test_an_account_has_only_so_many_open_orders(desk: Desk) -> None:
    """market.md 6.5: of whatever kind, wherever they wait."""
    assert desk.send(LimitAccount(TIME, "ALPHA-1", 3)) == ["AccountLimited"]
    desk.buy("b1", 1, 50)
    desk.buy("b2", 1, stop_price=50)
    desk.buy("b3", 1, 50, AT_THE_CLOSE)
    assert desk.buy("b4", 1, 50) == ["refused: open orders 3 3"]
    assert desk.buy("b4", 1) == ["refused: open orders 3 3"]
    assert desk.replace("b1", "b4", 2) == ["b4 replaces b1: 2 @ 50, 2 left"]
    desk.sell("s", 2, 50)
    assert desk.buy("b5", 1, 50) == ["b5 new"]


def test_an_account_has_a_highest_value_of_one_order(desk: Desk) -> None:
    """market.md 6.5: the market's limit is told first."""
    desk.rules(max_notional=1000)
    desk.send(LimitAccount(TIME, "ALPHA-1", 0, (("EUR", 1), ("USD", 500))))
    assert desk.buy("b", 10, 51) == ["refused: notional 1020 1000 market"]
    assert desk.buy("b", 10, 50) == ["refused: notional 1000 500 account"]
    assert desk.buy("b", 5, 50) == ["b new"]
    assert desk.replace("b", "c", 6) == ["refused: notional 600 500 account"]
    assert desk.sell("s", 10, 51) == ["refused: notional 1020 1000 market"]
    assert desk.sell("s", 10, 50)[0] == "s new"
    desk.send(LimitAccount(TIME, "ALPHA-1", 0, (("EUR", 1),)))
    assert desk.buy("d", 11, 20)[0] == "d new"


def test_a_limit_that_is_lowered_leaves_orders_alone(desk: Desk) -> None:
    """market.md 6.6."""
    desk.buy("b", 10, 50)
    desk.rules(min_price=60, max_notional=10, band=100, reference_price=90)
    desk.send(LimitAccount(TIME, "ALPHA-1", 1, (("USD", 10),)))
    assert desk.bids() == ["b 10 @ 50"]
    desk.rules()
    assert desk.sell("s", 10, 50)[-1] == "b trades 10 @ 50, 0 left"


@pytest.mark.parametrize(
    ("first", "then", "reason"),
    [
        ({"expire_time": 1000}, {}, "past 1000 1000"),
        ({}, {"min_price": 60}, "below minimum 50 60 Price"),
        ({}, {"band": 1, "reference_price": 90}, "out of band 50 90 Price"),
        ({"post_only": "refuse"}, {}, "would take 50 50"),
        ({}, {"max_notional": 10}, "notional 100 10 market"),
        ({}, {}, "insufficient funds 100 99 USD"),
    ],
)
def test_the_first_reason_is_told(desk: Desk, first: Any, then: Any, reason: str) -> None:
    """market.md 6: of all that hold, in the order of engine.refusals; the last is the money."""
    desk.sell("s", 1, 50)
    desk.leave(99)
    desk.rules(**then)
    assert desk.buy("b", 1, 50, **first) == [f"refused: {reason}"]
