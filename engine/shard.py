"""The users that one shard has in memory: who is quiet and for how long, who is being written back."""

from collections import OrderedDict

from engine.user import Hold, User
from engine.user_events import BeginDehydrate
from engine.words import HERE, LEAVING_MEMORY, MOVING

HEADROOM = 16
"""a shard writes back ahead of time when less than one in so many of its places is free"""


class Shard:
    __slots__ = ("collected", "flushing", "idle", "in_flight", "name", "open_orders", "users")

    def __init__(self, name: str, collected: dict[str, int]) -> None:
        self.name = name
        self.collected = collected
        """what the venue has taken of trades, by currency; all shards of a state count it in one"""
        self.users: dict[str, User] = {}
        """all that are in memory"""
        self.idle: OrderedDict[str, User] = OrderedDict()
        """those of them that are flat and not being written back: the quietest first. Who has an order is not
        among them, so a sweep never passes over one"""
        self.flushing: dict[str, BeginDehydrate] = {}
        """what is to be written and is not known to be, by user: the work of the agent outside"""
        self.in_flight = 0
        """holds that no market has answered"""
        self.open_orders = 0
        """all holds"""

    def enter(self, user: User, logged_time: int) -> None:
        assert user.name not in self.users, user.name
        self.users[user.name] = user
        self._rest(user, logged_time)

    def leave(self, user: User) -> None:
        assert not user.holds and user.name not in self.flushing, user.name
        del self.users[user.name]
        self.idle.pop(user.name, None)

    def hold(self, user: User, hold: Hold) -> None:
        """The debit of a new order; whoever has one is not flat."""
        if not user.holds:
            self.wake(user)
        user.hold(hold)
        self.in_flight += 1
        self.open_orders += 1

    def collect(self, currency: str, fee: int) -> None:
        """The user who pays it has been debited."""
        self.collected[currency] = self.collected.get(currency, 0) + fee

    def wake(self, user: User) -> None:
        """It does something: if it was about to leave, it stays."""
        assert user.state != MOVING, user.name
        self.idle.pop(user.name, None)
        if user.state == LEAVING_MEMORY:
            user.state = HERE
            user.epoch += 1

    def rested(self, user: User, logged_time: int) -> None:
        """It has done something, and may be flat now."""
        if not user.holds:
            self._rest(user, logged_time)

    def _rest(self, user: User, logged_time: int) -> None:
        user.last_active = logged_time
        if user.name not in self.flushing and user.state == HERE:
            self.idle[user.name] = user
            self.idle.move_to_end(user.name)

    def is_short(self, most: int) -> bool:
        """Of places, of which it has so many: at least one is kept free for who comes next."""
        return len(self.users) - len(self.flushing) > most - max(most // HEADROOM, 1)

    def lets_go(self, before: int, most: int) -> bool:
        """Someone is to leave: the quietest has done nothing since then, or places are short."""
        quietest = next(iter(self.idle.values()), None)
        return quietest is not None and (quietest.last_active < before or self.is_short(most))

    def flush(self, user: User, logged_time: int, state: str) -> BeginDehydrate:
        """Begins to write it back."""
        assert not user.holds and user.name not in self.flushing, user.name
        self.idle.pop(user.name, None)
        user.state = state
        flush = BeginDehydrate(logged_time, user.name, self.name, user.epoch, user.version, user.row)
        self.flushing[user.name] = flush
        return flush
