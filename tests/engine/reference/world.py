"""What the reference remembers: orders, money, markets; and how it says what happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

from engine.commands import CancelMany, CancelSession, LimitAccount, ListInstrument, NewOrder, SetRules

Said = dict[str, Any]
"""an event: its fields, and "event", its name"""
Refused = tuple[str, int | str, int | str, str]
"""reason, value, limit, unit"""


@dataclass(eq=False)
class Open:
    """An order: as it came (`command`), and as it is by now."""

    id: int
    name: str
    command: NewOrder
    quantity: int
    price: int
    """0: a market or a stop order"""
    stop_price: int
    display: int
    expire_time: int
    expire_day: str
    limit: int = 0
    """the worst price at which it may trade"""
    where: str = "hand"
    """where it waits: "book", "stops", "touched" or "parked" (for the close)"""
    place: int = 0
    """orders those who wait at the same price, or among stops, or are touched"""
    showing: int = 0
    """what is left of the part that an iceberg shows"""
    triggered: bool = False
    fills: dict[int, tuple[int, int]] = field(default_factory=dict)
    """quantity and price of each trade, by match_id"""
    fees: tuple[int, int] = (0, 0)
    """users.md 8.3: what it pays as maker and as taker, in millionths"""
    ended: bool = False
    steps: int = 0

    @property
    def buys(self) -> bool:
        return self.command.side == "1"

    @property
    def filled(self) -> int:
        return sum(quantity for quantity, _ in self.fills.values())

    @property
    def left(self) -> int:
        return 0 if self.ended else self.quantity - self.filled

    @property
    def shown(self) -> int:
        return self.showing if self.display else self.left

    @property
    def is_stop(self) -> bool:
        return self.stop_price > 0 and not self.triggered

    @property
    def may_rest(self) -> bool:
        """In continuous trading."""
        return self.price > 0 and self.command.time_in_force in ("0", "1", "6")


@dataclass
class Canceling:
    """A request for many cancels that is not done yet."""

    sequence: int
    command: CancelMany | CancelSession
    orders: list[Open]
    text: str
    restatement: str
    asked_by: str = ""
    count: int = 0


class World:
    def __init__(self) -> None:
        self.instruments: dict[str, ListInstrument] = {}
        self.rules: dict[str, SetRules] = {}
        self.states: dict[str, str] = {}
        self.why: dict[str, str] = {}
        """the reason of each market's state"""
        self.last: dict[str, int] = {}
        """price of the last trade of a market, where there was one, or what the operator has put there"""
        self.owners: dict[str, str] = {}
        self.money: dict[tuple[str, str], int] = {}
        self.taken: dict[str, int] = {}
        """users.md 8.5: what the venue has taken, by currency"""
        self.limits: dict[str, LimitAccount] = {}
        self.killed: set[tuple[str, str]] = set()
        """scope and name"""
        self.day = ""
        self.live: list[Open] = []
        self.canceling: list[Canceling] = []
        self.trades = 0
        self.places = 0

        self.sequence = self.time = 0
        """of the command that is carried out; what follows is about this one as well"""
        self.said: list[Said] = []
        self.prices: dict[str, list[int]] = {}
        """of trades that have not touched stops yet, by market"""
        self.dynamic: dict[str, int] = {}
        """the dynamic reference of each market that has one"""
        self.may_trigger = 0
        """orders that the command may still trigger"""

    def queue(self, symbol: str, side: str) -> list[Open]:
        """One side of a book, the first to be matched first."""
        orders = [o for o in self.waiting(symbol, "book") if o.command.side == side]
        sign = -1 if side == "1" else 1
        return sorted(orders, key=lambda order: (sign * order.limit, order.price > 0, order.place))

    def waiting(self, symbol: str, where: str) -> list[Open]:
        """The orders of a market that wait there, by their place."""
        orders = [order for order in self.live if order.command.symbol == symbol and order.where == where]
        return sorted(orders, key=lambda order: order.place)

    def best_opposite(self, order: Open) -> int:
        """0: no one is there."""
        queue = self.queue(order.command.symbol, "2" if order.buys else "1")
        return queue[0].price if queue else 0

    def find(self, client: str, name: str) -> Open | None:
        found = {(order.command.client, order.name): order for order in self.live}
        assert len(found) == len(self.live)
        return found.get((client, name))

    def known(self, client: str, name: str) -> Open:
        order = self.find(client, name)
        assert order is not None
        return order

    def reference_price(self, symbol: str) -> int:
        """0: there is none."""
        return self.last.get(symbol) or self.rules[symbol].reference_price

    def held(self, account: str, currency: str) -> int:
        own = [order for order in self.live if order.command.account == account]
        return sum(self.holding(order) for order in own if self.pays_in(order) == currency)

    def available(self, account: str, currency: str) -> int:
        return self.money.get((account, currency), 0) - self.held(account, currency)

    def pays_in(self, order: Open) -> str:
        instrument = self.instruments[order.command.symbol]
        return instrument.quote if order.buys else instrument.base

    def holding(self, order: Open) -> int:
        instrument = self.instruments[order.command.symbol]
        if order.buys:
            value = order.left * order.limit * instrument.quote_per_tick_lot
            return value + self.part(value, max(order.fees))
        return order.left * instrument.base_per_lot

    def part(self, value: int, millionths: int) -> int:
        """users.md 8.1."""
        exact = Fraction(value) * Fraction(millionths, 1_000_000)
        return floor(exact)

    def charge(self, account: str, currency: str, amount: int) -> None:
        """A fee; below 0 the venue gives it back."""
        self.move(account, currency, -amount)
        self.taken[currency] = self.taken.get(currency, 0) + amount

    def move(self, account: str, currency: str, amount: int) -> None:
        self.money[account, currency] = self.money.get((account, currency), 0) + amount

    def put(self, order: Open, where: str) -> None:
        """Gives it the last place there; an iceberg shows a new part."""
        self.places += 1
        order.place, order.where = self.places, where
        order.showing = min(order.display, order.left)
        if order not in self.live:
            self.live.append(order)

    def take_out(self, order: Open) -> None:
        order.where = "hand"
        self.live = [other for other in self.live if other is not order]

    def end(self, order: Open, status: str, text: str, restatement: str = "", **more: Any) -> None:
        order.ended = True
        self.take_out(order)
        self.say(order, status, status, text=text, restatement=restatement, **more)

    def say(self, order: Open, exec_type: str, ord_status: str, **more: Any) -> None:
        order.steps += 1
        command = order.command
        said = {name: getattr(command, name) for name in OF_THE_COMMAND}
        said |= {name: getattr(order, name) for name in OF_THE_ORDER}
        said |= {"time": self.time, "exec_type": exec_type, "ord_status": ord_status, "step": order.steps}
        said |= {"order_id": order.id, "cl_ord_id": order.name, "orig_cl_ord_id": "", "requester": ""}
        said |= {"cum_quantity": order.filled, "leaves_quantity": order.left}
        said |= {"notional": sum(quantity * price for quantity, price in order.fills.values())}
        said |= {"last_quantity": 0, "last_price": 0, "match_id": 0, "ref_id": 0}
        said |= {"text": "", "restatement": "", "post_only": bool(command.post_only)}
        said |= {"liquidity": "", "fee_rate": 0, "fee": 0}
        assert more.keys() <= said.keys()
        self.tell("Execution", **said | more)

    def tell(self, event: str, **fields: Any) -> None:
        self.said.append({"event": event, "time": self.time} | fields)


OF_THE_COMMAND = (
    "client",
    "session",
    "account",
    "symbol",
    "side",
    "ord_type",
    "time_in_force",
    "cash",
    "min_quantity",
)
OF_THE_ORDER = ("quantity", "price", "stop_price", "display", "expire_time", "expire_day")
