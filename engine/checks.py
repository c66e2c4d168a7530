"""What must be so for a command to be carried out: the reasons of engine.refusals, in their order. Nothing
here changes the state; it remembers the terms of the order that was looked at last."""

from collections.abc import Callable
from typing import Any

from engine import refusals
from engine.commands import (
    CancelMany,
    CancelOrder,
    Command,
    CorrectTrade,
    ListInstrument,
    NewOrder,
    ReplaceOrder,
    SetRules,
    SetState,
    TellIndicative,
    TriggerStops,
    WithdrawOrder,
)
from engine.corrections import unaffordable
from engine.market import Market
from engine.refusals import Refusal
from engine.state import State
from engine.terms import Terms, terms_of_new, terms_of_replace
from engine.user import User
from engine.user_checks import USER_CHECKS, away
from engine.words import (
    ACCOUNT,
    AT_ONCE,
    AT_THE_OPENING,
    CANCEL_ONLY,
    CLIENT,
    CLOSED,
    CONTINUOUS,
    GOOD_TILL_DATE,
    HALTED,
    HERE,
    OPENING_AUCTION,
    PRE_OPEN,
    PRICED,
    VENUE,
)

NO_NEW = (CANCEL_ONLY, HALTED, CLOSED)


def assert_in_range(instrument: ListInstrument, command: NewOrder | ReplaceOrder, quantity: int) -> None:
    """Fails if the command was made outside the ranges that engine.commands gives."""
    assert 0 < quantity <= instrument.max_quantity, command
    if command.ord_type in PRICED:
        assert 0 < command.price <= instrument.max_price, command
    else:
        assert command.price == 0, command
    assert 0 <= command.stop_price <= instrument.max_price, command
    if command.display:
        assert 0 < command.display <= quantity <= 100 * command.display, command


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
    if market is None:
        return Refusal(refusals.UNKNOWN_SYMBOL, command.symbol)
    user = state.users.get(command.account)
    if user is None:
        return Refusal(refusals.NOT_RESIDENT, command.account)
    if user.client != command.client:
        return Refusal(refusals.UNKNOWN_ACCOUNT, command.account)
    if user.state != HERE and (refusal := away(user)) is not None:
        return refusal
    if command.cl_ord_id in state.orders[command.client]:
        return Refusal(refusals.DUPLICATE, command.cl_ord_id)
    if state.killed and (refusal := _killed(state, user)) is not None:
        return refusal
    if market.state != CONTINUOUS or command.time_in_force == AT_THE_OPENING:
        refusal = _not_now(market.state, command)
        if refusal is not None:
            return refusal
    if (command.expire_time or command.expire_day) and (refusal := _past(state, command)) is not None:
        return refusal
    rules = market.rules
    if (rules.min_price or rules.band) and (refusal := _prices(market, command)) is not None:
        return refusal
    terms = state.terms = terms_of_new(market, command)
    if terms.meets:
        return Refusal(refusals.WOULD_TAKE, command.price, terms.meets)
    if not terms.quantity:
        return Refusal(refusals.NO_LOT, command.cash)
    limits = user.limits
    if (rules.max_notional or limits.max_notional) and (refusal := _value(market, user, terms)) is not None:
        return refusal
    limits = user.limits
    if limits.max_open_orders and len(user.holds) >= limits.max_open_orders:
        return Refusal(refusals.OPEN_ORDERS, len(user.holds), limits.max_open_orders)
    if limits.max_orders_per_second and user.too_fast(command.time):
        return Refusal(refusals.TOO_FAST, limits.max_orders_per_second, limits.max_orders_per_second)
    if user.shard.in_flight >= state.in_flight:
        return Refusal(refusals.IN_FLIGHT, user.shard.in_flight, state.in_flight)
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
    refusal = _request(state, command)
    if refusal is None and state.markets[command.symbol].state == HALTED:
        refusal = Refusal(refusals.STATE, refusals.CANCELS, HALTED)
    return refusal


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
    market, user = state.markets[order.symbol], state.users[order.account]
    if user.state != HERE and (refusal := away(user)) is not None:
        return refusal
    if state.killed and (refusal := _killed(state, user)) is not None:
        return refusal
    if market.state in NO_NEW:
        return Refusal(refusals.STATE, refusals.REPLACES, market.state)
    if order.time_in_force == AT_THE_OPENING and market.state not in (PRE_OPEN, OPENING_AUCTION):
        return Refusal(refusals.STATE, f"TimeInForce {AT_THE_OPENING}", market.state)
    if command.quantity <= order.cum_quantity:
        return Refusal(refusals.NOT_ABOVE_FILLED, command.quantity, order.cum_quantity)
    if (command.expire_time or command.expire_day) and (refusal := _past(state, command)) is not None:
        return refusal
    rules = market.rules
    if (rules.min_price or rules.band) and (refusal := _prices(market, command)) is not None:
        return refusal
    terms = state.terms = terms_of_replace(market, order, command)
    if terms.meets:
        return Refusal(refusals.WOULD_TAKE, command.price, terms.meets)
    if (refusal := _value(market, user, terms)) is not None:
        return refusal
    if user.limits.max_orders_per_second and user.too_fast(command.time):
        most = user.limits.max_orders_per_second
        return Refusal(refusals.TOO_FAST, most, most)
    return user.spared(market.reserve_currency[order.side], terms.needed - user.holds[order.order_id].amount)


