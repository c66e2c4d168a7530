"""Cancel, replace, and the end of the day."""

from __future__ import annotations

import pytest

from engine import refusals
from engine.commands import EndDay
from engine.events import DayEnded, Execution
from engine.refusals import Refusal
from engine.words import (
    BUY,
    CANCELED,
    EXPIRED,
    GOOD_TILL_CANCEL,
    LIMIT,
    NEW,
    PARTIALLY_FILLED,
    REPLACED,
    SELL,
)
from tests.engine.desk import Desk, change, drop, told


def test_a_cancel_ends_the_order_under_the_name_of_the_request() -> None:
    """Feature 52."""
    desk = Desk()
    desk.buy("b", 3, 50)
    desk.sell("s", 1, 50)
    (end,) = desk.cancel("b", "c", by="ALPHA")
    order = (4, "ALPHA", "ALPHA", "ALPHA-1", "BTC-USD", "c", "b", BUY, LIMIT, "0", 3, 50)
    assert end == Execution(8, CANCELED, CANCELED, *order, 1, 0, 50, step=3)
    assert desk.bids() == []
    assert desk.venue.order("ALPHA", "b") is desk.venue.order("ALPHA", "c") is None


@pytest.mark.parametrize("gone", ["s1", "s2", "s3"])
def test_a_cancel_anywhere_in_the_queue_leaves_the_others_in_order(gone: str) -> None:
    """Feature 54: at the front, in the middle, at the back."""
    desk = Desk()
    names = ["s1", "s2", "s3"]
    for name in names:
        desk.sell(name, 1, 50)
    desk.cancel(gone, "c", by="BRAVO")
    desk.sell("s4", 1, 50)
    left = [name for name in [*names, "s4"] if name != gone]
    assert desk.asks() == [f"{name} 1 @ 50" for name in left]
    assert [event.cl_ord_id for event in desk.buy("b", 3, 50) if event.side == SELL] == left


def test_when_the_best_price_is_gone_the_next_is_best() -> None:
    """Feature 54."""
    desk = Desk()
    for price in 50, 51, 52:
        desk.sell(f"s{price}", 1, price)
    desk.cancel("s50", "c1", by="BRAVO")
    desk.cancel("s52", "c2", by="BRAVO")
    assert told(desk.buy("b", 1, 0))[1] == "b trades 1 @ 51, 0 left"


def test_another_session_of_the_client_may_ask_and_is_told() -> None:
    """The report is the owner's; `requester` gets it too."""
    desk = Desk()
    desk.buy("b", 3, 50)
    (replaced,) = desk.replace("b", "b2", 2, 50, by="ALPHA", session="ALPHA2")
    assert (replaced.session, replaced.requester) == ("ALPHA", "ALPHA2")
    (canceled,) = desk.cancel("b2", "c", by="ALPHA", session="ALPHA2")
    assert (canceled.session, canceled.requester) == ("ALPHA", "ALPHA2")


def test_a_decrease_keeps_its_place() -> None:
    """Feature V2."""
    desk = Desk()
    desk.sell("s1", 3, 50)
    desk.sell("s2", 3, 50)
    assert told(desk.replace("s1", "s3", 2, 50, by="BRAVO")) == ["s3 replaces s1: 2 @ 50, 2 left"]
    assert desk.asks() == ["s3 2 @ 50", "s2 3 @ 50"]


@pytest.mark.parametrize(("quantity", "price"), [(4, 50), (3, 51), (2, 51)])
def test_an_increase_or_a_new_price_goes_to_the_back(quantity: int, price: int) -> None:
    """Feature V2: a decrease does not help where the price is new."""
    desk = Desk()
    desk.sell("s1", 3, 50)
    desk.sell("s2", 3, price)
    desk.replace("s1", "s3", quantity, price, by="BRAVO")
    assert desk.asks() == [f"s2 3 @ {price}", f"s3 {quantity} @ {price}"]


def test_a_replace_that_changes_nothing_keeps_its_place() -> None:
    """Feature V2."""
    desk = Desk()
    desk.sell("s1", 3, 50)
    desk.sell("s2", 3, 50)
    desk.replace("s1", "s3", 3, 50, by="BRAVO")
    assert desk.asks() == ["s3 3 @ 50", "s2 3 @ 50"]


def test_fills_carry_over_and_the_quantity_is_the_new_total() -> None:
    """Feature V2: 38 = 14 + 151."""
    desk = Desk()
    desk.buy("b", 5, 50)
    desk.sell("s", 2, 50)
    (event,) = desk.replace("b", "b2", 9, 49, by="ALPHA")
    order = (4, "ALPHA", "ALPHA", "ALPHA-1", "BTC-USD", "b2", "b", BUY, LIMIT, "0", 9, 49)
    assert event == Execution(9, REPLACED, PARTIALLY_FILLED, *order, 2, 7, 100, step=3)
    assert desk.bids() == ["b2 7 @ 49"]
    assert desk.venue.order("ALPHA", "b") is None
    assert desk.venue.order("ALPHA", "b2") is not None


