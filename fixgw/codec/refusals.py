"""Why a message was refused, in the standard's codes and in words. The reasons are the engine's, those found
in the message itself (codec) and those around it (front end)."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from engine import refusals
from engine.refusals import Refusal
from engine.words import CANCEL_ONLY, STOP
from fixgw.codec.decimals import Step
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.times import exact_timestamp

BAD_CL_ORD_ID: Final = "bad ClOrdID"
MISSING: Final = "missing"
"""the field `unit`"""
UNSUPPORTED: Final = "unsupported"
"""the field `unit`, or its `value`; `limit` is "" or says what is supported"""
MALFORMED: Final = "malformed"
"""`value` of the field `unit` is not what `limit` says"""
MISPLACED: Final = "misplaced"
"""`value` of `unit` does not go with the rest of the order; `limit` says with what, and what is right"""
BAD_QUANTITY: Final = "bad quantity"
"""`value` of the field `unit` does not go with OrderQty, as `limit` says"""
NOT_POSITIVE: Final = "not positive"
"""`value` of the field `unit`"""
OFF_TICK: Final = "off tick"
"""`value` of the field `unit`; the tick is `limit`"""
OFF_LOT: Final = "off lot"
"""`value` of the field `unit`; the lot is `limit`"""
OFF_UNIT: Final = "off unit"
"""`value` of the field `unit`; the smallest unit of its currency is `limit`"""
ABOVE_MAX: Final = "above maximum"
"""`value` of the field `unit`; the highest is `limit`"""
TOO_LATE: Final = "too late"
SUPERSEDED: Final = "superseded"
"""OrigClOrdID `value` is an earlier one of an order that lives on"""
OTHER_ORDER: Final = "other order"
"""OrderID `value` is not that of the order with OrigClOrdID `unit`, which is `limit`"""
NO_ROOM: Final = "no room"
NOT_READ: Final = "not read"
"""account `value` cannot be looked up in the record at the moment"""
CANCELED_FIRST: Final = "canceled first"
"""the order waited for its account to be looked up, and was canceled meanwhile"""
THROTTLED: Final = "too many messages"
NOT_UNDERSTOOD: Final = "not understood"
"""these two are said in a BusinessMessageReject"""
STALE: Final = "stale"
"""TransactTime `value` is more than `limit` seconds off"""


MAX_SHOWN = 64
"""characters of a value in a text"""


class Refused(Exception):
    """Ends the reading of a message at the first thing that is wrong with it."""

    def __init__(self, reason: str, value: int | str = 0, limit: int | str = 0, unit: str = "") -> None:
        super().__init__(reason)
        self.refusal = Refusal(reason, value, limit, unit)


class _Answer(NamedTuple):
    ord_rej_reason: int
    """OrdRejReason(103) in FIX.4.4"""
    cxl_rej_reason: int
    """CxlRejReason(102) in FIX.4.4"""
    text: str
    since: tuple[int, int] | None = None
    """both codes in FIX.5.0SP2, where it has better ones"""


_PRICE_INCREMENT = (18, 18)
_PRICE_BAND = (16, 8)

# fmt: off
_ANSWERS: Mapping[str, _Answer] = {
    refusals.DUPLICATE: _Answer(6, 6, "Duplicate ClOrdID"),
    refusals.UNKNOWN_SYMBOL: _Answer(1, 99, "Symbol {value} is unknown"),
    refusals.UNKNOWN_ACCOUNT: _Answer(15, 99, "Account {value} is not one of this client"),
    refusals.UNKNOWN_ORDER: _Answer(99, 1, "There is no order with ClOrdID {value}"),
    refusals.MISMATCH: _Answer(99, 99, "{unit} {value} is not the order's, which is {limit}"),
    refusals.NO_EXPIRY: _Answer(99, 99, "ExpireTime or ExpireDate is missing"),
    refusals.KILLED: _Answer(0, 2, "The kill switch {whose}is on: no new orders, no replaces; cancels pass"),
    refusals.STATE: _Answer(2, 2, "{symbol} is in state {limit}: it takes no {value}"),
    refusals.NOT_ABOVE_FILLED: _Answer(99, 99, "OrderQty {value} is not above the {limit} already filled"),
    refusals.PAST: _Answer(99, 99, "{field} {value} has passed: it is {limit}"),
    refusals.BELOW_MIN: _Answer(3, 99, "{unit} {value} is below the minimum {limit}"),
    refusals.OUT_OF_BAND: _Answer(3, 99, "{unit} {value} is {side} the band: at {end} {limit}", _PRICE_BAND),
    refusals.WOULD_TAKE: _Answer(99, 99,
        "Post-only: Price {value} would trade at once, the best price opposite is {limit}"),
    refusals.NO_LOT: _Answer(13, 99, "CashOrderQty {value} comes to less than one lot"),
    refusals.NOTIONAL: _Answer(3, 99, 
        "The order's value {value} {quote} is above the maximum {limit} {quote} of the {unit}"),
    refusals.OPEN_ORDERS: _Answer(3, 99, "The account has {value} open orders, and may have {limit}"),
    refusals.BLOCKED: _Answer(0, 2, "Account {value} is blocked: the operator has to look at it"),
    refusals.TOO_FAST: _Answer(3, 99, "The account has {limit} orders a second, and no more: send it later"),
    refusals.NOT_REACHED: _Answer(0, 2, "The market of {symbol} has not been reached{value}: send it later"),
    refusals.UNKNOWN_AMOUNT: _Answer(99, 99, "{symbol} is traded on another node: {value} is needed"),
    refusals.PENDING: _Answer(99, 3, "The order has a request that its market has not answered yet"),
    refusals.IN_FLIGHT: _Answer(0, 2, "{value} orders wait for their markets: send it again later"),
    NOT_READ: _Answer(0, 2, "Account {value} cannot be looked up now: send it again later"),
    CANCELED_FIRST: _Answer(0, 2, "Canceled before it was accepted"),
    refusals.FUNDS: _Answer(3, 99, "Insufficient funds: {value} {unit} needed, {limit} {unit} available"),
    BAD_CL_ORD_ID: _Answer(99, 99, "ClOrdID must be 1 to 64 printable ASCII characters without blanks"),
    MISSING: _Answer(99, 99, "{unit} is missing"),
    UNSUPPORTED: _Answer(11, 99, "{unit} {value} is not supported{limit}"),
    MALFORMED: _Answer(99, 99, "{unit} {value} is not {limit}"),
    MISPLACED: _Answer(11, 99, "{unit} {value} {limit}"),
    BAD_QUANTITY: _Answer(13, 99, "{unit} {value} {limit}"),
    NOT_POSITIVE: _Answer(13, 99, "{unit} {value} is not a plain number above 0"),
    OFF_TICK: _Answer(99, 99, "{unit} {value} is not a multiple of the tick {limit}", _PRICE_INCREMENT),
    OFF_LOT: _Answer(13, 99, "{unit} {value} is not a multiple of the lot {limit}"),
    OFF_UNIT: _Answer(13, 99, "{unit} {value} is not a multiple of the smallest unit {limit}"),
    ABOVE_MAX: _Answer(3, 99, "{unit} {value} is above the maximum {limit}"),
    TOO_LATE: _Answer(99, 0, "Too late: the order is not live any more"),
    SUPERSEDED: _Answer(99, 0, "Too late: the order has a newer ClOrdID than {value}"),
    STALE: _Answer(99, 99, "TransactTime {value} is more than {limit} s from the venue's clock"),
    OTHER_ORDER: _Answer(99, 1, "OrderID {value} is not that of OrigClOrdID {unit}, which is {limit}"),
    refusals.STORE_FULL: _Answer(99, 99, "The venue's store is full: new orders are refused, cancels pass"),
    NO_ROOM: _Answer(99, 99, "The venue's store has no room left, not even for cancels"),
}
# fmt: on
REASONS = (*_ANSWERS, THROTTLED, NOT_UNDERSTOOD)
"""all there are"""
_TICKS = {refusals.BELOW_MIN, refusals.OUT_OF_BAND, refusals.WOULD_TAKE, refusals.MISMATCH}
_MONEY = {refusals.NO_LOT, refusals.NOTIONAL}
"""reasons whose numbers are ticks, and smallest units of the quote currency"""


def ord_rej_reason(refusal: Refusal, begin_string: str) -> int:
    """OrdRejReason(103) of the version."""
    answer = _ANSWERS[refusal.reason]
    if answer.since is not None and begin_string != "FIX.4.4":
        return answer.since[0]
    if refusal.reason == NOT_POSITIVE and refusal.unit in ("Price", "StopPx"):
        return 99
    if refusal.reason == refusals.STATE and refusal.value != refusals.ORDERS:
        return 11  # others may pass
    if refusal.reason == refusals.STATE and refusal.limit == CANCEL_ONLY:
        return 0  # it is not closed: this is the venue's choice
    return answer.ord_rej_reason


def cxl_rej_reason(refusal: Refusal, begin_string: str) -> int:
    """CxlRejReason(102) of the version."""
    answer = _ANSWERS[refusal.reason]
    if answer.since is not None and begin_string != "FIX.4.4":
        return answer.since[1]
    return answer.cxl_rej_reason


def text(refusal: Refusal, instrument: InstrumentText | None) -> str:
    """Text(58): what was wrong, value and limit as people write them, in printable ASCII.

    `instrument` is the one of the message's Symbol; None if there is no such one."""
    words = {"unit": refusal.unit}
    if instrument is not None:
        words |= {"symbol": instrument.symbol, "quote": instrument.quote}
    value, limit = refusal.value, refusal.limit
    if refusal.reason == refusals.PAST:
        words["field"] = "ExpireTime" if isinstance(value, int) else "ExpireDate"
        value, limit = _when(value), _when(limit)
    elif refusal.reason == refusals.OUT_OF_BAND:
        above = int(value) > int(limit)
        words |= {"side": "above", "end": "most"} if above else {"side": "below", "end": "least"}
    elif refusal.reason == refusals.NOT_REACHED:
        value = f" ({value} differs there)" if value else ""
    elif refusal.reason == refusals.KILLED:
        words["whose"] = f"of {value} {limit} " if limit else ""
    grid = _grid(refusal, instrument)
    shown = _shown(value, grid)[:MAX_SHOWN]
    return _ANSWERS[refusal.reason].text.format(value=shown, limit=_shown(limit, grid), **words)


