"""The whole state as plain parts: what a snapshot holds, and what a digest is made of. So two states of one
digest go on in the same way, and nothing that matters is left out of a snapshot unnoticed."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from operator import attrgetter
from typing import TypeAlias

from msgspec import Struct, msgpack

from engine.commands import LimitAccount, ListInstrument, SetRules
from engine.events import Execution
from engine.market import Market
from engine.order import DISTANT, Order
from engine.peers import Asked
from engine.routing import Pin, Routing
from engine.state import Canceling, State
from engine.user import Hold, User
from engine.user_commands import Row
from engine.user_events import BeginDehydrate
from engine.words import BUY, SELL

_FIELDS = attrgetter(*Order.__struct_fields__[2:])
"""of an order: all but its neighbours"""
ORDERS = 1_000
"""in one part"""


class Counters(Struct, frozen=True, array_like=True, tag="counters"):
    sequence: int
    day: str
    ending: str
    match_id: int
    resident: int
    in_flight: int
    supply: list[tuple[str, int]]
    killed: list[tuple[str, str]]
    corrected: list[tuple[int, tuple[int, int]]]
    canceling: list[tuple[int, Canceling]]
    limits: list[LimitAccount]
    clients: list[str]
    collected: list[tuple[str, int]]


class Places(Struct, frozen=True, array_like=True, tag="places"):
    """Who is where, and who goes where."""

    routing: Routing
    shards: list[tuple[str, list[str], list[BeginDehydrate]]]
    """name, who is idle, what is being written back"""
    to_move: list[Pin]
    moving: list[Pin]
    to_look_at: list[str]
    to_compare: list[str]
    to_confirm: list[tuple[str, int]]
    unheard: list[Execution]


class Nodes(Struct, frozen=True, array_like=True, tag="nodes"):
    """What is between this node and others."""

    channels: list[tuple[int, int, int, int, list[tuple[int, bytes]]]]
    """number of the node, sent, taken, last order, outstanding"""
    distant: list[tuple[ListInstrument, str, str, int, int]]
    """state, difference, fees of a maker and of a taker"""
    followers: list[tuple[str, list[int]]]
    asked: list[tuple[int, str, Asked]]
    """OrderID, what"""


class Listed(Struct, frozen=True, array_like=True, tag="market"):
    instrument: ListInstrument
    rules: SetRules
    state: str
    reason: str
    last_price: int
    dynamic_reference: int
    touched: list[int]
    parked: list[int]
    passing: list[int]


class Orders(Struct, frozen=True, array_like=True, tag="orders"):
    """Of the market before it, each side of the book in order of priority; before any, of markets on other
    nodes, the oldest first."""

    fields: list[tuple[int | str | bool, ...]]


class Resident(Struct, frozen=True, array_like=True, tag="user"):
    name: str
    row: Row
    reserved: list[tuple[str, int]]
    shard: str
    version: int
    state: str
    epoch: int
    last_active: int
    second: int
    accepted: int
    holds: list[tuple[int, str, str, str, int, int, int, int, int, int, int]]
    """OrderID, session, symbol, side, per lot, amount, step, rate; raised, per lot and rate of that"""


Part: TypeAlias = Counters | Places | Nodes | Listed | Orders | Resident


def parts(state: State) -> Iterator[Part]:
    """In an order in which they can be put together again."""
    yield _counters(state)
    yield _places(state)
    yield _nodes(state)
    if state.distant:
        live = (order for orders in state.live.values() for order in orders.values())
        yield from _pieces(iter(sorted((each for each in live if each.where == DISTANT), key=_order_id)))
    for market in state.markets.values():
        yield _listed(market)
        everywhere = market.bids, market.asks, market.stops, market.touched.values(), market.parked.values()
        yield from _pieces(order for place in everywhere for order in place)
    for user in state.users.values():
        yield _resident(user)


def _pieces(orders: Iterator[Order]) -> Iterator[Orders]:
    while piece := [_FIELDS(order) for order in islice(orders, ORDERS)]:
        yield Orders(piece)


def digest(state: State) -> str:
    """SHA-256 of the whole state, in hex."""
    encode, result = msgpack.Encoder().encode, sha256()
    for part in parts(state):
        result.update(encode(part))
    return result.hexdigest()


def _counters(state: State) -> Counters:
    return Counters(
        state.sequence,
        state.day,
        state.ending,
        state.match_id,
        state.resident,
        state.in_flight,
        list(state.supply.items()),
        list(state.killed),
        list(state.corrected.items()),
        list(state.canceling.items()),
        list(state.limits.values()),
        list(state.orders),
        list(state.collected.items()),
    )


def _places(state: State) -> Places:
    return Places(
        state.router.routing,
        [(each.name, list(each.idle), list(each.flushing.values())) for each in state.shards.values()],
        list(state.to_move.values()),
        list(state.moving.values()),
        state.to_look_at,
        state.to_compare,
        state.to_confirm,
        [event for events in state.unheard.values() for event in events.values()],
    )


def _nodes(state: State) -> Nodes:
    return Nodes(
        [
            (peer, each.sent, each.taken, each.last_order, list(each.outstanding.items()))
            for peer, each in state.channels.items()
        ],
        [
            (each.instrument, each.state, each.difference, each.maker_fee, each.taker_fee)
            for each in state.distant.values()
        ],
        list(state.followers.items()),
        [(order_id, what, asked) for (order_id, what), asked in state.asked.items()],
    )


def _listed(market: Market) -> Listed:
    return Listed(
        market.instrument,
        market.rules,
        market.state,
        market.reason,
        market.last_price,
        market.dynamic_reference,
        list(market.touched),
        list(market.parked),
        list(market.passing),
    )


def _resident(user: User) -> Resident:
    return Resident(
        user.name,
        user.row,
        [(currency, balance.reserved) for currency, balance in sorted(user.balances.items())],
        user.shard.name,
        user.version,
        user.state,
        user.epoch,
        user.last_active,
        user.second,
        user.accepted,
        [_held(hold) for hold in user.holds.values()],
    )


def _order_id(order: Order) -> int:
    return order.order_id


def _held(hold: Hold) -> tuple[int, str, str, str, int, int, int, int, int, int, int]:
    side, symbol = BUY if hold.buys else SELL, hold.instrument.symbol
    money = hold.per_lot, hold.amount, hold.step, hold.rate
    raised = hold.raised, hold.raised_per_lot, hold.raised_rate
    return hold.order_id, hold.session, symbol, side, *money, *raised
