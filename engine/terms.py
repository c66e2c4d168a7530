"""What a new order or a replace comes to: its prices, its quantity, and what it has to hold."""

from msgspec import Struct

from engine.commands import ListInstrument, NewOrder, ReplaceOrder
from engine.fees import fee_of
from engine.foresight import Taker, foresee, lots_for
from engine.market import Market
from engine.order import BOOK, Order
from engine.peers import DistantMarket
from engine.words import AT_THE_CLOSE, BUY, CONTINUOUS, FILL_OR_KILL, MARKET, SLIDE, STOP


class Terms(Struct, frozen=True, gc=False):
    price: int
    """ticks; of a post-only order that slides, the one it slid to; 0 if there is none it could slide to"""
    quantity: int
    """lots; of a CashOrderQty what it comes to, which may be 0"""
    limit: int
    """as in engine.order"""
    per_lot: int
    """as in engine.user.Hold"""
    needed: int
    """of what it reserves"""
    value: int
    """smallest units of the quote currency, to be measured against max_notional"""
    meets: int = 0
    """the best price opposite, if a post-only order would take there; else 0"""
    rate: int = 0
    """as in engine.user.Hold"""


def terms_of_new(market: Market, command: NewOrder) -> Terms:
    """Of an order that passes all checks before those of engine.refusals.WOULD_TAKE."""
    per_lot = market.instrument.quote_per_tick_lot
    price, quantity, side = command.price, command.quantity, command.side
    meets = 0
    if command.post_only and market.state == CONTINUOUS:
        price, meets = _passive(market, side, price, command.post_only)
    if command.ord_type == MARKET and market.state == CONTINUOUS and command.time_in_force != AT_THE_CLOSE:
        return _of_taker(market, command)
    limit = price or market.collar(side, command.stop_price if command.ord_type == STOP else 0)
    reserves, rate = market.instrument.base_per_lot, 0
    if side == BUY:
        reserves, rate = limit * per_lot, market.highest_fee
    needed = quantity * reserves
    if rate:
        needed += fee_of(needed, rate)
    return Terms(price, quantity, limit, reserves, needed, quantity * limit * per_lot, meets, rate)


def terms_of_distant(market: DistantMarket, command: NewOrder) -> Terms | None:
    """Of an order for a market on another node: None where what it has to hold is known there only."""
    instrument, quantity, limit = market.instrument, command.quantity, command.price
    rate = max(market.maker_fee, market.taker_fee) if command.side == BUY else 0
    if command.side == BUY and command.cash:
        return Terms(0, 0, 0, 0, command.cash + fee_of(command.cash, rate), command.cash)
    if command.cash or (command.side == BUY and not limit):
        return None
    reserves = _per_lot(instrument, command.side, limit)
    value = quantity * (limit or command.stop_price) * instrument.quote_per_tick_lot
    return Terms(limit, quantity, limit, reserves, _with_fee(quantity * reserves, rate), value, 0, rate)


def terms_of_distant_replace(
    market: DistantMarket, order: Order, old_rate: int, command: ReplaceOrder
) -> Terms:
    """Of an order in a market on another node. `needed` is what it holds besides until that has answered. It
    may be filled meanwhile by any number of lots, so that is the most that can be short: by none or by all of
    them, as what is short changes steadily between. With fees one more, as each rounds them down."""
    instrument, side = market.instrument, order.side
    rate = max(market.maker_fee, market.taker_fee) if side == BUY else 0
    old, new = _per_lot(instrument, side, order.price), _per_lot(instrument, side, command.price)
    left, there = command.quantity - order.cum_quantity, order.leaves_quantity
    at_once = _with_fee(new * left, rate) - _with_fee(old * there, old_rate)
    filled = _with_fee(new * max(left - there, 0), rate)
    needed = max(at_once, filled, 0) + (rate > 0 or old_rate > 0)
    value = command.quantity * (command.price or command.stop_price) * instrument.quote_per_tick_lot
    return Terms(command.price, command.quantity, command.price, new, needed, value, 0, rate)


def _per_lot(instrument: ListInstrument, side: str, price: int) -> int:
    return price * instrument.quote_per_tick_lot if side == BUY else instrument.base_per_lot


def _with_fee(value: int, rate: int) -> int:
    return value + fee_of(value, rate)


def terms_of_replace(market: Market, order: Order, command: ReplaceOrder) -> Terms:
    """`needed` is what it holds afterwards."""
    price, meets, limit = command.price, 0, order.limit
    if order.post_only and market.state == CONTINUOUS and order.where == BOOK:
        price, meets = _passive(market, order.side, price, order.post_only)
    if price:
        limit = price
    elif command.stop_price != order.stop_price:
        limit = market.collar(order.side, command.stop_price)
    left, per_lot = command.quantity - order.cum_quantity, market.instrument.quote_per_tick_lot
    reserves, rate = market.instrument.base_per_lot, 0
    if order.side == BUY:
        reserves, rate = limit * per_lot, market.highest_fee
    needed = left * reserves
    if rate:
        needed += fee_of(needed, rate)
    value = command.quantity * limit * per_lot
    return Terms(price, command.quantity, limit, reserves, needed, value, meets, rate)


def _of_taker(market: Market, command: NewOrder) -> Terms:
    """Of a market order that trades now or ends."""
    side = command.side
    limit = market.collar(side, market.best_opposite(side))
    taker = Taker(side, limit, command.group, command.self_trade)
    quantity = lots_for(market, taker, command.cash) if command.cash else command.quantity
    foreseen = foresee(market, taker, quantity)
    least = quantity if command.time_in_force == FILL_OR_KILL else command.min_quantity
    trades = foreseen.notional if foreseen.quantity >= least else 0
    value = trades * market.instrument.quote_per_tick_lot
    if side == BUY:
        return Terms(0, quantity, limit, 0, value + fee_of(value, market.rules.taker_fee), value)
    reserves = market.instrument.base_per_lot
    return Terms(0, quantity, limit, reserves, quantity * reserves, value)


def _passive(market: Market, side: str, price: int, what: str) -> tuple[int, int]:
    """(price, meets) of a post-only order in continuous trading."""
    best = market.best_opposite(side)
    if not best or (price < best if side == BUY else price > best):
        return price, 0
    lowest, highest = market.bounds
    slid = best - 1 if side == BUY else best + 1
    return (slid, 0) if what == SLIDE and lowest <= slid <= highest else (price, best)
