"""What of one market everyone may see: the price levels of its book, its trades, its state. It is moved along
by what has changed, and never summed up again (docs/market-data.md, 2)."""

from typing import Final, NamedTuple

from sortedcontainers import SortedDict

from engine.auction import outcome
from engine.events import Execution, Indicative
from engine.market import Market
from engine.order import BOOK, Order
from engine.words import AUCTION, BUSTED, BUY, CLOSING_AUCTION, CORRECTED, PRE_OPEN, REMOVED, TRADE

BIDS: Final = 0
OFFERS: Final = 1
SIGNS: Final = (-1, 1)
"""of a side: a key of its levels is sign * price, so that the best level has the smallest"""
TRIMMED = 1024
"""trades above which those that everyone has been told are dropped"""


class Level(NamedTuple):
    quantity: int
    """lots that are shown; above 0"""
    orders: int


Key = tuple[int, int]
"""BIDS or OFFERS, and the key there"""
Missed = dict[Key, Level | None]
"""levels that have changed since some moment, as they were then"""


class Deal(NamedTuple):
    """A trade, or what has become of one."""

    exec_type: str
    """TRADE, CORRECTED or BUSTED"""
    match_id: int
    price: int
    quantity: int
    aggressor: str
    """BUY or SELL; "" in an auction"""
    time: int


class Clearing(NamedTuple):
    """What an auction now would give."""

    closing: bool
    price: int
    """ticks, above 0"""
    quantity: int
    surplus: int
    """lots left over at that price: of bids above 0, of offers below"""


class PublicBook:
    """What is told of it is told from step to step: a step ends with `rest`, and everything that has happened
    in it is told at once."""

    def __init__(self, market: Market, time: int) -> None:
        self.market = market
        self.symbol = market.instrument.symbol
        self.sides: tuple[dict[int, Level], dict[int, Level]] = (SortedDict(), SortedDict())
        self.time = time
        """when it was changed last: nanoseconds since the epoch"""
        self.state = market.state
        self.state_time = time
        self.clearing: Clearing | None = None
        self.deals: list[Deal] = []
        """the last ones; those before have been told to everyone"""
        self.dealt = 0
        """how many there have been since the start, those that were dropped included"""
        self.last: Deal | None = None
        """the last trade"""
        self.volume = 0
        """lots traded since the start"""
        self.changed: Missed = {}
        """since the last step"""
        self.step = 0
        self.stirred = False
        """something but levels has changed since the last step"""
        self._shown: dict[int, tuple[int, int, int]] = {}
        """side, key and lots of every order that is in the book, by OrderID"""
        for side in market.bids, market.asks:
            for order in side:
                self.follow(order.order_id, order)
        if market.in_call_phase and market.state != PRE_OPEN:
            price, quantity, surplus = outcome(market)
            self._clear(price, quantity, surplus)
        self.rest()

    # -- what happens --------------------------------------------------------------------------------

    def hear(self, event: Execution, order: Order | None) -> None:
        """`order`: the live order that the event is about, as the command has left it; None: it has ended."""
        self.time = event.time
        self.follow(event.order_id, order)
        if event.exec_type == TRADE:
            if event.liquidity == REMOVED or (event.liquidity == AUCTION and event.side == BUY):
                self._trade(event)
        elif event.exec_type in (CORRECTED, BUSTED) and event.side == BUY:
            self._correct(event)

    def follow(self, order_id: int, order: Order | None) -> None:
        """Counts what the order shows now in place of what it did."""
        had, now = self._shown.get(order_id), None
        if order is not None and order.where == BOOK:
            side = BIDS if order.side == BUY else OFFERS
            now = side, SIGNS[side] * order.limit, order.shown
        if had == now:
            return
        if had is not None:
            self._add(had[0], had[1], -had[2], -1)
        if now is None:
            del self._shown[order_id]
        else:
            self._add(*now, 1)
            self._shown[order_id] = now

    def enter(self, time: int) -> None:
        """The market has another state. In some of them orders come into the book without a word: those that
        waited for the closing auction (docs/market.md, 7.3)."""
        self.time = self.state_time = time
        self.state = self.market.state
        self.clearing = None
        self.stirred = True
        for order_id, order in self.market.passing.items():
            self.follow(order_id, order)

    def indicate(self, event: Indicative) -> None:
        self.time = event.time
        self._clear(event.price, event.quantity, event.surplus)
        self.stirred = True

    def _clear(self, price: int, quantity: int, surplus: int) -> None:
        closing = self.market.state == CLOSING_AUCTION
        self.clearing = Clearing(closing, price, quantity, surplus) if price else None

    def _trade(self, event: Execution) -> None:
        self.last = _deal(event, "" if event.liquidity == AUCTION else event.side)
        self.volume += event.last_quantity
        self._keep(self.last)

    def _correct(self, event: Execution) -> None:
        if self.last is not None and self.last.match_id == event.match_id:
            now = self.last._replace(price=event.last_price, quantity=event.last_quantity)
            self.last = now if event.exec_type == CORRECTED else None
        self._keep(_deal(event, ""))

    def _keep(self, deal: Deal) -> None:
        self.deals.append(deal)
        self.dealt += 1
        self.stirred = True

    def _add(self, side: int, key: int, quantity: int, orders: int) -> None:
        levels = self.sides[side]
        before = levels.get(key)
        self.changed.setdefault((side, key), before)
        if before is not None:
            quantity += before.quantity
            orders += before.orders
        if orders:
            levels[key] = Level(quantity, orders)
        else:
            assert quantity == 0, (self.symbol, side, key, quantity)
            del levels[key]

    # -- steps ---------------------------------------------------------------------------------------

    @property
    def moved(self) -> bool:
        return self.stirred or bool(self.changed)

    def rest(self) -> None:
        """What has changed is told: from here on is another step."""
        self.step += 1
        self.changed = {}
        self.stirred = False

    def top(self, side: int, depth: int) -> tuple[tuple[int, Level], ...]:
        """Key and level of the best `depth` of one side, the best first."""
        levels = self.sides[side]
        return tuple((key, levels[key]) for key, _ in zip(levels, range(depth), strict=False))

    def deals_from(self, number: int, most: int) -> list[Deal]:
        """At most so many from that number on, counted from 0."""
        first = number - (self.dealt - len(self.deals))
        assert first >= 0, "dropped before it was told"
        return self.deals[first : first + most]

    @property
    def long(self) -> bool:
        """It has deals that may not be needed any more."""
        return len(self.deals) > TRIMMED

    def drop(self, number: int) -> None:
        """The deals before that number, counted from 0, are not needed any more."""
        del self.deals[: max(number - (self.dealt - len(self.deals)), 0)]


def _deal(event: Execution, aggressor: str) -> Deal:
    return Deal(event.exec_type, event.match_id, event.last_price, event.last_quantity, aggressor, event.time)
