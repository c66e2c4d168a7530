"""The lives of orders, as the events of one node tell them, and what clients hear of it."""

from __future__ import annotations

from collections import Counter

from engine.commands import NewOrder
from engine.events import Event, Execution, ManyCanceled, RequestDenied
from engine.peer_commands import MessageSent, TakeMessage
from engine.peers import SPAN
from engine.venue import Venue
from engine.words import ACCOUNT, ADDED, CLIENT, NEW, PENDING_NEW, REJECTED, REPLACED, TRADE
from fixgw.codec.reports import NO_ORDER
from tests.simulation.between import Between, gain
from tests.simulation.requests import Requests, passed_over

ENDS = "248C"
PENDING = "A6E"
CORRECTIONS = "GH"


class Lives:
    def __init__(self, number: int, venue: Venue, between: Between) -> None:
        """Of the node of this number."""
        self.steps: dict[int, int] = {}
        """by OrderID, how many there were"""
        self.requests = Requests()
        self.sent: Counter[int] = Counter()
        """messages, by node"""
        self._number = number
        self._venue = venue
        self._between = between
        self._ended: set[int] = set()
        self._accepted: set[tuple[str, str, str]] = set()
        self._rates: dict[int, tuple[int, int]] = {}
        """of each order of this node alone, as maker and as taker, when it was accepted or last replaced"""
        self._owed: dict[tuple[str, int], int] = {}
        """OrderID by session and event number, of what clients are still to be told"""
        self._denied: Counter[tuple[str, str]] = Counter()
        """session and ClOrdID of requests, of which they are still to be told that they are denied"""

    def hear(self, command: object, event: Event, number: int, blocked: set[str]) -> dict[str, int]:
        """`number`: the event's; `blocked`: who takes no orders. Returns by currency what users here have
        more together."""
        self.requests.hear(command, event, getattr(event, "symbol", "") in self._venue.distant)
        if isinstance(event, MessageSent):
            self.sent[event.peer] += 1
            assert event.number == self.sent[event.peer], f"{event} is not the next message"
        if isinstance(event, ManyCanceled):
            passed_over(self._venue, event)
        if isinstance(event, RequestDenied) and event.request != "D":
            self._denied[event.session, event.cl_ord_id] += 1
        if not isinstance(event, Execution):
            return {}
        if event.order_id < SPAN:
            self._owed[event.session, number] = event.order_id
            if event.requester:
                self._owed[event.requester, number] = event.order_id
        order_id, step = event.order_id, self.steps.get(event.order_id, 0)
        if event.exec_type in PENDING:
            assert event.step == step and order_id not in self._ended, f"it is not pending: {event}"
            if event.exec_type == PENDING_NEW:
                self._accept(event, blocked)
            return {}
        corrects = event.exec_type in CORRECTIONS
        assert order_id not in self._ended or corrects, f"an event after the end: {event}"
        assert event.step == step + 1, f"a gap: {event}"
        self._cost(event)
        self.steps[order_id] = event.step
        if event.exec_type == NEW:
            assert isinstance(command, NewOrder | TakeMessage)
            if event.symbol in self._venue.markets:
                self._accept(event, blocked)
        if event.ord_status in ENDS and not corrects:
            assert not event.leaves_quantity
            self._ended.add(order_id)
        return {} if event.exec_type == REJECTED else self._between_nodes(event)

    def _cost(self, event: Execution) -> None:
        """The fee is that of the rates that the order came with; of one elsewhere its home has known them."""
        market = self._venue.markets.get(event.symbol)
        if market is not None and event.order_id < SPAN and event.exec_type in (NEW, REPLACED):
            self._rates[event.order_id] = market.rules.maker_fee, market.rules.taker_fee
        value = event.last_quantity * event.last_price
        value *= self._venue.instrument(event.symbol).quote_per_tick_lot
        assert event.fee == value * event.fee_rate // 1_000_000, f"a wrong fee: {event}"
        if event.exec_type == TRADE and event.order_id in self._rates:
            maker, taker = self._rates[event.order_id]
            rate = maker if event.liquidity == ADDED else taker
            assert event.fee_rate == rate, f"a wrong rate: {event}"

    def _accept(self, event: Execution, blocked: set[str]) -> None:
        assert event.account not in blocked, "the operator has not decided yet"
        whose = (CLIENT, event.client), (ACCOUNT, event.account)
        assert not any(each in self._venue.killed for each in whose), "the kill switch is on"
        if event.order_id < SPAN:
            name = event.client, self._venue.day, event.cl_ord_id
            assert name not in self._accepted, f"{name} was accepted twice"
            self._accepted.add(name)

    def _between_nodes(self, event: Execution) -> dict[str, int]:
        if event.order_id >= SPAN:
            self._between.tell(self._number, event)
            sign = -1
        elif event.symbol in self._venue.distant:
            self._between.hear(self._number, self._venue.distant[event.symbol].peer, event)
            sign = 1
        else:
            return {}
        if event.exec_type != TRADE:
            return {}
        gained = {currency: sign * amount for currency, amount in gain(self._venue, event).items()}
        self._between.crossed.update(gained)
        return gained

    def tell(self, session: str, report: dict[str, str]) -> None:
        """A client hears of it: then it is in the journal. Each event is told once."""
        if report["35"] == "9":
            assert "wait for their markets" not in report["58"], "a cancel is refused for want of room"
            self._denied[session, report["11"]] -= self._denied[session, report["11"]] > 0
        if report["35"] != "8" or report["150"] == "I" or report["37"] == NO_ORDER:
            return
        order_id = self._owed.pop((session, int(report["17"])), None)
        assert order_id is not None, f"a client was told what is not in the journal: {report}"
        assert str(order_id) == report["37"]

    def untold(self) -> str:
        """What clients were not told, at the end."""
        denied = [key for key, times in self._denied.items() if times]
        return f"{list(self._owed)}, {denied}" if self._owed or denied else ""
