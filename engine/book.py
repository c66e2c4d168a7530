"""One side of a book: price levels in order, each a queue of orders in order of arrival."""

from collections.abc import Iterator

from msgspec import Struct
from sortedcontainers import SortedDict

from engine.order import Order


class Level(Struct, eq=False):
    """All orders at one price. `quantity` is the sum of their leaves_quantity, in lots."""

    key: int
    quantity: int
    first: Order | None = None
    last: Order | None = None


class BookSide:
    """The resting buy orders of a market (`sign` -1) or its sell orders (`sign` 1).

    A level's key is sign * price, so that on both sides the best price has the smallest key."""

    __slots__ = ("best", "levels", "sign")

    def __init__(self, sign: int) -> None:
        self.sign = sign
        self.levels: dict[int, Level] = SortedDict()
        self.best: Level | None = None

    def __iter__(self) -> Iterator[Order]:
        """Every order, in the order in which they would be matched."""
        for level in self.levels.values():
            order = level.first
            while order is not None:
                yield order
                order = order.next

    def add(self, order: Order) -> None:
        """Puts the order at the back of its level."""
        key = self.sign * order.price
        level = self.levels.get(key)
        if level is None:
            level = self.levels[key] = Level(key, order.leaves_quantity, order, order)
            if self.best is None or key < self.best.key:
                self.best = level
            return
        last = level.last
        assert last is not None
        order.previous, last.next, level.last = last, order, order
        level.quantity += order.leaves_quantity

    def remove(self, order: Order) -> None:
        """Takes the order out, with whatever leaves_quantity it has."""
        level = self.levels[self.sign * order.price]
        level.quantity -= order.leaves_quantity
        previous, following = order.previous, order.next
        if previous is None:
            level.first = following
        else:
            previous.next = following
        if following is None:
            level.last = previous
        else:
            following.previous = previous
        order.previous = order.next = None
        if level.first is None:
            self._drop(level)

    def reduce(self, order: Order, leaves_quantity: int) -> None:
        """Lowers the order's leaves_quantity where it stands; it keeps its place."""
        assert 0 < leaves_quantity <= order.leaves_quantity, order
        self.levels[self.sign * order.price].quantity -= order.leaves_quantity - leaves_quantity
        order.leaves_quantity = leaves_quantity

    def fill_first(self, level: Level, quantity: int) -> Order:
        """Fills the first order of `level` with at most its leaves_quantity, at its own price; it leaves
        the book when nothing is left of it."""
        order = level.first
        assert order is not None
        order.fill(quantity, order.price)
        level.quantity -= quantity
        if not order.leaves_quantity:
            level.first = following = order.next
            if following is None:
                self._drop(level)
            else:
                following.previous = order.next = None
        return order

    def _drop(self, level: Level) -> None:
        assert level.quantity == 0, level.key
        del self.levels[level.key]
        if level is self.best:
            key = next(iter(self.levels), None)
            self.best = None if key is None else self.levels[key]
