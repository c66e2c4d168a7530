"""All that the venue remembers from one command to the next."""

from collections import defaultdict

from msgspec import Struct
from sortedcontainers import SortedDict

from engine.commands import CancelMany, CancelSession
from engine.digest import digest
from engine.market import Market
from engine.order import Order
from engine.shard import Account, Shard
from engine.terms import Terms


class Canceling(Struct):
    """How far the command has come: `count` orders. `waiting`: (session, OrderID) of the others, the oldest
    last; some may have ended meanwhile."""

    command: CancelMany | CancelSession
    waiting: list[tuple[str, int]]
    count: int = 0


class State:
    """A function of the commands applied and of nothing else. To be read; only Venue.apply changes it."""

    __slots__ = (
        "accounts",
        "canceling",
        "corrected",
        "day",
        "ending",
        "expiring",
        "killed",
        "live",
        "markets",
        "match_id",
        "orders",
        "sequence",
        "shard",
        "terms",
    )

    def __init__(self) -> None:
        self.sequence = 0
        """journal sequence of the last command applied"""
        self.day = ""
        """the trading day, YYYY-MM-DD; "" before the first EndDay"""
        self.ending = ""
        """the day that begins once another EndDay has ended the rest of this one's orders; "": none"""
        self.match_id = 0
        self.shard = Shard()
        self.accounts: dict[str, Account] = self.shard.accounts
        self.markets: dict[str, Market] = {}
        self.orders: dict[str, dict[str, Order]] = {}
        """the live orders, wherever they are: by client, then by current ClOrdID"""
        self.live: dict[str, dict[int, Order]] = defaultdict(dict)
        """the same orders by the session that owns them, then by OrderID, the oldest first"""
        self.expiring: dict[tuple[int, int], Order] = SortedDict()
        """those of them with an ExpireTime, by it and OrderID"""
        self.killed: dict[tuple[str, str], None] = {}
        """(scope, name) of the kill switches that are on"""
        self.corrected: dict[int, tuple[int, int]] = {}
        """(quantity, price) by MatchID of the trades that are not any more what they were"""
        self.canceling: dict[int, Canceling] = {}
        """requests for many cancels that are not done yet, by journal sequence"""
        self.terms: Terms | None = None
        """of the order that was checked last; not part of the state"""

    def order(self, client: str, cl_ord_id: str) -> Order | None:
        """The client's live order whose current ClOrdID this is."""
        orders = self.orders.get(client)
        return None if orders is None else orders.get(cl_ord_id)

    def live_order(self, session: str, order_id: int) -> Order | None:
        orders = self.live.get(session)
        return None if orders is None else orders.get(order_id)

    def by_id(self, order_id: int) -> Order | None:
        """A live order of whatever session."""
        found = (orders[order_id] for orders in self.live.values() if order_id in orders)
        return next(found, None)

    @property
    def live_orders(self) -> int:
        """How many there are."""
        return sum(map(len, self.live.values()))

    def next_expiry(self) -> int:
        """ExpireTime of the live order that ends first; 0 if there is none."""
        first = next(iter(self.expiring), None)
        return first[0] if first else 0

    def digest(self) -> str:
        """SHA-256 of the whole state, in hex."""
        counters = (self.sequence, self.day, self.ending, self.match_id)
        sets = sorted(self.killed), sorted(self.corrected.items()), list(self.canceling.items())
        return digest(counters, sets, self.accounts.values(), self.markets.values())
