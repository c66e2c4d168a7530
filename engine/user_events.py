"""Events about users. Some are requests to the world outside, which carries them out and answers with a
command: they are true again at each replay, and carried out once."""

from msgspec import Struct

from engine.routing import Routing
from engine.user_commands import Row


class UserHydrated(Struct, frozen=True, array_like=True, tag="hydrated"):
    """Balances as in Row."""

    time: int
    user: str
    shard: str
    version: int
    row: Row


class UserWanted(Struct, frozen=True, array_like=True, tag="wanted", gc=False):
    """To be read: something has happened to one who is not in memory (docs/users.md, 2.9)."""

    time: int
    user: str


class BeginDehydrate(Struct, frozen=True, array_like=True, tag="dehydrate"):
    """To be written, if the record has the version `expected`; it is `expected` + 1 then. What is already
    there by the same shard and epoch is done already."""

    time: int
    user: str
    shard: str
    epoch: int
    expected: int
    """0: the record must not know the user"""
    row: Row


class UserLeft(Struct, frozen=True, array_like=True, tag="left", gc=False):
    """It is in the record as `version` and not in memory any more."""

    time: int
    user: str
    shard: str
    version: int


class UserConflict(Struct, frozen=True, array_like=True, tag="conflict", gc=False):
    """Someone else has written the user: it takes no order until the operator has decided."""

    time: int
    user: str
    shard: str
    expected: int
    version: int


class BalanceMoved(Struct, frozen=True, array_like=True, tag="balance", gc=False):
    """A deposit, or with an `amount` below 0 a withdrawal."""

    time: int
    user: str
    currency: str
    amount: int
    total: int
    """after it"""
    reference: str


class RoutingSet(Struct, frozen=True, array_like=True, tag="routing"):
    time: int
    routing: Routing


class Repaired(Struct, frozen=True, array_like=True, tag="repaired", gc=False):
    """What a reconciliation has put right (docs/users.md, 6.2)."""

    time: int
    user: str
    order_id: int
    """0 if it is about no one order"""
    what: str
    """GHOST, LEAK, ORPHAN, SUM"""
    currency: str
    amount: int
    """by which less is reserved now"""