def _killed(state: State, user: User) -> Refusal | None:
    for scope, name in (VENUE, ""), (CLIENT, user.client), (ACCOUNT, user.name):
        if (scope, name) in state.killed:
            return Refusal(refusals.KILLED, scope, name)
    return None


def _not_now(market_state: str, command: NewOrder) -> Refusal | None:
    """docs/market.md, 7.1 and 7.2"""
    in_force = command.time_in_force
    if market_state in NO_NEW:
        return Refusal(refusals.STATE, refusals.ORDERS, market_state)
    opening = market_state in (PRE_OPEN, OPENING_AUCTION)
    at_once = in_force in AT_ONCE and market_state != CONTINUOUS
    if at_once or (in_force == AT_THE_OPENING and not opening):
        return Refusal(refusals.STATE, f"TimeInForce {in_force}", market_state)
    if market_state != CONTINUOUS and command.min_quantity:
        return Refusal(refusals.STATE, "MinQty", market_state)
    if market_state != CONTINUOUS and command.cash:
        return Refusal(refusals.STATE, "CashOrderQty", market_state)
    return None


def _past(state: State, command: NewOrder | ReplaceOrder) -> Refusal | None:
    if command.expire_time and command.expire_time <= command.time:
        return Refusal(refusals.PAST, command.expire_time, command.time)
    if command.expire_day and command.expire_day < state.day:
        return Refusal(refusals.PAST, command.expire_day, state.day)
    return None


def _prices(market: Market, command: NewOrder | ReplaceOrder) -> Refusal | None:
    rules = market.rules
    named = ("Price", command.price), ("StopPx", command.stop_price)
    for unit, price in named:
        if 0 < price < rules.min_price:
            return Refusal(refusals.BELOW_MIN, price, rules.min_price, unit)
    low, high = market.band
    for unit, price in named:
        if price and not low <= price <= high:
            return Refusal(refusals.OUT_OF_BAND, price, low if price < low else high, unit)
    return None


def _value(market: Market, user: User, terms: Terms) -> Refusal | None:
    value, most = terms.value, market.rules.max_notional
    if most and value > most:
        return Refusal(refusals.NOTIONAL, value, most, "market")
    if user.limits.max_notional:
        own = dict(user.limits.max_notional).get(market.instrument.quote, value)
        if value > own:
            return Refusal(refusals.NOTIONAL, value, own, "account")
    return None


def _many(state: State, command: CancelMany) -> Refusal | None:
    if (refusal := _symbol(state, command)) is not None:
        return refusal
    if command.account and command.client:
        user = state.users.get(command.account)
        if user is not None and user.client != command.client:
            return Refusal(refusals.UNKNOWN_ACCOUNT, command.account)
    if command.session and command.symbol and state.markets[command.symbol].state == HALTED:
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
}
"""The first reason not to carry out the command in this state; None if there is none. Commands that are not
here are never refused."""
