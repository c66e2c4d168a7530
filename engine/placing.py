"""Orders as clients send them: new and canceled."""

from engine.cascade import finish, leave_over
from engine.checks import assert_in_range
from engine.commands import CancelOrder, NewOrder
from engine.crossing import take
from engine.ending import end, forget, remember
from engine.events import Event
from engine.foresight import Taker, foresee
from engine.market import Market
from engine.order import Order
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
    market, terms, logged_time = state.markets[command.symbol], state.terms, command.time
    assert terms is not None and not (market.touched and market.unfinished), command
    assert_in_range(market.instrument, command, terms.quantity)
    order = Order(
        None,
        None,
        sequence,
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
        market.rules.maker_fee,
        market.rules.taker_fee,
    )
    user = state.users[order.account]
    user.shard.hold(
        user,
        Hold(sequence, order.session, market.instrument, order.side, terms.per_lot, terms.needed, terms.rate),
    )
    user.count(logged_time)
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
    state.markets[order.symbol].take_out(order)
    forget(state, order)
    order.cl_ord_id = command.cl_ord_id
    events: list[Event] = []
    end(command.time, order, CANCELED, "", events, "", command.session, command.orig_cl_ord_id)
    return events
