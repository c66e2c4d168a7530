"""What markets on other nodes say about orders of users here."""

from msgspec.structs import replace

from engine.events import Event, Execution, RequestDenied, StateSet
from engine.order import Order
from engine.peer_messages import AMEND, CANCEL, PLACE, Denied, Following, Told
from engine.peers import at_home, own_name
from engine.refusals import Refusal
from engine.settling import count_supply
from engine.state import State
from engine.words import CANCELED, NEW, REJECTED, REPLACED, TRADE, TRIGGERED


def follow(state: State, peer: int, logged_time: int, message: Following) -> list[Event]:
    market = state.distant.get(message.symbol)
    if market is None or market.peer != peer:
        return []
    before, market.state = market.state, message.state
    market.difference = message.difference
    market.maker_fee, market.taker_fee = message.maker_fee, message.taker_fee
    if message.state in ("", before):
        return []
    return [StateSet(logged_time, message.symbol, message.state, message.reason)]


def hear(state: State, peer: int, message: Told) -> list[Event]:
    """An event of an order, which becomes one here, with the names that the order has here. What it means for
    its user's money is settled as for any other (engine.settling)."""
    told = message.event
    number = at_home(told.order_id)
    order = state.live_order(own_name(told.session), number)
    if order is None or not _is_there(state, order, peer):
        return []  # a repair has ended it here (docs/users.md, 6)
    assert told.step == order.step + 1, (told, order.step)
    event = replace(
        told,
        order_id=number,
        client=order.client,
        session=order.session,
        account=order.account,
        requester=own_name(told.requester),
    )
    return _step(state, order, event)


def _is_there(state: State, order: Order, peer: int) -> bool:
    market = state.distant.get(order.symbol)
    return market is not None and market.peer == peer


def _step(state: State, order: Order, event: Execution) -> list[Event]:
    if not order.step:
        state.channels[state.distant[order.symbol].peer].in_flight -= 1
    order.step = event.step
    user = state.users.get(order.account)
    if user is not None and (event.exec_type == REPLACED or not event.leaves_quantity):
        user.merge_raise(order.order_id)  # this event frees what is too much of it
    if not event.leaves_quantity:
        forget(state, order, event)
    elif event.exec_type == REPLACED:
        order.maker_fee, order.taker_fee = state.asked.pop((order.order_id, AMEND)).fees
        _rename(state, order, event.cl_ord_id)
    order.triggered |= event.exec_type == TRIGGERED
    order.quantity, order.leaves_quantity = event.quantity, event.leaves_quantity
    order.price, order.stop_price, order.display = event.price, event.stop_price, event.display
    order.cum_quantity, order.notional = event.cum_quantity, event.notional
    order.expire_time, order.expire_day = event.expire_time, event.expire_day
    if user is not None and event.exec_type in (NEW, REPLACED):
        user.reprice(order.order_id, order.price)
    if event.exec_type == TRADE:
        count_supply(state, event, 1)
    return [event]


def _rename(state: State, order: Order, cl_ord_id: str) -> None:
    orders = state.orders[order.client]
    del orders[order.cl_ord_id]
    order.cl_ord_id = cl_ord_id
    orders[cl_ord_id] = order


def forget(state: State, order: Order, last: Execution) -> None:
    """Requests with a name that this does not answer stay asked, as each gets its answer."""
    number, orders = order.order_id, state.orders[order.client]
    del state.live[order.session][number], orders[order.cl_ord_id]
    amend = state.asked.get((number, AMEND))
    if amend is not None:
        orders.pop(amend.cl_ord_id, None)
    asked = state.asked.get((number, CANCEL))
    if asked is not None:
        canceled = last.exec_type == CANCELED and asked.cl_ord_id == last.cl_ord_id
        if canceled or not asked.cl_ord_id:
            del state.asked[number, CANCEL]


def deny(state: State, peer: int, logged_time: int, message: Denied) -> list[Event]:
    """The market has refused an order, or a request for one, which may have ended meanwhile."""
    number, order = message.order_id, state.live_order(message.session, message.order_id)
    assert order is None or _is_there(state, order, peer), message
    if message.request == PLACE:
        return [] if order is None or order.step else _reject(state, logged_time, order, message.refusal)
    asked = state.asked.pop((number, message.request), None)
    if asked is None:
        return []
    if message.request == AMEND and order is not None:
        state.orders[asked.client].pop(asked.cl_ord_id, None)
        user = state.users.get(order.account)
        if user is not None:
            user.drop_raise(number)
    if not asked.cl_ord_id:
        return []
    names = asked.client, asked.requester, asked.account, asked.symbol, asked.cl_ord_id, asked.orig_cl_ord_id
    return [RequestDenied(logged_time, message.request, number, *names, message.refusal)]


def _reject(state: State, logged_time: int, order: Order, refusal: Refusal) -> list[Event]:
    """It was never in the market; all that it held is free again."""
    order.leaves_quantity = 0
    event = order.execution(logged_time, REJECTED, REJECTED)
    order.step = 0
    _step(state, order, event)
    names = order.client, order.session, order.account, order.symbol, order.cl_ord_id, ""
    return [event, RequestDenied(logged_time, PLACE, order.order_id, *names, refusal)]