def counted(found: Mapping[str, str], refusal: Refusal, instrument: InstrumentText | None) -> str:
    """What to add to the text where a stop order is refused for its value, or for what it needs: it has no
    Price that says how much that is (docs/market.md, 6.4)."""
    if instrument is None or found.get("40") != STOP:
        return ""
    needs = refusal.reason == refusals.FUNDS and found["35"] == "D" and refusal.unit == instrument.quote
    if not needs and refusal.reason != refusals.NOTIONAL:
        return ""
    per_tick = instrument.quantity.parse(found["38"]) * instrument.quote_per_tick_lot
    limit = instrument.price.print(int(refusal.value) // per_tick)
    return f"; it is counted at {limit}, as far as a stop order may trade"


def _when(value: int | str) -> str:
    """The end of a GTD order as clients write it."""
    return exact_timestamp(value) if isinstance(value, int) else value.replace("-", "")


def _grid(refusal: Refusal, instrument: InstrumentText | None) -> Step | None:
    """What the engine counts in, where its refusal holds numbers."""
    if instrument is None:
        return None
    if refusal.reason == refusals.FUNDS:
        return instrument.currencies[refusal.unit]
    if refusal.reason in _MONEY:
        return instrument.currencies[instrument.quote]
    if refusal.reason in _TICKS:
        return instrument.price
    return instrument.quantity if refusal.reason == refusals.NOT_ABOVE_FILLED else None


def _shown(value: int | str, grid: Step | None) -> str:
    if isinstance(value, int):
        return str(value) if grid is None else grid.print(value)
    return value.encode("unicode_escape").decode("ascii")
