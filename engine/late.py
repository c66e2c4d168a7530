"""Events of orders that came while their user was not in memory (docs/users.md, 2.9). The flat rule keeps
that from happening; this keeps it from costing anyone anything if it does."""

from engine.events import Event, Execution
from engine.fees import HIGHEST
from engine.state import State
from engine.user import Hold, User
from engine.user_events import UserConflict
from engine.words import BLOCKED, BUY, TRADE


def hear_late(state: State, user: User, event: Execution, events: list[Event]) -> None:
    """Settles it once. The order's hold is made anew if it is not there; who cannot pay for it any more is
    blocked, for the operator to decide."""
    if event.order_id not in user.holds:
        hold = _hold_before(state, event)
        if user.spared(hold.currency, hold.amount) is not None:
            user.state = BLOCKED
            events.append(UserConflict(event.time, user.name, user.shard.name, user.version, user.version))
            return
        user.shard.hold(user, hold)
        hold.step = event.step - 1
        user.shard.in_flight -= hold.step > 0
    if user.hear(event):
        user.shard.rested(user, event.time)


def _hold_before(state: State, event: Execution) -> Hold:
    """What the order must have held just before the event. Of one that has ended no one knows the rates of
    its fees any more: it holds the highest there are, until its last event, which waits as well."""
    instrument = state.instrument(event.symbol)
    order = state.live_order(event.session, event.order_id)
    buys, traded = event.side == BUY, event.exec_type == TRADE
    per_lot, rate = instrument.base_per_lot, 0
    if buys:
        per_lot = event.price * instrument.quote_per_tick_lot
        rate = HIGHEST if order is None else max(order.maker_fee, order.taker_fee)
    hold = Hold(event.order_id, event.session, instrument, event.side, per_lot, 0, rate)
    hold.amount = hold.needs(event.leaves_quantity + event.last_quantity * traded)
    if buys and traded:
        cost = event.last_quantity * event.last_price * instrument.quote_per_tick_lot
        hold.amount = max(hold.amount, cost + event.fee)
    return hold
