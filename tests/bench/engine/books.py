"""Books of a given depth and what happens to them, in no engine's words, so that all engines do the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random
from typing import NamedTuple

from engine.words import BUY, SELL

MIDDLE = 1_000_000
"""ticks; bids lie below it, offers above"""
QUANTITY = 10
"""lots, of every order that rests and every one that crosses: each of these fills one of those"""
NEAR, FAR, SWEEPER = "BRAVO", "ALPHA", "CHARLIE"
"""Whose orders rest in the nearer and in the farther half of each side. Those that cross are FAR's: there are
many orders of its own, and it meets none of them. SWEEPER has none, and meets everyone."""


class Add(NamedTuple):
    number: int
    client: str
    side: str
    quantity: int
    price: int


class Cancel(NamedTuple):
    order: Add


class Replace(NamedTuple):
    """`order` loses its place and is `new` from then on."""

    order: Add
    new: Add


Operation = Add | Cancel | Replace


class Batch(NamedTuple):
    """Operations measured together; those of kind "" only put the book back."""

    kind: str
    operations: list[Operation]
    fills: int = 0


class Book:
    """`levels` prices a side with `orders` orders each. Knows at all times what rests, in what order."""

    def __init__(self, levels: int, orders: int) -> None:
        self.levels, self.orders = levels, orders
        self.name = f"{levels:,} x {orders:,}"
        self._chance = Random(levels * orders)
        self._numbers = 0
        # By side and distance from the middle: the orders there by number, the next one to trade first.
        self._resting: dict[str, list[dict[int, Add]]] = {
            side: [{} for _ in range(levels + 2)] for side in (BUY, SELL)
        }

    @property
    def size(self) -> int:
        return 2 * self.levels * self.orders

    def filling(self) -> Iterator[Add]:
        """Level after level, again and again, as a book comes to be: neighbours in a queue
        are none in memory."""
        for _ in range(self.orders):
            for away in range(1, self.levels + 1):
                for side in BUY, SELL:
                    yield self._add(side, away)

    def batches(self, count: int) -> Iterator[Batch]:
        """About `count` operations of each kind, in pieces of at most an eighth of the book, each of which
        puts the book back, so that it always has about its depth."""
        piece = max(1, min(count, self.size // 8))
        for _ in range(max(1, count // piece)):
            canceled = [self._cancel() for _ in range(piece)]
            yield Batch("cancel", list(canceled))
            yield Batch("add", [self._add(*self._place(cancel.order)) for cancel in canceled])
            taken = [self._take_any() for _ in range(piece)]
            moved = [self._move(order) for order in taken]
            yield Batch("replace", [*moved, *map(self._move_back, moved)])
            crossing = [self._cross() for _ in range(piece)]
            yield Batch("cross", [taker for taker, _ in crossing], piece)
            yield Batch("add", [self._add(*self._place(maker)) for _, maker in crossing])
            yield from self._mixed(piece)

    def sweep(self) -> Iterator[Batch]:
        """One order that fills all offers."""
        swept = [maker for level in self._resting[SELL] for maker in level.values()]
        for level in self._resting[SELL]:
            level.clear()
        taker = self._order(SWEEPER, BUY, len(swept) * QUANTITY, MIDDLE + self.levels)
        yield Batch("sweep", [taker], len(swept))
        yield Batch("", [self._add(*self._place(maker)) for maker in swept])

    def _mixed(self, count: int) -> Iterator[Batch]:
        """60 % new orders that rest, 30 % cancels, 10 % that cross, in no order."""
        operations: list[Operation] = []
        touched: set[tuple[str, int]] = set()
        fills = 0
        for kind in self._chance.sample("aaaaaacccx" * -(-count // 10), count):
            if kind == "a":
                operations.append(order := self._add(*self._anywhere()))
            elif kind == "c":
                operations.append(cancel := self._cancel())
                order = cancel.order
            else:
                taker, order = self._cross()
                operations.append(taker)
                fills += 1
            touched.add(self._place(order))
        yield Batch("mixed", operations, fills)
        yield Batch("", list(self._level(sorted(touched))))

    def _level(self, places: Iterable[tuple[str, int]]) -> Iterator[Operation]:
        """Makes as many orders at each of these places as there were at the beginning."""
        for side, away in places:
            level = self._resting[side][away]
            while len(level) > self.orders:
                yield Cancel(level.popitem()[1])
            while len(level) < self.orders:
                yield self._add(side, away)

    # -- one operation each ----------------------------------------------------------------------------

    def _order(self, client: str, side: str, quantity: int, price: int) -> Add:
        self._numbers += 1
        return Add(self._numbers, client, side, quantity, price)

    def _add(self, side: str, away: int) -> Add:
        client = NEAR if 2 * away <= self.levels + 1 else FAR
        price = MIDDLE - away if side == BUY else MIDDLE + away
        order = self._order(client, side, QUANTITY, price)
        self._resting[side][away][order.number] = order
        return order

    def _cancel(self) -> Cancel:
        return Cancel(self._take_any())

    def _move(self, order: Add) -> Replace:
        """To the next price away from the middle."""
        side, away = self._place(order)
        return Replace(order, self._add_for(order.client, side, away + 1))

    def _move_back(self, moved: Replace) -> Replace:
        order = moved.new
        side, away = self._place(order)
        del self._resting[side][away][order.number]
        return Replace(order, self._add_for(order.client, side, away - 1))

    def _add_for(self, client: str, side: str, away: int) -> Add:
        order = self._add(side, away)._replace(client=client)
        self._resting[side][away][order.number] = order
        return order

    def _cross(self) -> tuple[Add, Add]:
        """(taker, maker); the taker reaches as far as the book does."""
        maker_side = self._side()
        level = next(level for level in self._resting[maker_side] if level)
        maker = level.pop(next(iter(level)))
        side, away = (SELL, -self.levels) if maker_side == BUY else (BUY, self.levels)
        return self._order(FAR, side, QUANTITY, MIDDLE + away), maker

    # -- choices ---------------------------------------------------------------------------------------

    def _side(self) -> str:
        return self._chance.choice((BUY, SELL))

    def _anywhere(self) -> tuple[str, int]:
        return self._side(), self._chance.randint(1, self.levels)

    def _place(self, order: Add) -> tuple[str, int]:
        return order.side, abs(order.price - MIDDLE)

    def _take_any(self) -> Add:
        while True:
            side, away = self._anywhere()
            level = self._resting[side][away]
            if level:
                number = next(islice(level, self._chance.randrange(len(level)), None))
                return level.pop(number)
