"""Holds are compared with the orders that the markets have (docs/users.md, 6)."""

from engine import distant
from engine.comparing import ORPHANED, are_foreign, ask, begin_confirming, confirm
from engine.ending import withdraw
from engine.events import Event
from engine.order import DISTANT, Order
from engine.state import State
from engine.user import Hold, User
from engine.user_commands import Reconcile
from engine.user_events import Repaired
from engine.words import CANCELED, GHOST, LEAK, ORPHAN, OTHER, SUM


def reconcile(state: State, _: int, command: Reconcile) -> list[Event]:
    """The next users in turn; orders without a hold, which would be one too many of them, only if the numbers
    of both differ."""
    events: list[Event] = []
    if not state.to_compare:
        state.to_compare = list(state.users)
        state.to_confirm = begin_confirming(state)
        _cancel_orphans(state, command.time, events)
    for _number in range(min(command.most, len(state.to_compare))):
        user = state.users.get(state.to_compare.pop())
        if user is not None:
            _compare(state, command.time, user, events)
            if state.distant:
                ask(state, command.time, user, events)
    confirm(state, command.time, command.most, events)
    return events


def _compare(state: State, logged_time: int, user: User, events: list[Event]) -> None:
    for hold in list(user.holds.values()):
        order = state.live_order(hold.session, hold.order_id)
        if order is None and hold.step:
            _repair(logged_time, user, hold, GHOST, 0, events)
            del user.holds[hold.order_id]
            user.shard.open_orders -= 1
        elif order is not None and hold.per_lot:
            rest = hold.needs(order.leaves_quantity)
            if hold.amount != rest:
                _repair(logged_time, user, hold, LEAK, rest, events)
    _add_up(logged_time, user, events)
    if events and not user.holds:
        user.shard.rested(user, logged_time)


def _repair(logged_time: int, user: User, hold: Hold, what: str, rest: int, events: list[Event]) -> None:
    less = hold.amount - rest
    user.balances[hold.currency].reserved -= less
    hold.amount = rest
    events.append(Repaired(logged_time, user.name, hold.order_id, what, hold.currency, less))


def _add_up(logged_time: int, user: User, events: list[Event]) -> None:
    """Reserved is what the holds come to."""
    held: dict[str, int] = {}
    for hold in user.holds.values():
        held[hold.currency] = held.get(hold.currency, 0) + hold.amount + hold.raised
    for currency, balance in user.balances.items():
        less = balance.reserved - held.get(currency, 0)
        if less:
            balance.reserved -= less
            events.append(Repaired(logged_time, user.name, 0, SUM, currency, less))


def _order_id(order: Order) -> int:
    return order.order_id


def _cancel_orphans(state: State, logged_time: int, events: list[Event]) -> None:
    own = [orders for orders in state.live.values() if not are_foreign(orders)]
    if sum(shard.open_orders for shard in state.shards.values()) == sum(map(len, own)):
        return
    for order in sorted((order for orders in own for order in orders.values()), key=_order_id):
        user = state.users.get(order.account)
        if user is not None and order.order_id in user.holds:
            continue
        events.append(Repaired(logged_time, order.account, order.order_id, ORPHAN, "", 0))
        if order.where == DISTANT:
            distant.withdraw(state, logged_time, order, ORPHANED, events, OTHER)
        else:
            withdraw(state, logged_time, order, CANCELED, ORPHANED, events, OTHER)
