"""Events of orders that came while their user was not in memory (docs/users.md, 2.9). The flat rule keeps
that from happening; this keeps it from costing anyone anything if it does."""

from engine.commands import ListInstrument
from engine.events import Event, Execution
from engine.user import Hold, User
from engine.user_events import UserConflict
from engine.words import BLOCKED, BUY, TRADE


def hear_late(user: User, instrument: ListInstrument, event: Execution, events: list[Event]) -> None:
    """Settles it once. The order's hold is made anew if it is not there; who cannot pay for it any more is
    blocked, for the operator to decide."""
    if event.order_id not in user.holds:
        hold = _hold_before(instrument, event)
        if user.spared(hold.currency, hold.amount) is not None:
            user.state = BLOCKED
            events.append(UserConflict(event.time, user.name, user.shard.name, user.version, user.version))
            return
        user.shard.hold(user, hold)
        hold.step = event.step - 1
        user.shard.in_flight -= hold.step > 0
    if user.hear(event):
        user.shard.rested(user, event.time)


def _hold_before(instrument: ListInstrument, event: Execution) -> Hold:
    """What the order must have held just before the event."""
    buys, traded = event.side == BUY, event.exec_type == TRADE
    per_lot = event.price * instrument.quote_per_tick_lot if buys else instrument.base_per_lot
    lots = event.leaves_quantity + event.last_quantity * traded
    amount = per_lot * lots
    if buys and traded:
        amount = max(amount, event.last_quantity * event.last_price * instrument.quote_per_tick_lot)
    return Hold(event.order_id, event.session, instrument, event.side, per_lot, amount)
