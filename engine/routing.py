"""Which shard owns which user: the same answer wherever it is asked (docs/users.md, 4 and 5)."""

from collections.abc import Collection, Iterable
from hashlib import blake2b
from typing import NamedTuple

from msgspec import Struct

from engine.words import ACTIVE, ALONE, HELD, LEAVING, RECEIVING


class Pin(NamedTuple):
    user: str
    shard: str
    why: str
    """PINNED by the operator, or ALONE; HELD until it has moved, or until the hash says so"""


class Resident(NamedTuple):
    """A user in memory."""

    user: str
    shard: str


class Routing(Struct, frozen=True, array_like=True):
    """One value, which changes as a whole, from epoch to epoch. Members and pins are in order of names."""

    epoch: int
    members: tuple[tuple[str, str], ...]
    """name and state of each shard: ACTIVE, RECEIVING or LEAVING"""
    pins: tuple[Pin, ...] = ()

    def with_member(self, shard: str, state: str) -> "Routing":
        """The next epoch, in which it is one, or is in another state."""
        members = dict(self.members) | {shard: state}
        return Routing(self.epoch + 1, tuple(sorted(members.items())), self.pins)

    def without_member(self, shard: str) -> "Routing":
        """In the same epoch. Nobody may be pinned to it."""
        members = tuple(member for member in self.members if member[0] != shard)
        return Routing(self.epoch, members, self.pins)

    def with_pins(self, pins: Iterable[Pin], without: Iterable[str] = ()) -> "Routing":
        """The next epoch, with all of these changes at once; `without`: users who have no pin any more."""
        kept = {pin.user: pin for pin in self.pins} | {pin.user: pin for pin in pins}
        for user in without:
            kept.pop(user, None)
        return Routing(self.epoch + 1, self.members, tuple(sorted(kept.values())))


class Router:
    """Answers for one Routing, which has an active member."""

    __slots__ = ("_active", "_pins", "_to_be", "routing")

    def __init__(self, routing: Routing) -> None:
        self.routing = routing
        self._active = [name for name, state in routing.members if state == ACTIVE]
        self._to_be = [name for name, state in routing.members if state in (ACTIVE, RECEIVING)]
        self._pins = {pin.user: pin for pin in routing.pins}
        assert self._active, routing
        members = dict(routing.members)
        assert all(pin.shard in members for pin in routing.pins), routing

    def owner(self, user: str) -> str:
        """The one shard that may have it in memory."""
        pin = self._pins.get(user)
        return by_hash(self._active, user) if pin is None else pin.shard

    def without_pin(self, user: str) -> str:
        """Where it is to be if it is pinned no more."""
        return by_hash(self._to_be, user)

    def home(self, user: str) -> str:
        """Where it is to be once all that is under way is done."""
        pin = self._pins.get(user)
        return by_hash(self._to_be, user) if pin is None or pin.why == HELD else pin.shard


def by_hash(members: Collection[str], user: str) -> str:
    """The member of the highest weight. The weight is of the pair, so one that comes or goes changes nothing
    between two others: it takes its own share, or leaves it."""
    if len(members) == 1:
        return next(iter(members))
    name = b"\0" + user.encode()  # names have no NUL, so no two pairs are hashed alike
    return max(members, key=lambda member: blake2b(member.encode() + name, digest_size=8).digest())


def shared_by_two_alone(routing: Routing) -> str:
    """A shard that two users have who are to be alone (docs/users.md, 4.4); "" if there is none."""
    shards = [pin.shard for pin in routing.pins if pin.why == ALONE]
    return next((shard for shard in shards if shards.count(shard) > 1), "")


def activated(routing: Routing, shard: str, residents: Iterable[Resident]) -> Routing:
    """The next epoch, in which `shard` is active and whoever is in memory stays where it is
    (docs/users.md, 5.3)."""
    return _held(routing.with_member(shard, ACTIVE), residents)


def left(routing: Routing, shard: str, residents: Iterable[Resident]) -> Routing:
    """The next epoch, in which `shard` owns only those who are there now (docs/users.md, 5.4)."""
    return _held(routing.with_member(shard, LEAVING), residents)


def _held(routing: Routing, residents: Iterable[Resident]) -> Routing:
    pins = {pin.user: pin for pin in routing.pins if pin.why != HELD}
    active = [name for name, state in routing.members if state == ACTIVE]
    for user, shard in residents:
        if user not in pins and shard != by_hash(active, user):
            pins[user] = Pin(user, shard, HELD)
    return Routing(routing.epoch, routing.members, tuple(sorted(pins.values())))


def settled(routing: Routing, users: Iterable[str]) -> Routing:
    """The next epoch, in which these users, who are in no memory now, belong to their homes: one that is not
    active yet has them by a pin."""
    home, states = Router(routing).without_pin, dict(routing.members)
    homes = {user: home(user) for user in users}
    pins = [Pin(user, shard, HELD) for user, shard in homes.items() if states[shard] == RECEIVING]
    at_home = [user for user, shard in homes.items() if states[shard] == ACTIVE]
    return routing.with_pins(pins, at_home)
