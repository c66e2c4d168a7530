"""One order, from its acceptance to its terminal event."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from engine.events import Execution
from engine.fees import fee_of
from engine.words import FILLED, NEW, ORDER_STATUS, PARTIALLY_FILLED, PENDING_NEW, TRADE

NOWHERE, BOOK, STOPS, TOUCHED, PARKED, DISTANT = range(6)
"""where an order is: in the book, or outside of it (docs/market.md, 2 and 7.3), or just being decided on, or
in a market on another node, which tells what becomes of it"""


class Order(Struct, eq=False, gc=False):
    """The fields are those of NewOrder and Execution, in lots and ticks. quantity = cum_quantity +
    leaves_quantity until the order ends; then leaves_quantity is 0.

    Out of the garbage collector's sight, which would otherwise walk every resting order: unlinking
    clears `previous` and `next`, so an order that has left its book is in no cycle."""

    previous: Order | None
    next: Order | None
    """neighbours in the queue of its price level; first, so that linking a neighbour that has not been looked
    at for long brings one line of memory, and not two"""
    order_id: int
    client: str
    session: str
    account: str
    symbol: str
    cl_ord_id: str
    side: str
    ord_type: str
    time_in_force: str
    quantity: int
    price: int
    leaves_quantity: int
    limit: int
    """the worst price at which it may trade (docs/market.md, 6.4)"""
    stop_price: int = 0
    cash: int = 0
    min_quantity: int = 0
    display: int = 0
    post_only: str = ""
    expire_time: int = 0
    expire_day: str = ""
    group: str = ""
    self_trade: str = ""
    place: int = 0
    """of a stop: the journal sequence from which it waits"""
    maker_fee: int = 0
    """rates of when it came or was last replaced, as in engine.commands.SetRules; so with `taker_fee`"""
    taker_fee: int = 0
    where: int = NOWHERE
    triggered: bool = False
    shown: int = 0
    """lots that stand in the book for all to see; of an iceberg a part of leaves_quantity"""
    cum_quantity: int = 0
    notional: int = 0
    step: int = 0
    """events there were of it"""

    def __repr__(self) -> str:
        return f"Order({self.order_id}, {self.symbol}, {self.leaves_quantity} left of {self.quantity})"

    @property
    def status(self) -> str:
        """OrdStatus(39) while it lives."""
        if self.where == DISTANT and not self.step:
            return PENDING_NEW
        return PARTIALLY_FILLED if self.cum_quantity else NEW

    def snapshot(self, logged_time: int) -> Execution:
        """The order as its last event told it, to be told again: ExecType(150) I."""
        return self.aside(logged_time, ORDER_STATUS, self.status)

    def aside(
        self,
        logged_time: int,
        exec_type: str,
        ord_status: str,
        orig_cl_ord_id: str = "",
        requester: str = "",
    ) -> Execution:
        """What is said of an order without a step in its life."""
        step = self.step
        event = self.execution(logged_time, exec_type, ord_status, orig_cl_ord_id, requester=requester)
        self.step = step
        return msgspec.structs.replace(event, step=step)

    def fill(self, quantity: int, price: int) -> None:
        """Books one fill of `quantity` lots at `price` ticks."""
        assert 0 < quantity <= self.leaves_quantity, self
        self.leaves_quantity -= quantity
        self.cum_quantity += quantity
        self.notional += quantity * price

    def trade(
        self,
        logged_time: int,
        quantity: int,
        price: int,
        match_id: int,
        liquidity: str,
        rate: int,
        value: int,
    ) -> Execution:
        """The event of the fill that was just booked; `value` is what it comes to in smallest units of the
        quote currency, `rate` what the venue takes of that."""
        status = PARTIALLY_FILLED if self.leaves_quantity else FILLED
        fee = fee_of(value, rate) if rate else 0
        return self.execution(
            logged_time, TRADE, status, "", quantity, price, match_id, "", "", "", liquidity, rate, fee
        )

    def execution(
        self,
        logged_time: int,
        exec_type: str,
        ord_status: str,
        orig_cl_ord_id: str = "",
        last_quantity: int = 0,
        last_price: int = 0,
        match_id: int = 0,
        requester: str = "",
        text: str = "",
        restatement: str = "",
        liquidity: str = "",
        fee_rate: int = 0,
        fee: int = 0,
        ref_id: int = 0,
    ) -> Execution:
        """The event of a step just taken: the order as it stands now. `requester` is the session that
        asked; it is named in the event only where it is not the order's own."""
        self.step = step = self.step + 1
        event = Execution(
            logged_time,
            exec_type,
            ord_status,
            self.order_id,
            self.client,
            self.session,
            self.account,
            self.symbol,
            self.cl_ord_id,
            orig_cl_ord_id,
            self.side,
            self.ord_type,
            self.time_in_force,
            self.quantity,
            self.price,
            self.cum_quantity,
            self.leaves_quantity,
            self.notional,
            last_quantity,
            last_price,
            match_id,
            "" if requester == self.session else requester,
            text,
            restatement,
            step,
            liquidity,
            fee_rate,
            fee,
        )
        if not (
            self.stop_price
            or self.display
            or self.expire_time
            or self.expire_day
            or self.min_quantity
            or self.post_only
            or self.cash
            or ref_id
        ):
            return event  # few orders have any of them, and more than 30 arguments take twice the time
        return msgspec.structs.replace(
            event,
            stop_price=self.stop_price,
            cash=self.cash,
            display=self.display,
            min_quantity=self.min_quantity,
            post_only=self.post_only != "",
            expire_time=self.expire_time,
            expire_day=self.expire_day,
            ref_id=ref_id,
        )
