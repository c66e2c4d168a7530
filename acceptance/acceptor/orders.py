"""A client's orders, and what the venue says of them: whatever a scenario wants, but always a report that
adds up."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal

from acceptance.acceptor.terms import wrong_terms
from acceptance.reference import reports
from acceptance.reference.book import CANCELED, DAY, NOTHING, REPLACED, TRADE, Event, Order
from acceptance.reference.faults import Faults
from acceptance.reference.settings import Instrument
from acceptance.wire import Message, utc_now

MARKET_PRICE = Decimal(100)
"""at which market orders are filled"""
REJECTED, EXPIRED, TRADE_CORRECT, TRADE_CANCEL = "8", "C", "G", "H"
"""ExecType(150)"""
TOO_LATE, UNKNOWN_ORDER, DUPLICATE, OTHER = 0, 1, 6, 99
"""CxlRejReason(102); the last two are OrdRejReasons(103) as well"""
Body = list[tuple[int, str]]


@dataclass
class Fill:
    exec_id: str
    quantity: Decimal
    price: Decimal


class Orders:
    """Of one session."""

    def __init__(self, begin_string: str) -> None:
        self._begin_string = begin_string
        self._orders: dict[str, Order] = {}
        """by each ClOrdID(11) they have had"""
        self._fills: dict[str, list[Fill]] = {}
        """by OrderID(37)"""
        self._answered: set[str] = set()
        """ClOrdIDs(11) of orders and requests"""
        self._used: set[str] = set()
        """ClOrdIDs(11) that may not come again"""
        self._token = secrets.token_hex(3)
        self._last = 0

    def objection(self, message: Message) -> tuple[str, int]:
        """Why an order or request is refused whatever a scenario is about, and the reason for `rejection`; ""
        if it is not, and from then on its ClOrdID is used."""
        name = message[11]
        if name in self._used:
            return f"ClOrdID(11) {name} has been used before", DUPLICATE
        problem = wrong_terms(message)
        if not problem:
            self._used.add(name)
        return problem, OTHER

    def enter(self, message: Message) -> Order:
        """A NewOrderSingle(D) that the session machine has taken. Nothing is said of it yet."""
        order = Order(
            self._next_id(), "", "", message.get(1) or "", message[11], message.get(55) or "", message[54],
            message.get(40) or "2", message.get(59) or DAY, Decimal(message.get(38) or "0"),
            Decimal(message.get(44) or "0"),
        )  # fmt: skip
        self._orders[order.cl_ord_id] = order
        self._fills[order.order_id] = []
        return order

    def named(self, request: Message) -> Order | None:
        """The live order that a cancel or replace request means."""
        order = self._orders.get(request.get(41) or "")
        return order if order is not None and not order.ended else None

    def known(self, request: Message) -> bool:
        """Whether there ever was what a cancel or replace request means."""
        return request.get(41) in self._orders or request.get(41) in self._answered

    def unanswered(self, message: Message) -> bool:
        return message[11] not in self._answered

    def report(
        self, order: Order, exec_type: str, quantity: str, price: str, request: Message | None
    ) -> Body:
        """An ExecutionReport(8), and the order is as it says. `quantity` of a fill: a number, `half` or
        `rest`; `request`: the cancel or replace request it answers."""
        cl_ord_id = request[11] if request is not None else order.cl_ord_id
        self._answered.add(cl_ord_id)
        event = Event(exec_type, cl_ord_id)
        more: Body = [(41, order.cl_ord_id)] if request is not None else []
        exec_id = self._next_id()
        if exec_type == TRADE:
            self._fill(order, event, quantity, price, exec_id)
        elif exec_type in (TRADE_CANCEL, TRADE_CORRECT):
            more += self._amend(order, exec_type, price)
        elif exec_type == REPLACED and request is not None:
            order.quantity = Decimal(request.get(38) or "0")
            order.price = Decimal(request.get(44) or "0")
            order.ended = "2" if order.quantity == order.filled else ""
        elif exec_type in (CANCELED, EXPIRED, REJECTED):
            order.ended = exec_type
        if exec_type in (CANCELED, REPLACED) and request is not None:
            order.cl_ord_id = cl_ord_id
            self._orders[cl_ord_id] = order
        body = reports.execution(
            order, event, exec_id, _instrument(order), self._begin_string, utc_now(), Faults()
        )
        return body + more

    def refusal(self, message: Message, text: str) -> tuple[str, Body]:
        """MsgType and fields of what refuses an order or a request. Its ClOrdID is free again."""
        self._answered.add(message[11])
        self._used.discard(message[11])
        if message.msg_type == "D":
            order = self._orders.get(message[11])
            if order is not None:
                order.ended = REJECTED
            return self.rejection(message, text, OTHER)
        order = self._orders.get(message.get(41) or "")
        return self.rejection(
            message, text, UNKNOWN_ORDER if order is None else TOO_LATE if order.ended else OTHER
        )

    def rejection(self, message: Message, text: str, reason: int) -> tuple[str, Body]:
        """The same of one that changes nothing here. `reason`: OrdRejReason(103) or CxlRejReason(102)."""
        if message.msg_type == "D":
            return "8", reports.order_reject(message, self._next_id(), reason, text, utc_now(), Faults())
        order = self._orders.get(message.get(41) or "")
        return "9", reports.cancel_reject(message, order, reason, text, utc_now(), Faults())

    def _fill(self, order: Order, event: Event, quantity: str, price: str, exec_id: str) -> None:
        event.quantity = portion(order.leaves, quantity)
        event.price = Decimal(price) if price else order.price or MARKET_PRICE
        event.match = self._last
        order.filled += event.quantity
        order.money += event.quantity * event.price
        if order.filled >= order.quantity:
            order.ended = "2"
        self._fills[order.order_id].append(Fill(exec_id, event.quantity, event.price))

    def _amend(self, order: Order, exec_type: str, price: str) -> Body:
        """The last fill is taken back, or gets another price."""
        fill = self._fills[order.order_id][-1]
        order.money -= fill.quantity * fill.price
        if exec_type == TRADE_CANCEL:
            self._fills[order.order_id].pop()
            order.filled -= fill.quantity
            order.ended = ""
        else:
            fill.price = Decimal(price) if price else fill.price + Decimal("0.01")
            order.money += fill.quantity * fill.price
        return [(19, fill.exec_id), (32, f"{fill.quantity:f}"), (31, f"{fill.price:f}")]

    def _next_id(self) -> str:
        self._last += 1
        return f"{self._token}-{self._last}"


def portion(leaves: Decimal, words: str) -> Decimal:
    """`half`: rounded up to the order's own decimals, so that a half of 1 is 1."""
    if words == "half":
        return (leaves / 2).quantize(leaves, ROUND_UP)
    return leaves if words in ("", "rest") else min(Decimal(words), leaves)


def _instrument(order: Order) -> Instrument:
    """Reports have as many decimals as the order has, and two more for a price."""
    lot, tick = (Decimal(1).scaleb(int(each.as_tuple().exponent)) for each in (order.quantity, order.price))
    return Instrument(order.symbol, min(tick, Decimal("0.01")), min(lot, Decimal(1)), NOTHING, NOTHING)
