"""Which fields a mass cancel, or a question, may have. One that would make it about less, or about something
else, and is not known here is refused: a mass cancel must never cancel more than was asked for."""

from collections.abc import Mapping

from engine import refusals
from engine.refusals import Refusal
from engine.words import BUY, SELL
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.meaning import HEADER, only, refuse_unless
from fixgw.codec.refusals import MISSING, UNSUPPORTED, Refused
from fixgw.codec.statuses import SESSION

_TAKEN: Mapping[str, frozenset[str]] = {
    msg_type: frozenset([*HEADER, *tags.split()])
    for msg_type, tags in {
        # Account ClOrdID Side Symbol MassCancelRequestType TransactTime; AcctIDSource SecondaryClOrdID Text
        "q": "1 11 54 55 530 60 660 526 58 354 355",
        # Account Side Symbol MassStatusReqID MassStatusReqType; AcctIDSource
        "AF": "1 54 55 584 585 660",
        # Account ClOrdID OrderID Side Symbol OrdStatusReqID; AcctIDSource SecondaryClOrdID ClOrdLinkID;
        # who asks and for whom, as an order may say it
        "H": "1 11 37 54 55 790 660 526 583 453 448 447 452 2376 802 523 803",
        # SecurityReqID SecurityListRequestType Symbol; Text
        "x": "55 320 559 58 354 355",
        # SecurityStatusReqID Symbol SubscriptionRequestType: changes are told to everyone anyway
        "e": "55 324 263",
        # TradSesReqID SubscriptionRequestType TradingSessionID: of another one is told that it does not exist
        "g": "335 263 336",
    }.items()
}
_BESIDE_SYMBOL = frozenset(["22", "107", "460"])
"""SecurityIDSource SecurityDesc Product: names of the instrument that the Symbol names already"""

_TYPES = {"q": ("530", "MassCancelRequestType"), "AF": ("585", "MassStatusReqType")}
OF_A_SYMBOL, ALL = "1", "7"
"""what a mass cancel or mass status is about"""
_LIST_OF_A_SYMBOL, _LIST_OF_ALL = "0", "4"
"""SecurityListRequestType(559)"""


def objection(found: Mapping[str, str], instruments: Mapping[str, InstrumentText]) -> Refusal | None:
    """The first thing that is wrong with what the message is about; None if it can be answered. It has the
    fields that the standard requires."""
    try:
        _check(found, instruments)
    except Refused as refused:
        return refused.refusal
    return None


def _check(found: Mapping[str, str], instruments: Mapping[str, InstrumentText]) -> None:
    msg_type, symbol = found["35"], found.get("55", "")
    if msg_type in _TYPES:
        _check_scope(found, *_TYPES[msg_type])
        if symbol and symbol not in instruments:
            raise Refused(refusals.UNKNOWN_SYMBOL, symbol)
    elif msg_type == "x":
        kind = found["559"]
        if kind == _LIST_OF_A_SYMBOL and not symbol:
            raise Refused(MISSING, unit="Symbol")
        if kind == _LIST_OF_ALL and symbol:
            raise Refused(UNSUPPORTED, symbol, " with SecurityListRequestType 4 (all)", "Symbol")
    instrument, taken = instruments.get(symbol), _TAKEN[msg_type]
    for tag, value in found.items():
        if tag not in taken:
            _check_field(found, tag, value, instrument)


def _check_scope(found: Mapping[str, str], tag: str, name: str) -> None:
    kind, symbol, side = found.get(tag, ""), found.get("55", ""), found.get("54", "")
    if kind not in (OF_A_SYMBOL, ALL):
        raise Refused(UNSUPPORTED, kind, ", only 1 (of a Symbol) and 7 (all)", name)
    if kind == OF_A_SYMBOL and not symbol:
        raise Refused(MISSING, unit="Symbol")
    if kind == ALL and symbol:
        raise Refused(UNSUPPORTED, symbol, f" with {name} 7 (all)", "Symbol")
    if side not in ("", BUY, SELL):
        raise Refused(UNSUPPORTED, side, ", only 1 (buy) and 2 (sell)", "Side")


def _check_field(found: Mapping[str, str], tag: str, value: str, instrument: InstrumentText | None) -> None:
    if tag == "336":  # TradingSessionID
        values: tuple[str, ...] = (SESSION,)
    elif tag == "263":  # SubscriptionRequestType: a list is sent once
        values = ("0",)
    elif instrument is None:
        values = ()
    elif tag in _BESIDE_SYMBOL:
        return
    else:
        values = only(tag, instrument)
    refuse_unless(values, found, tag, value)
