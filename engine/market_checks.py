"""What a market says to an order, whoever sends it. The state remembers the terms of the last one."""

from engine import refusals
from engine.commands import ListInstrument, NewOrder, ReplaceOrder
from engine.market import Market
from engine.order import Order
from engine.refusals import Refusal
from engine.state import State
from engine.terms import Terms, terms_of_new, terms_of_replace
from engine.words import (
    AT_ONCE,
    AT_THE_OPENING,
    CANCEL_ONLY,
    CLOSED,
    CONTINUOUS,
    HALTED,
    OPENING_AUCTION,
    PRE_OPEN,
    PRICED,
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


def refused_by_market(state: State, market: Market, command: NewOrder) -> Refusal | None:
    """What the market says, whoever sends it."""
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
    return _notional(market, terms) if rules.max_notional else None


def amend_refused_by_market(
    state: State, market: Market, order: Order, command: ReplaceOrder
) -> Refusal | None:
    """What the market says to a replace, whoever sends it."""
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
    return _notional(market, terms) if rules.max_notional else None


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


def _notional(market: Market, terms: Terms) -> Refusal | None:
    most = market.rules.max_notional
    return Refusal(refusals.NOTIONAL, terms.value, most, "market") if terms.value > most else None
