"""All that the venue remembers from one command to the next."""

from engine.digest import digest
from engine.market import Market
from engine.order import Order
from engine.shard import Account, Shard


class State:
    """A function of the commands applied and of nothing else. To be read; only Venue.apply changes it."""

    __slots__ = (
        "accounts",
        "cancel_only",
        "day",
        "live",
        "markets",
        "match_id",
        "orders",
        "sequence",
        "shard",
    )

    def __init__(self) -> None:
        self.sequence = 0
        """journal sequence of the last command applied"""
        self.day = ""
        """the trading day, YYYY-MM-DD; "" before the first EndDay"""
        self.match_id = 0
        self.cancel_only = False
        """of the whole venue; each market has one of its own"""
        self.shard = Shard()
        self.accounts: dict[str, Account] = self.shard.accounts
        self.markets: dict[str, Market] = {}
        self.orders: dict[str, dict[str, Order]] = {}
        """the live orders, which are those in the books: by client, then by current ClOrdID"""
        self.live: dict[str, dict[int, Order]] = {}
        """the same orders by the session that owns them, then by OrderID, the oldest first"""

    def order(self, client: str, cl_ord_id: str) -> Order | None:
        """The client's live order whose current ClOrdID this is."""
        orders = self.orders.get(client)
        return None if orders is None else orders.get(cl_ord_id)

    def live_order(self, session: str, order_id: int) -> Order | None:
        orders = self.live.get(session)
        return None if orders is None else orders.get(order_id)

    def digest(self) -> str:
        """SHA-256 of the whole state, in hex."""
        counters = (self.sequence, self.day, self.match_id, self.cancel_only)
        return digest(counters, self.accounts.values(), self.markets.values())