def test_a_replaced_order_may_trade_as_a_taker() -> None:
    """Feature V2: in full, and in part with the rest in the book."""
    desk = Desk()
    desk.sell("s1", 2, 52)
    desk.buy("b", 3, 50)
    assert told(desk.replace("b", "b2", 4, 53, by="ALPHA")) == [
        "b2 replaces b: 4 @ 53, 4 left",
        "b2 trades 2 @ 52, 2 left",
        "s1 trades 2 @ 52, 0 left",
    ]
    assert desk.bids() == ["b2 2 @ 53"]
    desk.sell("s2", 9, 60)
    desk.replace("b2", "b3", 4, 60, by="ALPHA")
    assert desk.bids() == []
    assert desk.venue.order("ALPHA", "b3") is None
    assert desk.money("ALPHA", "USD") == (10_000 - 2 * 2 * 52 - 2 * 2 * 60, 0)


def test_the_status_of_a_replaced_order_tells_of_its_fills() -> None:
    """Feature V2."""
    desk = Desk()
    desk.buy("b", 3, 50)
    assert desk.replace("b", "b2", 4, 50, by="ALPHA")[0].ord_status == NEW
    desk.sell("s", 1, 50)
    assert desk.replace("b2", "b3", 2, 50, by="ALPHA")[0].ord_status == PARTIALLY_FILLED


def test_the_quantity_must_stay_above_what_is_filled() -> None:
    """Feature V2."""
    desk = Desk()
    desk.buy("b", 5, 50)
    desk.sell("s", 2, 50)
    for quantity in 1, 2:
        refusal = Refusal(refusals.NOT_ABOVE_FILLED, quantity, 2)
        assert desk.refusal(change("b", "b2", quantity, 50)) == refusal
    desk.replace("b", "b2", 3, 50, by="ALPHA")
    assert desk.bids() == ["b2 1 @ 50"]


@pytest.mark.parametrize("quantity", [0, 4])
def test_an_order_is_neither_filled_nor_kept_beyond_what_is_left(quantity: int) -> None:
    """Feature 52: 3 lots are left; the book stops at once rather than go on with a wrong number."""
    desk = Desk()
    desk.buy("b", 3, 50)
    order = desk.venue.order("ALPHA", "b")
    assert order is not None
    with pytest.raises(AssertionError):
        order.fill(quantity, 50)
    with pytest.raises(AssertionError):
        desk.venue.markets["BTC-USD"].bids.reduce(order, quantity)
    assert desk.bids() == ["b 3 @ 50"]


def test_day_orders_expire_at_the_end_of_the_day_in_order_of_arrival() -> None:
    """Feature 52: whoever owns them, on whichever side; then the new day begins."""
    desk = Desk()
    assert desk.venue.day == ""
    desk.sell("s1", 1, 60)
    desk.buy("b1", 3, 50)
    desk.buy("b2", 3, 51, GOOD_TILL_CANCEL)
    desk.sell("s2", 2, 51)
    desk.sell("s3", 2, 59)
    *expired, ended = desk.end_day("2026-01-02")
    executions = [event for event in expired if isinstance(event, Execution)]
    text = ": end of the day"
    assert told(executions) == [f"s1 expired{text}", f"b1 expired{text}", f"s3 expired{text}"]
    assert [(e.ord_status, e.leaves_quantity) for e in executions] == [(EXPIRED, 0)] * 3
    assert ended == DayEnded(6, "2026-01-02")
    assert desk.venue.day == "2026-01-02"
    assert desk.bids() == ["b2 1 @ 51"]
    assert desk.asks() == []


def test_days_only_move_on() -> None:
    desk = Desk()
    desk.end_day("2026-01-02")
    for day in "2026-01-01", "2026-01-02":
        with pytest.raises(AssertionError):
            desk.apply(EndDay(6, day))


def test_a_good_till_cancel_order_of_yesterday_can_be_changed_today() -> None:
    """Feature 52."""
    desk = Desk()
    desk.buy("b", 3, 50, GOOD_TILL_CANCEL)
    desk.end_day("2026-01-02")
    desk.replace("b", "b2", 2, 50, by="ALPHA")
    desk.cancel("b2", "c", by="ALPHA")
    assert desk.refusal(drop("b2", "c2")) == Refusal(refusals.UNKNOWN_ORDER, "b2")


def test_the_orders_of_a_session_that_is_gone_are_cancelled_in_order_of_arrival() -> None:
    """Features V5 and 52: in pieces, on both sides; GTC orders and those of others stay."""
    desk = Desk()
    desk.buy("b1", 3, 50)
    desk.buy("b2", 3, 51, GOOD_TILL_CANCEL)
    desk.sell("s1", 1, 60, by="ALPHA")
    desk.buy("b3", 1, 49)
    desk.buy("b4", 1, 51, by="BRAVO")
    text = ": cancel on disconnect: connection lost"
    assert told(desk.cancel_session("ALPHA", most=2)) == [f"b1 canceled{text}", f"s1 canceled{text}"]
    (last,) = desk.cancel_session("ALPHA", most=2)
    assert (last.cl_ord_id, last.orig_cl_ord_id, last.restatement, last.requester) == ("b3", "", "12", "")
    assert desk.cancel_session("ALPHA") == []
    assert desk.bids() == ["b2 3 @ 51", "b4 1 @ 51"]
    assert desk.money("ALPHA", "BTC") == (1000, 0)
    assert told(desk.cancel_session("ALPHA", "13", gtc=True)) == [
        "b2 canceled: cancel on disconnect: logged out"
    ]
    assert desk.money("ALPHA", "USD") == (10_000, 0)
