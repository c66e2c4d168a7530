"""NewOrderSingle(D), OrderCancelRequest(F) and OrderCancelReplaceRequest(G) to engine commands.

Text becomes integers here, exactly or not at all. A field that would change what an order means is refused
where the venue cannot honour it, never ignored."""

from collections.abc import Mapping

from engine import refusals
from engine.commands import CancelOrder, NewOrder, OrderCommand, ReplaceOrder
from engine.refusals import Refusal
from engine.words import (
    BUY,
    DAY,
    FILL_OR_KILL,
    GOOD_TILL_CANCEL,
    IMMEDIATE_OR_CANCEL,
    LIMIT,
    MARKET,
    SELL,
)
from fixgw.codec.decimals import NotDecimal, OffStep, Step
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.meaning import PLAIN, unsupported
from fixgw.codec.refusals import (
    ABOVE_MAX,
    BAD_CL_ORD_ID,
    MISSING,
    NOT_POSITIVE,
    OFF_LOT,
    OFF_TICK,
    PRICE_ON_MARKET,
    STALE,
    UNSUPPORTED,
)
from fixgw.codec.times import SECOND, TO_THE_SECOND, whole_second

MAX_CL_ORD_ID = 64
"""characters"""

NOT_THERE = "(not there)"
"""stands for a field that should be there; no valid value of any, and with its blank no ClOrdID"""

_SIDES = {BUY, SELL}
_TIMES_IN_FORCE = {DAY, GOOD_TILL_CANCEL, IMMEDIATE_OR_CANCEL, FILL_OR_KILL}


def decode(
    found: dict[str, str],
    client: str,
    session: str,
    instruments: Mapping[str, InstrumentText],
    time: int,
    tolerance: int,
) -> OrderCommand | Refusal:
    """The command of a message with MsgType(35) D, F or G. `time` is the cycle's logged time (nanoseconds
    since the epoch), from which TransactTime(60) may be at most `tolerance` seconds off, except on a cancel.
    Nothing is taken for granted: a client can make QuickFIX skip its dictionary.

    BAD_CL_ORD_ID is decided before anything else: with any other refusal the ClOrdID is a valid one."""
    cl_ord_id = found.get("11", "")
    if not is_cl_ord_id(cl_ord_id):
        return Refusal(BAD_CL_ORD_ID, cl_ord_id)
    symbol = found.get("55")
    if symbol is None:
        return Refusal(MISSING, unit="Symbol")
    side = found.get("54", NOT_THERE)
    if side not in _SIDES:
        return Refusal(UNSUPPORTED, side, ", only 1 (buy) and 2 (sell)", "Side")
    original = ""
    if found["35"] != "D":
        original = found.get("41", NOT_THERE)
        if not is_cl_ord_id(original):
            return Refusal(refusals.UNKNOWN_ORDER, original)
        if found["35"] == "F":
            return CancelOrder(time, client, session, cl_ord_id, original, symbol, side)
    transact_time = found.get("60", NOT_THERE)
    if not _in_range(transact_time, time, tolerance * SECOND):
        return Refusal(STALE, transact_time, tolerance)
    instrument = instruments.get(symbol)
    if instrument is None:
        return Refusal(refusals.UNKNOWN_SYMBOL, symbol)
    if not found.keys() <= PLAIN:
        refusal = unsupported(found, instrument)
        if refusal is not None:
            return refusal
    quantity = _quantity(found, instrument)
    if type(quantity) is Refusal:
        return quantity
    ord_type = found.get("40", NOT_THERE)
    price = _price(found, ord_type, instrument)
    if type(price) is Refusal:
        return price
    assert type(quantity) is int and type(price) is int
    time_in_force = found.get("59")
    if time_in_force is not None and time_in_force not in _TIMES_IN_FORCE:
        return Refusal(
            UNSUPPORTED, time_in_force, ", only 0 (day), 1 (GTC), 3 (IOC) and 4 (FOK)", "TimeInForce"
        )
    account = found.get("1", "")
    if found["35"] == "D":
        in_force = time_in_force or DAY
        return NewOrder(
            time, client, session, account, cl_ord_id, symbol, side, ord_type, in_force, quantity, price
        )
    in_force = time_in_force or ""
    return ReplaceOrder(
        time, client, session, account, cl_ord_id, original, symbol, side, ord_type, quantity, price, in_force
    )


def is_cl_ord_id(text: str) -> bool:
    """1 to 64 printable ASCII characters without blanks: an id ends in keys, logs and other people's
    systems, and no other text was ever accepted as one."""
    return (
        len(text) <= MAX_CL_ORD_ID
        and text.isascii()
        and text.isprintable()
        and text != ""
        and " " not in text
    )


def _in_range(timestamp: str, time: int, tolerance: int) -> bool:
    """Whether a UTCTimestamp is at most `tolerance` nanoseconds from `time`, to the second."""
    try:
        return abs(whole_second(timestamp[:TO_THE_SECOND]) - time + time % SECOND) <= tolerance
    except ValueError:
        return False


def _quantity(found: dict[str, str], instrument: InstrumentText) -> int | Refusal:
    """OrderQty(38) in lots."""
    text = found.get("38")
    if text is None:
        return Refusal(MISSING, unit="OrderQty")
    return _steps("OrderQty", text, instrument.quantity, instrument.max_quantity, OFF_LOT)


def _price(found: dict[str, str], ord_type: str, instrument: InstrumentText) -> int | Refusal:
    """Price(44) in ticks; 0 for a market order."""
    text = found.get("44")
    if ord_type == MARKET:
        return 0 if text is None else Refusal(PRICE_ON_MARKET, text)
    if ord_type != LIMIT:
        return Refusal(UNSUPPORTED, ord_type, ", only 1 (market) and 2 (limit)", "OrdType")
    if text is None:
        return Refusal(MISSING, unit="Price")
    return _steps("Price", text, instrument.price, instrument.max_price, OFF_TICK)


def _steps(field: str, text: str, grid: Step, most: int, off_grid: str) -> int | Refusal:
    """A number above 0 in whole steps of its grid, at most `most`."""
    try:
        steps = grid.parse(text)
    except OffStep:
        return Refusal(off_grid, text, grid.text)
    except NotDecimal:
        return Refusal(NOT_POSITIVE, text, unit=field)
    if steps > most:
        return Refusal(ABOVE_MAX, text, grid.print(most), field)
    return steps or Refusal(NOT_POSITIVE, text, unit=field)
