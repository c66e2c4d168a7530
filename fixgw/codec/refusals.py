"""Why a message was refused, in the standard's codes and in words. The reasons are the engine's, those found
in the message itself (codec) and those around it (front end)."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from engine import refusals
from engine.refusals import Refusal
from fixgw.codec.decimals import Step
from fixgw.codec.instruments import InstrumentText

BAD_CL_ORD_ID: Final = "bad ClOrdID"
MISSING: Final = "missing"
"""the field `unit`"""
UNSUPPORTED: Final = "unsupported"
"""the field `unit`, or its `value`; `limit` is "" or says what is supported"""
NOT_POSITIVE: Final = "not positive"
"""`value` of the field `unit`"""
OFF_TICK: Final = "off tick"
"""Price `value`; the tick is `limit`"""
OFF_LOT: Final = "off lot"
"""OrderQty `value`; the lot is `limit`"""
ABOVE_MAX: Final = "above maximum"
"""`value` of the field `unit`; the highest is `limit`"""
PRICE_ON_MARKET: Final = "price on a market order"
TOO_LATE: Final = "too late"
SUPERSEDED: Final = "superseded"
"""OrigClOrdID `value` is an earlier one of an order that lives on"""
OTHER_ORDER: Final = "other order"
"""OrderID `value` is not that of the order with OrigClOrdID `unit`, which is `limit`"""
STORE_FULL: Final = "store full"
STALE: Final = "stale"
"""TransactTime `value` is more than `limit` seconds off"""


class _Answer(NamedTuple):
    ord_rej_reason: int
    """OrdRejReason(103) in FIX.4.4"""
    cxl_rej_reason: int
    """CxlRejReason(102) in FIX.4.4"""
    text: str


# fmt: off
_ANSWERS: Mapping[str, _Answer] = {
    refusals.DUPLICATE: _Answer(6, 6, "Duplicate ClOrdID"),
    refusals.UNKNOWN_SYMBOL: _Answer(1, 99, "Symbol {value} is unknown"),
    refusals.UNKNOWN_ACCOUNT: _Answer(15, 99, "Account {value} is not one of this client"),
    refusals.UNKNOWN_ORDER: _Answer(99, 1, "There is no order with ClOrdID {value}"),
    refusals.MISMATCH: _Answer(99, 99, "{unit} {value} is not the order's, which is {limit}"),
    refusals.CANCEL_ONLY: _Answer(0, 2, "{value} is cancel-only: no new orders, no replaces; cancels pass"),
    refusals.FUNDS: _Answer(3, 99, "Insufficient funds: {value} {unit} needed, {limit} {unit} available"),
    refusals.NOT_ABOVE_FILLED: _Answer(99, 99, "OrderQty {value} is not above the {limit} already filled"),
    BAD_CL_ORD_ID: _Answer(99, 99, "ClOrdID must be 1 to 64 printable ASCII characters without blanks"),
    MISSING: _Answer(99, 99, "{unit} is missing"),
    UNSUPPORTED: _Answer(11, 99, "{unit} {value} is not supported{limit}"),
    NOT_POSITIVE: _Answer(13, 99, "{unit} {value} is not a plain number above 0"),
    OFF_TICK: _Answer(99, 99, "Price {value} is not a multiple of the tick {limit}"),
    OFF_LOT: _Answer(13, 99, "OrderQty {value} is not a multiple of the lot {limit}"),
    ABOVE_MAX: _Answer(3, 99, "{unit} {value} is above the maximum {limit}"),
    PRICE_ON_MARKET: _Answer(11, 99, "Price {value} on a market order: leave Price out"),
    TOO_LATE: _Answer(99, 0, "Too late: the order is not live any more"),
    SUPERSEDED: _Answer(99, 0, "Too late: the order has a newer ClOrdID than {value}"),
    STALE: _Answer(99, 99, "TransactTime {value} is more than {limit} s from the venue's clock"),
    OTHER_ORDER: _Answer(99, 1, "OrderID {value} is not that of OrigClOrdID {unit}, which is {limit}"),
    STORE_FULL: _Answer(99, 99, "The venue's store is full: new orders are refused, cancels pass"),
}
# fmt: on

_INVALID_PRICE_INCREMENT = 18
"""both codes, since FIX.5.0"""


def ord_rej_reason(refusal: Refusal, begin_string: str) -> int:
    """OrdRejReason(103) of the version."""
    if refusal.reason == OFF_TICK and begin_string != "FIX.4.4":
        return _INVALID_PRICE_INCREMENT
    if refusal.reason == NOT_POSITIVE and refusal.unit == "Price":
        return 99
    return _ANSWERS[refusal.reason].ord_rej_reason


def cxl_rej_reason(refusal: Refusal, begin_string: str) -> int:
    """CxlRejReason(102) of the version."""
    if refusal.reason == OFF_TICK and begin_string != "FIX.4.4":
        return _INVALID_PRICE_INCREMENT
    return _ANSWERS[refusal.reason].cxl_rej_reason


def text(refusal: Refusal, instrument: InstrumentText | None) -> str:
    """Text(58): what was wrong, value and limit as people write them, in printable ASCII.

    `instrument` is the one of the message's Symbol; None if there is no such one."""
    grid = _grid(refusal, instrument)
    value, limit = _shown(refusal.value, grid), _shown(refusal.limit, grid)
    return _ANSWERS[refusal.reason].text.format(value=value, limit=limit, unit=refusal.unit)


def _grid(refusal: Refusal, instrument: InstrumentText | None) -> Step | None:
    """What the engine counts in, where its refusal holds numbers."""
    if instrument is None:
        return None
    if refusal.reason == refusals.FUNDS:
        return instrument.currencies[refusal.unit]
    return instrument.quantity if refusal.reason == refusals.NOT_ABOVE_FILLED else None


def _shown(value: int | str, grid: Step | None) -> str:
    if isinstance(value, int):
        return str(value) if grid is None else grid.print(value)
    return value[:64].encode("unicode_escape").decode("ascii")
