"""Other nodes: what was said to each, how far it was heard, and how their orders are called here."""

from msgspec import Struct

from engine.commands import ListInstrument
from engine.events import Event
from engine.market import Market
from engine.peer_commands import Acknowledge, MessageSent
from engine.peer_messages import Following, Message, payload

SPAN = 10**15
"""more than there are entries in a journal: an order of another node has here the OrderID that it has there,
and the node's number times this"""
MARK = ":"
"""between the number and a name of another node; no name of ours has it"""


class Channel:
    """To and from one other node. Messages are numbered from 1 in each direction."""

    __slots__ = ("in_flight", "last_order", "outstanding", "sent", "taken")

    def __init__(self) -> None:
        self.sent = 0
        self.outstanding: dict[int, bytes] = {}
        """payloads of messages that are not acknowledged, by number: what the bridge has to carry"""
        self.taken = 0
        """the number of the last message of the other node that took effect here"""
        self.last_order = 0
        """the highest OrderID that it has placed here. They only grow, so no lower one is new"""
        self.in_flight = 0
        """orders of ours that it has not answered"""


class DistantMarket:
    """A market on another node."""

    __slots__ = ("difference", "instrument", "maker_fee", "state", "taker_fee")

    def __init__(self, instrument: ListInstrument) -> None:
        self.instrument = instrument
        self.state = ""
        """as it was told last; "" until then, when it takes no orders from here"""
        self.difference = ""
        """why not"""
        self.maker_fee = self.taker_fee = 0
        """rates as they were told last; an order keeps those that it was debited with"""

    @property
    def peer(self) -> int:
        return self.instrument.peer


class Asked(Struct, frozen=True, array_like=True):
    """A request for an order of ours that its market has not answered."""

    client: str
    session: str
    """the order's"""
    requester: str
    cl_ord_id: str
    orig_cl_ord_id: str
    symbol: str
    account: str
    fees: tuple[int, int] = (0, 0)
    """of a replace: the rates that it brings"""


def following(market: Market) -> Following:
    """How it stands."""
    return Following(market.instrument.symbol, market.state, market.reason, "", *market.fees)


def say(channels: dict[int, Channel], logged_time: int, peer: int, message: Message) -> Event:
    channel = channels.get(peer)
    if channel is None:
        channel = channels[peer] = Channel()
    channel.sent += 1
    carried = channel.outstanding[channel.sent] = payload(message)
    return MessageSent(logged_time, peer, channel.sent, carried)


def acknowledge(channels: dict[int, Channel], command: Acknowledge) -> None:
    outstanding = channels[command.peer].outstanding
    while outstanding and (first := next(iter(outstanding))) <= command.number:
        del outstanding[first]


def foreign(peer: int, order_id: int) -> int:
    """What an order of another node is called here."""
    return peer * SPAN + order_id


def at_home(order_id: int) -> int:
    return order_id % SPAN


def home_of(order_id: int) -> int:
    """The node's number; 0: here."""
    return order_id // SPAN


def foreign_name(peer: int, name: str) -> str:
    return f"{peer}{MARK}{name}" if name else ""


def own_name(name: str) -> str:
    return name.partition(MARK)[2]
