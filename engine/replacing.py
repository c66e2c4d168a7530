"""OrderCancelReplaceRequest (docs/market.md, 4)."""

from engine import distant
from engine.cascade import finish, leave_over
from engine.commands import ReplaceOrder
from engine.crossing import take
from engine.ending import forget
from engine.events import Event
from engine.market_checks import assert_in_range
from engine.order import BOOK, DISTANT, PARKED, TOUCHED, Order
from engine.state import State
from engine.terms import Terms
from engine.words import CONTINUOUS, REPLACED


def replace_order(state: State, sequence: int, command: ReplaceOrder) -> list[Event]:
    order, terms = state.orders[command.client][command.orig_cl_ord_id], state.terms
    if order.where == DISTANT:
        return distant.replace(state, command)
    assert terms is not None, command
    assert_in_range(state.markets[order.symbol].instrument, command, command.quantity)
    user = state.users[order.account]
    user.raise_hold(order.order_id, terms.per_lot, terms.needed, terms.rate)
    user.count(command.time)
    return amend(state, sequence, order, command)


def amend(
    state: State,
    sequence: int,
    order: Order,
    command: ReplaceOrder,
    fees: tuple[int, int] | None = None,
) -> list[Event]:
    """In its market; whoever pays for it has been debited, at the fees of the market or at these."""
    market, terms, logged_time = state.markets[order.symbol], state.terms, command.time
    assert terms is not None and not (market.touched and market.unfinished), command
    was_in, same_stop = order.where, command.stop_price == order.stop_price
    keeps_place = (
        terms.price == order.price
        and same_stop
        and command.display == order.display
        and command.quantity <= order.quantity
    )
    if not keeps_place:
        market.take_out(order)
    elif was_in == BOOK:
        market.side(order.side).reduce(order, command.quantity - order.cum_quantity)
    original = order.cl_ord_id
    _amend(state, order, command, terms)
    order.maker_fee, order.taker_fee = fees or market.fees
    events: list[Event] = [
        order.execution(logged_time, REPLACED, order.status, original, requester=command.session)
    ]
    if not keeps_place:
        order.place = sequence
        if was_in == BOOK and market.state == CONTINUOUS:
            take(state, logged_time, market, order, events)
            if not leave_over(logged_time, market, order, events):
                forget(state, order)
        elif was_in == BOOK:
            market.rest(order)
        elif was_in == PARKED:
            market.park(order)
        elif was_in == TOUCHED and same_stop:
            market.touch(order)
        else:
            market.wait(order)
    finish(state, logged_time, market, events)
    return events


def _amend(state: State, order: Order, command: ReplaceOrder, terms: Terms) -> None:
    """Gives the order its new name and numbers."""
    orders = state.orders[order.client]
    del orders[order.cl_ord_id]
    orders[command.cl_ord_id] = order
    order.cl_ord_id = command.cl_ord_id
    if order.expire_time:
        del state.expiring[order.expire_time, order.order_id]
    if command.expire_time:
        state.expiring[command.expire_time, order.order_id] = order
    order.quantity = command.quantity
    order.leaves_quantity = command.quantity - order.cum_quantity
    order.price, order.limit = terms.price, terms.limit
    order.stop_price, order.display = command.stop_price, command.display
    order.expire_time, order.expire_day = command.expire_time, command.expire_day
