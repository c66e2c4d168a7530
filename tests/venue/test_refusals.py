"""What the front end refuses: the right code, a text that names value and limit, nothing journaled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, FOK, IOC, NEW, REPLACED, TRADE, Floor, Member, content, logged_on

NOW = "20260101-00:00:00.000"


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def trader(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[Member]:
    """A member of each version."""
    with logged_on(floor, market, request.param) as (member,):
        yield member


# What is wrong with a buy of 1 at 100, OrdRejReason(103) in FIX.4.4 and in FIX.5.0SP2, Text(58).
# fmt: off
WRONG: list[tuple[dict[str, Any], int, int, str]] = [
    ({"market": "M-1"}, 1, 1, "Symbol M-1 is unknown"),
    ({"market": "m1-usd"}, 1, 1, "Symbol m1-usd is unknown"),
    ({"account": "2"}, 15, 15, "Account {client}-2 is not one of this client"),
    ({"price": "100.001"}, 99, 18, "Price 100.001 is not a multiple of the tick 0.01"),
    ({"price": "0"}, 99, 99, "Price 0 is not a plain number above 0"),
    ({"price": "-100"}, 99, 99, "Price -100 is not a plain number above 0"),
    ({"price": "1000000.01"}, 3, 3, "Price 1000000.01 is above the maximum 1000000.00"),
    ({"price": "9" * 40}, 3, 3, f"Price {'9' * 40} is above the maximum 1000000.00"),
    ({"quantity": "0.00005"}, 13, 13, "OrderQty 0.00005 is not a multiple of the lot 0.0001"),
    ({"quantity": "0"}, 13, 13, "OrderQty 0 is not a plain number above 0"),
    ({"quantity": "-1"}, 13, 13, "OrderQty -1 is not a plain number above 0"),
    ({"quantity": "1000.0001"}, 3, 3, "OrderQty 1000.0001 is above the maximum 1000.0000"),
    ({"quantity": "9" * 40}, 3, 3, f"OrderQty {'9' * 40} is above the maximum 1000.0000"),
    ({"quantity": "9" * 41}, 13, 13, f"OrderQty {'9' * 41} is not a plain number above 0"),
    ({"side": "5"}, 11, 11, "Side 5 is not supported, only 1 (buy) and 2 (sell)"),
    ({"extra": [(110, "2")]}, 13, 13, "MinQty 2 is above OrderQty 1.0000"),
    ({"extra": [(18, "G")]}, 11, 11, "ExecInst G is not supported, only 6 (post-only)"),
    ({"extra": [(99, "99")]}, 11, 11,
     "StopPx 99 on an order that is no stop: OrdType 3 or 4 has it"),
    ({"time_in_force": "6"}, 99, 99, "ExpireTime or ExpireDate is missing"),
    ({"time_in_force": "5"}, 11, 11,
     "TimeInForce 5 is not supported, only 0 (day), 1 (GTC), 2 (at the opening), 3 (IOC), 4 (FOK), "
     "6 (GTD) and 7 (at the close)"),
    ({"account": "POOR"}, 3, 3,
     "Insufficient funds: 100.00000000 USD needed, 99.99000000 USD available"),
]
# fmt: on


@pytest.fixture(scope="module", autouse=True)
def _a_cent_is_spent(floor: Floor) -> None:
    """So that the poor accounts cannot pay 100 USD."""
    for session in ("ALPHA", "CHARLIE"):
        with logged_on(floor, "M99-USD", session) as (member,):
            member.new("cent", BUY, "1", "0.01", "POOR")
            member.told("cent", NEW)


@pytest.mark.parametrize(("changes", "reason_44", "reason_50", "text"), WRONG)
def test_a_new_order_is_refused_in_words(
    floor: Floor, trader: Member, changes: dict[str, Any], reason_44: int, reason_50: int, text: str
) -> None:
    """Feature 3: the journal position does not move, and "an id is spent only when its command is
    journaled": the corrected order has the same ClOrdID."""
    before = floor.status()["journal"]
    order: dict[str, Any] = {"side": BUY, "quantity": "1", "price": "100"} | changes
    right, trader.market = trader.market, order.pop("market", trader.market)
    reason = reason_44 if trader.begin_string == "FIX.4.4" else reason_50
    cl_ord_id = trader.id("a")
    trader.new("a", **order)
    report = trader.expect("8", t11=cl_ord_id, t150="8", t39="8", t103=reason, t37="NONE")
    assert report[58] == text.format(client=trader.client)
    assert (report[151], report[14], report[6], report[38]) == ("0", "0", "0", order["quantity"])
    assert floor.status()["journal"] == before
    if right == trader.market:
        trader.new("a", BUY, "1", "100")
        trader.told("a", NEW)


