"""What speaks against an order or a request for a market on another node, before that is asked."""

from collections.abc import Callable
from typing import Any

from msgspec import DecodeError

from engine import refusals
from engine.account_checks import above_notional, too_fast, too_many
from engine.commands import CancelOrder, Command, NewOrder, ReplaceOrder
from engine.order import Order
from engine.peer_commands import Acknowledge, TakeMessage
from engine.peer_messages import AMEND, CANCEL, message_of
from engine.peers import Channel
from engine.refusals import Refusal
from engine.state import State
from engine.terms import Terms, terms_of_distant, terms_of_distant_replace
from engine.user import User
from engine.words import BUY, SELL, STOP


def new_refused(state: State, user: User, command: NewOrder) -> Refusal | None:
    """Of a user here. Remembers the terms."""
    market = state.distant[command.symbol]
    if not market.state:
        return Refusal(refusals.NOT_REACHED, market.difference)
    terms = state.terms = terms_of_distant(market.instrument, command)
    if terms is None:
        return Refusal(refusals.UNKNOWN_AMOUNT, _needed(command))
    if (refusal := _above_notional(user, market.instrument.quote, terms)) is not None:
        return refusal
    if (refusal := too_many(user, command.time)) is not None:
        return refusal
    channel = state.channels[market.peer]
    if channel.in_flight >= state.in_flight:
        return Refusal(refusals.IN_FLIGHT, channel.in_flight, state.in_flight)
    instrument = market.instrument
    return user.spared(instrument.quote if command.side == BUY else instrument.base, terms.needed)


def _needed(command: NewOrder) -> str:
    if command.side == SELL:
        return "OrderQty"
    return "Price" if command.ord_type == STOP else "Price or CashOrderQty"


def _above_notional(user: User, quote: str, terms: Terms) -> Refusal | None:
    return above_notional(user, quote, terms) if user.limits.max_notional else None


def cancel_refused(state: State, command: CancelOrder) -> Refusal | None:
    order = state.orders[command.client][command.orig_cl_ord_id]
    pending = (order.order_id, CANCEL) in state.asked
    return Refusal(refusals.PENDING) if pending else None


def replace_refused(state: State, user: User, order: Order, command: ReplaceOrder) -> Refusal | None:
    if (order.order_id, AMEND) in state.asked or (order.order_id, CANCEL) in state.asked:
        return Refusal(refusals.PENDING)
    if command.quantity <= order.cum_quantity:
        return Refusal(refusals.NOT_ABOVE_FILLED, command.quantity, order.cum_quantity)
    if order.side == BUY and not command.price:
        return Refusal(refusals.UNKNOWN_AMOUNT, "Price")
    instrument = state.instrument(order.symbol)
    terms = state.terms = terms_of_distant_replace(instrument, order, command)
    if (refusal := _above_notional(user, instrument.quote, terms)) is not None:
        return refusal
    if (refusal := too_fast(user, command.time)) is not None:
        return refusal
    return user.spared(instrument.quote if order.side == BUY else instrument.base, terms.needed)


def _take(state: State, command: TakeMessage) -> Refusal | None:
    taken = state.channels.get(command.peer, Channel()).taken
    if command.number != taken + 1:
        return Refusal(refusals.OUT_OF_TURN, command.number, taken + 1)
    try:
        message_of(command.payload)
    except DecodeError as problem:
        return Refusal(refusals.UNREADABLE, str(problem))
    return None


def _acknowledge(state: State, command: Acknowledge) -> Refusal | None:
    sent = state.channels.get(command.peer, Channel()).sent
    return None if command.number <= sent else Refusal(refusals.OUT_OF_TURN, command.number, sent)


PEER_CHECKS: dict[type[Command], Callable[[State, Any], Refusal | None]] = {
    TakeMessage: _take,
    Acknowledge: _acknowledge,
}
