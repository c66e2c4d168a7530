"""The engine and the reference side by side: every command goes to both, and after each one every
event, balance and book must agree and everything that must always hold is counted again."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from engine.commands import Command
from engine.events import Execution
from engine.venue import Venue
from tests.engine.reference import Reference

ENDS = "4C"


class Pair:
    def __init__(self) -> None:
        self.venue = Venue()
        self.reference = Reference()
        self.sequence = 0
        self.ends: Counter[int] = Counter()
        self.last: dict[int, Execution] = {}
        """the latest event of every order"""
        self.refused: Counter[str] = Counter()

    def send(self, command: Command) -> list[dict[str, Any]]:
        """Applies the command, unless it is refused; returns what came out."""
        before = self.venue.digest()
        refusal = self.venue.refusal(command)
        assert (refusal and msgspec.structs.astuple(refusal)) == self.reference.refusal(command)
        assert self.venue.digest() == before, "a check changed the state"
        if refusal is not None:
            self.refused[refusal.reason] += 1
            return []
        self.sequence += 1
        events = self.venue.apply(self.sequence, command)
        said = [{"event": type(event).__name__} | msgspec.structs.asdict(event) for event in events]
        assert said == self.reference.apply(self.sequence, command)
        for event in events:
            if isinstance(event, Execution):
                self._follow(event)
        self._compare()
        return said

    def _follow(self, event: Execution) -> None:
        """Feature 52: the events of one order follow one another without a gap, up to exactly one end."""
        before = self.last.get(event.order_id)
        assert self.ends[event.order_id] == 0, "an event after the end"
        assert (before is None) == (event.exec_type == "0"), "an order begins with NEW, once"
        if before is not None:
            assert event.cum_quantity == before.cum_quantity + event.last_quantity
            assert event.notional == before.notional + event.last_quantity * event.last_price
            renamed = event.cl_ord_id != before.cl_ord_id
            assert event.orig_cl_ord_id == (before.cl_ord_id if renamed else "")
        if event.ord_status in (*ENDS, "2"):
            self.ends[event.order_id] += 1
            assert event.leaves_quantity == 0
            assert event.ord_status != "2" or event.cum_quantity == event.quantity
        else:
            assert event.leaves_quantity > 0
            assert event.quantity == event.cum_quantity + event.leaves_quantity
        self.last[event.order_id] = event

    def _compare(self) -> None:
        self._compare_books()
        self._compare_accounts()

    def _compare_books(self) -> None:
        """Features 53 and 54: the same orders in the same order, and the index knows just these."""
        resting = {}
        for symbol, market in self.venue.markets.items():
            for side, orders in ("1", market.bids), ("2", market.asks):
                ours = [
                    (order.order_id, order.cl_ord_id, order.price, order.leaves_quantity) for order in orders
                ]
                queue = self.reference.queue(symbol, side)
                assert ours == [(order.id, order.name, order.price, order.left) for order in queue]
                for order in orders:
                    resting[order.client, order.cl_ord_id] = order
                    assert order.quantity == order.cum_quantity + order.leaves_quantity
                levels = Counter[int]()
                for order in orders:
                    levels[order.price] += order.leaves_quantity
                assert {abs(level.key): level.quantity for level in orders.levels.values()} == levels
                best = next(iter(orders), None)
                assert (orders.best and orders.best.first) is best
            bid, ask = next(iter(market.bids), None), next(iter(market.asks), None)
            assert bid is None or ask is None or bid.price < ask.price, "the book is crossed"
        index = {
            (c, name): order for c, orders in self.venue.orders.items() for name, order in orders.items()
        }
        assert index == resting
        live = {order_id: order for orders in self.venue.live.values() for order_id, order in orders.items()}
        assert live == {order.order_id: order for order in resting.values()}
        for session, orders in self.venue.live.items():
            assert list(orders) == sorted(orders), "not the oldest first"
            assert all(order.session == session for order in orders.values())
        assert {order.order_id for order in resting.values()} == {
            order_id for order_id in self.last if not self.ends[order_id]
        }

    def _compare_accounts(self) -> None:
        """Features 4 and 44: every balance and reservation, and no money made or lost."""
        supply = Counter[str]()
        for name, account in self.venue.accounts.items():
            for currency, balance in account.balances.items():
                assert balance.total == self.reference.money[name, currency]
                assert balance.reserved == self.reference.held(name, currency)
                assert 0 <= balance.available <= balance.total
                supply[currency] += balance.total
        assert +supply == +Counter(self.venue.shard.supply)
        assert sum(self.reference.money.values()) == supply.total()