def test_a_refusal_is_reported_in_full(trader: Member) -> None:
    """What was sent is echoed as it was sent."""
    trader.new("a", SELL, "1.00", "100.001", time_in_force=IOC)
    reason = "99" if trader.begin_string == "FIX.4.4" else "18"
    assert content(trader.told("a", "8")) == {
        11: "a", 150: "8", 39: "8", 103: reason, 1: f"{trader.client}-1", 55: trader.market, 54: SELL,
        38: "1.00", 40: "2", 44: "100.001", 59: IOC, 151: "0", 14: "0", 6: "0",
        58: "Price 100.001 is not a multiple of the tick 0.01",
    }  # fmt: skip


def test_an_order_type_or_price_that_makes_no_sense(trader: Member) -> None:
    """Neither a stop nor a limit without a price nor a price on a market order becomes something else."""
    stop = [(11, trader.id("a")), (1, f"{trader.client}-1"), (55, trader.market), (54, BUY), (38, "1")]
    stop.append((60, NOW))
    for fields, text in (
        ([(40, "3")], "StopPx is missing"),
        ([(40, "4"), (99, "90")], "Price is missing"),
        ([(40, "P")], "OrdType P is not supported, only 1 (market), 2 (limit), 3 (stop) and 4 (stop-limit)"),
        ([(40, "2")], "Price is missing"),
        ([(40, "1"), (44, "100")], "Price 100 on a market order: leave Price out"),
    ):
        trader.send("D", [*stop, *fields])
        trader.told("a", "8", t58=text)


@pytest.mark.parametrize("cl_ord_id", ["a b", "a" * 65, "ä", b"\xff\xfe", "a\tb"])
def test_an_id_that_no_order_may_have(trader: Member, cl_ord_id: str | bytes) -> None:
    """It is echoed byte by byte, so that the client knows what was refused."""
    order = [(11, cl_ord_id), (55, trader.market), (54, BUY), (60, NOW)]
    terms = [(1, f"{trader.client}-1"), (38, "1"), (40, "2"), (44, "100")]
    requests = {"D": [*order, *terms], "F": [(41, "x"), *order], "G": [(41, "x"), *order, *terms]}
    for msg_type, fields in requests.items():
        trader.send(msg_type, fields)
        answer = trader.expect("8" if msg_type == "D" else "9")
        assert answer[58] == "ClOrdID must be 1 to 64 printable ASCII characters without blanks"
        sent = cl_ord_id if isinstance(cl_ord_id, bytes) else cl_ord_id.encode()
        assert answer[11].encode("utf-8", "surrogateescape") == sent


def test_a_request_for_an_unknown_order(floor: Floor, trader: Member) -> None:
    """ "Unknown order on F/G: 35=9 with 102=1"; its id stays free."""
    before = floor.status()["journal"]
    text = f"There is no order with ClOrdID {trader.id('never')}"
    for _ in range(2):
        trader.cancel("c", "never")
        refusal = trader.request_refused("c", "never", 1, t434="1", t37="NONE", t39="8")
        assert content(refusal) == {11: "c", 41: "never", 39: "8", 434: "1", 102: "1", 58: text}
        trader.replace("c", "never", BUY, "1", "100")
        refusal = trader.request_refused("c", "never", 1, t434="2", t37="NONE", t39="8")
        account = {1: f"{trader.client}-1"}
        assert content(refusal) == {11: "c", 41: "never", 39: "8", 434: "2", 102: "1", 58: text} | account
    assert floor.status()["journal"] == before


def test_a_request_that_names_itself(trader: Member) -> None:
    """Neither its own mark nor another's makes an order of it."""
    for _ in range(2):
        trader.cancel("c", "c")
        trader.request_refused("c", "c", 1, t434="1", t37="NONE", t39="8")
        trader.replace("c", "c", BUY, "1", "100")
        trader.request_refused("c", "c", 1, t434="2", t37="NONE", t39="8")
    trader.new("c", BUY, "1", "100")
    order_id = trader.told("c", NEW)[37]
    trader.cancel("c", "c")
    trader.request_refused("c", "c", 6, t37=order_id, t39="0")


