"""Replace, market.md 4."""

from __future__ import annotations

from engine.words import AT_THE_CLOSE, GOOD_TILL_CANCEL, GOOD_TILL_DATE, REFUSE, SLIDE
from tests.engine.market.desk import Desk


def test_a_replace_has_all_that_is_new(desk: Desk) -> None:
    """market.md 4.1."""
    desk.buy("b1", 10, 50, GOOD_TILL_DATE, display=3, expire_time=5000)
    desk.replace("b1", "b2", 12, 49, display=0, expire_time=0, expire_day="2026-01-02")
    now = desk.event_of("b2")
    assert (now["quantity"], now["price"], now["display"]) == (12, 49, 0)
    assert (now["expire_time"], now["expire_day"]) == (0, "2026-01-02")
    assert (now["orig_cl_ord_id"], now["step"], now["exec_type"]) == ("b1", 2, "5")
    assert desk.bids() == ["b2 12 @ 49"]


def test_what_must_be_the_orders_own(desk: Desk) -> None:
    """market.md 4.1."""
    desk.buy("b1", 10, 50)
    before = desk.bids()
    assert desk.replace("b1", "b2", 9, side="2") == ["refused: mismatch 2 1 Side"]
    assert desk.replace("b1", "b2", 9, ord_type="1") == ["refused: mismatch 1 2 OrdType"]
    assert desk.replace("b1", "b2", 9, account="BRAVO-1") == ["refused: mismatch BRAVO-1 ALPHA-1 Account"]
    assert desk.replace("b1", "b2", 9, time_in_force="1") == ["refused: mismatch 1 0 TimeInForce"]
    assert desk.replace("b1", "b1", 9) == ["refused: duplicate ClOrdID b1"]
    assert desk.bids() == before


def test_an_order_has_an_expiry_or_none(desk: Desk) -> None:
    """market.md 4.1: a GTD order would live for ever without one."""
    desk.buy("g1", 10, 50, GOOD_TILL_DATE, expire_time=5000)
    desk.buy("b1", 10, 50, GOOD_TILL_CANCEL)
    none = {"expire_time": 0, "expire_day": ""}
    assert desk.replace("g1", "g2", 9, **none) == ["refused: no expiry"]
    assert desk.replace("g1", "g2", 9, time_in_force="6", **none) == ["refused: no expiry"]
    assert desk.replace("b1", "b2", 9, expire_time=5000) == ["refused: mismatch 6 1 TimeInForce"]
    assert desk.replace("b1", "b2", 9, expire_day="2026-01-02") == ["refused: mismatch 6 1 TimeInForce"]
    assert desk.bids() == ["g1 10 @ 50", "b1 10 @ 50"]
    assert desk.replace("g1", "g2", 9)[0].startswith("g2 replaces g1")


def test_it_is_refused_as_a_new_order_would_be(desk: Desk) -> None:
    """market.md 4.1."""
    desk.buy("b1", 10, 50)
    desk.buy("c1", 10, stop_price=70)
    desk.rules(min_price=40, max_notional=1200, reference_price=50, band=4000)
    before = desk.bids(), desk.stops(), desk.money("ALPHA", "USD")
    assert desk.replace("b1", "b2", 10, 39) == ["refused: below minimum 39 40 Price"]
    assert desk.replace("b1", "b2", 10, 71) == ["refused: out of band 71 70 Price"]
    assert desk.replace("c1", "c2", 10, stop_price=39) == ["refused: below minimum 39 40 StopPx"]
    assert desk.replace("c1", "c2", 10, stop_price=71) == ["refused: out of band 71 70 StopPx"]
    assert desk.replace("b1", "b2", 13, 50) == ["refused: notional 1300 1200 market"]
    assert desk.enter("cancel-only") == ["BTC-USD is cancel-only"]
    assert desk.replace("b1", "b2", 9, 50) == ["refused: state replaces cancel-only"]
    assert (desk.bids(), desk.stops(), desk.money("ALPHA", "USD")) == before


def test_min_qty_is_for_the_entry(desk: Desk) -> None:
    """market.md 4.1."""
    desk.sell("s1", 3, 50)
    desk.buy("b1", 10, 50, min_quantity=3)
    desk.sell("s2", 1, 51)
    assert desk.replace("b1", "b2", 10, 51) == [
        "b2 replaces b1: 10 @ 51, 7 left",
        "b2 trades 1 @ 51, 6 left",
        "s2 trades 1 @ 51, 0 left",
    ]
    assert desk.event_of("b2")["min_quantity"] == 3


def test_what_keeps_the_place(desk: Desk) -> None:
    """market.md 4.2."""
    desk.buy("a1", 5, 50, GOOD_TILL_DATE, expire_time=5000)
    desk.buy("b1", 5, 50)
    desk.replace("a1", "a2", 5)
    desk.replace("a2", "a3", 4)
    desk.replace("a3", "a4", 4, expire_time=6000)
    desk.replace("a4", "a5", 4, expire_time=0, expire_day="2030-01-01")
    assert desk.bids() == ["a5 4 @ 50", "b1 5 @ 50"]


def test_what_loses_the_place(desk: Desk) -> None:
    """market.md 4.2."""
    desk.buy("a1", 5, 50)
    desk.buy("b1", 5, 50)
    desk.replace("a1", "a2", 6)
    assert desk.bids() == ["b1 5 @ 50", "a2 6 @ 50"]
    desk.replace("b1", "b2", 5, display=2)
    assert desk.bids() == ["a2 6 @ 50", "b2 2 of 5 @ 50"]
    desk.replace("a2", "a3", 6, 49)
    assert desk.bids() == ["b2 2 of 5 @ 50", "a3 6 @ 49"]


