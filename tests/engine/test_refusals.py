"""Every reason not to take a command, and the order in which they are looked for."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine import refusals
from engine.commands import CancelOrder, Command, ListInstrument, NewOrder, OpenAccount, ReplaceOrder
from engine.refusals import Refusal
from engine.venue import Venue
from engine.words import BUY, DAY, FILL_OR_KILL, GOOD_TILL_CANCEL, IMMEDIATE_OR_CANCEL, MARKET, SELL
from tests.engine.desk import BTC_USD, Desk, change, drop, new


def test_an_unknown_symbol_or_account_or_one_of_another_client() -> None:
    desk = Desk()
    order = new("b", BUY, 1, 50)
    assert desk.refusal(replace(order, symbol="XRP")) == Refusal(refusals.UNKNOWN_SYMBOL, "XRP")
    foreign, absent = Refusal(refusals.UNKNOWN_ACCOUNT, "BRAVO-1"), Refusal(refusals.NOT_RESIDENT, "NOBODY")
    assert desk.refusal(replace(order, account="BRAVO-1")) == foreign
    assert desk.refusal(replace(order, account="NOBODY")) == absent


def test_one_id_a_thousand_times_is_one_order() -> None:
    """Feature 50: while the order lives its ClOrdID is taken, for D, F and G alike."""
    desk = Desk()
    order = new("b", BUY, 1, 50, GOOD_TILL_CANCEL)
    desk.apply(order)
    refusal = Refusal(refusals.DUPLICATE, "b")
    for _ in range(999):
        assert desk.refusal(order) == refusal
    desk.end_day("2026-01-02")
    assert desk.refusal(order) == refusal
    assert desk.refusal(change("b", "b", 2, 50)) == refusal
    assert desk.refusal(drop("b", "b")) == refusal
    assert desk.bids() == ["b 1 @ 50"]


def test_an_id_is_the_clients_own() -> None:
    """Features 10 and 50: another client may use it, and its owner again once no live order has it."""
    desk = Desk()
    desk.buy("b", 1, 50)
    desk.buy("b", 1, 50, by="BRAVO")
    desk.replace("b", "b2", 2, 50, by="ALPHA")
    desk.buy("b", 1, 50)
    assert desk.bids() == ["b 1 @ 50", "b2 2 @ 50", "b 1 @ 50"]


def test_there_must_be_such_an_order_of_this_client() -> None:
    """An order that is filled, or renamed, or another client's, is unknown."""
    desk = Desk()
    desk.buy("b1", 1, 50)
    desk.sell("s", 1, 50)
    desk.buy("b2", 1, 50)
    desk.replace("b2", "b3", 1, 50, by="ALPHA")
    for orig in "b1", "b2", "s", "never":
        refusal = Refusal(refusals.UNKNOWN_ORDER, orig)
        assert desk.refusal(drop(orig, "c")) == refusal
        assert desk.refusal(change(orig, "c", 2, 50)) == refusal
    assert desk.refusal(drop("b3", "c", by="BRAVO")) == Refusal(refusals.UNKNOWN_ORDER, "b3")
    assert desk.refusal(drop("b3", "c", by="NOBODY")) == Refusal(refusals.UNKNOWN_ORDER, "b3")


def test_a_request_must_describe_the_order() -> None:
    desk = Desk()
    desk.apply(OpenAccount(4, "ALPHA-2", "ALPHA", ()))
    desk.buy("b", 3, 50)
    cancel, change_it = drop("b", "c"), change("b", "c", 2, 50)
    requests: list[CancelOrder | ReplaceOrder] = [cancel, change_it]
    for request in requests:
        refusal = Refusal(refusals.MISMATCH, "ETH-USD", "BTC-USD", "Symbol")
        assert desk.refusal(replace(request, symbol="ETH-USD")) == refusal
        assert desk.refusal(replace(request, side=SELL)) == Refusal(refusals.MISMATCH, SELL, BUY, "Side")
    refusal = Refusal(refusals.MISMATCH, MARKET, "2", "OrdType")
    assert desk.refusal(replace(change_it, ord_type=MARKET, price=0)) == refusal
    refusal = Refusal(refusals.MISMATCH, "ALPHA-2", "ALPHA-1", "Account")
    assert desk.refusal(replace(change_it, account="ALPHA-2")) == refusal
    assert desk.refusal(replace(change_it, account="")) is None, "it may be left out"


def test_a_replace_keeps_the_time_in_force() -> None:
    """It may be left out; another one than the order's is refused, not ignored."""
    desk = Desk()
    desk.buy("b", 3, 50, GOOD_TILL_CANCEL)
    request = change("b", "c", 2, 50)
    for time_in_force in DAY, IMMEDIATE_OR_CANCEL, FILL_OR_KILL:
        refusal = Refusal(refusals.MISMATCH, time_in_force, GOOD_TILL_CANCEL, "TimeInForce")
        assert desk.refusal(replace(request, time_in_force=time_in_force)) == refusal
    assert desk.refusal(request) is None
    (replaced,) = desk.executions(replace(request, time_in_force=GOOD_TILL_CANCEL))
    assert replaced.time_in_force == GOOD_TILL_CANCEL


