"""Orders as clients send them: new and canceled."""

from engine import distant
from engine.cascade import finish, leave_over
from engine.commands import CancelOrder, NewOrder
from engine.crossing import take
from engine.ending import end, forget, remember
from engine.events import Event
from engine.foresight import Taker, foresee
from engine.market import Market
from engine.market_checks import assert_in_range
from engine.order import DISTANT, Order
from engine.state import State
from engine.user import Hold
from engine.words import (
    AT_THE_CLOSE,
    CANCELED,
    CLOSING_AUCTION,
    CONTINUOUS,
    FILL_OR_KILL,
    NEW,
)

NOT_WHOLE = "not enough liquidity to fill the whole order"
NOT_MINIMUM = "not enough liquidity for MinQty"


def new_order(state: State, sequence: int, command: NewOrder) -> list[Event]:
    market, terms = state.markets.get(command.symbol), state.terms
    if market is None:
        return distant.place(state, sequence, command)
    assert terms is not None, command
    assert_in_range(market.instrument, command, terms.quantity)
    user = state.users[command.account]
    hold = Hold(
        sequence, command.session, market.instrument, command.side, terms.per_lot, terms.needed, terms.rate
    )
    user.shard.hold(user, hold)
    user.count(command.time)
    return place(state, sequence, market, command)


def place(
    state: State,
    sequence: int,
    market: Market,
    command: NewOrder,
    order_id: int = 0,
    fees: tuple[int, int] | None = None,
) -> list[Event]:
    """In its market; whoever pays for it has been debited. Its OrderID is the journal sequence, and its fees
    are those of the market, unless it has others already."""
    terms, logged_time = state.terms, command.time
    assert terms is not None and not (market.touched and market.unfinished), command
    order = Order(
        None,
        None,
        order_id or sequence,
        command.client,
        command.session,
        command.account,
        command.symbol,
        command.cl_ord_id,
        command.side,
        command.ord_type,
        command.time_in_force,
        terms.quantity,
        terms.price,
        terms.quantity,
        terms.limit,
        command.stop_price,
        command.cash,
        command.min_quantity,
        command.display,
        command.post_only,
        command.expire_time,
        command.expire_day,
        command.group,
        command.self_trade,
        sequence,
        *(fees or market.fees),
    )
    events: list[Event] = [order.execution(logged_time, NEW, NEW)]
    if order.stop_price:
        market.wait(order)
    elif order.time_in_force == AT_THE_CLOSE and market.state != CLOSING_AUCTION:
        market.park(order)
    elif market.state != CONTINUOUS:
        market.rest(order)
    elif not _enter(state, logged_time, market, order, events):
        finish(state, logged_time, market, events)
        return events
    remember(state, order)
    finish(state, logged_time, market, events)
    return events


def _enter(state: State, logged_time: int, market: Market, order: Order, events: list[Event]) -> bool:
    """In continuous trading; whether the order lives on."""
    least = order.quantity if order.time_in_force == FILL_OR_KILL else order.min_quantity
    if least:
        taker = Taker(order.side, order.limit, order.group, order.self_trade)
        if foresee(market, taker, order.quantity).quantity < least:
            text = NOT_WHOLE if order.time_in_force == FILL_OR_KILL else NOT_MINIMUM
            end(logged_time, order, CANCELED, text, events)
            return False
    take(state, logged_time, market, order, events)
    return leave_over(logged_time, market, order, events)


def cancel_order(state: State, _: int, command: CancelOrder) -> list[Event]:
    order = state.orders[command.client][command.orig_cl_ord_id]
    if order.where == DISTANT:
        return distant.cancel(state, command)
    return take_back(state, command.time, order, command.cl_ord_id, command.session)


def take_back(
    state: State, logged_time: int, order: Order, cl_ord_id: str, requester: str,
    text: str = "", restatement: str = "",
) -> list[Event]:  # fmt: skip
    """Cancels a live order in a market here; `cl_ord_id` is that of the request, "" if there is none."""
    original = order.cl_ord_id if cl_ord_id else ""
    state.markets[order.symbol].take_out(order)
    forget(state, order)
    order.cl_ord_id = cl_ord_id or order.cl_ord_id
    events: list[Event] = []
    end(logged_time, order, CANCELED, text, events, restatement, requester, original)
    return events
