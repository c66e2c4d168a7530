"""What speaks against an order of an account, whatever the market says to it."""

from engine import refusals
from engine.commands import NewOrder
from engine.refusals import Refusal
from engine.state import State
from engine.terms import Terms
from engine.user import User
from engine.user_checks import away
from engine.words import ACCOUNT, CLIENT, HERE, VENUE


def not_his(state: State, user: User, command: NewOrder) -> Refusal | None:
    """The user cannot trade, or not for this client, or not by this name."""
    if user.client != command.client:
        return Refusal(refusals.UNKNOWN_ACCOUNT, command.account)
    if user.state != HERE and (refusal := away(user)) is not None:
        return refusal
    if command.cl_ord_id in state.orders[command.client]:
        return Refusal(refusals.DUPLICATE, command.cl_ord_id)
    return killed(state, user) if state.killed else None


def killed(state: State, user: User) -> Refusal | None:
    for scope, name in (VENUE, ""), (CLIENT, user.client), (ACCOUNT, user.name):
        if (scope, name) in state.killed:
            return Refusal(refusals.KILLED, scope, name)
    return None


def too_many(user: User, logged_time: int) -> Refusal | None:
    """One order more than the account may have, or may send now."""
    limits = user.limits
    if limits.max_open_orders and len(user.holds) >= limits.max_open_orders:
        return Refusal(refusals.OPEN_ORDERS, len(user.holds), limits.max_open_orders)
    return too_fast(user, logged_time)


def too_fast(user: User, logged_time: int) -> Refusal | None:
    most = user.limits.max_orders_per_second
    return Refusal(refusals.TOO_FAST, most, most) if most and user.too_fast(logged_time) else None


def above_notional(user: User, quote: str, terms: Terms) -> Refusal | None:
    own = dict(user.limits.max_notional).get(quote, terms.value)
    return Refusal(refusals.NOTIONAL, terms.value, own, "account") if terms.value > own else None
