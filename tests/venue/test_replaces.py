"""OrderCancelReplaceRequest: "decrease keeps priority; increase or new price loses it; fills carry over"."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, pairwise
from typing import Any

import pytest

from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, GTC, IOC, NEW, REPLACED, TRADE, Floor, Member, content, logged_on

Pair = tuple[Member, Member]
_hits = count()


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def pair(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[Pair]:
    """A member of each version, and BRAVO on the other side."""
    with logged_on(floor, market, request.param, "BRAVO") as (trader, bravo):
        yield trader, bravo


def rest(member: Member, name: str, quantity: str, price: str, side: str = BUY) -> str:
    """Enters an order that rests; returns its OrderID."""
    member.new(name, side, quantity, price)
    return member.told(name, NEW)[37]


def hit(bravo: Member, quantity: str, price: str) -> None:
    """BRAVO sells to whoever is first in the book."""
    name = f"hit{next(_hits)}"
    bravo.new(name, SELL, quantity, price, time_in_force=IOC)
    bravo.told(name, NEW)
    bravo.told(name, TRADE)


def test_a_replace_is_reported_in_full(pair: Pair) -> None:
    """41 names the order as it was, 11 as it is now; OrderID(37) stays."""
    trader, _ = pair
    order_id = rest(trader, "b", "2", "100")
    trader.replace("r", "b", BUY, "3", "100.5")
    assert content(trader.told("r", REPLACED, t37=order_id)) == {
        11: "r", 41: "b", 150: REPLACED, 39: "0", 1: f"{trader.client}-1", 55: trader.market, 54: BUY,
        38: "3.0000", 40: "2", 44: "100.50", 59: "0", 151: "3.0000", 14: "0.0000", 6: "0",
    }  # fmt: skip


def test_fills_carry_over(pair: Pair) -> None:
    """Feature V2: 38 = 14 + 151 while live; AvgPx(6) goes on over all fills."""
    trader, bravo = pair
    order_id = rest(trader, "b", "3", "100")
    hit(bravo, "1", "100")
    trader.told("b", TRADE)
    trader.replace("r", "b", BUY, "5", "102")
    assert content(trader.told("r", REPLACED, t37=order_id)) == {
        11: "r", 41: "b", 150: REPLACED, 39: "1", 1: f"{trader.client}-1", 55: trader.market, 54: BUY,
        38: "5.0000", 40: "2", 44: "102.00", 59: "0", 151: "4.0000", 14: "1.0000", 6: "100.00",
    }  # fmt: skip
    hit(bravo, "4", "102")
    trader.told("r", TRADE, t37=order_id, t39="2", t14="5.0000", t151="0.0000", t6="101.60")


@pytest.mark.parametrize("quantity", ["1", "2"])
def test_a_decrease_keeps_priority(pair: Pair, quantity: str) -> None:
    """Feature V2; the same quantity again does, too."""
    trader, bravo = pair
    rest(trader, "first", "2", "100")
    rest(trader, "second", "2", "100")
    trader.replace("less", "first", BUY, quantity, "100")
    trader.told("less", REPLACED, t151=f"{quantity}.0000")
    hit(bravo, "0.5", "100")
    trader.told("less", TRADE)


@pytest.mark.parametrize(("quantity", "price"), [("2.0001", "100"), ("1", "99.99")])
def test_an_increase_or_another_price_loses_priority(pair: Pair, quantity: str, price: str) -> None:
    """Feature V2: also less at another price, and an increase taken back at once."""
    trader, bravo = pair
    rest(trader, "first", "2", "100")
    rest(trader, "second", "2", "100")
    trader.replace("r", "first", BUY, quantity, price)
    trader.told("r", REPLACED)
    trader.replace("back", "r", BUY, "2", "100")
    trader.told("back", REPLACED)
    hit(bravo, "0.5", "100")
    trader.told("second", TRADE)


def test_a_replace_may_trade_at_once(pair: Pair) -> None:
    """At the price of those who were there before, and its rest stays in the book."""
    trader, bravo = pair
    bravo.new("s", SELL, "1", "101")
    bravo.told("s", NEW)
    rest(trader, "b", "3", "100")
    trader.replace("r", "b", BUY, "3", "105")
    trader.told("r", REPLACED, t151="3.0000", t39="0")
    trader.told("r", TRADE, t31="101.00", t151="2.0000", t39="1")
    bravo.told("s", TRADE, t39="2")
    hit(bravo, "2", "105")
    trader.told("r", TRADE, t31="105.00", t39="2")


def test_an_order_is_known_by_its_latest_id_only(pair: Pair) -> None:
    """A chain of replaces: each names the one before; the old ids are too late, with the order's own 37."""
    trader, _ = pair
    order_id = rest(trader, "b", "1", "100")
    names = ["b", "r1", "r2", "r3"]
    for old, new in pairwise(names):
        trader.replace(new, old, BUY, "1", "100")
        trader.told(new, REPLACED, t41=trader.id(old), t37=order_id)
    for number, old in enumerate(names[:-1]):
        trader.replace(f"x{number}", old, BUY, "1", "100")
        why = f"Too late: the order has a newer ClOrdID than {trader.id(old)}"
        trader.request_refused(f"x{number}", old, 0, t39="0", t434="2", t37=order_id, t58=why)
        trader.cancel(f"x{number}", old)
        trader.request_refused(f"x{number}", old, 0, t39="0", t434="1", t37=order_id, t58=why)
    trader.cancel("c", "r3")
    trader.told("c", CANCELED, t41=trader.id("r3"), t37=order_id)


