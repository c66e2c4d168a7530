"""The engines that are measured: fixgw's own, and two from PyPI that anyone would find.

`fastlob` because it is the pure Python book that is still looked after, `liquibook` because it is the C++ one
that others are measured by. Both match limit orders by price and time and cancel them: no accounts, no money,
no self-trade prevention, no states, no journal. fastlob checks what it is given and answers with a result for
the order at hand, and tells nothing of the other side; liquibook calls back for each step of both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import thread_time
from typing import Any, Protocol

from engine.commands import CancelOrder, Command, ListInstrument, NewOrder, OpenAccount, ReplaceOrder
from engine.venue import Venue
from engine.words import ALLOW, BUY, DAY, LIMIT, SELL, STOP_LIMIT
from tests.bench.engine.books import FAR, MIDDLE, NEAR, SWEEPER, Add, Cancel, Operation, Replace

try:
    import fastlob
    import liquibook
except ImportError:
    fastlob = liquibook = None

INSTALL = "fastlob and liquibook are not installed, so there is no comparison: pip install -e '.[bench]'"
SYMBOL = "BTC-USD"
AWAY = 500_000
"""ticks from the middle: where stops wait that no trade touches"""


class Matcher(Protocol):
    name: str

    @property
    def fills(self) -> int:
        """Trades so far, to see that it did what it was asked."""

    def prepare(self, operations: Sequence[Operation]) -> list[Any]:
        """In its own words, before the clock starts."""

    def run(self, prepared: list[Any]) -> float:
        """Seconds of this thread on a core: what others of the machine take does not count."""

    def close(self) -> None: ...


class Fixgw:
    """refusal() and apply() of each command, as the venue does it; the events are made and dropped."""

    def __init__(self, name: str = "fixgw", self_trade: str = ALLOW, stops: int = 0) -> None:
        self.name, self._self_trade = name, self_trade
        self._venue = venue = Venue()
        self._apply([ListInstrument(1, SYMBOL, "BTC", "USD", "0.01", "0.0001", 1, 1, 10**9, 10**7)])
        for client in NEAR, FAR, SWEEPER:
            account = OpenAccount(1, f"{client}-1", client, (("USD", 2**60), ("BTC", 2**60)))
            self._apply([account])
        self._apply(self._stop(number) for number in range(stops))
        assert bool(venue.markets[SYMBOL].stops) == bool(stops)

    @property
    def fills(self) -> int:
        return self._venue.match_id

    def prepare(self, operations: Sequence[Operation]) -> list[Command]:
        return [self._command(operation) for operation in operations]

    def run(self, prepared: list[Command]) -> float:
        start = thread_time()
        self._apply(prepared)
        return thread_time() - start

    def close(self) -> None:
        self._venue = Venue()

    def _apply(self, commands: Iterable[Command]) -> None:
        refusal, apply, sequence = self._venue.refusal, self._venue.apply, self._venue.sequence
        refused = 0
        for command in commands:
            sequence += 1
            if refusal(command) is None:
                apply(sequence, command)
            else:
                refused += 1
        assert not refused

    def _command(self, operation: Operation) -> Command:
        match operation:
            case Add(number, client, side, quantity, price):
                return self._new(f"order-{number}", client, side, LIMIT, quantity, price)
            case Cancel(order):
                names = f"cancel-{order.number}", f"order-{order.number}"
                return CancelOrder(5, order.client, order.client, *names, SYMBOL, order.side)
            case Replace(order, new):
                names = f"order-{new.number}", f"order-{order.number}"
                whose = order.client, order.client, f"{order.client}-1"
                return ReplaceOrder(
                    5, *whose, *names, SYMBOL, order.side, LIMIT, new.quantity, new.price, DAY
                )

    def _stop(self, number: int) -> NewOrder:
        """Far away, at many prices of both sides."""
        away = AWAY + number % 50_000
        side, price = (BUY, MIDDLE + away) if number % 2 else (SELL, MIDDLE - away)
        return self._new(f"stop-{number}", FAR, side, STOP_LIMIT, 1, price, price)

    def _new(
        self, name: str, client: str, side: str, kind: str, quantity: int, price: int, stop: int = 0
    ) -> NewOrder:
        account = f"{client}-1"
        return NewOrder(
            5, client, client, account, name, SYMBOL, side, kind, DAY, quantity, price, stop,
            group=f"client:{client}", self_trade=self._self_trade,
        )  # fmt: skip


class Fastlob:
    name = "fastlob"

    def __init__(self) -> None:
        self.fills = 0
        self._book = fastlob.Orderbook("bench", start=True)
        self._ids: dict[int, str] = {}
        """its own name for each of the orders"""

    def prepare(self, operations: Sequence[Operation]) -> list[Any]:
        """Each order with its number, each cancel with none."""
        return [
            (each.number, self._params(each)) if isinstance(each, Add) else (each.order.number, None)
            for each in _without_replaces(operations)
        ]

    def run(self, prepared: list[Any]) -> float:
        process, cancel, ids = self._book.process, self._book.cancel, self._ids
        start = thread_time()
        for number, params in prepared:
            if params is None:
                cancel(ids.pop(number))
            else:
                result = process(params)
                ids[number] = result.orderid()
                self.fills += result.n_orders_matched()
        return thread_time() - start

    def close(self) -> None:
        self._book.stop()

    def _params(self, order: Add) -> Any:
        side = fastlob.OrderSide.BID if order.side == BUY else fastlob.OrderSide.ASK
        return fastlob.OrderParams(side, order.price, order.quantity)


def liquibook_listener() -> Any:
    """Its class exists only where liquibook is installed."""

    class Listener(liquibook.OrderListener):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.fills = 0

        def on_accept(self, order: Any) -> None: ...

        def on_cancel(self, order: Any) -> None: ...

        def on_fill(self, taker: Any, maker: Any, quantity: int, price: int) -> None:
            self.fills += 1

        def on_reject(self, order: Any, reason: str) -> None:
            raise AssertionError(reason)

        on_cancel_reject = on_reject

    return Listener()


class Liquibook:
    name = "liquibook"

    def __init__(self) -> None:
        self._book = liquibook.DepthOrderBook()
        self._book.set_symbol(SYMBOL)
        self._listener = liquibook_listener()
        self._book.set_order_listener(self._listener)
        self._orders: dict[int, Any] = {}

    @property
    def fills(self) -> int:
        return int(self._listener.fills)

    def prepare(self, operations: Sequence[Operation]) -> list[Any]:
        """Each with the method that it is for."""
        prepared = []
        for each in _without_replaces(operations):
            if isinstance(each, Add):
                order = liquibook.SimpleOrder(each.side == BUY, each.price, each.quantity)
                self._orders[each.number] = order
                prepared.append((self._book.add, order))
            else:
                prepared.append((self._book.cancel, self._orders.pop(each.order.number)))
        return prepared

    def run(self, prepared: list[Any]) -> float:
        start = thread_time()
        for method, order in prepared:
            method(order)
        return thread_time() - start

    def close(self) -> None:
        self._orders.clear()


def others() -> list[type[Fastlob] | type[Liquibook]]:
    return [Fastlob, Liquibook] if fastlob else []


def _without_replaces(operations: Sequence[Operation]) -> list[Add | Cancel]:
    """A replace that loses its place is a cancel and a new order."""
    plain: list[Add | Cancel] = []
    for each in operations:
        plain += [Cancel(each.order), each.new] if isinstance(each, Replace) else [each]
    return plain
