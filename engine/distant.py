"""Orders of users here in markets on other nodes: what is asked there. The order is kept here as it was told
last, so that questions about it, cancels of many and reconciliations find it as they find any other."""

from engine.commands import CancelOrder, NewOrder, ReplaceOrder
from engine.events import Event
from engine.order import DISTANT, Order
from engine.peer_commands import FollowMarket
from engine.peer_messages import AMEND, CANCEL, Amend, Cancel, Follow, Place
from engine.peers import Asked, say
from engine.state import State
from engine.user import Hold
from engine.words import PENDING_CANCEL, PENDING_NEW, PENDING_REPLACE


def follow_market(state: State, _: int, command: FollowMarket) -> list[Event]:
    instrument = state.distant[command.symbol].instrument
    return [say(state.channels, command.time, instrument.peer, Follow(instrument))]


def place(state: State, sequence: int, command: NewOrder) -> list[Event]:
    """Debits it and sends it on. It is pending until its market has answered."""
    market, terms, logged_time = state.distant[command.symbol], state.terms, command.time
    assert terms is not None and market.state, command
    order = Order(
        None, None, sequence, command.client, command.session, command.account, command.symbol,
        command.cl_ord_id, command.side, command.ord_type, command.time_in_force, terms.quantity,
        command.price, terms.quantity, terms.limit, command.stop_price, command.cash, command.min_quantity,
        command.display, command.post_only, command.expire_time, command.expire_day, command.group,
        command.self_trade, sequence, market.maker_fee, market.taker_fee, DISTANT,
    )  # fmt: skip
    user = state.users[order.account]
    hold = Hold(
        sequence, order.session, market.instrument, order.side, terms.per_lot, terms.needed, terms.rate
    )
    user.shard.hold(user, hold)
    user.count(logged_time)
    state.channels[market.peer].in_flight += 1
    state.orders[order.client][order.cl_ord_id] = order
    state.live[order.session][order.order_id] = order
    return [
        order.aside(logged_time, PENDING_NEW, PENDING_NEW),
        say(
            state.channels,
            logged_time,
            market.peer,
            Place(sequence, command, market.maker_fee, market.taker_fee),
        ),
    ]


def cancel(state: State, command: CancelOrder) -> list[Event]:
    order = state.orders[command.client][command.orig_cl_ord_id]
    original, requester = command.orig_cl_ord_id, command.session
    state.asked[order.order_id, CANCEL] = _asked(order, requester, command.cl_ord_id, original)
    message = Cancel(order.order_id, order.session, requester, command.cl_ord_id, "", "")
    return [
        _pending(order, command.time, PENDING_CANCEL, command.cl_ord_id, original, requester),
        say(state.channels, command.time, state.distant[order.symbol].peer, message),
    ]


def withdraw(
    state: State, logged_time: int, order: Order, text: str, events: list[Event],
    restatement: str = "", requester: str = "",
) -> None:  # fmt: skip
    """For a cancel of many, or by the operator: it ends when its market has heard it. Asked for once, but
    besides a client's, which a halted market refuses; that one's answer is awaited then."""
    asked = state.asked.get((order.order_id, CANCEL))
    if asked is None:
        state.asked[order.order_id, CANCEL] = _asked(order, requester, "", "")
    elif requester or not asked.requester:
        return
    message = Cancel(order.order_id, order.session, requester, "", text, restatement)
    events.append(say(state.channels, logged_time, state.distant[order.symbol].peer, message))


def replace(state: State, command: ReplaceOrder) -> list[Event]:
    """Debits what may be needed more; the order is what it was until its market has answered. It is found by
    both ClOrdIDs meanwhile, as no one knows by which it will be."""
    order, terms = state.orders[command.client][command.orig_cl_ord_id], state.terms
    assert terms is not None and (order.order_id, AMEND) not in state.asked, command
    user, original, requester = state.users[order.account], command.orig_cl_ord_id, command.session
    user.raise_besides(order.order_id, terms.per_lot, terms.needed, terms.rate)
    user.count(command.time)
    state.orders[order.client][command.cl_ord_id] = order
    market = state.distant[order.symbol]
    fees = market.maker_fee, market.taker_fee
    state.asked[order.order_id, AMEND] = _asked(order, requester, command.cl_ord_id, original, fees)
    message = Amend(order.order_id, order.session, command, *fees)
    return [
        _pending(order, command.time, PENDING_REPLACE, command.cl_ord_id, original, requester),
        say(state.channels, command.time, market.peer, message),
    ]


def _asked(
    order: Order, requester: str, cl_ord_id: str, original: str, fees: tuple[int, int] = (0, 0)
) -> Asked:
    names = requester, cl_ord_id, original, order.symbol, order.account
    return Asked(order.client, order.session, *names, fees)


def _pending(
    order: Order, logged_time: int, status: str, cl_ord_id: str, original: str, requester: str
) -> Event:
    """The order by the name that it has in the request."""
    own, order.cl_ord_id = order.cl_ord_id, cl_ord_id
    event = order.aside(logged_time, status, status, original, requester)
    order.cl_ord_id = own
    return event
