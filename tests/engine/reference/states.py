"""Clause 7: the states of a market."""

from __future__ import annotations

from engine import stops
from tests.engine.reference import auction, continuous
from tests.engine.reference.world import World

CALL_PHASES = ("pre-open", "opening-auction", "closing-auction", "volatility-auction")
TAKES_ORDERS = (*CALL_PHASES, "continuous")
OPENING = ("pre-open", "opening-auction")


def enter(world: World, symbol: str, state: str, reason: str) -> None:
    was = world.states[symbol]
    if (was, world.why[symbol]) == (state, reason):
        return
    world.states[symbol], world.why[symbol] = state, reason
    world.may_trigger = stops.MOST
    world.tell("StateSet", symbol=symbol, state=state, reason=reason)
    if was == state:
        return
    if state == "closing-auction":
        for order in world.waiting(symbol, "parked"):
            world.put(order, "book")
    if state == "continuous" or (state == "closed" and was == "closing-auction"):
        auction.hold(world, symbol)
    if state == "continuous":
        clear_book(world, symbol)
    if state == "closed":
        close(world, symbol)
    continuous.trigger(world, symbol)


def clear_book(world: World, symbol: str) -> None:
    """7.5, of what is left after the auction that opens continuous trading."""
    for order in sorted(world.waiting(symbol, "book"), key=lambda order: order.id):
        if order.price == 0:
            world.end(order, "4", "no liquidity")
        elif order.command.time_in_force in ("2", "7"):
            world.end(order, "C", "end of the auction")


def close(world: World, symbol: str) -> None:
    here = [order for order in world.live if order.command.symbol == symbol]
    for order in sorted(here, key=lambda order: order.id):
        if order.price == 0 and order.where == "book":
            world.end(order, "4", "no liquidity")
        elif order.command.time_in_force in ("0", "2", "7"):
            world.end(order, "C", "the market is closed")
