"""Stops, market.md 2."""

from __future__ import annotations

import pytest

from engine import stops
from engine.words import GOOD_TILL_CANCEL
from tests.engine.market.desk import Desk


def test_stops_wait_outside_of_the_book(desk: Desk) -> None:
    """market.md 2.1."""
    assert desk.buy("b1", 1, stop_price=55) == ["b1 new"]
    assert desk.sell("s1", 1, 44, stop_price=45) == ["s1 new"]
    assert desk.bids() == desk.asks() == []
    assert desk.stops() == ["b1", "s1"]
    assert desk.sell("s2", 1) == ["s2 new", "s2 canceled: no liquidity"]


@pytest.mark.parametrize(("price", "touched"), [(49, ["s1"]), (50, ["b1", "s1"]), (51, ["b1"])])
def test_a_stop_is_touched_by_a_trade_at_its_price_or_beyond(
    desk: Desk, price: int, touched: list[str]
) -> None:
    """market.md 2.1."""
    desk.buy("b1", 1, stop_price=50)
    desk.sell("s1", 1, stop_price=50)
    desk.trade(price)
    assert [e["cl_ord_id"] for e in desk.events if e["exec_type"] == "L"] == touched


def test_a_triggered_stop_is_a_market_order(desk: Desk) -> None:
    """market.md 2.4."""
    desk.sell("s1", 1, 50)
    desk.sell("s2", 2, 60)
    desk.buy("b1", 5, stop_price=50)
    assert desk.buy("b2", 1, 50) == [
        "b2 new",
        "b2 trades 1 @ 50, 0 left",
        "s1 trades 1 @ 50, 0 left",
        "b1 triggered",
        "b1 trades 2 @ 60, 3 left",
        "s2 trades 2 @ 60, 0 left",
        "b1 canceled: no liquidity",
    ]
    end = desk.event_of("b1")
    assert (end["ord_type"], end["stop_price"], end["price"]) == ("3", 50, 0)


def test_a_triggered_stop_limit_is_a_limit_order(desk: Desk) -> None:
    """market.md 2.4. It takes the last place when it is triggered, and is not a stop any more."""
    desk.sell("s0", 1, 40, stop_price=50)
    desk.sell("s1", 2, 55, stop_price=50)
    desk.trade(51)
    desk.sell("s2", 1, 55)
    desk.buy("b1", 1, 45)
    assert desk.stops() == ["s0", "s1"]
    desk.trade(50)
    assert [e["exec_type"] for e in desk.events[-4:]] == ["L", "F", "F", "L"]
    assert desk.asks() == ["s2 1 @ 55", "s1 2 @ 55"]
    assert desk.stops() == []
    resting = desk.event_of("s1")
    assert (resting["ord_type"], resting["stop_price"], resting["price"]) == ("4", 50, 55)
    assert (resting["ord_status"], resting["step"]) == ("0", 2)
    assert desk.event_of("s0")["last_price"] == 45


def test_the_trades_of_a_command_touch_once_it_has_been_carried_out(desk: Desk) -> None:
    """market.md 2.2: in the order of places, whatever side and StopPx."""
    for name, price in ("s1", 50), ("s2", 52), ("s3", 54):
        desk.sell(name, 1, price)
    desk.buy("c", 1, stop_price=54)
    desk.sell("d", 1, stop_price=50)
    desk.buy("a", 1, stop_price=51)
    desk.sell("e", 1, stop_price=49)
    assert desk.buy("b", 3, 54)[-6:] == [
        "c triggered",
        "c canceled: no liquidity",
        "d triggered",
        "d canceled: no liquidity",
        "a triggered",
        "a canceled: no liquidity",
    ]
    assert desk.stops() == ["e"]


def test_what_a_triggered_stop_touches_comes_after_what_was_touched_before(desk: Desk) -> None:
    """market.md 2.4."""
    desk.sell("x", 1, 60)
    desk.buy("late", 1, stop_price=60)
    desk.buy("first", 1, stop_price=50)
    desk.buy("second", 1, stop_price=50)
    desk.trade(50)
    triggered = [e["cl_ord_id"] for e in desk.events if e["exec_type"] == "L"]
    assert triggered == ["first", "second", "late"]


def test_a_new_stop_is_measured_against_the_last_trade(desk: Desk) -> None:
    """market.md 2.3."""
    assert desk.buy("b0", 1, stop_price=1) == ["b0 new"], "no trade yet"
    assert desk.sell("s0", 1, stop_price=1000) == ["s0 new"]
    desk.cancel("b0", "x1")
    desk.cancel("s0", "x2")
    desk.trade(50)
    assert desk.buy("b1", 1, stop_price=51) == ["b1 new"]
    assert desk.buy("b2", 1, stop_price=50) == ["b2 new", "b2 triggered", "b2 canceled: no liquidity"]
    assert desk.sell("s1", 1, stop_price=49) == ["s1 new"]
    assert desk.sell("s2", 1, 60, stop_price=50) == ["s2 new", "s2 triggered"]
    assert desk.stops() == ["b1", "s1"]
    assert desk.asks() == ["s2 1 @ 60"]


