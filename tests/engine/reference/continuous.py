"""Clauses 1, 2, 3, 5, 9: continuous trading."""

from __future__ import annotations

from copy import copy, deepcopy

import msgspec

from tests.engine.reference.world import Open, World

LIQUIDITY = {"added": "1", "removed": "2", "auction": "4"}


def take(world: World, order: Open) -> None:
    """The order, which is nowhere, trades as one that comes now. What is left of it rests or ends."""
    trade(world, order)
    if not order.left:
        return
    halted = world.states[order.command.symbol] != "continuous"
    if order.may_rest:
        world.put(order, "book")
    else:
        world.end(order, "4", "volatility halt" if halted else "no liquidity")


def trade(world: World, taker: Open) -> None:
    symbol, side = taker.command.symbol, "2" if taker.buys else "1"
    while taker.left and (queue := world.queue(symbol, side)):
        maker = queue[0]
        if maker.price > taker.limit if taker.buys else maker.price < taker.limit:
            return
        if is_too_far(world, symbol, maker.price):
            world.states[symbol], world.why[symbol] = "volatility-auction", "volatility"
            world.tell("StateSet", symbol=symbol, state="volatility-auction", reason="volatility")
            return
        if may_not_trade(taker, maker):
            prevent(world, taker, maker)
        else:
            quantity = min(taker.left, maker.shown)
            fill(world, {taker: "removed", maker: "added"}, quantity, maker.price)


def is_too_far(world: World, symbol: str, price: int) -> bool:
    """9.1."""
    band, reference = world.rules[symbol].dynamic_band, world.dynamic.get(symbol)
    return band > 0 and reference is not None and abs(price - reference) * 10_000 > band * reference


def may_not_trade(taker: Open, maker: Open) -> bool:
    """5.1."""
    group = taker.command.group
    return group != "" and group == maker.command.group and taker.command.self_trade in ("1", "2", "3", "4")


def prevent(world: World, taker: Open, maker: Open) -> None:
    text, mode = "self-trade prevention", taker.command.self_trade
    if mode in ("1", "3"):
        world.end(taker, "4", text, "99")
    if mode in ("2", "3"):
        world.end(maker, "4", text, "99")
    if mode == "4":
        both = min(taker.left, maker.left)
        for order in taker, maker:
            if order.left == both:
                world.end(order, "4", text, "99")
            else:
                order.quantity -= both
                order.showing = min(order.showing, order.left)
                world.say(order, "D", "1" if order.filled else "0", text=text, restatement="5")


def fill(world: World, both: dict[Open, str], quantity: int, price: int) -> None:
    """A trade of the two, and what each has done to liquidity; the first event is that of the first. Who
    stands in the book with a part that is now traded shows the next one, at the last place."""
    (symbol,) = {order.command.symbol for order in both}
    instrument = world.instruments[symbol]
    value = quantity * price * instrument.quote_per_tick_lot
    world.trades += 1
    for order, liquidity in both.items():
        sign = 1 if order.buys else -1
        order.fills[world.trades] = (quantity, price)
        world.move(order.command.account, instrument.base, sign * quantity * instrument.base_per_lot)
        world.move(order.command.account, instrument.quote, -sign * value)
        world.charge(order.command.account, instrument.quote, world.part(value, rate_of(order, liquidity)))
        if order.where == "book":
            order.showing -= quantity
            if order.left and not order.shown:
                world.put(order, "book")
            elif not order.left:
                world.take_out(order)
    for order, liquidity in both.items():
        status, rate = "1" if order.left else "2", rate_of(order, liquidity)
        last = {"last_quantity": quantity, "last_price": price, "match_id": world.trades}
        last |= {"liquidity": LIQUIDITY[liquidity], "fee_rate": rate, "fee": world.part(value, rate)}
        world.say(order, "F", status, **last)
    world.last[symbol] = price
    world.prices.setdefault(symbol, []).append(price)


def rate_of(order: Open, liquidity: str) -> int:
    """users.md 8.2."""
    as_maker, as_taker = order.fees
    return as_maker if liquidity == "added" else as_taker


def rehearse(world: World, order: Open, decrement: str = "4") -> Open:
    """The order after it would have traded now; nothing has happened. `decrement`: the mode for this one."""
    stage, actor = copy(world), deepcopy(order)
    stage.live, stage.money, stage.prices = deepcopy(world.live), dict(world.money), {}
    stage.states, stage.last, stage.said = dict(world.states), dict(world.last), []
    stage.why, stage.taken = dict(world.why), dict(world.taken)
    if order.command.self_trade == "4":
        actor.command = msgspec.structs.replace(order.command, self_trade=decrement)
    trade(stage, actor)
    return actor


def is_enough(world: World, order: Open) -> bool:
    """1.4, 1.5: nothing in the order's terms forbids what it would trade now."""
    command = order.command
    if command.time_in_force != "4" and not command.min_quantity:
        return True
    filled = rehearse(world, order).filled
    return filled >= (order.quantity if command.time_in_force == "4" else command.min_quantity)


def is_touched(order: Open, high: int, low: int) -> bool:
    """2.1."""
    return order.stop_price <= high if order.buys else order.stop_price >= low


def place_stop(world: World, order: Open) -> None:
    """2.3: a stop that comes, or whose StopPx is another."""
    last = world.last.get(order.command.symbol)
    world.put(order, "touched" if last is not None and is_touched(order, last, last) else "stops")


def touch(world: World, symbol: str) -> None:
    """2.2: what the trades until now have touched, after what was touched before."""
    prices = world.prices.pop(symbol, [])
    for order in world.waiting(symbol, "stops") if prices else []:
        if is_touched(order, max(prices), min(prices)):
            world.put(order, "touched")


def trigger(world: World, symbol: str) -> None:
    """2.4, 2.5: the end of every command that may have traded."""
    touch(world, symbol)
    while world.may_trigger and world.states[symbol] == "continuous":
        touched = world.waiting(symbol, "touched")
        if not touched:
            return
        world.may_trigger -= 1
        order = touched[0]
        world.take_out(order)
        order.triggered = True
        world.say(order, "L", "0")
        take(world, order)
        touch(world, symbol)