def test_a_request_that_comes_too_late(trader: Member) -> None:
    """ "too late: 102=0", with the order's OrderID and how it ended: filled, canceled, never rested."""
    trader.new("filled", SELL, "1", "100")
    orders = {"filled": (trader.told("filled", NEW)[37], "2")}
    trader.new("taker", BUY, "1", "100", time_in_force=FOK)
    orders["taker"] = trader.told("taker", NEW)[37], "2"
    trader.told("taker", TRADE)
    trader.told("filled", TRADE)
    trader.new("killed", BUY, "1", "100", time_in_force=FOK)
    orders["killed"] = trader.told("killed", NEW)[37], "4"
    trader.told("killed", CANCELED)
    trader.new("gone", BUY, "1", "100")
    orders["gone"] = trader.told("gone", NEW)[37], "4"
    trader.replace("gone2", "gone", BUY, "1", "99")
    trader.told("gone2", REPLACED)
    trader.cancel("cancel", "gone2")
    trader.told("cancel", CANCELED)
    orders["gone2"] = orders["cancel"] = orders["gone"]
    for original, (order_id, ord_status) in orders.items():
        late = {"t37": order_id, "t39": ord_status, "t58": "Too late: the order is not live any more"}
        trader.cancel("c", original)
        trader.request_refused("c", original, 0, t434="1", **late)
        trader.replace("c", original, BUY, "2", "100")
        trader.request_refused("c", original, 0, t434="2", **late)


def test_another_clients_order_is_unknown(floor: Floor, market: str) -> None:
    with logged_on(floor, market, "ALPHA", "BRAVO") as (alpha, bravo):
        alpha.new("a", BUY, "1", "100")
        alpha.told("a", NEW)
        bravo.cancel("c", "a")
        bravo.request_refused("c", "a", 1, t37="NONE", t39="8")
        bravo.replace("r", "a", BUY, "2", "100")
        bravo.request_refused("r", "a", 1, t37="NONE", t39="8")
        bravo.send("D", [(11, "z"), (1, "ALPHA-1"), (55, market), (54, BUY), (38, 1), (40, 1), (60, NOW)])
        bravo.expect("8", t150="8", t103=15, t58="Account ALPHA-1 is not one of this client")
        assert alpha.settle() == []


def test_of_two_orders_that_only_one_can_pay_one_passes(floor: Floor, market: str) -> None:
    """Feature 4: sent at once on two sessions, jointly above the balance, again and again."""
    with logged_on(floor, market, "BRAVO", "BRAVO2") as pair:
        for turn in range(20):
            for member in pair:
                member.new(f"{member.comp_id}-{turn}", BUY, "1", "60", "POOR")
            answers = {
                member: member.expect("8", t11=member.id(f"{member.comp_id}-{turn}")) for member in pair
            }
            assert sorted(answer[150] for answer in answers.values()) == [NEW, "8"]
            winner = next(member for member, answer in answers.items() if answer[150] == NEW)
            loser = next(answer for answer in answers.values() if answer[150] == "8")
            assert loser[58] == "Insufficient funds: 60.00000000 USD needed, 40.00000000 USD available"
            winner.cancel(f"cancel-{turn}", f"{winner.comp_id}-{turn}")
            winner.told(f"cancel-{turn}", CANCELED)


def test_what_a_better_price_saves_is_free_at_once(floor: Floor, market: str) -> None:
    """ "Settlement at the maker's price, release of every remainder": to the last smallest unit."""
    with logged_on(floor, market, "BRAVO2", "CHARLIE2") as (poor, rich):
        rich.new("s", SELL, "1", "40")
        rich.told("s", NEW)
        poor.new("b", BUY, "1", "100", "POOR")
        poor.told("b", NEW)
        poor.told("b", TRADE, t31="40.00")
        poor.new("b2", BUY, "1", "60.01", "POOR")
        poor.refused("b2", 3, t58="Insufficient funds: 60.01000000 USD needed, 60.00000000 USD available")
        poor.new("b2", BUY, "1", "60", "POOR")
        poor.told("b2", NEW)
        poor.new("s2", SELL, "2.0001", "200", "POOR")
        poor.refused("s2", 3, t58="Insufficient funds: 2.00010000 BTC needed, 2.00000000 BTC available")
        poor.new("s2", SELL, "2", "200", "POOR")
        poor.told("s2", NEW)
        rich.told("s", TRADE)
