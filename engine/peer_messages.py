"""What nodes say to each other. An order has its home, where its user is, and its market. Names and ids are
those of the home; at the market they have its number in front (engine.peers)."""

from msgspec import Struct, msgpack

from engine.commands import ListInstrument, NewOrder, ReplaceOrder
from engine.events import Execution
from engine.refusals import Refusal


class Follow(Struct, frozen=True, array_like=True, tag="follow"):
    """Home to market: it will send orders in this instrument, which must be the same there."""

    instrument: ListInstrument


class Following(Struct, frozen=True, array_like=True, tag="following"):
    """Market to home: the state that the market is in and its fees, then each change of them."""

    symbol: str
    state: str
    reason: str
    difference: str = ""
    """in which field the instrument is not the same; the market takes no orders then"""
    maker_fee: int = 0
    """millionths of the value of a trade; so with `taker_fee`"""
    taker_fee: int = 0


class Place(Struct, frozen=True, array_like=True, tag="place"):
    """Home to market. The same OrderID again is the same order (features 48, 50)."""

    order_id: int
    order: NewOrder
    maker_fee: int
    """rates that it was debited with, and that it keeps"""
    taker_fee: int


class Cancel(Struct, frozen=True, array_like=True, tag="cancel"):
    """Home to market: to cancel an order."""

    order_id: int
    session: str
    """the order's"""
    requester: str
    """the session that has asked; "" if no client has"""
    cl_ord_id: str
    """of the request; "" if no client has asked"""
    text: str
    restatement: str


class Amend(Struct, frozen=True, array_like=True, tag="amend"):
    """Home to market: to replace an order."""

    order_id: int
    session: str
    request: ReplaceOrder
    maker_fee: int
    """as in Place"""
    taker_fee: int


class Told(Struct, frozen=True, array_like=True, tag="told"):
    """Market to home: an event of an order, in their order."""

    event: Execution


class Denied(Struct, frozen=True, array_like=True, tag="denied"):
    """Market to home: a message about an order is not carried out."""

    order_id: int
    session: str
    request: str
    """PLACE, CANCEL or AMEND"""
    cl_ord_id: str
    """of the request"""
    refusal: Refusal


class Compare(Struct, frozen=True, array_like=True, tag="compare"):
    """Home to market: are these live there? (session, OrderID) each."""

    orders: tuple[tuple[str, int], ...]


class Missing(Struct, frozen=True, array_like=True, tag="missing"):
    """Market to home: these are not."""

    orders: tuple[tuple[str, int], ...]


class Confirm(Struct, frozen=True, array_like=True, tag="confirm"):
    """Market to home: these are live here: (session, OrderID, step, LeavesQty in lots) each."""

    orders: tuple[tuple[str, int, int, int], ...]


Message = Follow | Following | Place | Cancel | Amend | Told | Denied | Compare | Missing | Confirm

PLACE, CANCEL, AMEND = "D", "F", "G"

_encode = msgpack.Encoder().encode
_decode = msgpack.Decoder(Message).decode


def payload(message: Message) -> bytes:
    return _encode(message)


def message_of(payload: bytes) -> Message:
    """Raises msgspec.DecodeError or msgspec.ValidationError for what is none."""
    return _decode(payload)