def test_a_refusal_changes_nothing_and_apply_asserts_it() -> None:
    """A caller that journals a refused command would stop here, before anything moves."""
    desk = Desk()
    desk.buy("b", 3, 50)
    before = desk.venue.digest()
    refused: list[Command] = [
        replace(new("x", BUY, 1, 50), symbol="XRP"),
        new("b", BUY, 1, 50),
        new("x", BUY, 100, 1000),
        drop("never", "c"),
        change("b", "x", 3, 999_999),
    ]
    for command in refused:
        assert desk.refusal(command) is not None
        with pytest.raises(AssertionError):
            desk.venue.apply(99, command)
    assert desk.venue.digest() == before


def test_a_command_let_pass_is_asked_again_once_the_state_has_changed() -> None:
    """Feature 4: an old answer is worth nothing."""
    desk = Desk()
    first, second = new("b1", BUY, 100, 30), new("b2", BUY, 100, 30)
    assert desk.refusal(second) is None
    desk.apply(first)
    with pytest.raises(AssertionError):
        desk.venue.apply(99, second)


@pytest.mark.parametrize(
    "changes",
    [
        {"side": "5"},
        {"ord_type": "3"},
        {"quantity": 0},
        {"quantity": 101},
        {"price": 0},
        {"price": 1001},
        {"ord_type": MARKET, "price": 1},
    ],
)
def test_commands_out_of_range_are_a_callers_mistake(changes: dict[str, str | int]) -> None:
    """100 lots and 1000 ticks are the instrument's limits."""
    desk = Desk()
    desk.apply(OpenAccount(4, "CARL-1", "CARL", (("USD", 10**6), ("BTC", 10**6))))
    order = new("x", BUY, 100, 1000, by="CARL")
    with pytest.raises((AssertionError, KeyError)):
        desk.venue.apply(99, replace(order, **changes))
    desk.apply(order)


@pytest.mark.parametrize(("quantity", "price"), [(101, 50), (100, 1001), (100, 0)])
def test_a_replace_keeps_to_the_ranges_too(quantity: int, price: int) -> None:
    desk = Desk()
    desk.apply(OpenAccount(4, "CARL-1", "CARL", (("USD", 10**6),)))
    desk.buy("b", 3, 50, by="CARL")
    before = desk.venue.digest()
    with pytest.raises(AssertionError):
        desk.venue.apply(99, change("b", "b2", quantity, price, by="CARL"))
    assert desk.venue.digest() == before
    desk.replace("b", "b2", 100, 1000, by="CARL")


@pytest.mark.parametrize(
    "changes",
    [
        {"base_per_lot": 0},
        {"quote_per_tick_lot": 0},
        {"max_quantity": 0},
        {"max_price": 0},
        {"quote": "BTC"},
        {"symbol": ""},
        {"quote_per_tick_lot": 2**62 + 1, "max_quantity": 1, "max_price": 1},
        {"base_per_lot": 2**62 + 1, "max_quantity": 1},
    ],
)
def test_an_instrument_has_sound_limits(changes: dict[str, str | int]) -> None:
    """The largest order's money is at most 2**62, in base and in quote."""
    with pytest.raises(AssertionError):
        Venue().apply(1, replace(BTC_USD, **changes))
    widest = replace(BTC_USD, base_per_lot=2**62, quote_per_tick_lot=2**62, max_quantity=1, max_price=1)
    Venue().apply(1, widest)


def test_an_instrument_is_listed_once() -> None:
    with pytest.raises(AssertionError):
        Desk().apply(BTC_USD)


def test_the_largest_numbers_fit() -> None:
    """Amounts near 2**62 are still exact, and the digest can write them."""
    venue = Venue()
    most = 2**31 - 1
    instrument = ListInstrument(1, "A-B", "A", "B", "1", "1", 2**31, 1, most, most)
    venue.apply(1, instrument)
    venue.apply(2, OpenAccount(2, "A-1", "A", (("A", 2**62), ("B", 2**62))))
    sell = NewOrder(3, "A", "A", "A-1", "s", "A-B", SELL, "2", FILL_OR_KILL, most, most)
    venue.apply(3, replace(sell, time_in_force=GOOD_TILL_CANCEL))
    venue.apply(4, replace(sell, cl_ord_id="b", side=BUY))
    balances = venue.users["A-1"].balances
    assert {name: (b.total, b.reserved) for name, b in balances.items()} == {
        "A": (2**62, 0),
        "B": (2**62, 0),
    }
    assert len(venue.digest()) == 64
