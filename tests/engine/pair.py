"""The engine and the reference side by side: every command goes to both, and after each one every event,
balance and book must agree and everything that must always hold is counted again."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from engine.commands import Command
from engine.events import Event, Execution
from engine.order import Order
from engine.venue import Venue
from tests.engine.reference import Reference
from tests.engine.reference.world import Open

ENDS = "24C"
CORRECTIONS = "GH"


class Trade(msgspec.Struct):
    """What a correction has to know of it."""

    orders: dict[str, int]
    """OrderID by side; `events` are the positions in the output log"""
    events: dict[str, int]
    quantity: int
    price: int
    rates: dict[str, int]
    """what each side pays, in millionths"""


class Pair:
    def __init__(self) -> None:
        self.venue = Venue()
        self.reference = Reference()
        self.sequence = 0
        self.events: list[Event] = []
        """of the last command"""
        self.told = 0
        """events until now"""
        self.ends: Counter[int] = Counter()
        self.last: dict[int, Execution] = {}
        """the latest event of every order"""
        self.trades: dict[int, Trade] = {}
        self.refused: Counter[str] = Counter()

    def send(self, command: Command) -> list[dict[str, Any]]:
        """Applies the command, unless it is refused; returns what came out."""
        before = self.venue.digest()
        refusal = self.venue.refusal(command)
        assert (refusal and msgspec.structs.astuple(refusal)) == self.reference.refusal(command)
        assert self.venue.digest() == before, "a check changed the state"
        if refusal is not None:
            self.refused[refusal.reason] += 1
            self.events = []
            return []
        self.sequence += 1
        self.events = events = self.venue.apply(self.sequence, command)
        said = [{"event": type(event).__name__} | msgspec.structs.asdict(event) for event in events]
        assert said == self.reference.apply(self.sequence, command)
        for event in events:
            self.told += 1
            if isinstance(event, Execution):
                self._follow(event)
        self._compare()
        return said

    def _follow(self, event: Execution) -> None:
        """market.md 11.2: the events of one order follow one another without a gap, up to exactly one end;
        only busts and corrections come after it."""
        before = self.last.get(event.order_id)
        corrects = event.exec_type in CORRECTIONS
        assert self.ends[event.order_id] == 0 or corrects, "an event after the end"
        assert (before is None) == (event.exec_type == "0"), "an order begins with NEW, once"
        assert event.step == (before.step if before else 0) + 1
        if before is not None and not corrects:
            assert event.cum_quantity == before.cum_quantity + event.last_quantity
            assert event.notional == before.notional + event.last_quantity * event.last_price
        if before is not None:
            renamed = event.cl_ord_id != before.cl_ord_id
            assert event.orig_cl_ord_id == (before.cl_ord_id if renamed else "")
        if event.ord_status in ENDS:
            self.ends[event.order_id] += not corrects
            assert self.ends[event.order_id] == 1, "not exactly one end"
            assert event.leaves_quantity == 0
            assert event.ord_status != "2" or event.cum_quantity == event.quantity
        else:
            assert event.leaves_quantity > 0
            assert event.quantity == event.cum_quantity + event.leaves_quantity
        self._follow_trade(event)
        self.last[event.order_id] = event

    def _follow_trade(self, event: Execution) -> None:
        number = event.match_id
        if event.exec_type == "F":
            trade = self.trades.setdefault(number, Trade({}, {}, event.last_quantity, event.last_price, {}))
            assert event.side not in trade.orders, "both sides of a trade are the same"
            assert (trade.quantity, trade.price) == (event.last_quantity, event.last_price)
            trade.orders[event.side], trade.events[event.side] = event.order_id, self.told
            trade.rates[event.side] = event.fee_rate
        elif event.exec_type == "H":
            self.trades.pop(number, None)
        elif event.exec_type == "G":
            self.trades[number].quantity, self.trades[number].price = event.last_quantity, event.last_price

    def _compare(self) -> None:
        live: dict[int, Order] = {}
        for symbol in self.venue.markets:
            live |= self._compare_market(symbol)
        index = {
            (client, name): order
            for client, orders in self.venue.orders.items()
            for name, order in orders.items()
        }
        assert index == {(order.client, order.cl_ord_id): order for order in live.values()}
        by_session = {
            order_id: order for orders in self.venue.live.values() for order_id, order in orders.items()
        }
        assert by_session == live
        for session, orders in self.venue.live.items():
            assert list(orders) == sorted(orders), "not the oldest first"
            assert all(order.session == session for order in orders.values())
        assert live.keys() == {order_id for order_id in self.last if not self.ends[order_id]}
        self._compare_accounts()

    def _compare_market(self, symbol: str) -> dict[int, Order]:
        """Features 53 and 54: the same orders in the same order, wherever they are; all of them."""
        market = self.venue.markets[symbol]
        assert market.state == self.reference.states[symbol]
        assert market.last_price == self.reference.last.get(symbol, 0)
        places: dict[str, tuple[list[Order], list[Open]]] = {
            "bids": (list(market.bids), self.reference.queue(symbol, "1")),
            "asks": (list(market.asks), self.reference.queue(symbol, "2")),
            "stops": (list(market.stops), self.reference.waiting(symbol, "stops")),
            "touched": (list(market.touched.values()), self.reference.waiting(symbol, "touched")),
            "parked": (list(market.parked.values()), self.reference.waiting(symbol, "parked")),
        }
        live: dict[int, Order] = {}
        for place, (orders, opens) in places.items():
            shown = place in ("bids", "asks")
            ours = [(o.order_id, o.cl_ord_id, o.price, o.leaves_quantity, o.shown * shown) for o in orders]
            assert ours == [(o.id, o.name, o.price, o.left, o.shown * shown) for o in opens], place
            live |= {order.order_id: order for order in orders}
            for order in orders:
                assert order.quantity == order.cum_quantity + order.leaves_quantity
                assert order.leaves_quantity > 0
                assert market.state != "closed" or order.time_in_force in ("1", "6"), (
                    "left in a closed market"
                )
                assert market.state != "continuous" or order.price or not shown, "a market order in the book"
        bid, ask = next(iter(market.bids), None), next(iter(market.asks), None)
        if market.state == "continuous" and bid and ask:
            assert bid.price < ask.price, "the book is crossed"
        return live

    def _compare_accounts(self) -> None:
        """Features 4 and 44: every balance and reservation, and no money made or lost."""
        assert Counter(self.venue.collected) == Counter(self.reference.taken)
        supply = Counter[str](self.venue.collected)
        for name, account in self.venue.users.items():
            for currency, balance in account.balances.items():
                assert balance.total == self.reference.money[name, currency]
                assert balance.reserved == self.reference.held(name, currency)
                assert 0 <= balance.available <= balance.total
                supply[currency] += balance.total
            own = [order for order in self.reference.live if order.command.account == name]
            assert list(account.holds) == sorted(order.id for order in own)
        assert +supply == +Counter(self.venue.supply)
        there = sum(self.reference.money.values()) + sum(self.reference.taken.values())
        assert there == supply.total()
