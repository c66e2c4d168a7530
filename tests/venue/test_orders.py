"""Orders from entry to their end, as clients of both versions see them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.raw import BUY, SELL
from tests.venue.floor import (
    CANCELED,
    DAY,
    FOK,
    FREE,
    GTC,
    IOC,
    NEW,
    TRADE,
    Floor,
    Member,
    content,
    logged_on,
    running,
)

Pair = tuple[Member, Member]


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def pair(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[Pair]:
    """A member of each version, and BRAVO on the other side."""
    with logged_on(floor, market, request.param, "BRAVO") as (trader, bravo):
        yield trader, bravo


def test_a_resting_order_is_reported_in_full(pair: Pair) -> None:
    """ "ExecutionReports with the full standard content for each event"; 59 is DAY where it was left out."""
    trader, _ = pair
    for name, sent, said in (("a", None, DAY), ("b", DAY, DAY), ("c", GTC, GTC)):
        trader.new(name, BUY, "2", "100", time_in_force=sent)
        assert content(trader.told(name, NEW)) == {
            11: name, 150: NEW, 39: "0", 1: f"{trader.client}-1", 55: trader.market, 54: BUY, 38: "2.0000",
            40: "2", 44: "100.00", 59: said, 151: "2.0000", 14: "0.0000", 6: "0",
        }  # fmt: skip


def test_a_fill_is_reported_in_full_to_both_sides(pair: Pair) -> None:
    """A trade is at the maker's price; TrdMatchID(880), where the version has it, joins its two sides."""
    trader, bravo = pair
    bravo.new("s", SELL, "1", "99.50")
    bravo.told("s", NEW)
    trader.new("b", BUY, "3", "100")
    trader.told("b", NEW)
    bought, sold = trader.told("b", TRADE), bravo.told("s", TRADE)
    common = {150: TRADE, 40: "2", 59: DAY, 32: "1.0000", 31: "99.50", 14: "1.0000", 6: "99.50"}
    assert content(bought) == common | {
        11: "b", 39: "1", 1: f"{trader.client}-1", 55: trader.market, 54: BUY, 38: "3.0000", 44: "100.00",
        151: "2.0000",
    }  # fmt: skip
    assert content(sold) == common | {
        11: "s", 39: "2", 1: "BRAVO-1", 55: trader.market, 54: SELL, 38: "1.0000", 44: "99.50",
        151: "0.0000",
    }  # fmt: skip
    assert (880 in bought) == (trader.begin_string == "FIXT.1.1")
    assert 880 not in sold


def test_both_sides_of_a_trade_have_its_number(floor: Floor, market: str) -> None:
    with logged_on(floor, market, "CHARLIE", "CHARLIE2") as (one, two):
        one.new("s", SELL, "1", "100")
        one.told("s", NEW)
        seen = set()
        for name in ("b1", "b2"):
            two.new(name, BUY, "0.5", "100")
            two.told(name, NEW)
            number = two.told(name, TRADE)[880]
            one.told("s", TRADE, t880=number)
            seen.add(number)
        assert len(seen) == 2


def test_several_fills_have_their_average(pair: Pair) -> None:
    """AvgPx(6) over all fills so far, OrderID(37) constant, ExecID(17) unique: see also check_reports."""
    trader, bravo = pair
    for name, quantity, price in (("s1", "1", "100"), ("s2", "2", "100.01"), ("s3", "4", "100.02")):
        bravo.new(name, SELL, quantity, price)
        bravo.told(name, NEW)
    trader.new("b", BUY, "5", "100.02")
    order_id = trader.told("b", NEW)[37]
    fills = [trader.told("b", TRADE, t37=order_id) for _ in range(3)]
    assert [(fill[32], fill[31], fill[151]) for fill in fills] == [
        ("1.0000", "100.00", "4.0000"), ("2.0000", "100.01", "2.0000"), ("2.0000", "100.02", "0.0000"),
    ]  # fmt: skip
    assert [fill[39] for fill in fills] == ["1", "1", "2"]
    assert [float(fill[6]) for fill in fills] == pytest.approx([100, 100.006667, 100.012])
    assert [bravo.told(name, TRADE)[39] for name in ("s1", "s2", "s3")] == ["2", "2", "1"]


def test_price_comes_before_time_and_time_before_size(pair: Pair) -> None:
    """Feature 54: the best price first, at one price the earliest."""
    trader, bravo = pair
    for name, quantity, price in (("late", "1", "101"), ("first", "1", "100"), ("second", "9", "100")):
        trader.new(name, SELL, quantity, price)
        trader.told(name, NEW)
    bravo.new("b", BUY, "10.5", "101", time_in_force=IOC)
    bravo.told("b", NEW)
    makers = [trader.told(name, TRADE) for name in ("first", "second", "late")]
    assert [maker[151] for maker in makers] == ["0.0000", "0.0000", "0.5000"]
    assert [bravo.told("b", TRADE)[31] for _ in makers] == ["100.00", "100.00", "101.00"]


def test_orders_that_do_not_cross_rest(pair: Pair) -> None:
    trader, bravo = pair
    trader.new("b", BUY, "1", "99.99")
    trader.told("b", NEW)
    bravo.new("s", SELL, "1", "100")
    bravo.told("s", NEW)
    assert trader.settle() == bravo.settle() == []


