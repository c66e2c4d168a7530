"""What comes from another node, and what goes to it (docs/nodes.md). `peer` is its number, 1 to MAX_PEER;
a payload is one of engine.peer_messages in msgpack: who carries it need not know what it says.
`time` as in engine.commands."""

from msgspec import Struct

MAX_PEER = 999


class TakeMessage(Struct, frozen=True, array_like=True, tag="take", gc=False):
    """The next message of another node takes effect here."""

    time: int
    peer: int
    number: int
    """counts them, from 1"""
    payload: bytes
    full: bool = False
    """the store has no room for more orders: they are refused, and replaces"""


class Acknowledge(Struct, frozen=True, array_like=True, tag="acknowledge", gc=False):
    """Another node has taken all messages up to `number`: they need not be sent any more."""

    time: int
    peer: int
    number: int


class FollowMarket(Struct, frozen=True, array_like=True, tag="follow", gc=False):
    """Asks the node that has the market once more whether it takes orders from here."""

    time: int
    symbol: str


class MessageSent(Struct, frozen=True, array_like=True, tag="sent", gc=False):
    """An event: to be carried to another node, again and again until it is acknowledged. True again at each
    replay, where nothing is sent."""

    time: int
    peer: int
    number: int
    payload: bytes
