"""Which fields of an order may be there. What is not known to leave the order's meaning as it is is refused:
an order for all-or-none or a peg must never become a plain one because nobody looked."""

from collections.abc import Mapping

from fixgw.codec.instruments import InstrumentText
from fixgw.codec.refusals import UNSUPPORTED, Refused
from fixgw.codec.standard import names

_HEADER = "8 9 35 34 43 49 52 56 97 122 50 57 142 143 116 144 369 627 628 629 630 1128 1129 1156 10"
HEADER = frozenset(_HEADER.split())
"""tags of header and trailer; not 115, 128 and what goes with them: messages from or for another firm"""

_GROUPS = (
    # what the venue decodes: Account ClOrdID OrderQty OrdType OrigClOrdID Price Side Symbol TimeInForce
    "1 11 38 40 41 44 54 55 59",
    # TransactTime OrderID Text EncodedText ComplianceID ComplianceText
    "60 37 58 354 355 376 2404 2351 2352",
    # the client's own references: SecondaryClOrdID ClOrdLinkID OrderRequestID TradeDate TradeOriginationDate
    "526 583 2422 75 229",
    # who and in what role: AcctIDSource AccountType parties OrderCapacity OrderRestrictions CustOrderCapacity
    "660 581 453 448 447 452 2376 802 523 803 528 529 582 1815 522",
    # how the order came about: SolicitedFlag ManualOrderIndicator CustDirectedOrder departments
    "377 1028 1029 1030 1031 1032 1724 1725 1726 2593 2594 2595",
    # for the books after the trade: PositionEffect CoveredOrUncovered ClearingFeeIndicator LocateReqd
    "77 203 635 114 513 494 481 480 1816",
    # names of the instrument beside its Symbol: SecurityIDSource SecurityDesc Product
    "22 107 460",
)

PLAIN = HEADER.union(*(group.split() for group in _GROUPS))
"""tags that are either decoded with every order or change nothing"""

CONDITIONS = frozenset(["18", "99", "110", "111", "126", "152", "432", "1138", "2362", "2964"])
"""tags that are decoded where they are: ExecInst StopPx MinQty MaxFloor ExpireTime CashOrderQty ExpireDate
DisplayQty SelfMatchPreventionID SelfMatchPreventionInstruction"""

_ONLY: Mapping[str, tuple[str, ...]] = {
    "21": ("1", "2"),  # HandlInst: automated
    "63": ("0",),  # SettlType: regular
    "121": ("N",),  # ForexReq
    "167": ("FXSPOT",),  # SecurityType
    "423": ("2",),  # PriceType: per unit
    "544": ("1",),  # CashMargin: cash
    "775": ("0",),  # BookingType: regular
    "854": ("0",),  # QtyType: units
    # groups without entries
    **dict.fromkeys(("78", "232", "386", "454", "711", "864"), ("0",)),
}
"""fields of which only these values change nothing"""


def check_supported(found: Mapping[str, str], instrument: InstrumentText) -> None:
    """Raises Refused for the first field of the order the venue cannot honour."""
    for tag, value in found.items():
        if not (tag in PLAIN or tag in CONDITIONS):
            refuse_unless(only(tag, instrument), found, tag, value)


def refuse_unless(values: tuple[str, ...], found: Mapping[str, str], tag: str, value: str) -> None:
    """Raises Refused for a field of the message `found` that has none of these values."""
    # Fields above 5000 are the venue's own: the rules of engagement let them through or not.
    if value in values or (tag.isdecimal() and int(tag) >= 5000):
        return
    limit = f", only {' and '.join(values)}" if values else ""
    raise Refused(UNSUPPORTED, value, limit, names(found["8"]).fields.get(tag, tag))


def only(tag: str, instrument: InstrumentText) -> tuple[str, ...]:
    """The values of this field that change nothing in a message about the instrument."""
    if tag in ("15", "120"):  # Currency, SettlCurrency
        return (instrument.quote,)
    if tag == "48":  # SecurityID
        return (instrument.symbol,)
    return _ONLY.get(tag, ())