def test_ioc_fills_what_is_there_and_ends(pair: Pair) -> None:
    trader, bravo = pair
    bravo.new("s", SELL, "1", "100")
    bravo.told("s", NEW)
    trader.new("b", BUY, "3", "100", time_in_force=IOC)
    trader.told("b", NEW, t151="3.0000")
    trader.told("b", TRADE, t151="2.0000", t39="1")
    assert content(trader.told("b", CANCELED)) == {
        11: "b", 150: CANCELED, 39: "4", 1: f"{trader.client}-1", 55: trader.market, 54: BUY, 38: "3.0000",
        40: "2", 44: "100.00", 59: IOC, 151: "0.0000", 14: "1.0000", 6: "100.00", 58: "no liquidity",
    }  # fmt: skip
    bravo.told("s", TRADE, t39="2")
    bravo.new("s2", SELL, "1", "100", time_in_force=IOC)
    bravo.told("s2", NEW)
    bravo.told("s2", CANCELED, t14="0.0000", t39="4")  # the rest of the buy is not in the book


def test_fok_fills_whole_or_not_at_all(pair: Pair) -> None:
    trader, bravo = pair
    for name, price in (("s1", "100"), ("s2", "101")):
        bravo.new(name, SELL, "1", price)
        bravo.told(name, NEW)
    for name, quantity, price in (("more", "2.0001", "101"), ("cheaper", "2", "100.99")):
        trader.new(name, BUY, quantity, price, time_in_force=FOK)
        trader.told(name, NEW)
        trader.told(name, CANCELED, t39="4", t14="0.0000", t151="0.0000", t59=FOK)
    assert bravo.settle() == []
    trader.new("whole", BUY, "2", "101", time_in_force=FOK)
    trader.told("whole", NEW)
    trader.told("whole", TRADE, t39="1", t31="100.00")
    trader.told("whole", TRADE, t39="2", t31="101.00")
    assert [bravo.told(name, TRADE)[39] for name in ("s1", "s2")] == ["2", "2"]


def test_a_market_order_takes_every_price_and_never_rests(pair: Pair) -> None:
    trader, bravo = pair
    for name, price in (("s1", "100"), ("s2", "900000")):
        bravo.new(name, SELL, "1", price)
        bravo.told(name, NEW)
    trader.new("b", BUY, "2.5")
    trader.told("b", NEW, t40="1", t44=None)
    trader.told("b", TRADE, t31="100.00", t44=None)
    trader.told("b", TRADE, t31="900000.00", t6="450050.00")
    trader.told("b", CANCELED, t39="4", t14="2.0000", t151="0.0000", t44=None)
    assert [bravo.told(name, TRADE)[39] for name in ("s1", "s2")] == ["2", "2"]
    trader.new("nobody", SELL, "1")
    trader.told("nobody", NEW)
    trader.told("nobody", CANCELED, t39="4", t14="0.0000", t58="no liquidity")


def test_a_cancel_is_reported_in_full(pair: Pair) -> None:
    """41 names the order as it was, 11 the request; what was filled stays filled."""
    trader, bravo = pair
    trader.new("b", BUY, "3", "100")
    order_id = trader.told("b", NEW)[37]
    bravo.new("s", SELL, "1", "100", time_in_force=IOC)
    trader.told("b", TRADE, t37=order_id)
    trader.cancel("c", "b")
    assert content(trader.told("c", CANCELED, t37=order_id)) == {
        11: "c", 41: "b", 150: CANCELED, 39: "4", 1: f"{trader.client}-1", 55: trader.market, 54: BUY,
        38: "3.0000", 40: "2", 44: "100.00", 59: DAY, 151: "0.0000", 14: "1.0000", 6: "100.00",
    }  # fmt: skip
    bravo.settle()
    bravo.new("s2", SELL, "1", "100", time_in_force=IOC)
    bravo.told("s2", NEW)
    bravo.told("s2", CANCELED, t14="0.0000")


def test_a_member_trades_with_its_own_firm(pair: Pair) -> None:
    """Nothing prevents it here: both sides are reported, each under its own order."""
    trader, _ = pair
    trader.new("s", SELL, "1", "100")
    trader.told("s", NEW)
    trader.new("b", BUY, "1", "100")
    trader.told("b", NEW)
    trader.told("b", TRADE, t39="2")
    trader.told("s", TRADE, t39="2")


def test_45_a_session_is_told_both_words_if_it_wants(tmp_path: Path) -> None:
    """nodes.md 3.1: pending, then new, also where the market is here."""
    session = {"client": "ALPHA", "begin_string": "FIX.4.4", "pending_new": "yes"} | FREE
    with running(tmp_path, sessions={"ALPHA": session}) as venue:
        both, one = Member(venue, "M1-USD", "ALPHA"), Member(venue, "M1-USD", "ALPHA2")
        for member in both, one:
            member.logon(reset=True)
        both.new("a", BUY, "1", "100")
        pending = both.told("a", "A", t39="A", t151="1.0000", t14="0.0000")
        new = both.told("a", NEW, t39="0")
        assert (pending[37], pending[17]) == (new[37], f"{new[17]}A")
        one.new("b", BUY, "1", "100")
        one.told("b", NEW)
