"""Commands about users: how they come into memory and leave it, their money, where they are (docs/users.md).
Units and `time` as in engine.commands."""

from msgspec import Struct

from engine.routing import Pin


class Row(Struct, frozen=True, array_like=True):
    """What the record has of a user. Only of one who is flat, so nothing is reserved."""

    client: str
    balances: tuple[tuple[str, int], ...]
    """(currency, total), by currency"""
    references: tuple[str, ...] = ()
    """of the last deposits and withdrawals, the latest last"""


class HydrateUser(Struct, frozen=True, array_like=True, tag="hydrate"):
    """The user comes into the memory of its owner."""

    time: int
    user: str
    version: int
    """of the row, at least 1"""
    row: Row


class SweepUsers(Struct, frozen=True, array_like=True, tag="sweep", gc=False):
    """Those leave who are flat and have done nothing since `before`, and as many more as a shard is short of
    places: the quietest first, at most `most`."""

    time: int
    before: int
    most: int
    """at least 1"""


class FlushComplete(Struct, frozen=True, array_like=True, tag="flushed", gc=False):
    """The record has what BeginDehydrate gave it, as `version`."""

    time: int
    user: str
    epoch: int
    """of the BeginDehydrate"""
    version: int


class FlushFailed(Struct, frozen=True, array_like=True, tag="flush-failed", gc=False):
    """The record has a version of the user that is not of this residency (docs/users.md, 2.8)."""

    time: int
    user: str
    epoch: int
    version: int
    """that it has; 0 if it has none"""


class ResolveUser(Struct, frozen=True, array_like=True, tag="resolve", gc=False):
    """The operator's word on a user whose flush failed."""

    time: int
    user: str
    version: int
    """that the record has now"""
    keep: bool
    """what is in memory, to be written over it; else what is in the record"""


class Deposit(Struct, frozen=True, array_like=True, tag="deposit", gc=False):
    time: int
    user: str
    currency: str
    amount: int
    """at least 1"""
    reference: str
    """by which it is known when it comes again"""


class Withdraw(Struct, frozen=True, array_like=True, tag="withdrawal", gc=False):
    """As Deposit."""

    time: int
    user: str
    currency: str
    amount: int
    reference: str


class ShapeShards(Struct, frozen=True, array_like=True, tag="shape", gc=False):
    """The limits of each shard from now on."""

    time: int
    resident: int
    """users in memory, at least 1"""
    in_flight: int
    """orders that no market has answered, at least 1"""


class SetShard(Struct, frozen=True, array_like=True, tag="shard", gc=False):
    """A shard joins (RECEIVING), takes its share (ACTIVE), or leaves (LEAVING)."""

    time: int
    shard: str
    state: str


class MoveUsers(Struct, frozen=True, array_like=True, tag="move"):
    """Each moves when it is flat; those that are ready together go with one epoch (docs/users.md, 5.2)."""

    time: int
    pins: tuple[Pin, ...]
    """where to, and why it is there then"""


class MoveWave(Struct, frozen=True, array_like=True, tag="wave", gc=False):
    """The next users go home that are elsewhere, at most `most` (docs/users.md, 5.3)."""

    time: int
    most: int
    """at least 1"""


class Reconcile(Struct, frozen=True, array_like=True, tag="reconcile", gc=False):
    """Compares holds with open orders, of the next `most` users (docs/users.md, 6)."""

    time: int
    most: int
    """at least 1"""
