"""All that the venue remembers from one command to the next."""

from collections import defaultdict

from msgspec import Struct
from sortedcontainers import SortedDict

from engine.commands import CancelMany, CancelSession, LimitAccount, ListInstrument
from engine.events import Execution
from engine.market import Market
from engine.order import Order
from engine.peers import Asked, Channel, DistantMarket
from engine.routing import Pin, Router, Routing
from engine.shard import Shard
from engine.terms import Terms
from engine.user import User
from engine.words import ACTIVE

FIRST_SHARD = "S1"
MAX_SUPPLY = 2**63 - 1
NO_LIMITS = LimitAccount(0, "")


class Canceling(Struct):
    """How far the command has come: `count` orders. `waiting`: (session, OrderID) of the others, the oldest
    last; some may have ended meanwhile."""

    command: CancelMany | CancelSession
    waiting: list[tuple[str, int]]
    count: int = 0


class State:
    """A function of the commands applied and of nothing else. To be read; only Venue.apply changes it."""

    __slots__ = (
        "asked",
        "canceling",
        "channels",
        "collected",
        "corrected",
        "day",
        "distant",
        "ending",
        "expiring",
        "followers",
        "in_flight",
        "killed",
        "limits",
        "live",
        "markets",
        "match_id",
        "moving",
        "orders",
        "resident",
        "router",
        "sequence",
        "shards",
        "supply",
        "terms",
        "to_compare",
        "to_confirm",
        "to_look_at",
        "to_move",
        "unheard",
        "users",
    )

    def __init__(self) -> None:
        self.sequence = 0
        """journal sequence of the last command applied"""
        self.day = ""
        """the trading day, YYYY-MM-DD; "" before the first EndDay"""
        self.ending = ""
        """the day that begins once another EndDay has ended the rest of this one's orders; "": none"""
        self.match_id = 0
        self.users: dict[str, User] = {}
        """all that are in memory, on whatever shard"""
        self.collected: dict[str, int] = {}
        """what the venue has taken of trades, by currency (docs/users.md, 8); the shards count it"""
        self.shards = {FIRST_SHARD: Shard(FIRST_SHARD, self.collected)}
        self.router = Router(Routing(0, ((FIRST_SHARD, ACTIVE),)))
        self.resident = 1_000_000
        self.in_flight = 100_000
        """limits: users of each shard (docs/users.md, 2.5), orders that another node has not answered
        (docs/nodes.md, 3.4)"""
        self.supply: dict[str, int] = {}
        """all that the users in memory have of each currency and what the venue has taken, which no trade
        changes"""
        self.limits: dict[str, LimitAccount] = {}
        """of the accounts that have some, in memory or not"""
        self.unheard: dict[str, dict[tuple[int, int], Execution]] = {}
        """events of users who are not in memory, by OrderID and step"""
        self.to_move: dict[str, Pin] = {}
        """users in memory who go to another shard when they are flat"""
        self.moving: dict[str, Pin] = {}
        """those who are leaving, or have left, for another shard; the routing changes when all have left"""
        self.to_look_at: list[str] = []
        """who was in memory when shards changed, and may have to move"""
        self.to_compare: list[str] = []
        """whose holds are still to be compared in this round (docs/users.md, 6.1)"""
        self.to_confirm: list[tuple[str, int]] = []
        """(session, OrderID) of orders of other nodes, which are still to be told of in this round"""
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
        self.distant: dict[str, DistantMarket] = {}
        """markets on other nodes"""
        self.channels: dict[int, Channel] = {}
        """to other nodes, by their numbers"""
        self.followers: dict[str, list[int]] = {}
        """nodes that send orders for a market here"""
        self.asked: dict[tuple[int, str], Asked] = {}
        """requests that other nodes have not answered, by OrderID and what they are: CANCEL or AMEND"""
        self.terms: Terms | None = None
        """of the order that was checked last; not part of the state"""

    def listed(self, symbol: str) -> ListInstrument | None:
        """The instrument of a market here or on another node; None if there is none."""
        market = self.markets.get(symbol) or self.distant.get(symbol)
        return None if market is None else market.instrument

    def instrument(self, symbol: str) -> ListInstrument:
        """Of a market that there is."""
        market = self.markets.get(symbol)
        return self.distant[symbol].instrument if market is None else market.instrument

    def market_states(self) -> dict[str, str]:
        """By symbol; of a market on another node the one that it told last, if it has told one."""
        states = {symbol: market.state for symbol, market in self.markets.items()}
        return states | {symbol: market.state for symbol, market in self.distant.items() if market.state}

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

    def limits_of(self, user: str) -> LimitAccount:
        return self.limits.get(user, NO_LIMITS)

    @property
    def live_orders(self) -> int:
        """How many there are."""
        return sum(map(len, self.live.values()))

    def next_expiry(self) -> int:
        """ExpireTime of the live order that ends first; 0 if there is none."""
        first = next(iter(self.expiring), None)
        return first[0] if first else 0
