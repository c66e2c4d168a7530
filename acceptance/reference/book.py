"""Orders and who trades with whom: the best price first, at one price the earliest. No FIX here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from acceptance.reference.faults import Fault, Faults

BUY, SELL = "1", "2"
MARKET, LIMIT = "1", "2"
DAY, GTC, IOC, FOK = "0", "1", "3", "4"
NEW, TRADE, CANCELED, REPLACED, EXPIRED = "0", "F", "4", "5", "C"
"""ExecType(150)"""
ADDED, REMOVED = "1", "2"
"""LastLiquidityInd(851)"""
NOTHING = Decimal(0)


@dataclass
class Order:
    order_id: str
    client: str
    session: str
    account: str
    cl_ord_id: str
    symbol: str
    side: str
    ord_type: str
    time_in_force: str
    quantity: Decimal
    price: Decimal
    """0 for a market order"""
    rank: int = 0
    """at one price the lowest comes first"""
    filled: Decimal = NOTHING
    money: Decimal = NOTHING
    """sum of price times quantity of the fills"""
    ended: str = ""
    """OrdStatus(39) at its end: "2", "4" or "C" """
    past: bool = False
    """it ended on an earlier day: its ClOrdIDs may be used again"""

    @property
    def leaves(self) -> Decimal:
        return NOTHING if self.ended else self.quantity - self.filled

    @property
    def status(self) -> str:
        """OrdStatus(39)"""
        return self.ended or ("1" if self.filled else "0")


@dataclass
class Event:
    """What an ExecutionReport says beyond the order itself."""

    exec_type: str
    cl_ord_id: str
    original: str = ""
    """OrigClOrdID(41)"""
    quantity: Decimal = NOTHING
    """LastQty(32)"""
    price: Decimal = NOTHING
    """LastPx(31)"""
    match: int = 0
    liquidity: str = ""
    text: str = ""
    restatement: str = ""
    """ExecRestatementReason(378)"""
    requested_by: str = ""
    """the session that asked for it, if it is not the order's"""


