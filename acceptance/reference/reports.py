"""ExecutionReport(8) and OrderCancelReject(9) as fields."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from acceptance.reference.book import ADDED, CANCELED, REMOVED, REPLACED, TRADE, Event, Order
from acceptance.reference.faults import Fault, Faults
from acceptance.reference.settings import Instrument
from acceptance.wire import Message

Body = list[tuple[int, str]]


def plain(number: Decimal, step: Decimal) -> str:
    """With as many decimals as the step has."""
    return f"{number:.{_places(step)}f}"


def _places(step: Decimal) -> int:
    exponent = step.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def average(order: Order, instrument: Instrument) -> str:
    """AvgPx(6): to the tick if that is exact, else with four more decimals."""
    if not order.filled:
        return "0"
    exact = order.money / order.filled
    if exact % instrument.tick == 0:
        return plain(exact, instrument.tick)
    places = _places(instrument.tick) + 4
    return f"{exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):.{places}f}"


def execution(
    order: Order,
    event: Event,
    exec_id: str,
    instrument: Instrument,
    begin_string: str,
    time: str,
    faults: Faults,
) -> Body:
    """`time`: TransactTime(60)"""
    tick, lot = instrument.tick, instrument.lot
    trade, kind = event.exec_type == TRADE, event.exec_type
    order_id = exec_id if faults.on(Fault.ORDER_ID_CHANGES) else order.order_id
    cl_ord_id = event.original if event.original and faults.on(Fault.OLD_CL_ORD_ID) else event.cl_ord_id
    body = [(37, order_id), (11, cl_ord_id)]
    missing = {CANCELED: Fault.NO_ORIG_ON_CANCEL, REPLACED: Fault.NO_ORIG_ON_REPLACE}
    if event.original and not faults.on(missing[kind]):
        body.append((41, event.original))
    status = order.status
    if trade and faults.on(Fault.EXEC_TYPE_OLD_STYLE):
        kind = status
    if kind == CANCELED and faults.on(Fault.CANCEL_AS_EXPIRED):
        kind = "C"
    if kind == REPLACED and faults.on(Fault.REPLACE_AS_NEW):
        kind = "0"
    if status == "1" and faults.on(Fault.PARTIAL_AS_NEW):
        status = "0"
    if status == "2" and faults.on(Fault.FILLED_AS_PARTIAL):
        status = "1"
    if kind == REPLACED and faults.on(Fault.REPLACED_AS_STATUS):
        status = REPLACED
    if status == "4" and faults.on(Fault.CANCELED_AS_NEW):
        status = "1" if order.filled else "0"
    side = {"1": "2", "2": "1"}[order.side] if faults.on(Fault.WRONG_SIDE) else order.side
    body += [(17, exec_id), (150, kind), (39, status)]
    body += [] if faults.on(Fault.NO_ACCOUNT) else [(1, order.account)]
    symbol = "XXX-USD" if faults.on(Fault.WRONG_SYMBOL) else order.symbol
    quantity = order.leaves if faults.on(Fault.WRONG_ORDER_QTY) else order.quantity
    body += [(55, symbol), (54, side), (38, plain(quantity, lot)), (40, order.ord_type)]
    if order.price and not faults.on(Fault.NO_PRICE):
        body.append((44, plain(order.price, tick)))
    body.append((59, "0" if faults.on(Fault.WRONG_TIME_IN_FORCE) else order.time_in_force))
    if trade:
        body += _fill(order, event, instrument, faults)
    leaves = order.leaves
    if trade and faults.on(Fault.LEAVES_NOT_REDUCED):
        leaves = order.quantity
    if order.ended == "4" and faults.on(Fault.LEAVES_AFTER_CANCEL):
        leaves = order.quantity - order.filled
    cumulated = event.quantity if faults.on(Fault.CUM_NOT_SUMMED) and trade else order.filled
    mean = average(order, instrument)
    if faults.on(Fault.AVERAGE_IS_LAST) and trade:
        mean = plain(event.price, tick)
    body += [(151, plain(leaves, lot)), (14, plain(cumulated, lot)), (6, mean)]
    body += [] if faults.on(Fault.NO_TRANSACT_TIME) else [(60, time)]
    if event.match and begin_string != "FIX.4.4" and not faults.on(Fault.NO_MATCH_ID):
        body.append((880, str(event.match)))
    body += [(58, event.text)] if event.text and not faults.on(Fault.CANCEL_WITHOUT_TEXT) else []
    if event.restatement and not faults.on(Fault.NO_RESTATEMENT_REASON):
        body.append((378, event.restatement if begin_string != "FIX.4.4" else "99"))
    return body


def _fill(order: Order, event: Event, instrument: Instrument, faults: Faults) -> Body:
    quantity = order.filled if faults.on(Fault.LAST_QTY_IS_CUM) else event.quantity
    price = order.price if faults.on(Fault.LAST_PX_IS_LIMIT) and order.price else event.price
    liquidity = {ADDED: REMOVED, REMOVED: ADDED} if faults.on(Fault.LIQUIDITY_SWAPPED) else {}
    fill = [(32, plain(quantity, instrument.lot)), (31, plain(price, instrument.tick))]
    if event.liquidity:
        fill.append((851, liquidity.get(event.liquidity, event.liquidity)))
    return [] if faults.on(Fault.NO_LAST_FIELDS) else fill


def _echo(message: Message, *tags: int) -> Body:
    return [(tag, message[tag]) for tag in tags if tag in message]


def order_reject(message: Message, exec_id: str, reason: int, text: str, time: str, faults: Faults) -> Body:
    """The ExecutionReport that refuses a NewOrderSingle."""
    status = "0" if faults.on(Fault.REJECTED_AS_NEW) else "8"
    kind = "4" if faults.on(Fault.REJECTED_AS_CANCELED) else "8"
    body = [(37, "NONE"), (17, exec_id), (150, kind), (39, status)]
    body += [] if faults.on(Fault.NO_ORD_REJ_REASON) else [(103, str(reason))]
    leaves = message.get(38, "0") if faults.on(Fault.REJECTED_WITH_LEAVES) else "0"
    body += [*_echo(message, 11, 1), (55, message.get(55) or "[N/A]"), *_echo(message, 54, 38, 40, 44, 59)]
    body += [(151, leaves or "0"), (14, "0"), (6, "0"), (60, time)]
    return body if faults.on(Fault.REFUSAL_WITHOUT_TEXT) else [*body, (58, text)]


def cancel_reject(
    message: Message, order: Order | None, reason: int, text: str, time: str, faults: Faults
) -> Body:
    """The OrderCancelReject; `order`: what OrigClOrdID names, dead or alive."""
    order_id, status = ("NONE", "8") if order is None else (order.order_id, order.status)
    if order is not None and faults.on(Fault.CANCEL_REJECT_WITHOUT_ORDER):
        order_id = "NONE"
    if faults.on(Fault.CANCEL_REJECT_STATUS):
        status = "0" if status == "8" else "8"
    response = "1" if message.msg_type == "F" else "2"
    if faults.on(Fault.WRONG_RESPONSE_TO):
        response = "2" if response == "1" else "1"
    body = [(37, order_id), (11, message.get(11) or ""), (41, message.get(41) or "")]
    if faults.on(Fault.CANCEL_REJECT_SWAPPED):
        body[1:] = [(11, message.get(41) or ""), (41, message.get(11) or "")]
    body += [(39, status), (434, response), (102, str(reason)), *_echo(message, 1), (60, time)]
    return body if faults.on(Fault.CANCEL_REJECT_WITHOUT_TEXT) else [*body, (58, text)]
