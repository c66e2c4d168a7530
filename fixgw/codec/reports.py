"""Engine events and refusals to the bodies of ExecutionReport(8) and OrderCancelReject(9).

A body is what stands between header and trailer, every field ending in SOH. What a client sent is echoed
byte by byte, even if it is not UTF-8."""

from collections.abc import Mapping

from engine.events import Execution
from engine.refusals import Refusal
from engine.words import AUCTION, CONNECTION_LOST, LOGGED_OUT, OTHER, REJECTED, RESTATED, TRIGGERED
from fixgw.codec.conditions import POST_ONLY
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.refusals import counted, cxl_rej_reason, ord_rej_reason, text
from fixgw.codec.times import exact_timestamp, utc_timestamp

NO_ORDER = "NONE"
"""OrderID(37) where there is no order"""
NO_SYMBOL = "[N/A]"
"""Symbol(55) where the standard asks for one and there is none"""
AVERAGE_DECIMALS = 4
"""decimals of AvgPx(6) beyond those of the tick; what is below is rounded half up"""

REQUEST_IDS = "11", "584", "320", "324", "335"
"""tags by which a client knows its message: ClOrdID, MassStatusReqID, SecurityReqID, SecurityStatusReqID,
TradSesReqID"""
NO_REASON, CONDITIONALLY_REQUIRED = "0", "5"
"""BusinessRejectReason(380)"""

_NEWER_RESTATEMENTS = {CONNECTION_LOST, LOGGED_OUT}
"""values of ExecRestatementReason(378) that FIX.4.4 does not know: a client's dictionary would refuse the
report"""
ABSOLUTE = "3"
"""CommType(13): Commission(12) is an amount"""
TRIGGERED_TEXT = "triggered"
"""Text(58) in FIX.4.4, which has no ExecType(150) of its own for it"""

Report = tuple[str, bytes]
"""MsgType(35) and body"""


def execution_report(
    event: Execution, exec_id: int | str, instrument: InstrumentText, begin_string: str, decimals: int = 3
) -> Report:
    """The ExecutionReport of one event. `exec_id` is the event's sequence in the output log; `decimals` are
    those of its times."""
    price, quantity = instrument.price.print, instrument.quantity.print
    original = f"41={event.orig_cl_ord_id}\x01" if event.orig_cl_ord_id else ""
    limit = f"44={price(event.price)}\x01" if event.price else ""
    exec_type, older = event.exec_type, begin_string == "FIX.4.4"
    fill = match = note = more = ""
    if event.last_quantity:
        fill = f"32={quantity(event.last_quantity)}\x0131={price(event.last_price)}\x01"
        if event.liquidity and not (older and event.liquidity == AUCTION):
            fill += f"851={event.liquidity}\x01"
        if event.fee:
            fill += f"12={instrument.money.print(event.fee)}\x0113={ABSOLUTE}\x01"
        if not older:
            match = f"880={event.match_id}\x01"
    if event.text:
        note = f"58={event.text}\x01"
    if event.restatement:
        note += (
            f"378={OTHER if older and event.restatement in _NEWER_RESTATEMENTS else event.restatement}\x01"
        )
    if exec_type == TRIGGERED and older:
        exec_type = RESTATED
        note = f"58={event.text or TRIGGERED_TEXT}\x01378={OTHER}\x01"
    if (
        event.stop_price
        or event.display
        or event.post_only
        or event.expire_time
        or event.expire_day
        or event.min_quantity
        or event.cash
        or event.ref_id
    ):
        more = _conditions(event, instrument, older)
    body = (
        f"37={event.order_id}\x0111={event.cl_ord_id}\x01{original}17={exec_id}\x01150={exec_type}\x01"
        f"39={event.ord_status}\x011={event.account}\x0155={event.symbol}\x0154={event.side}\x01"
        f"38={quantity(event.quantity)}\x0140={event.ord_type}\x01{limit}59={event.time_in_force}\x01{more}{fill}"
        f"151={quantity(event.leaves_quantity)}\x0114={quantity(event.cum_quantity)}\x01"
        f"6={_average(event, instrument)}\x0160={utc_timestamp(event.time, decimals)}\x01{match}{note}"
    )
    return "8", body.encode("ascii")


def _conditions(event: Execution, instrument: InstrumentText, older: bool) -> str:
    """What a plain order does not have, exactly as it was sent."""
    fields = []
    if event.stop_price:
        fields.append(f"99={instrument.price.print(event.stop_price)}\x01")
    if event.cash:
        fields.append(f"152={instrument.money.print(event.cash)}\x01")
    if event.min_quantity:
        fields.append(f"110={instrument.quantity.print(event.min_quantity)}\x01")
    if event.display:
        fields.append(f"{111 if older else 1138}={instrument.quantity.print(event.display)}\x01")
    if event.post_only:
        fields.append(f"18={POST_ONLY}\x01")
    if event.expire_time:
        fields.append(f"126={exact_timestamp(event.expire_time)}\x01")
    if event.expire_day:
        fields.append(f"432={event.expire_day.replace('-', '')}\x01")
    if event.ref_id:
        fields.append(f"19={event.ref_id}\x01")
    return "".join(fields)