def test_what_loses_its_place_trades_as_if_it_came_now(desk: Desk) -> None:
    """market.md 4.2. In a call phase it only takes the last place."""
    desk.buy("b1", 5, 50)
    desk.sell("s1", 2, 52)
    assert desk.replace("b1", "b2", 5, 52) == [
        "b2 replaces b1: 5 @ 52, 5 left",
        "b2 trades 2 @ 52, 3 left",
        "s1 trades 2 @ 52, 0 left",
    ]
    assert desk.bids() == ["b2 3 @ 52"]
    desk.enter("pre-open")
    desk.sell("s2", 2, 53)
    assert desk.replace("b2", "b3", 5, 53) == ["b3 replaces b2: 5 @ 53, 3 left"]
    assert (desk.bids(), desk.asks()) == (["b3 3 @ 53"], ["s2 2 @ 53"])


def test_an_order_outside_of_the_book_does_not_trade(desk: Desk) -> None:
    """market.md 4.2."""
    desk.sell("s", 9, 50)
    desk.buy("b1", 1, 50, stop_price=60)
    desk.buy("c1", 1, 50, AT_THE_CLOSE)
    assert desk.replace("b1", "b2", 2, 55) == ["b2 replaces b1: 2 @ 55, 2 left"]
    assert desk.replace("c1", "c2", 2, 55) == ["c2 replaces c1: 2 @ 55, 2 left"]
    assert (desk.stops(), desk.parked(), desk.bids()) == (["b2"], ["c2"], [])
    assert desk.money("ALPHA", "USD")[1] == 2 * (2 * 55 + 2 * 55)


def test_what_is_filled_stays_filled(desk: Desk) -> None:
    """market.md 4.3."""
    desk.buy("b1", 5, 50)
    desk.sell("s1", 3, 50)
    assert desk.replace("b1", "b2", 3) == ["refused: not above filled 3 3"]
    assert desk.replace("b1", "b2", 2) == ["refused: not above filled 2 3"]
    assert desk.replace("b1", "b2", 4) == ["b2 replaces b1: 4 @ 50, 1 left"]
    now = desk.event_of("b2")
    assert (now["ord_status"], now["cum_quantity"], now["leaves_quantity"]) == ("1", 3, 1)
    assert desk.money("ALPHA", "USD")[1] == 100


def test_what_an_iceberg_shows_after_a_replace(desk: Desk) -> None:
    """market.md 4.4."""
    desk.buy("i1", 10, 50, display=4)
    desk.buy("b", 1, 50)
    desk.sell("s", 3, 50)
    assert desk.bids() == ["i1 1 of 7 @ 50", "b 1 @ 50"]
    desk.replace("i1", "i2", 8)
    assert desk.bids() == ["i2 1 of 5 @ 50", "b 1 @ 50"], "its place, and what was shown"
    desk.replace("i2", "i3", 9)
    assert desk.bids() == ["b 1 @ 50", "i3 4 of 6 @ 50"], "the last place, and a new part"
    desk.replace("i3", "i4", 5)
    assert desk.bids() == ["b 1 @ 50", "i4 2 @ 50"]


def test_a_post_only_order_must_not_take_by_a_replace_either(desk: Desk) -> None:
    """market.md 4.5."""
    desk.sell("s", 1, 50)
    desk.buy("b1", 1, 48, post_only=REFUSE)
    assert desk.replace("b1", "b2", 1, 50) == ["refused: would take 50 50"]
    assert desk.bids() == ["b1 1 @ 48"]
    desk.buy("c1", 1, 48, post_only=SLIDE)
    assert desk.replace("c1", "c2", 1, 55) == ["c2 replaces c1: 1 @ 49, 1 left"]
    assert desk.bids() == ["c2 1 @ 49", "b1 1 @ 48"]


def test_a_price_that_slides_to_where_the_order_is_keeps_its_place(desk: Desk) -> None:
    """market.md 4.2, 4.5."""
    desk.sell("s", 1, 50)
    desk.buy("a1", 2, 55, post_only=SLIDE)
    desk.buy("b1", 1, 49)
    assert desk.replace("a1", "a2", 2, 55) == ["a2 replaces a1: 2 @ 49, 2 left"]
    assert desk.bids() == ["a2 2 @ 49", "b1 1 @ 49"]


def test_chains_of_replaces_and_fills_in_flight(desk: Desk) -> None:
    """market.md 4.3, 11.2: each answer names the one before, and what was filled meanwhile counts."""
    desk.buy("b1", 5, 50, GOOD_TILL_CANCEL)
    desk.replace("b1", "b2", 6)
    desk.sell("s1", 2, 50)
    desk.replace("b2", "b3", 7, 51)
    desk.sell("s2", 1, 51)
    desk.replace("b3", "b4", 4)
    own = [e for e in desk.log if e["event"] == "Execution" and e["client"] == "ALPHA"]
    assert [e["step"] for e in own] == [1, 2, 3, 4, 5, 6]
    assert [e["orig_cl_ord_id"] for e in own] == ["", "b1", "", "b2", "", "b3"]
    assert (own[-1]["cum_quantity"], own[-1]["leaves_quantity"]) == (3, 1)
    assert own[-1]["notional"] == 151
