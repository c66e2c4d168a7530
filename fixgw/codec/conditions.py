"""What an order may say beyond side, quantity and price, and what of it makes sense together. Found here is
what can be known without the book; each refusal names the field, its value and what would be right."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from engine.words import (
    ALLOW,
    AT_THE_CLOSE,
    AT_THE_OPENING,
    CANCEL_BOTH,
    CANCEL_MAKER,
    CANCEL_TAKER,
    DAY,
    DECREMENT,
    FILL_OR_KILL,
    GOOD_TILL_DATE,
    IMMEDIATE_OR_CANCEL,
    LIMIT,
    MARKET,
    STOP,
    STOP_LIMIT,
)
from fixgw.codec import amounts
from fixgw.codec.ids import is_id
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.refusals import BAD_QUANTITY, MALFORMED, MISPLACED, MISSING, UNSUPPORTED, Refused
from fixgw.codec.terms import Terms, own_group
from fixgw.codec.times import nanoseconds

POST_ONLY = "6"
"""ExecInst(18): participate, do not initiate"""
SMALLEST_PART = 100
"""DisplayQty(1138) is at least OrderQty divided by it"""

_STOPS = {STOP, STOP_LIMIT}
_NEVER_RESTS = {IMMEDIATE_OR_CANCEL, FILL_OR_KILL}
_AT_AN_AUCTION = {AT_THE_OPENING, AT_THE_CLOSE}
_SELF_TRADE = {ALLOW, CANCEL_TAKER, CANCEL_MAKER, CANCEL_BOTH, DECREMENT}
_ONLY_SELF_TRADE = ", only 0 (none), 1 (taker), 2 (maker), 3 (both) and 4 (decrement)"
_LEAVE_ONE = "leave one of them out"
_END_OF_TIME = 2**63
"""nanoseconds: in the year 2262"""


class Conditions(NamedTuple):
    """In the order and the units of the fields of engine.commands.NewOrder."""

    stop_price: int = 0
    cash: int = 0
    min_quantity: int = 0
    display: int = 0
    post_only: str = ""
    expire_time: int = 0
    expire_day: str = ""


Found = Mapping[str, str]


def conditions(found: Found, terms: Terms, instrument: InstrumentText, quantity: int) -> Conditions:
    """Of an order or replace whose OrdType and TimeInForce are known ones. `quantity` is its OrderQty in
    lots, 0 without one. Raises Refused."""
    return Conditions(
        _stop_price(found, instrument),
        _cash(found, instrument),
        _min_quantity(found, instrument, quantity),
        _display(found, instrument, quantity),
        terms.post_only if _is_post_only(found) else "",
        *_expiry(found),
    )


def self_match(found: Found, terms: Terms) -> tuple[str, str]:
    """(group, mode) of self-trade prevention; group "": that of the account. Raises Refused."""
    text, mode = found.get("2362"), found.get("2964", terms.self_trade)
    if mode not in _SELF_TRADE:
        raise Refused(UNSUPPORTED, mode, _ONLY_SELF_TRADE, "SelfMatchPreventionInstruction")
    if text is None:
        return terms.group, mode
    if not is_id(text):
        words = "1 to 64 printable ASCII characters without blanks"
        raise Refused(MALFORMED, text, words, "SelfMatchPreventionID")
    return own_group(terms.client, text), mode


def _stop_price(found: Found, instrument: InstrumentText) -> int:
    text, in_force = found.get("99"), _in_force(found)
    if found["40"] not in _STOPS:
        if text is not None:
            raise Refused(MISPLACED, text, "on an order that is no stop: OrdType 3 or 4 has it", "StopPx")
        return 0
    if in_force in _NEVER_RESTS | _AT_AN_AUCTION:
        limit = "on a stop order: 0 (day), 1 (GTC) or 6 (GTD) would be right"
        raise Refused(MISPLACED, in_force, limit, "TimeInForce")
    if text is None:
        raise Refused(MISSING, unit="StopPx")
    return amounts.price("StopPx", text, instrument)


def _cash(found: Found, instrument: InstrumentText) -> int:
    text, in_force = found.get("152"), _in_force(found)
    if text is None:
        return 0
    if "38" in found:
        other = f"beside OrderQty {found['38'][:40]}: {_LEAVE_ONE}"
        raise Refused(MISPLACED, text, other, "CashOrderQty")
    if found["40"] != MARKET:
        raise Refused(MISPLACED, text, "on an order that is no market order: give OrderQty", "CashOrderQty")
    if in_force not in (DAY, IMMEDIATE_OR_CANCEL):
        limit = "with CashOrderQty: 0 (day) or 3 (IOC) would be right"
        raise Refused(MISPLACED, in_force, limit, "TimeInForce")
    return amounts.cash("CashOrderQty", text, instrument)


def _min_quantity(found: Found, instrument: InstrumentText, quantity: int) -> int:
    text = found.get("110")
    if text is None:
        return 0
    least = amounts.quantity("MinQty", text, instrument)
    if "38" not in found:
        raise Refused(MISPLACED, text, "with CashOrderQty: give OrderQty, or leave MinQty out", "MinQty")
    if least > quantity:
        raise Refused(
            BAD_QUANTITY, text, f"is above OrderQty {instrument.quantity.print(quantity)}", "MinQty"
        )
    if found["40"] in _STOPS:
        raise Refused(MISPLACED, text, "on a stop order: leave MinQty out", "MinQty")
    if _in_force(found) in _AT_AN_AUCTION:
        limit = f"with TimeInForce {_in_force(found)}, which waits for an auction: leave MinQty out"
        raise Refused(MISPLACED, text, limit, "MinQty")
    if "18" in found:
        limit = "on a post-only order, which trades nothing at once: leave one of them out"
        raise Refused(MISPLACED, text, limit, "MinQty")
    return least


def _display(found: Found, instrument: InstrumentText, quantity: int) -> int:
    tag, field = ("1138", "DisplayQty") if "1138" in found else ("111", "MaxFloor")
    text = found.get(tag)
    if text is None:
        return 0
    if tag == "1138" and "111" in found:
        other = f"beside MaxFloor {found['111'][:40]}: {_LEAVE_ONE}"
        raise Refused(MISPLACED, text, other, field)
    if found["40"] not in (LIMIT, STOP_LIMIT):
        raise Refused(MISPLACED, text, f"on an order without a Price: leave {field} out", field)
    if _in_force(found) in _NEVER_RESTS:
        limit = f"with TimeInForce {_in_force(found)}, which shows nothing: leave {field} out"
        raise Refused(MISPLACED, text, limit, field)
    display = amounts.quantity(field, text, instrument)
    show = instrument.quantity.print
    if display > quantity:
        raise Refused(BAD_QUANTITY, text, f"is above OrderQty {show(quantity)}", field)
    least = -(-quantity // SMALLEST_PART)
    if display < least:
        limit = f"is below one hundredth of OrderQty {show(quantity)}: at least {show(least)}"
        raise Refused(BAD_QUANTITY, text, limit, field)
    return display


def _is_post_only(found: Found) -> bool:
    text = found.get("18")
    if text is None:
        return False
    if text != POST_ONLY:
        raise Refused(UNSUPPORTED, text, ", only 6 (post-only)", "ExecInst")
    if found["40"] != LIMIT:
        limit = "(post-only) on an order that is no limit order: leave ExecInst out"
        raise Refused(MISPLACED, text, limit, "ExecInst")
    if _in_force(found) in _NEVER_RESTS:
        limit = f"(post-only) with TimeInForce {_in_force(found)}: 0 (day), 1 (GTC) or 6 (GTD) would be right"
        raise Refused(MISPLACED, text, limit, "ExecInst")
    return True


def _expiry(found: Found) -> tuple[int, str]:
    """ExpireTime(126) in nanoseconds since the epoch or else 0, ExpireDate(432) as YYYY-MM-DD or else ""."""
    moment, day = found.get("126"), found.get("432")
    in_force = found.get("59", "" if found["35"] == "G" else DAY)
    if in_force == "":
        if moment is None and day is None:
            return 0, ""  # as long as the order it replaces; the engine knows whether that has an expiry
    elif in_force != GOOD_TILL_DATE:
        for field, text in (("ExpireTime", moment), ("ExpireDate", day)):
            if text is not None:
                limit = f"without TimeInForce 6 (GTD): send 59=6, or leave {field} out"
                raise Refused(MISPLACED, text, limit, field)
        return 0, ""
    if moment is None:
        if day is None:
            raise Refused(MISSING, unit="ExpireTime or ExpireDate")
        return 0, _day(day)
    if day is not None:
        raise Refused(MISPLACED, day, f"beside ExpireTime {moment[:40]}: {_LEAVE_ONE}", "ExpireDate")
    return _moment(moment), ""


def _moment(text: str) -> int:
    try:
        time = nanoseconds(text)
    except ValueError:
        time = 0
    if not 0 < time < _END_OF_TIME:
        raise Refused(MALFORMED, text, "a time YYYYMMDD-HH:MM:SS from 1970 to 2261", "ExpireTime")
    return time


def _day(text: str) -> str:
    try:
        if len(text) != len("YYYYMMDD") or not (text.isascii() and text.isdigit()):
            raise ValueError(text)
        return datetime.strptime(text, "%Y%m%d").date().isoformat()
    except ValueError:
        raise Refused(MALFORMED, text, "a day YYYYMMDD", "ExpireDate") from None


def _in_force(found: Found) -> str:
    return found.get("59", DAY)
