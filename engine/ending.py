"""Orders that come to stay, and orders that end."""

from engine.events import Event
from engine.order import Order
from engine.state import State


def remember(state: State, order: Order) -> None:
    """The order is live from now on."""
    state.orders[order.client][order.cl_ord_id] = order
    state.live[order.session][order.order_id] = order
    if order.expire_time:
        state.expiring[order.expire_time, order.order_id] = order


def forget(state: State, order: Order) -> None:
    """A live order is none any more; it has left where it was."""
    del state.orders[order.client][order.cl_ord_id]
    del state.live[order.session][order.order_id]
    if order.expire_time:
        del state.expiring[order.expire_time, order.order_id]


def end(
    logged_time: int,
    order: Order,
    status: str,
    text: str,
    events: list[Event],
    restatement: str = "",
    requester: str = "",
    orig_cl_ord_id: str = "",
) -> None:
    """The end of an order that is nowhere, by itself or because the session `requester` asked for it."""
    order.leaves_quantity = 0
    events.append(
        order.execution(logged_time, status, status, orig_cl_ord_id, 0, 0, 0, requester, text, restatement)
    )


def withdraw(
    state: State,
    logged_time: int,
    order: Order,
    status: str,
    text: str,
    events: list[Event],
    restatement: str = "",
    requester: str = "",
) -> None:
    """The same of a live order, which is taken out of where it is."""
    state.markets[order.symbol].take_out(order)
    forget(state, order)
    end(logged_time, order, status, text, events, restatement, requester)
