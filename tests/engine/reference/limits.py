"""Clauses 1.6, 1.7, 6: what an order costs, and how far it may go."""

from __future__ import annotations

from copy import copy

from tests.engine.reference import continuous
from tests.engine.reference.world import Open, World


def trades_at_once(world: World, order: Open) -> bool:
    """That is, if there is anyone to trade with."""
    trading = world.states[order.command.symbol] == "continuous"
    return trading and order.command.time_in_force != "7" and not order.is_stop


def furthest(world: World, symbol: str, buys: bool, price: int, percent: int) -> int:
    """6.4: the price that is `percent` hundredths of a percent worse, to the tick inside."""
    if buys:
        return min(price * (10_000 + percent) // 10_000, world.instruments[symbol].max_price)
    return max(-(price * (percent - 10_000) // 10_000), world.rules[symbol].min_price, 1)


def limit(world: World, order: Open) -> int:
    """6.4."""
    symbol, buys = order.command.symbol, order.buys
    rules, reference = world.rules[symbol], world.reference_price(symbol)
    if order.price:
        return order.price
    start = order.stop_price
    if trades_at_once(world, order):
        start = world.best_opposite(order)
    if rules.collar and start:
        return furthest(world, symbol, buys, start, rules.collar)
    if rules.band and reference:
        return furthest(world, symbol, buys, reference, rules.band)
    return world.instruments[symbol].max_price if buys else max(rules.min_price, 1)


def crosses(world: World, order: Open) -> bool:
    best = world.best_opposite(order)
    return best > 0 and (order.price >= best if order.buys else order.price <= best)


def slide(world: World, order: Open) -> int:
    """1.7: the price at which it can be post-only; 0 if there is none."""
    if not (order.command.post_only and trades_at_once(world, order) and crosses(world, order)):
        return order.price
    if order.command.post_only == "refuse":
        return 0
    symbol = order.command.symbol
    price = world.best_opposite(order) + (-1 if order.buys else 1)
    lowest, highest = max(world.rules[symbol].min_price, 1), world.instruments[symbol].max_price
    return price if lowest <= price <= highest else 0


def lots_for_cash(world: World, order: Open) -> int:
    """1.6: tried with as large an order as there may be."""
    instrument = world.instruments[order.command.symbol]
    large = copy(order)
    large.quantity = instrument.max_quantity
    lots, left = 0, order.command.cash
    for quantity, price in continuous.rehearse(world, large, decrement="2").fills.values():
        affordable = min(quantity, left // (price * instrument.quote_per_tick_lot))
        lots += affordable
        left -= affordable * price * instrument.quote_per_tick_lot
        if affordable < quantity:
            break
    return lots


def proceeds(world: World, order: Open) -> int:
    """What the trades that it would make at once come to."""
    if not continuous.is_enough(world, order):
        return 0
    fills = continuous.rehearse(world, order).fills.values()
    per_tick = world.instruments[order.command.symbol].quote_per_tick_lot
    return sum(quantity * price * per_tick for quantity, price in fills)


def value(world: World, order: Open) -> int:
    """6.1."""
    if order.price == 0 and trades_at_once(world, order):
        return proceeds(world, order)
    return order.quantity * order.limit * world.instruments[order.command.symbol].quote_per_tick_lot


def needed(world: World, order: Open) -> int:
    """What has to be there, of the currency it pays in (users.md 1.3, 8.4)."""
    if order.price == 0 and order.buys and trades_at_once(world, order):
        value = proceeds(world, order)
        return value + world.part(value, world.rules[order.command.symbol].taker_fee)
    return world.holding(order)
