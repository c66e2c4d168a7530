"""What a taker would trade now, without trading it: for orders that want all or nothing, and for the money
that a market order needs."""

from collections import deque
from collections.abc import Generator, Iterator
from itertools import chain

from msgspec import Struct

from engine.book import Level
from engine.market import Market
from engine.order import Order
from engine.words import ALLOW, BUY, CANCEL_MAKER, DECREMENT


class Taker(Struct, frozen=True, gc=False):
    """As much of an order as decides whom it would meet."""

    side: str
    limit: int
    group: str
    self_trade: str


class Foreseen(Struct, frozen=True, gc=False):
    quantity: int
    """lots"""
    notional: int
    """ticks times lots"""


def foresee(market: Market, taker: Taker, quantity: int) -> Foreseen:
    """The trades of so many lots. Costs no more than these trades would."""
    left, notional, filled = quantity, 0, 0
    for price, lots, prevented in _met(market, taker):
        taken = min(left, lots)
        left -= taken
        if not prevented:
            filled += taken
            notional += taken * price
        if not left:
            break
    return Foreseen(filled, notional)


def lots_for(market: Market, taker: Taker, cash: int) -> int:
    """How many lots so much of the quote currency comes to (docs/market.md, 1.6)."""
    left, lots = cash // market.instrument.quote_per_tick_lot, 0
    for price, there, prevented in _met(market, taker):
        if prevented:
            continue
        taken = min(there, left // price)
        lots += taken
        left -= taken * price
        if taken < there:
            break
    return min(lots, market.instrument.max_quantity)


def _met(market: Market, taker: Taker) -> Iterator[tuple[int, int, bool]]:
    """(price, lots, whether they are its own, which only take off what it wants) in the order in which it
    meets them."""
    opposite = market.opposite(taker.side)
    limit = taker.limit if taker.side == BUY else -taker.limit
    low, high = market.dynamic_band
    guarded = taker.self_trade > ALLOW and taker.group in opposite.groups
    for key, level in opposite.levels.items():
        if key > limit or not low <= abs(key) <= high:
            return
        if not guarded:
            yield abs(key), level.quantity, False
        elif (yield from _own(level, taker)):
            return


def _own(level: Level, taker: Taker) -> Generator[tuple[int, int, bool], None, bool]:
    """The same of a level in which there may be its own, part by part; returns whether one of them ends
    it."""
    refreshed: deque[tuple[Order, int, int]] = deque()  # icebergs come again, behind all others
    there = ((order, order.shown, order.leaves_quantity) for order in level)
    for order, shown, left in chain(there, _emptied(refreshed)):
        if order.group == taker.group:
            if taker.self_trade == DECREMENT:
                yield 0, left, True
            elif taker.self_trade != CANCEL_MAKER:
                return True
            continue
        yield abs(level.key), shown, False
        if left > shown:
            refreshed.append((order, min(order.display, left - shown), left - shown))
    return False


def _emptied(queue: deque[tuple[Order, int, int]]) -> Iterator[tuple[Order, int, int]]:
    """From its front, and what comes to its end meanwhile."""
    while queue:
        yield queue.popleft()