def _average(event: Execution, instrument: InstrumentText) -> str:
    """AvgPx(6): exact wherever it has at most AVERAGE_DECIMALS more decimals than the tick."""
    filled = event.cum_quantity
    if not filled:
        return "0"
    ticks, rest = divmod(event.notional, filled)
    if not rest:
        return instrument.price.print(ticks)
    step = instrument.price
    scale = 10**AVERAGE_DECIMALS
    units = (2 * event.notional * step.size * scale + filled) // (2 * filled)
    places = step.places + AVERAGE_DECIMALS
    digits = str(units).zfill(places + 1)
    return f"{digits[:-places]}.{digits[-places:]}"


def order_reject(
    found: Mapping[str, str],
    refusal: Refusal,
    exec_id: str,
    begin_string: str,
    time: str,
    instruments: Mapping[str, InstrumentText],
) -> Report:
    """The ExecutionReport that refuses the NewOrderSingle `found`. `time`: UTCTimestamp."""
    symbol = found.get("55", NO_SYMBOL)
    instrument = instruments.get(symbol)
    body = (
        f"37={NO_ORDER}\x0117={exec_id}\x01150={REJECTED}\x0139={REJECTED}\x01"
        f"103={ord_rej_reason(refusal, begin_string)}\x01{_echo(found, '11', '1')}55={symbol}\x01"
        f"{_echo(found, '54', '38', '152', '40', '44', '99', '59')}151=0\x0114=0\x016=0\x0160={time}\x01"
        f"58={text(refusal, instrument)}{counted(found, refusal, instrument)}\x01"
    )
    return "8", body.encode("utf-8", "surrogateescape")


def cancel_reject(
    found: Mapping[str, str],
    refusal: Refusal,
    order_id: str,
    ord_status: str,
    begin_string: str,
    time: str,
    instruments: Mapping[str, InstrumentText],
) -> Report:
    """The OrderCancelReject for the OrderCancelRequest or OrderCancelReplaceRequest `found`. `order_id` is
    NO_ORDER if the order is unknown; `ord_status` then is "8". `time`: UTCTimestamp."""
    instrument = instruments.get(found.get("55", NO_SYMBOL))
    response_to = "1" if found["35"] == "F" else "2"
    body = (
        f"37={order_id}\x01{_echo(found, '11', '41')}39={ord_status}\x01434={response_to}\x01"
        f"102={cxl_rej_reason(refusal, begin_string)}\x01{_echo(found, '1')}60={time}\x01"
        f"58={text(refusal, instrument)}{counted(found, refusal, instrument)}\x01"
    )
    return "9", body.encode("utf-8", "surrogateescape")


def not_understood(text: str) -> Report:
    """The BusinessMessageReject of a message that cannot even be read: BusinessRejectReason(380)=0."""
    head = [pair.partition("=") for pair in text.split("\x01", 8)[:8]]
    found = {tag: value for tag, _, value in head}
    body = (
        f"45={found.get('34', '0')}\x0158=The message cannot be understood\x01"
        f"372={found.get('35', '')}\x01380=0\x01"
    )
    return "j", body.encode("utf-8", "surrogateescape")


def throttled(found: Mapping[str, str], limit: int, wait: int) -> Report:
    """The BusinessMessageReject of a message above `limit` messages per second; its ClOrdID stays free.
    `wait`: nanoseconds after which there is room for one."""
    retry = -(-wait // 1_000_000)
    return _business_reject(
        found, NO_REASON, f"More than {limit} messages per second: retry after {retry} ms"
    )


def too_many(found: Mapping[str, str], limit: int) -> Report:
    """The BusinessMessageReject of a question while `limit` are not answered yet."""
    return _business_reject(
        found, NO_REASON, f"{limit} questions are waiting for their answers: ask again after them"
    )


def incomplete(found: Mapping[str, str], field: str) -> Report:
    """The BusinessMessageReject of a message without a field that it needs."""
    return _business_reject(found, CONDITIONALLY_REQUIRED, f"{field} is missing")


def question_refused(found: Mapping[str, str], text: str) -> Report:
    """The BusinessMessageReject of a question whose own answer has no room for words."""
    return _business_reject(found, NO_REASON, text)


def _business_reject(found: Mapping[str, str], reason: str, text: str) -> Report:
    name = next((found[tag] for tag in REQUEST_IDS if tag in found), "")
    ref_id = f"379={name}\x01" if name else ""
    body = f"45={found['34']}\x0158={text}\x01372={found['35']}\x01{ref_id}380={reason}\x01"
    return "j", body.encode("utf-8", "surrogateescape")


def _echo(found: Mapping[str, str], *tags: str) -> str:
    return "".join([f"{tag}={found[tag]}\x01" for tag in tags if tag in found])
