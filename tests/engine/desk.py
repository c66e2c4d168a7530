"""A small venue and short words for what traders do there, so that a test reads like a story.

Two clients, ALPHA and BRAVO, each with one account and 10,000 USD and 1,000 BTC (smallest units). One
instrument, BTC-USD: one lot is 10 of BTC, and costs 2 of USD per tick."""

from __future__ import annotations

from engine.commands import (
    CancelOrder,
    CancelSession,
    Command,
    EndDay,
    ListInstrument,
    NewOrder,
    OpenAccount,
    ReplaceOrder,
)
from engine.events import Event, Execution
from engine.order import Order
from engine.refusals import Refusal
from engine.venue import Venue
from engine.words import BUY, DAY, LIMIT, MARKET, SELL

BTC_USD = ListInstrument(1, "BTC-USD", "BTC", "USD", "0.01", "0.001", 10, 2, 100, 1000)
RICH = (("USD", 10_000), ("BTC", 1_000))


class Desk:
    """Commands are given as words; those that the venue refuses fail the test. A price of 0 makes a
    market order. `by` is the client, and its only session unless `session` names another."""

    def __init__(self) -> None:
        self.venue = Venue()
        self.sequence = 0
        self.apply(BTC_USD)
        self.apply(OpenAccount(2, "ALPHA-1", "ALPHA", RICH))
        self.apply(OpenAccount(3, "BRAVO-1", "BRAVO", RICH))

    def apply(self, command: Command) -> list[Event]:
        self.sequence += 1
        refusal = self.venue.refusal(command)
        assert refusal is None, refusal
        return self.venue.apply(self.sequence, command)

    def executions(self, command: Command) -> list[Execution]:
        events = self.apply(command)
        executions = [event for event in events if isinstance(event, Execution)]
        assert len(executions) == len(events)
        return executions

    def buy(
        self, name: str, quantity: int, price: int, time_in_force: str = DAY, *, by: str = "ALPHA"
    ) -> list[Execution]:
        return self.executions(new(name, BUY, quantity, price, time_in_force, by=by))

    def sell(
        self, name: str, quantity: int, price: int, time_in_force: str = DAY, *, by: str = "BRAVO"
    ) -> list[Execution]:
        return self.executions(new(name, SELL, quantity, price, time_in_force, by=by))

    def cancel(self, orig: str, name: str, *, by: str, session: str = "") -> list[Execution]:
        order = self.venue.order(by, orig)
        assert order is not None, orig
        return self.executions(drop(orig, name, order.side, by=by, session=session))

    def replace(
        self, orig: str, name: str, quantity: int, price: int, *, by: str, session: str = ""
    ) -> list[Execution]:
        order = self.venue.order(by, orig)
        assert order is not None, orig
        return self.executions(change(orig, name, quantity, price, order.side, by=by, session=session))

    def cancel_session(
        self, session: str, restatement: str = "12", gtc: bool = False, most: int = 100
    ) -> list[Execution]:
        return self.executions(CancelSession(10, session, restatement, gtc, most))

    def end_day(self, day: str) -> list[Event]:
        return self.apply(EndDay(6, day))

    def refusal(self, command: Command) -> Refusal | None:
        return self.venue.refusal(command)

    def money(self, client: str, currency: str) -> tuple[int, int]:
        """(total, reserved) of the client's account."""
        balance = self.venue.users[f"{client}-1"].balances[currency]
        return balance.total, balance.reserved

    def bids(self) -> list[str]:
        return [_place(order) for order in self.venue.markets["BTC-USD"].bids]

    def asks(self) -> list[str]:
        return [_place(order) for order in self.venue.markets["BTC-USD"].asks]


def new(
    name: str, side: str, quantity: int, price: int, time_in_force: str = DAY, *, by: str = "ALPHA"
) -> NewOrder:
    ord_type = LIMIT if price else MARKET
    account = f"{by}-1"
    return NewOrder(5, by, by, account, name, "BTC-USD", side, ord_type, time_in_force, quantity, price)


def drop(orig: str, name: str, side: str = BUY, *, by: str = "ALPHA", session: str = "") -> CancelOrder:
    return CancelOrder(8, by, session or by, name, orig, "BTC-USD", side)


def change(
    orig: str, name: str, quantity: int, price: int, side: str = BUY, *, by: str = "ALPHA", session: str = ""
) -> ReplaceOrder:
    account = f"{by}-1"
    return ReplaceOrder(9, by, session or by, account, name, orig, "BTC-USD", side, LIMIT, quantity, price)


def _place(order: Order) -> str:
    return f"{order.cl_ord_id} {order.leaves_quantity} @ {order.price}"


def told(executions: list[Execution]) -> list[str]:
    """Each event in a few words."""
    return [_words(event) for event in executions]


def _words(event: Execution) -> str:
    end = f": {event.text}" if event.text else ""
    match event.exec_type:
        case "0":
            return f"{event.cl_ord_id} new"
        case "F":
            last = f"{event.last_quantity} @ {event.last_price}"
            return f"{event.cl_ord_id} trades {last}, {event.leaves_quantity} left"
        case "4":
            return f"{event.cl_ord_id} canceled{end}"
        case "5":
            now = f"{event.quantity} @ {event.price}, {event.leaves_quantity} left"
            return f"{event.cl_ord_id} replaces {event.orig_cl_ord_id}: {now}"
        case "C":
            return f"{event.cl_ord_id} expired{end}"
    raise AssertionError(event)
