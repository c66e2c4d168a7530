"""Orders that come, are changed and canceled."""

from __future__ import annotations

from copy import copy
from typing import Any

from engine.commands import CancelOrder, NewOrder, ReplaceOrder
from tests.engine.reference import continuous, limits
from tests.engine.reference.world import Open, World


def from_command(world: World, sequence: int, command: NewOrder) -> Open:
    """The order as it would begin. Its price is 0 if it may not be post-only (1.7), its quantity if its cash
    is too little (1.6)."""
    order = Open(
        sequence,
        command.cl_ord_id,
        command,
        command.quantity,
        command.price,
        command.stop_price,
        command.display,
        command.expire_time,
        command.expire_day,
    )
    if command.symbol in world.instruments:
        order.fees = fees_now(world, command.symbol)
        order.price = limits.slide(world, order)
        order.limit = limits.limit(world, order)
        if command.cash and limits.trades_at_once(world, order):
            order.quantity = limits.lots_for_cash(world, order)
    return order


def as_replaced(world: World, order: Open, command: ReplaceOrder) -> Open:
    wanted = copy(order)
    wanted.name, wanted.quantity, wanted.price = command.cl_ord_id, command.quantity, command.price
    wanted.stop_price, wanted.display = command.stop_price, command.display
    wanted.expire_time, wanted.expire_day = command.expire_time, command.expire_day
    if order.where == "book":
        wanted.price = limits.slide(world, wanted)
    wanted.fees = fees_now(world, order.command.symbol)
    if wanted.price or wanted.stop_price != order.stop_price:
        wanted.limit = limits.limit(world, wanted)
    return wanted


def fees_now(world: World, symbol: str) -> tuple[int, int]:
    return world.rules[symbol].maker_fee, world.rules[symbol].taker_fee


def new(world: World, sequence: int, command: NewOrder) -> None:
    order = from_command(world, sequence, command)
    world.say(order, "0", "0")
    state = world.states[command.symbol]
    if command.time_in_force == "7" and state != "closing-auction":
        world.put(order, "parked")
    elif order.is_stop:
        continuous.place_stop(world, order)
    elif state != "continuous":
        world.put(order, "book")
    elif not continuous.is_enough(world, order):
        whole = command.time_in_force == "4"
        text = "to fill the whole order" if whole else "for MinQty"
        world.end(order, "4", f"not enough liquidity {text}")
    else:
        continuous.take(world, order)
    continuous.trigger(world, command.symbol)


def replace(world: World, command: ReplaceOrder) -> None:
    order = world.known(command.client, command.orig_cl_ord_id)
    wanted = as_replaced(world, order, command)
    same = (wanted.price, wanted.stop_price, wanted.display) == (order.price, order.stop_price, order.display)
    keeps_place = same and wanted.quantity <= order.quantity
    same_stop = wanted.stop_price == order.stop_price
    vars(order).update(vars(wanted))
    world.say(order, "5", "1" if order.filled else "0", **asked_by(order, command))
    if keeps_place:
        order.showing = min(order.showing, order.left)
    elif order.is_stop and not same_stop:
        continuous.place_stop(world, order)
    elif order.where == "book" and world.states[order.command.symbol] == "continuous":
        world.take_out(order)
        continuous.take(world, order)
    else:
        world.put(order, order.where)
    continuous.trigger(world, order.command.symbol)


def cancel(world: World, command: CancelOrder) -> None:
    order = world.known(command.client, command.orig_cl_ord_id)
    order.name = command.cl_ord_id
    world.end(order, "4", "", **asked_by(order, command))


def asked_by(order: Open, command: CancelOrder | ReplaceOrder) -> dict[str, Any]:
    requester = "" if command.session == order.command.session else command.session
    return {"orig_cl_ord_id": command.orig_cl_ord_id, "requester": requester}
