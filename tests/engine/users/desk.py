"""A small venue with a record behind it, so that a test reads like a story: who comes into memory, what it
does there, and what is written when it leaves. The record does what it is told when the test says so."""

from __future__ import annotations

from msgspec import msgpack

from engine.commands import CancelOrder, Command, ListInstrument, NewOrder, ReplaceOrder
from engine.events import Event, Execution
from engine.refusals import Refusal
from engine.restoring import restore
from engine.snapshot import Part, parts
from engine.user import User
from engine.user_commands import (
    Deposit,
    FlushComplete,
    FlushFailed,
    HydrateUser,
    MoveUsers,
    MoveWave,
    ResolveUser,
    Row,
    SetShard,
    SweepUsers,
    Withdraw,
)
from engine.user_events import BalanceMoved, BeginDehydrate, Repaired, RoutingSet, UserConflict, UserLeft
from engine.venue import Venue
from engine.words import BUY, DAY, LIMIT, SELL

BTC_USD = ListInstrument(1, "BTC-USD", "BTC", "USD", "0.01", "0.001", 10, 2, 100, 1000)
SECOND = 1_000_000_000
RICH = (("BTC", 1_000), ("USD", 10_000))


class Desk:
    """Users have the names of their clients. `now` is the logged time of what follows, in seconds."""

    def __init__(self) -> None:
        self.venue = Venue()
        self.sequence = 0
        self.now = 1
        self.record: dict[str, tuple[int, Row]] = {}
        self.writes: list[BeginDehydrate] = []
        """what the record was asked to write and has not written"""
        self.apply(BTC_USD)

    @property
    def time(self) -> int:
        return self.now * SECOND

    def know(self, *names: str, balances: tuple[tuple[str, int], ...] = RICH) -> None:
        """The record has these."""
        for name in names:
            self.record[name] = (1, Row(name, balances))

    def apply(self, command: Command) -> list[Event]:
        refusal = self.venue.refusal(command)
        assert refusal is None, refusal
        events = self.commit(command)
        self.check()
        return events

    def commit(self, command: Command) -> list[Event]:
        """Without a look at whether all is well."""
        self.sequence += 1
        events = self.venue.apply(self.sequence, command)
        self.writes += [event for event in events if isinstance(event, BeginDehydrate)]
        return events

    def tell(self, command: Command) -> list[str]:
        refusal = self.venue.refusal(command)
        if refusal is not None:
            return [f"refused: {_refused(refusal)}"]
        return [words(event) for event in self.apply(command)]

    # -- what users do ---------------------------------------------------------------------------------

    def hydrate(self, *names: str) -> list[str]:
        said = []
        for name in names:
            said += self.tell(HydrateUser(self.time, name, *self.record[name]))
        return said

    def buy(self, user: str, name: str, quantity: int, price: int) -> list[str]:
        return self.tell(self.order(user, name, BUY, quantity, price))

    def sell(self, user: str, name: str, quantity: int, price: int) -> list[str]:
        return self.tell(self.order(user, name, SELL, quantity, price))

    def order(self, user: str, name: str, side: str, quantity: int, price: int) -> NewOrder:
        return NewOrder(self.time, user, user, user, name, "BTC-USD", side, LIMIT, DAY, quantity, price)

    def cancel(self, user: str, name: str, side: str = BUY) -> list[str]:
        return self.tell(CancelOrder(self.time, user, user, f"{name}-", name, "BTC-USD", side))

    def replace(self, user: str, name: str, quantity: int, price: int, side: str = BUY) -> list[str]:
        return self.tell(
            ReplaceOrder(self.time, user, user, "", f"{name}+", name, "BTC-USD", side, LIMIT, quantity, price)
        )

    def deposit(self, user: str, currency: str, amount: int, reference: str) -> list[str]:
        return self.tell(Deposit(self.time, user, currency, amount, reference))

    def withdraw(self, user: str, currency: str, amount: int, reference: str) -> list[str]:
        return self.tell(Withdraw(self.time, user, currency, amount, reference))

    # -- what the operator and the clock do ------------------------------------------------------------

    def sweep(self, idle: int = 60, most: int = 100) -> list[str]:
        return self.tell(SweepUsers(self.time, self.time - idle * SECOND, most))

    def shard(self, name: str, state: str) -> list[str]:
        return self.tell(SetShard(self.time, name, state))

    def move(self, *pins: tuple[str, str, str]) -> list[str]:
        return self.tell(MoveUsers(self.time, pins))  # type: ignore[arg-type]

    def wave(self, most: int = 100) -> list[str]:
        return self.tell(MoveWave(self.time, most))

    def resolve(self, user: str, *, keep: bool) -> list[str]:
        return self.tell(ResolveUser(self.time, user, self.record[user][0], keep))

    # -- what the record does --------------------------------------------------------------------------

    def write(self) -> list[str]:
        """It writes all it was asked for, and tells."""
        said = []
        for flush in self.take():
            said += self.complete(flush)
        return said

    def take(self) -> list[BeginDehydrate]:
        writes, self.writes = self.writes, []
        return writes

    def complete(self, flush: BeginDehydrate) -> list[str]:
        version = self.record.get(flush.user, (0, flush.row))[0]
        if version != flush.expected:
            return self.tell(FlushFailed(self.time, flush.user, flush.epoch, version))
        self.record[flush.user] = (version + 1, flush.row)
        return self.tell(FlushComplete(self.time, flush.user, flush.epoch, version + 1))

    # -- what is so ------------------------------------------------------------------------------------

    @property
    def resident(self) -> list[str]:
        return list(self.venue.users)

    def user(self, name: str) -> User:
        return self.venue.users[name]

    def money(self, name: str, currency: str) -> tuple[int, int]:
        """(total, reserved)"""
        balance = self.user(name).balances[currency]
        return balance.total, balance.reserved

    def check(self) -> None:
        """What holds at every position of the journal: money is conserved and held by orders, a user is on
        one shard and that is the one that owns it, whoever is idle is flat, and a snapshot has it all."""
        venue = self.venue
        supply: dict[str, int] = dict(venue.collected)
        for user in venue.users.values():
            assert venue.router.owner(user.name) == user.shard.name, user.name
            assert (user.name in user.shard.idle) <= (not user.holds)
            for currency, balance in user.balances.items():
                held = sum(hold.amount for hold in user.holds.values() if hold.currency == currency)
                assert held == balance.reserved <= balance.total
                supply[currency] = supply.get(currency, 0) + balance.total
        assert {name: total for name, total in venue.supply.items() if total} == {
            name: total for name, total in supply.items() if total
        }
        where = [name for shard in venue.shards.values() for name in shard.users]
        assert sorted(where) == sorted(venue.users)
        assert again(venue).digest() == venue.digest()


def again(venue: Venue) -> Venue:
    """The venue out of a snapshot of itself."""
    written = [msgpack.encode(part) for part in parts(venue)]
    return restore(msgpack.decode(part, type=Part) for part in written)


def _refused(refusal: Refusal) -> str:
    words = refusal.reason, refusal.value or "", refusal.limit or "", refusal.unit
    return " ".join(str(word) for word in words if word != "")


def words(event: Event) -> str:
    """The event in a few words."""
    match event:
        case Execution():
            what = {"0": "new", "F": "trades", "4": "canceled", "5": "replaced", "C": "expired"}[
                event.exec_type
            ]
            return f"{event.cl_ord_id} {what}"
        case BeginDehydrate():
            return f"write {event.user} {event.expected} -> {event.expected + 1}"
        case UserLeft():
            return f"{event.user} left"
        case UserConflict():
            return f"{event.user} conflict: {event.expected}, there is {event.version}"
        case BalanceMoved():
            return f"{event.user} {event.amount:+} {event.currency}: {event.total}"
        case RoutingSet():
            return f"epoch {event.routing.epoch}"
        case Repaired():
            return f"{event.what} of {event.user}: {event.amount} {event.currency}".rstrip()
    return type(event).__name__
