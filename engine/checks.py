"""What must be so for a command to be carried out: the reasons of engine.refusals, in their order. Nothing
here changes the state; it remembers the terms of the order that was looked at last."""

from collections.abc import Callable
from typing import Any

from engine import refusals
from engine.account_checks import above_notional, killed, not_his, too_fast, too_many
from engine.commands import (
    CancelMany,
    CancelOrder,
    Command,
    CorrectTrade,
    NewOrder,
    ReplaceOrder,
    SetRules,
    SetState,
    TellIndicative,
    TriggerStops,
    WithdrawOrder,
)
from engine.corrections import unaffordable
from engine.distant_checks import PEER_CHECKS, cancel_refused, new_refused, replace_refused
from engine.market_checks import amend_refused_by_market, refused_by_market
from engine.refusals import Refusal
from engine.state import State
from engine.user_checks import USER_CHECKS, away
from engine.words import GOOD_TILL_DATE, HALTED, HERE


def _symbol(
    state: State, command: SetState | SetRules | TriggerStops | TellIndicative | CancelMany
) -> Refusal | None:
    known = not command.symbol or command.symbol in state.markets
    return None if known else Refusal(refusals.UNKNOWN_SYMBOL, command.symbol)


def _withdraw(state: State, command: WithdrawOrder) -> Refusal | None:
    known = state.by_id(command.order_id) is not None
    return None if known else Refusal(refusals.UNKNOWN_ORDER, command.order_id)


def _new(state: State, command: NewOrder) -> Refusal | None:
    market = state.markets.get(command.symbol)
    if market is None and command.symbol not in state.distant:
        return Refusal(refusals.UNKNOWN_SYMBOL, command.symbol)
    user = state.users.get(command.account)
    if user is None:
        return Refusal(refusals.NOT_RESIDENT, command.account)
    if (refusal := not_his(state, user, command)) is not None:
        return refusal
    if market is None:
        return new_refused(state, user, command)
    if (refusal := refused_by_market(state, market, command)) is not None:
        return refusal
    terms = state.terms
    assert terms is not None
    limits = user.limits
    if limits.max_notional and (refusal := above_notional(user, market.instrument.quote, terms)) is not None:
        return refusal
    limited = limits.max_open_orders or limits.max_orders_per_second
    if limited and (refusal := too_many(user, command.time)) is not None:
        return refusal
    return user.spared(market.reserve_currency[command.side], terms.needed)


def _request(state: State, command: CancelOrder | ReplaceOrder) -> Refusal | None:
    orders = state.orders.get(command.client, {})
    order = orders.get(command.orig_cl_ord_id)
    if order is None:
        return Refusal(refusals.UNKNOWN_ORDER, command.orig_cl_ord_id)
    if command.cl_ord_id in orders:
        return Refusal(refusals.DUPLICATE, command.cl_ord_id)
    if command.symbol != order.symbol:
        return Refusal(refusals.MISMATCH, command.symbol, order.symbol, "Symbol")
    if command.side != order.side:
        return Refusal(refusals.MISMATCH, command.side, order.side, "Side")
    return None


def _cancel(state: State, command: CancelOrder) -> Refusal | None:
    if (refusal := _request(state, command)) is not None:
        return refusal
    market = state.markets.get(command.symbol)
    if market is None:
        return cancel_refused(state, command)
    return Refusal(refusals.STATE, refusals.CANCELS, HALTED) if market.state == HALTED else None


def _replace(state: State, command: ReplaceOrder) -> Refusal | None:
    if (refusal := _request(state, command)) is not None:
        return refusal
    order = state.orders[command.client][command.orig_cl_ord_id]
    if command.ord_type != order.ord_type:
        return Refusal(refusals.MISMATCH, command.ord_type, order.ord_type, "OrdType")
    if command.account and command.account != order.account:
        return Refusal(refusals.MISMATCH, command.account, order.account, "Account")
    if command.time_in_force and command.time_in_force != order.time_in_force:
        return Refusal(refusals.MISMATCH, command.time_in_force, order.time_in_force, "TimeInForce")
    dated, good_till_date = command.expire_time or command.expire_day, order.time_in_force == GOOD_TILL_DATE
    if dated and not good_till_date:
        return Refusal(refusals.MISMATCH, GOOD_TILL_DATE, order.time_in_force, "TimeInForce")
    if order.triggered and command.stop_price != order.stop_price:
        return Refusal(refusals.MISMATCH, command.stop_price, order.stop_price, "StopPx")
    if good_till_date and not dated:
        return Refusal(refusals.NO_EXPIRY)
    market, user = state.markets.get(order.symbol), state.users[order.account]
    if user.state != HERE and (refusal := away(user)) is not None:
        return refusal
    if state.killed and (refusal := killed(state, user)) is not None:
        return refusal
    if market is None:
        return replace_refused(state, user, order, command)
    if (refusal := amend_refused_by_market(state, market, order, command)) is not None:
        return refusal
    terms = state.terms
    assert terms is not None
    limits = user.limits
    if limits.max_notional and (refusal := above_notional(user, market.instrument.quote, terms)) is not None:
        return refusal
    if (refusal := too_fast(user, command.time)) is not None:
        return refusal
    return user.spared(market.reserve_currency[order.side], terms.needed - user.holds[order.order_id].amount)


def _many(state: State, command: CancelMany) -> Refusal | None:
    if command.symbol not in state.distant and (refusal := _symbol(state, command)) is not None:
        return refusal
    if command.account and command.client:
        user = state.users.get(command.account)
        if user is not None and user.client != command.client:
            return Refusal(refusals.UNKNOWN_ACCOUNT, command.account)
    market = state.markets.get(command.symbol)
    if command.session and market is not None and market.state == HALTED:
        return Refusal(refusals.STATE, refusals.CANCELS, HALTED)
    return None


CHECKS: dict[type[Command], Callable[[State, Any], Refusal | None]] = {
    NewOrder: _new,
    CancelOrder: _cancel,
    ReplaceOrder: _replace,
    SetState: _symbol,
    SetRules: _symbol,
    TriggerStops: _symbol,
    TellIndicative: _symbol,
    CancelMany: _many,
    WithdrawOrder: _withdraw,
    CorrectTrade: unaffordable,
    **USER_CHECKS,
    **PEER_CHECKS,
}
"""The first reason not to carry out the command in this state; None if there is none. Commands that are not
here are never refused."""
