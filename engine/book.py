"""One side of a book: price levels in order, each a queue of orders in order of their places."""

from collections.abc import Iterator

from sortedcontainers import SortedDict

from engine.order import BOOK, NOWHERE, Order


class Level:
    """All orders at one price. `quantity` is the sum of their leaves_quantity, in lots.

    Plain, as writing an attribute of a Struct takes five times as long."""

    __slots__ = ("first", "key", "last", "last_market", "quantity")

    def __init__(self, key: int, order: Order) -> None:
        self.key = key
        self.quantity = order.leaves_quantity
        self.first: Order | None = order
        self.last: Order | None = order
        self.last_market: Order | None = None if order.price else order
        """the last of its market orders, which stand before all others"""

    def __iter__(self) -> Iterator[Order]:
        order = self.first
        while order is not None:
            yield order
            order = order.next


class BookSide:
    """The resting buy orders of a market (`sign` -1) or its sell orders (`sign` 1).

    A level's key is sign * limit, so that on both sides the best price has the smallest key. Market orders,
    which are here in call phases only, come before all others of their limit."""

    __slots__ = ("best", "groups", "levels", "sign")

    def __init__(self, sign: int) -> None:
        self.sign = sign
        self.levels: dict[int, Level] = SortedDict()
        self.best: Level | None = None
        self.groups: dict[str, int] = {}
        """how many orders here are of each group, of those that have one (docs/market.md, 5)"""

    def __iter__(self) -> Iterator[Order]:
        """Every order, in the order in which they would be matched."""
        for level in self.levels.values():
            yield from level

    def add(self, order: Order) -> None:
        """Gives the order the last place at its limit; of an iceberg a new part is shown."""
        key = self.sign * order.limit
        left = order.leaves_quantity
        order.shown = min(order.display, left) if order.display else left
        order.where = BOOK
        if order.group:
            self.groups[order.group] = self.groups.get(order.group, 0) + 1
        level = self.levels.get(key)
        if level is None:
            level = self.levels[key] = Level(key, order)
            if self.best is None or key < self.best.key:
                self.best = level
            return
        level.quantity += left
        if order.price:
            self._append(level, order)
        else:
            self._append_market(level, order)

    def remove(self, order: Order) -> None:
        """Takes the order out, with whatever leaves_quantity it has."""
        level = self.levels[self.sign * order.limit]
        level.quantity -= order.leaves_quantity
        self._unlink(level, order)
        self._left(order)
        if level.first is None:
            self._drop(level)

    def reduce(self, order: Order, leaves_quantity: int) -> None:
        """Lowers the order's leaves_quantity where it stands; it keeps its place."""
        assert 0 < leaves_quantity <= order.leaves_quantity, order
        self.levels[self.sign * order.limit].quantity -= order.leaves_quantity - leaves_quantity
        order.leaves_quantity = leaves_quantity
        order.shown = min(order.shown, leaves_quantity)

    def fill_first(self, level: Level, quantity: int, price: int) -> Order:
        """Fills the first order of `level` with at most what it shows. It leaves the book when nothing is
        left of it; when nothing is shown any more, the next part is, in the last place."""
        order = level.first
        assert order is not None
        order.fill(quantity, price)
        level.quantity -= quantity
        order.shown = shown = order.shown - quantity
        if not shown:
            if order.leaves_quantity:
                order.shown = min(order.display, order.leaves_quantity)
                if order.next is not None:
                    self._unlink(level, order)
                    self._append(level, order)
                return order
            level.first = following = order.next
            if order is level.last_market:
                level.last_market = None
            self._left(order)
            if following is None:
                self._drop(level)
            else:
                following.previous = order.next = None
        return order

    def _append(self, level: Level, order: Order) -> None:
        last = level.last
        assert last is not None
        order.previous, last.next, level.last = last, order, order

    def _append_market(self, level: Level, order: Order) -> None:
        """Behind the other market orders, before the first that is none."""
        before = level.last_market
        after = level.first if before is None else before.next
        order.previous, order.next, level.last_market = before, after, order
        if before is None:
            level.first = order
        else:
            before.next = order
        if after is None:
            level.last = order
        else:
            after.previous = order

    def _unlink(self, level: Level, order: Order) -> None:
        previous, following = order.previous, order.next
        if previous is None:
            level.first = following
        else:
            previous.next = following
        if following is None:
            level.last = previous
        else:
            following.previous = previous
        if order is level.last_market:
            level.last_market = previous
        order.previous = order.next = None

    def _left(self, order: Order) -> None:
        order.where = NOWHERE
        group = order.group
        if group:
            self.groups[group] -= 1
            if not self.groups[group]:
                del self.groups[group]

    def _drop(self, level: Level) -> None:
        assert level.quantity == 0, level.key
        del self.levels[level.key]
        if level is self.best:
            key = next(iter(self.levels), None)
            self.best = None if key is None else self.levels[key]
