"""What an OrderCancelReplaceRequest says of its order beyond what it can change. Clients send it along: it
must be as the order has it, or they would think of another order than there is."""

from collections.abc import Mapping

from engine.order import Order
from engine.refusals import MISMATCH, Refusal
from fixgw.codec.conditions import POST_ONLY
from fixgw.codec.instruments import InstrumentText

_FIXED = {"18": "ExecInst", "110": "MinQty", "2362": "SelfMatchPreventionID"}
_FIXED |= {"2964": "SelfMatchPreventionInstruction"}
NONE = "none"


def contradiction(found: Mapping[str, str], order: Order, instrument: InstrumentText) -> Refusal | None:
    """Of a request that has been decoded, for this live order."""
    if found.keys().isdisjoint(_FIXED):
        return None
    least = instrument.quantity.print(order.min_quantity) if order.min_quantity else NONE
    client, slash, text = order.group.partition("/")
    own = {
        "18": POST_ONLY if order.post_only else NONE,
        "110": least,
        "2362": text if slash and client == order.client else NONE,
        "2964": order.self_trade,
    }
    for tag, field in _FIXED.items():
        sent = found.get(tag)
        if sent is not None and tag == "110":
            sent = instrument.quantity.print(instrument.quantity.parse(sent))
        if sent is not None and sent != own[tag]:
            return Refusal(MISMATCH, sent, own[tag], field)
    return None
