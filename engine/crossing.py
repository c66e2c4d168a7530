"""A taker meets makers: trades, and what the self-trade rule and the volatility band make of them."""

from engine.ending import end, forget, withdraw
from engine.events import Event, StateSet
from engine.market import Market
from engine.order import Order
from engine.state import State
from engine.words import (
    ADDED,
    ALLOW,
    BUY,
    CANCEL_BOTH,
    CANCEL_MAKER,
    CANCEL_TAKER,
    CANCELED,
    OTHER,
    PARTIAL_DECLINE,
    REMOVED,
    RESTATED,
    VOLATILITY,
    VOLATILITY_AUCTION,
)

SELF_TRADE = "self-trade prevention"


def take(state: State, logged_time: int, market: Market, taker: Order, events: list[Event]) -> None:
    """Trades the order while prices cross; it is in no book. A maker
    that is filled is live no more; whether the taker is, its caller knows."""
    side = taker.side
    opposite = market.opposite(side)
    limit = taker.limit if side == BUY else -taker.limit
    best = opposite.best
    if best is None or best.key > limit:
        return
    low, high = market.dynamic_band
    guarded = taker.self_trade > ALLOW and taker.group in opposite.groups
    per_tick_lot = market.instrument.quote_per_tick_lot
    first_price = price = 0
    while taker.leaves_quantity and (level := opposite.best) is not None and level.key <= limit:
        if not low <= abs(level.key) <= high:
            market.state, market.reason = VOLATILITY_AUCTION, VOLATILITY
            events.append(StateSet(logged_time, taker.symbol, VOLATILITY_AUCTION, VOLATILITY))
            break
        maker = level.first
        assert maker is not None
        if guarded and maker.group == taker.group:
            _prevent(state, logged_time, taker, maker, events)
            continue
        price = maker.price
        first_price = first_price or price
        left, shown = taker.leaves_quantity, maker.shown
        quantity = left if left < shown else shown
        opposite.fill_first(level, quantity, price)
        taker.fill(quantity, price)
        if not maker.leaves_quantity:
            forget(state, maker)
        state.match_id = match_id = state.match_id + 1
        value = quantity * price * per_tick_lot
        events.append(taker.trade(logged_time, quantity, price, match_id, REMOVED, taker.taker_fee, value))
        events.append(maker.trade(logged_time, quantity, price, match_id, ADDED, maker.maker_fee, value))
    if price:
        market.traded(first_price, price)


def _prevent(state: State, logged_time: int, taker: Order, maker: Order, events: list[Event]) -> None:
    """docs/market.md, 5.1"""
    mode = taker.self_trade
    if mode in (CANCEL_TAKER, CANCEL_BOTH):
        end(logged_time, taker, CANCELED, SELF_TRADE, events, OTHER)
    if mode in (CANCEL_MAKER, CANCEL_BOTH):
        withdraw(state, logged_time, maker, CANCELED, SELF_TRADE, events, OTHER)
    if mode in (CANCEL_TAKER, CANCEL_MAKER, CANCEL_BOTH):
        return
    less = min(taker.leaves_quantity, maker.leaves_quantity)
    if taker.leaves_quantity == less:
        end(logged_time, taker, CANCELED, SELF_TRADE, events, OTHER)
    else:
        taker.leaves_quantity -= less
        _decline(logged_time, taker, less, events)
    if maker.leaves_quantity == less:
        withdraw(state, logged_time, maker, CANCELED, SELF_TRADE, events, OTHER)
    else:
        state.markets[maker.symbol].side(maker.side).reduce(maker, maker.leaves_quantity - less)
        _decline(logged_time, maker, less, events)


def _decline(logged_time: int, order: Order, less: int, events: list[Event]) -> None:
    """An order that goes on has lost so many lots of what was left of it."""
    order.quantity -= less
    text, why = SELF_TRADE, PARTIAL_DECLINE
    events.append(order.execution(logged_time, RESTATED, order.status, text=text, restatement=why))
