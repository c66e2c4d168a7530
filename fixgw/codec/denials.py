"""What a market on another node has refused, after the venue has accepted it as pending."""

from engine.events import Execution, RequestDenied
from engine.peer_messages import CANCEL
from engine.refusals import UNKNOWN_ORDER, Refusal
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.refusals import TOO_LATE, cxl_rej_reason, ord_rej_reason, text
from fixgw.codec.reports import Report, execution_report


def order_denied(
    order: Execution,
    event: RequestDenied,
    exec_id: int,
    instrument: InstrumentText,
    begin_string: str,
    decimals: int,
) -> Report:
    """The ExecutionReport (150=8) that ends an order; `order` is the event that ended it."""
    msg_type, body = execution_report(order, exec_id, instrument, begin_string, decimals)
    reason = ord_rej_reason(event.refusal, begin_string)
    why = f"103={reason}\x0158={text(event.refusal, instrument)}\x01"
    return msg_type, body + why.encode("utf-8", "surrogateescape")


def request_denied(
    event: RequestDenied, ord_status: str, instrument: InstrumentText, begin_string: str, time: str
) -> Report:
    """The OrderCancelReject of a cancel or replace. `ord_status`: of the order now. `time`: UTCTimestamp."""
    refusal = event.refusal
    if refusal.reason == UNKNOWN_ORDER:  # it was there when this was accepted
        refusal = Refusal(TOO_LATE)
    response_to = "1" if event.request == CANCEL else "2"
    body = (
        f"37={event.order_id}\x0111={event.cl_ord_id}\x0141={event.orig_cl_ord_id}\x0139={ord_status}\x01"
        f"434={response_to}\x01102={cxl_rej_reason(refusal, begin_string)}\x011={event.account}\x01"
        f"60={time}\x0158={text(refusal, instrument)}\x01"
    )
    return "9", body.encode("utf-8", "surrogateescape")