def test_a_replace_must_leave_something_open(pair: Pair) -> None:
    """The new quantity is the total: it must be above what is filled already."""
    trader, bravo = pair
    order_id = rest(trader, "b", "3", "100")
    hit(bravo, "1.5", "100")
    trader.told("b", TRADE)
    for quantity in ("1", "1.5"):
        trader.replace("r", "b", BUY, quantity, "100")
        text = f"OrderQty {float(quantity):.4f} is not above the 1.5000 already filled"
        trader.request_refused("r", "b", 99, t37=order_id, t39="1", t434="2", t58=text)
    trader.replace("r", "b", BUY, "1.5001", "100")
    trader.told("r", REPLACED, t151="0.0001", t39="1")


def test_a_replace_must_describe_the_order(pair: Pair) -> None:
    """What cannot change must be as it was, TimeInForce if it is there; each is named, none ignored."""
    trader, _ = pair
    trader.new("b", BUY, "2", "100", time_in_force=GTC)
    order_id = trader.told("b", NEW)[37]
    client = trader.client
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"extra": [(59, "0")]}, "TimeInForce 0 is not the order's, which is 1"),
        ({"account": f"{client}-POOR"}, f"Account {client}-POOR is not the order's, which is {client}-1"),
        ({"symbol": "M99-USD"}, f"Symbol M99-USD is not the order's, which is {trader.market}"),
        ({"side": SELL}, "Side 2 is not the order's, which is 1"),
        ({"price": None}, "OrdType 1 is not the order's, which is 2"),
        ({"price": "100.005"}, "Price 100.005 is not a multiple of the tick 0.01"),
        ({"quantity": "1000.0001"}, "OrderQty 1000.0001 is above the maximum 1000.0000"),
    ]
    for changes, text in wrong:
        request: dict[str, Any] = {"side": BUY, "quantity": "2", "price": "101"} | changes
        trader.replace("r", "b", **request)
        refusal = trader.expect("9", t11=trader.id("r"), t41=trader.id("b"), t58=text)
        assert (refusal[37], refusal[39], refusal[434]) == (order_id, "0", "2")
    trader.replace("r", "b", BUY, "2", "101", extra=[(59, GTC)])
    trader.told("r", REPLACED, t59=GTC)


def test_a_replace_needs_money_for_what_it_adds_only(pair: Pair) -> None:
    """ "Exact reservation": 100 USD in all, to the last smallest unit."""
    trader, _ = pair
    account = f"{trader.client}-POOR"
    trader.new("b", BUY, "1", "90", "POOR")
    trader.told("b", NEW)
    trader.replace("r", "b", BUY, "1", "100.01", account=account)
    text = "Insufficient funds: 10.01000000 USD needed, 10.00000000 USD available"
    trader.request_refused("r", "b", 99, t58=text)
    trader.replace("r", "b", BUY, "1", "100", account=account)
    trader.told("r", REPLACED)
    trader.new("b2", BUY, "0.0001", "0.01", "POOR")
    trader.refused("b2", 3, t58="Insufficient funds: 0.00000100 USD needed, 0.00000000 USD available")
    trader.replace("r2", "r", BUY, "0.9", "100", account=account)
    trader.told("r2", REPLACED)
    trader.new("b2", BUY, "1", "10", "POOR")
    trader.told("b2", NEW)
    for name, original in (("c", "r2"), ("c2", "b2")):
        trader.cancel(name, original)
        trader.told(name, CANCELED)


def test_a_replace_from_another_session_is_told_to_both(floor: Floor, market: str) -> None:
    """The report is the same, but for the session it goes to; fills go to the order's own session."""
    with logged_on(floor, market, "ALPHA", "ALPHA2", "BRAVO") as (owner, other, bravo):
        rest(owner, "b", "2", "100")
        other.replace("r", "b", BUY, "1", "100")
        assert content(owner.told("r", REPLACED)) == content(other.told("r", REPLACED))
        hit(bravo, "1", "100")
        owner.told("r", TRADE)
        assert other.settle() == []
