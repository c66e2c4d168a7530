"""NewOrderSingle(D), OrderCancelRequest(F) and OrderCancelReplaceRequest(G) to engine commands.

Text becomes integers here, exactly or not at all. A field that would change what an order means is refused
where the venue cannot honour it, never ignored."""

from collections.abc import Mapping

from engine import refusals
from engine.commands import CancelOrder, NewOrder, OrderCommand, ReplaceOrder
from engine.refusals import Refusal
from engine.words import (
    AT_THE_CLOSE,
    AT_THE_OPENING,
    BUY,
    DAY,
    FILL_OR_KILL,
    GOOD_TILL_CANCEL,
    GOOD_TILL_DATE,
    IMMEDIATE_OR_CANCEL,
    LIMIT,
    MARKET,
    SELL,
    STOP,
    STOP_LIMIT,
)
from fixgw.codec import amounts
from fixgw.codec.conditions import Conditions, conditions, self_match
from fixgw.codec.ids import is_id
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.meaning import PLAIN, check_supported
from fixgw.codec.refusals import BAD_CL_ORD_ID, MISPLACED, MISSING, STALE, UNSUPPORTED, Refused
from fixgw.codec.terms import Terms, account_group
from fixgw.codec.times import SECOND, TO_THE_SECOND, whole_second

NOT_THERE = "(not there)"
"""stands for a field that should be there; no valid value of any, and with its blank no ClOrdID"""

_SIDES = {BUY, SELL}
_PLAIN_TYPES = {MARKET, LIMIT}
_ORD_TYPES = {MARKET, LIMIT, STOP, STOP_LIMIT}
_WITHOUT_PRICE = {MARKET: "market", STOP: "stop"}
_TIMES_IN_FORCE = {
    DAY,
    GOOD_TILL_CANCEL,
    AT_THE_OPENING,
    IMMEDIATE_OR_CANCEL,
    FILL_OR_KILL,
    GOOD_TILL_DATE,
    AT_THE_CLOSE,
}

_NOTHING_MORE = Conditions()

_ONLY_ORD_TYPES = ", only 1 (market), 2 (limit), 3 (stop) and 4 (stop-limit)"
_ONLY_TIMES_IN_FORCE = (
    ", only 0 (day), 1 (GTC), 2 (at the opening), 3 (IOC), 4 (FOK), 6 (GTD) and 7 (at the close)"
)


def decode(
    found: dict[str, str], terms: Terms, instruments: Mapping[str, InstrumentText], time: int
) -> OrderCommand | Refusal:
    """The command of a message with MsgType(35) D, F or G, from a session with these terms. `time` is the
    cycle's logged time (nanoseconds since the epoch), from which TransactTime(60) may be as far off as the
    terms say, except on a cancel. Nothing is taken for granted: a client can make QuickFIX skip its
    dictionary.

    BAD_CL_ORD_ID is decided before anything else: with any other refusal the ClOrdID is a valid one."""
    try:
        return _command(found, terms, instruments, time)
    except Refused as refused:
        return refused.refusal


def _command(
    found: dict[str, str], terms: Terms, instruments: Mapping[str, InstrumentText], time: int
) -> OrderCommand:
    cl_ord_id = found.get("11", "")
    if not is_id(cl_ord_id):
        raise Refused(BAD_CL_ORD_ID, cl_ord_id)
    symbol = found.get("55")
    if symbol is None:
        raise Refused(MISSING, unit="Symbol")
    side = found.get("54", NOT_THERE)
    if side not in _SIDES:
        raise Refused(UNSUPPORTED, side, ", only 1 (buy) and 2 (sell)", "Side")
    original = ""
    if found["35"] != "D":
        original = found.get("41", NOT_THERE)
        if not is_id(original):
            raise Refused(refusals.UNKNOWN_ORDER, original)
        if found["35"] == "F":
            return CancelOrder(time, terms.client, terms.session, cl_ord_id, original, symbol, side)
    transact_time = found.get("60", NOT_THERE)
    if not _in_range(transact_time, time, terms.tolerance):
        raise Refused(STALE, transact_time, terms.tolerance // SECOND)
    instrument = instruments.get(symbol)
    if instrument is None:
        raise Refused(refusals.UNKNOWN_SYMBOL, symbol)
    plain = found.keys() <= PLAIN
    if not plain:
        check_supported(found, instrument)
    ord_type = found.get("40", NOT_THERE)
    if ord_type not in _ORD_TYPES:
        raise Refused(UNSUPPORTED, ord_type, _ONLY_ORD_TYPES, "OrdType")
    time_in_force = found.get("59")
    if time_in_force is not None and time_in_force not in _TIMES_IN_FORCE:
        raise Refused(UNSUPPORTED, time_in_force, _ONLY_TIMES_IN_FORCE, "TimeInForce")
    quantity = _quantity(found, instrument)
    price = _price(found, ord_type, instrument)
    account = found.get("1", "")
    more, group, self_trade = _NOTHING_MORE, terms.group, terms.self_trade
    if original or not plain or ord_type not in _PLAIN_TYPES or time_in_force == GOOD_TILL_DATE:
        # Most orders are not such, and the others take their time here.
        more = conditions(found, terms, instrument, quantity)
        group, self_trade = self_match(found, terms)
    if original:
        return ReplaceOrder(
            time,
            terms.client,
            terms.session,
            account,
            cl_ord_id,
            original,
            symbol,
            side,
            ord_type,
            quantity,
            price,
            time_in_force or "",
            more.stop_price,
            more.display,
            more.expire_time,
            more.expire_day,
        )
    return NewOrder(
        time,
        terms.client,
        terms.session,
        account,
        cl_ord_id,
        symbol,
        side,
        ord_type,
        time_in_force or DAY,
        quantity,
        price,
        *more,
        group or account_group(account),
        self_trade,
    )


def _in_range(timestamp: str, time: int, tolerance: int) -> bool:
    """Whether a UTCTimestamp is at most `tolerance` nanoseconds from `time`, to the second."""
    try:
        return abs(whole_second(timestamp[:TO_THE_SECOND]) - time + time % SECOND) <= tolerance
    except ValueError:
        return False


def _quantity(found: dict[str, str], instrument: InstrumentText) -> int:
    """OrderQty(38) in lots; 0 with CashOrderQty(152)."""
    text = found.get("38")
    if text is not None:
        return amounts.quantity("OrderQty", text, instrument)
    if "152" in found and found["35"] == "D":
        return 0
    raise Refused(MISSING, unit="OrderQty")


def _price(found: dict[str, str], ord_type: str, instrument: InstrumentText) -> int:
    """Price(44) in ticks; 0 for an order without one."""
    text = found.get("44")
    kind = _WITHOUT_PRICE.get(ord_type)
    if kind is None:
        if text is None:
            raise Refused(MISSING, unit="Price")
        return amounts.price("Price", text, instrument)
    if text is not None:
        raise Refused(MISPLACED, text, f"on a {kind} order: leave Price out", "Price")
    return 0
