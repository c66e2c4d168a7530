"""Orders of one node in markets of another are compared as the two have them (docs/users.md, 6). Messages
come in their order, so what happened to an order before one of these was sent has been heard before it."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from engine.answering import forget
from engine.events import Event
from engine.order import DISTANT, Order
from engine.peer_messages import Cancel, Compare, Confirm, Message, Missing
from engine.peers import SPAN, at_home, foreign, foreign_name, home_of, own_name, say
from engine.state import State
from engine.user import User
from engine.user_events import Repaired
from engine.words import CANCELED, GHOST, LEAK, ORPHAN, OTHER

AT_ONCE = 500
"""orders in one message"""
ORPHANED = "the order has no account behind it"
LOST = "its market does not have the order"

Named = TypeVar("Named")


def ask(state: State, logged_time: int, user: User, events: list[Event]) -> None:
    """Home: whether the orders of a user are live where they should be; those that are not answered are on
    their way."""
    named: dict[int, list[tuple[str, int]]] = {}
    for hold in user.holds.values():
        market = state.distant.get(hold.instrument.symbol)
        if market is not None and hold.step:
            named.setdefault(market.peer, []).append((hold.session, hold.order_id))
    for peer, orders in named.items():
        events += [say(state.channels, logged_time, peer, Compare(piece)) for piece in _pieces(orders)]


def look(state: State, peer: int, logged_time: int, message: Compare) -> list[Event]:
    """Market: which of them are not."""
    missing = tuple(
        (session, order_id)
        for session, order_id in message.orders
        if state.live_order(foreign_name(peer, session), foreign(peer, order_id)) is None
    )
    return [say(state.channels, logged_time, peer, Missing(missing))] if missing else []


def end_ghosts(state: State, logged_time: int, message: Missing) -> list[Event]:
    """Home: an order of which no one has told the end ends."""
    events: list[Event] = []
    for session, order_id in message.orders:
        order = _distant(state, session, order_id)
        if order is None:
            continue
        user = state.users.get(order.account)
        if user is not None:
            user.merge_raise(order_id)
            hold = user.holds[order_id]
            events.append(Repaired(logged_time, user.name, order_id, GHOST, hold.currency, hold.amount))
        order.leaves_quantity = 0
        last = order.execution(logged_time, CANCELED, CANCELED, text=LOST, restatement=OTHER)
        forget(state, order, last)
        events.append(last)
    return events


def begin_confirming(state: State) -> list[tuple[str, int]]:
    """Market: all orders of other nodes."""
    orders = ((name, state.live[name]) for name in sorted(state.live))
    return [(name, order_id) for name, own in orders if are_foreign(own) for order_id in own]


def confirm(state: State, logged_time: int, most: int, events: list[Event]) -> None:
    """Market: says of the next ones how they are."""
    told: dict[int, list[tuple[str, int, int, int]]] = {}
    for _ in range(min(most, len(state.to_confirm))):
        name, order_id = state.to_confirm.pop()
        order = state.live_order(name, order_id)
        if order is not None:
            known = own_name(name), at_home(order_id), order.step, order.leaves_quantity
            told.setdefault(home_of(order_id), []).append(known)
    for peer, orders in told.items():
        events += [say(state.channels, logged_time, peer, Confirm(piece)) for piece in _pieces(orders)]


def repair(state: State, peer: int, logged_time: int, message: Confirm) -> list[Event]:
    """Home: an order that is not known here is canceled, as nothing pays for it; one that is known otherwise
    is put right."""
    events: list[Event] = []
    for session, order_id, step, left in message.orders:
        order = _distant(state, session, order_id)
        user = None if order is None else state.users.get(order.account)
        if order is None or (user is not None and order_id not in user.holds):
            account = "" if order is None else order.account
            events.append(Repaired(logged_time, account, order_id, ORPHAN, "", 0))
            end_it: Message = Cancel(order_id, session, "", "", ORPHANED, OTHER)
            events.append(say(state.channels, logged_time, peer, end_it))
        elif user is not None and (order.step, order.leaves_quantity) != (step, left):
            hold = user.holds[order_id]
            rest = hold.needs(left) if hold.per_lot else hold.amount
            events.append(Repaired(logged_time, user.name, order_id, LEAK, hold.currency, hold.amount - rest))
            user.correct_hold(order_id, step, rest)
            order.step, order.leaves_quantity = step, left
    return events


def _distant(state: State, session: str, order_id: int) -> Order | None:
    order = state.live_order(session, order_id)
    return order if order is not None and order.where == DISTANT else None


def are_foreign(orders: dict[int, Order]) -> bool:
    """The live orders of a session, which is of one node."""
    return next(iter(orders), 0) >= SPAN


def _pieces(orders: Iterable[Named]) -> Iterator[tuple[Named, ...]]:
    rest = iter(orders)
    while piece := tuple(islice(rest, AT_ONCE)):
        yield piece
