"""OrderID(37) on a request: not needed, but one that is there must be the order's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.raw import BUY
from tests.venue.floor import CANCELED, NEW, REPLACED, Floor, Member, logged_on


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def trader(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[Member]:
    """A member of each version."""
    with logged_on(floor, market, request.param) as (member,):
        yield member


def rest(trader: Member, name: str) -> str:
    """Enters an order that rests; returns its OrderID."""
    trader.new(name, BUY, "1", "100")
    return trader.told(name, NEW)[37]


def test_a_request_with_the_right_one_is_carried_out(trader: Member) -> None:
    order_id = rest(trader, "b")
    trader.replace("r", "b", BUY, "2", "100", extra=[(37, order_id)])
    trader.told("r", REPLACED, t37=order_id)
    trader.cancel("c", "r", extra=[(37, order_id)])
    trader.told("c", CANCELED, t37=order_id)


@pytest.mark.parametrize("wrong", ["another", "0", "NONE", "x" * 200, "é", "{order_id}0", "0{order_id}"])
def test_a_request_with_another_one_is_refused(trader: Member, wrong: str) -> None:
    """Neither the order nor the ClOrdID of the request is lost; the text names what was sent and what is
    right, the fields the order as it stands."""
    another, order_id = rest(trader, "a"), rest(trader, "b")
    wrong = another if wrong == "another" else wrong.format(order_id=order_id)
    shown = wrong[:64].encode("unicode_escape").decode()
    text = f"OrderID {shown} is not that of OrigClOrdID {trader.id('b')}, which is {order_id}"
    trader.cancel("r", "b", extra=[(37, wrong)])
    trader.request_refused("r", "b", 1, t37=order_id, t39="0", t434="1", t58=text)
    trader.replace("r", "b", BUY, "2", "100", extra=[(37, wrong)])
    trader.request_refused("r", "b", 1, t37=order_id, t39="0", t434="2", t58=text)
    for name, original in (("r", "b"), ("c", "a")):
        trader.cancel(name, original)
        trader.told(name, CANCELED)


@pytest.mark.parametrize("wrong", ["NO-SUCH", "POOR"])
def test_a_cancel_with_another_account_is_refused(trader: Member, wrong: str) -> None:
    """Also with another one of the client's own; without Account, or with the right one, it is not."""
    trader.new("a", BUY, "1", "100")
    order_id = trader.told("a", NEW)[37]
    account = f"{trader.client}-{wrong}"
    text = f"Account {account} is not the order's, which is {trader.client}-1"
    trader.cancel("c", "a", extra=[(1, account)])
    trader.request_refused("c", "a", 99, t37=order_id, t39="0", t58=text)
    trader.cancel("c", "a", extra=[(1, f"{trader.client}-1")])
    trader.told("c", CANCELED)


def test_it_does_not_find_an_order(trader: Member) -> None:
    """OrigClOrdID does; the right OrderID beside a wrong one changes nothing."""
    order_id = rest(trader, "b")
    trader.cancel("c", "never", extra=[(37, order_id)])
    trader.request_refused("c", "never", 1, t37="NONE", t39="8")
    trader.cancel("c", "b")
    trader.told("c", CANCELED)
