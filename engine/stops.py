"""Stop orders that wait for a trade to touch them (docs/market.md, 2)."""

from collections.abc import Iterator

from sortedcontainers import SortedDict

from engine.order import NOWHERE, STOPS, Order
from engine.words import BUY

MOST = 100
"""triggered by one command, so that it stays short (docs/market.md, 2.5)"""


class Stops:
    """By side, then by stop price. A key is the stop price to buy, and minus it to sell: on both sides the
    next to be touched has the smallest."""

    __slots__ = ("buys", "sells")

    def __init__(self) -> None:
        self.buys: dict[int, dict[int, Order]] = SortedDict()
        self.sells: dict[int, dict[int, Order]] = SortedDict()

    def __iter__(self) -> Iterator[Order]:
        """In the order of their places."""
        sides = (*self.buys.values(), *self.sells.values())
        return iter(sorted((order for level in sides for order in level.values()), key=_place))

    def __bool__(self) -> bool:
        return bool(self.buys or self.sells)

    def add(self, order: Order) -> None:
        levels, key = self._of(order)
        order.where = STOPS
        level = levels.get(key)
        if level is None:
            levels[key] = {order.order_id: order}
        else:
            level[order.order_id] = order

    def remove(self, order: Order) -> None:
        levels, key = self._of(order)
        level = levels[key]
        del level[order.order_id]
        if not level:
            del levels[key]
        order.where = NOWHERE

    def touch(self, low: int, high: int) -> list[Order]:
        """Takes out those that trades from `low` to `high` touch, in the order of their places."""
        touched: list[Order] = []
        for levels, last in (self.buys, high), (self.sells, -low):
            while levels and (key := next(iter(levels))) <= last:
                touched += levels.pop(key).values()
        return sorted(touched, key=_place)

    def _of(self, order: Order) -> tuple[dict[int, dict[int, Order]], int]:
        buys = order.side == BUY
        return (self.buys, order.stop_price) if buys else (self.sells, -order.stop_price)


def touches(order: Order, price: int) -> bool:
    """Whether a trade at this price touches the stop; no trade has price 0."""
    return price != 0 and (price >= order.stop_price if order.side == BUY else price <= order.stop_price)


def _place(order: Order) -> int:
    return order.place