class Book:
    """All instruments. `emit` is called for each event, with the order as it then is."""

    def __init__(self, faults: Faults, emit: Callable[[Order, Event], None]) -> None:
        self.orders: dict[str, Order] = {}
        """by OrderID(37), dead ones too"""
        self.last_rank = self.last_match = 0
        self._faults = faults
        self._emit = emit
        self._live: dict[str, dict[str, Order]] = {}

    def restore(self, order: Order) -> None:
        self.orders[order.order_id] = order
        self.last_rank = max(self.last_rank, order.rank)
        if not order.ended:
            self._live.setdefault(order.symbol, {})[order.order_id] = order

    def enter(self, order: Order) -> None:
        order.rank = self._next_rank()
        self.restore(order)
        self._emit(order, Event(NEW, order.cl_ord_id))
        faults = self._faults
        kills = order.time_in_force == FOK and not faults.on(Fault.FOK_FILLED_IN_PART)
        if not kills or sum(each.leaves for each in self._crossing(order)) >= order.quantity:
            self._match(order)
        if order.ended:
            return
        rests = order.time_in_force in (DAY, GTC) and order.ord_type == LIMIT
        if order.time_in_force == IOC and order.ord_type == LIMIT:
            rests = faults.on(Fault.IOC_RESTS)
        if order.ord_type == MARKET:
            rests = faults.on(Fault.MARKET_ORDER_RESTS)
        if not rests:
            self._end(order, Event(CANCELED, order.cl_ord_id, text="no liquidity"))

    def cancel(self, order: Order, cl_ord_id: str, by: str) -> None:
        event = Event(CANCELED, cl_ord_id, order.cl_ord_id, requested_by=by)
        order.cl_ord_id = cl_ord_id
        self._end(order, event)
        if self._faults.on(Fault.CANCELED_ORDER_STAYS):
            order.ended = ""
            self.restore(order)

    def cancel_unasked(self, order: Order, text: str, restatement: str) -> None:
        self._end(order, Event(CANCELED, order.cl_ord_id, text=text, restatement=restatement))

    def expire(self, order: Order) -> None:
        kind = CANCELED if self._faults.on(Fault.EXPIRED_AS_CANCELED) else EXPIRED
        self._end(order, Event(kind, order.cl_ord_id, text="the day has ended"))

    def replace(self, order: Order, cl_ord_id: str, quantity: Decimal, price: Decimal, by: str) -> None:
        faults = self._faults
        keeps = price == order.price and quantity <= order.quantity
        if keeps and faults.on(Fault.DECREASE_LOSES_PRIORITY):
            keeps = False
        elif price != order.price:
            keeps = faults.on(Fault.PRICE_KEEPS_PRIORITY)
        elif quantity > order.quantity:
            keeps = faults.on(Fault.INCREASE_KEEPS_PRIORITY)
        event = Event(REPLACED, cl_ord_id, order.cl_ord_id, requested_by=by)
        order.cl_ord_id = cl_ord_id
        if not faults.on(Fault.REPLACE_KEEPS_QUANTITY):
            order.quantity = quantity
        if not faults.on(Fault.REPLACE_KEEPS_PRICE):
            order.price = price
        if faults.on(Fault.REPLACE_FORGETS_FILLS):
            order.filled = order.money = NOTHING
        if not keeps:
            order.rank = self._next_rank()
        if order.leaves <= 0:  # only if a fault has let it come this far
            order.ended = "2"
            self._live[order.symbol].pop(order.order_id, None)
        self._emit(order, event)
        if not faults.on(Fault.REPLACE_DOES_NOT_TRADE):
            self._match(order)

    def live(self) -> list[Order]:
        """As they were entered."""
        found = [order for orders in self._live.values() for order in orders.values()]
        return sorted(found, key=lambda order: int(order.order_id))

    def _match(self, taker: Order) -> None:
        for maker in self._crossing(taker):
            if not taker.leaves:
                return
            quantity = min(taker.leaves, maker.leaves)
            price = taker.price if self._faults.on(Fault.TAKER_PRICE) and taker.price else maker.price
            self.last_match += 1
            for order in (taker, maker):
                order.filled += quantity
                order.money += quantity * price
                if order.filled == order.quantity:
                    order.ended = "2"
                    self._live[order.symbol].pop(order.order_id, None)
            silent = self._faults.on(Fault.MAKER_NOT_TOLD)
            for order in (taker,) if silent else (taker, maker):
                liquidity = REMOVED if order is taker else ADDED
                self._emit(
                    order, Event(TRADE, order.cl_ord_id, "", quantity, price, self.last_match, liquidity)
                )

    def _crossing(self, taker: Order) -> list[Order]:
        """Orders of the other side it can trade with, in the order in which it does."""
        sign = 1 if taker.side == BUY else -1
        faults = self._faults
        least = Decimal("1e-9") if faults.on(Fault.EQUAL_PRICES_DO_NOT_CROSS) else NOTHING
        """by how much prices must cross"""
        found = [
            each
            for each in self._live.get(taker.symbol, {}).values()
            if each.side != taker.side
            and (taker.ord_type == MARKET or sign * (taker.price - each.price) >= least)
        ]
        if faults.on(Fault.NO_PRICE_PRIORITY):
            return sorted(found, key=lambda each: each.rank)
        turn = -1 if faults.on(Fault.NO_TIME_PRIORITY) else 1
        return sorted(found, key=lambda each: (sign * each.price, turn * each.rank))

    def _end(self, order: Order, event: Event) -> None:
        order.ended = event.exec_type
        self._live[order.symbol].pop(order.order_id, None)
        self._emit(order, event)

    def _next_rank(self) -> int:
        self.last_rank += 1
        return self.last_rank
