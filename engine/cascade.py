"""Touched stops are triggered, and what their trades touch after them (docs/market.md, 2)."""

from engine import stops
from engine.crossing import take
from engine.ending import end, forget
from engine.events import Event
from engine.market import Market
from engine.order import NOWHERE, Order
from engine.state import State
from engine.words import AT_ONCE, CANCELED, CONTINUOUS, TRIGGERED

NO_LIQUIDITY = "no liquidity"
HALT = "volatility halt"


def finish(state: State, logged_time: int, market: Market, events: list[Event]) -> None:
    """The end of a command that may have traded in this market."""
    triggered = 0
    while market.touched and market.state == CONTINUOUS and triggered < stops.MOST:
        _, order = market.touched.popitem(last=False)
        triggered += 1
        _trigger(state, logged_time, market, order, events)
    market.dynamic_reference = market.last_price


def leave_over(logged_time: int, market: Market, order: Order, events: list[Event]) -> bool:
    """What becomes of an order after its trades; whether it lives on."""
    if not order.leaves_quantity:
        return False
    if order.price and order.time_in_force not in AT_ONCE:
        market.rest(order)
        return True
    text = NO_LIQUIDITY if market.state == CONTINUOUS else HALT
    end(logged_time, order, CANCELED, text, events)
    return False


def _trigger(state: State, logged_time: int, market: Market, order: Order, events: list[Event]) -> None:
    order.where = NOWHERE
    order.triggered = True
    events.append(order.execution(logged_time, TRIGGERED, order.status))
    take(state, logged_time, market, order, events)
    if not leave_over(logged_time, market, order, events):
        forget(state, order)