def test_a_stop_with_another_stop_price_is_measured_anew(desk: Desk) -> None:
    """market.md 2.3."""
    desk.trade(50)
    desk.buy("b1", 1, stop_price=60)
    assert desk.replace("b1", "b2", 1, stop_price=55) == ["b2 replaces b1: 1 @ 0, 1 left"]
    assert desk.replace("b2", "b3", 1, stop_price=50) == [
        "b3 replaces b2: 1 @ 0, 1 left",
        "b3 triggered",
        "b3 canceled: no liquidity",
    ]


def test_a_stop_that_is_touched_stays_so_with_the_same_stop_price(desk: Desk) -> None:
    """market.md 2.3, 2.6."""
    desk.trade(50)
    desk.enter("pre-open")
    for name in "b1", "c1", "d1":
        desk.buy(name, 2, stop_price=50)
    assert desk.touched() == ["b1", "c1", "d1"]
    desk.replace("c1", "c2", 1)
    assert desk.touched() == ["b1", "c2", "d1"]
    desk.replace("b1", "b2", 3)
    assert desk.touched() == ["c2", "d1", "b2"]
    desk.replace("c2", "c3", 1, stop_price=51)
    assert (desk.touched(), desk.stops()) == (["d1", "b2"], ["c3"])
    desk.replace("d1", "d2", 1, stop_price=49)
    assert desk.touched() == ["b2", "d2"]


def test_the_stop_price_of_a_triggered_order_stays(desk: Desk) -> None:
    """market.md 2.3."""
    desk.trade(50)
    desk.sell("s1", 2, 60, stop_price=50)
    assert desk.replace("s1", "s2", 2, stop_price=51) == ["refused: mismatch 51 50 StopPx"]
    assert desk.replace("s1", "s2", 2, 59) == ["s2 replaces s1: 2 @ 59, 2 left"]
    assert desk.asks() == ["s2 2 @ 59"]


def test_one_command_triggers_only_so_many(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """market.md 2.5."""
    monkeypatch.setattr(stops, "MOST", 2)
    for n in range(5):
        desk.buy(f"b{n}", 1, stop_price=50)
    desk.trade(50)
    assert [e["cl_ord_id"] for e in desk.events if e["exec_type"] == "L"] == ["b0", "b1"]
    assert (desk.touched(), desk.stops()) == (["b2", "b3", "b4"], [])
    assert desk.trigger() == [
        "b2 triggered",
        "b2 canceled: no liquidity",
        "b3 triggered",
        "b3 canceled: no liquidity",
    ]
    assert desk.trigger() == ["b4 triggered", "b4 canceled: no liquidity"]
    assert desk.trigger() == []


def test_one_command_triggers_at_most_a_hundred(desk: Desk) -> None:
    """market.md 2.5."""
    for n in range(101):
        desk.buy(f"b{n}", 1, stop_price=50)
    desk.trade(50)
    assert desk.touched() == ["b100"]


@pytest.mark.parametrize("state", ["pre-open", "cancel-only", "halted", "closed"])
def test_no_stop_is_triggered_outside_of_continuous_trading(desk: Desk, state: str) -> None:
    """market.md 2.5, 7.5: what is touched stays so until continuous trading begins."""
    desk.buy("b1", 1, 0, GOOD_TILL_CANCEL, stop_price=60)
    desk.trade(50)
    desk.enter("pre-open")
    desk.buy("b2", 1, 0, GOOD_TILL_CANCEL, stop_price=50)
    desk.enter(state)
    assert desk.trigger() == []
    assert (desk.touched(), desk.stops()) == (["b2"], ["b1"])
    assert desk.enter("continuous")[1:] == ["b2 triggered", "b2 canceled: no liquidity"]


def test_a_stop_has_its_place_from_its_arrival(desk: Desk) -> None:
    """market.md 2.6."""
    for name in "a1", "b1", "c1", "d1":
        desk.buy(name, 2, stop_price=50)
    desk.replace("a1", "a2", 3)
    assert desk.stops() == ["b1", "c1", "d1", "a2"]
    desk.replace("b1", "b2", 1)
    assert desk.stops() == ["b2", "c1", "d1", "a2"]
    desk.replace("c1", "c2", 2, stop_price=51)
    assert desk.stops() == ["b2", "d1", "a2", "c2"]


def test_a_stop_can_be_canceled_and_holds_what_it_may_cost(desk: Desk) -> None:
    """market.md 2.1, 6.4: 10 percent from its StopPx, at 2 USD per tick."""
    desk.rules(collar=1000)
    desk.buy("b", 3, stop_price=55)
    assert desk.money("ALPHA", "USD")[1] == 3 * 60 * 2
    assert desk.cancel("b", "x") == ["x canceled"]
    assert desk.stops() == []
    assert desk.money("ALPHA", "USD")[1] == 0
