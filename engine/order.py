"""One order, from its acceptance to its terminal event."""

from __future__ import annotations

from msgspec import Struct

from engine.events import Execution


class Order(Struct, eq=False, gc=False):
    """The fields are those of NewOrder and Execution, in lots and ticks. quantity = cum_quantity +
    leaves_quantity until the order ends; then leaves_quantity is 0.

    Out of the garbage collector's sight, which would otherwise walk every resting order: unlinking
    clears `previous` and `next`, so an order that has left its book is in no cycle."""

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
    cum_quantity: int = 0
    notional: int = 0
    previous: Order | None = None
    next: Order | None = None
    """neighbours in the queue of its price level"""

    def __repr__(self) -> str:
        return f"Order({self.order_id}, {self.symbol}, {self.leaves_quantity} left of {self.quantity})"

    def fill(self, quantity: int, price: int) -> None:
        """Books one fill of `quantity` lots at `price` ticks."""
        assert 0 < quantity <= self.leaves_quantity, self
        self.leaves_quantity -= quantity
        self.cum_quantity += quantity
        self.notional += quantity * price

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
    ) -> Execution:
        """The event of a step just taken: the order as it stands now. `requester` is the session that
        asked; it is named in the event only where it is not the order's own."""
        return Execution(
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
        )
