"""Answers to OrderStatusRequest(H) and OrderMassStatusRequest(AF): ExecutionReports with ExecType(150) I."""

from collections.abc import Mapping

from engine.refusals import Refusal
from engine.words import ORDER_STATUS, REJECTED
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.refusals import ord_rej_reason, text
from fixgw.codec.reports import NO_ORDER, NO_SYMBOL, Report

UNKNOWN_ORDER = 5
"""OrdRejReason(103)"""
UNDISCLOSED = "7"
"""Side(54) where there is none to tell"""


def with_status_id(report: Report, request_id: str) -> Report:
    """The same with the OrdStatusReqID(790) of the request, if it has one."""
    return report[0], report[1] + (_field("790", request_id) if request_id else b"")


def of_many(report: Report, request_id: str, total: int, last: bool) -> Report:
    """One of `total` answers to an OrderMassStatusRequest."""
    return report[0], report[1] + _mass(request_id, total, last)


def is_status(record: bytes) -> bool:
    """Whether a record of the outbox answers a question for the state of an order."""
    return record.startswith(b"8\x01") and b"\x01150=I\x01" in record


def unknown_order(found: Mapping[str, str], exec_id: str, time: str) -> Report:
    """There is no such order of this client, as far as is known any more. `time`: UTCTimestamp."""
    name = found.get("11") or f"OrderID {found.get('37')}"
    return "8", _nothing(found, exec_id, time, f"There is no order {name}") + _request_id(found)


def no_orders(found: Mapping[str, str], exec_id: str, time: str) -> Report:
    """Nothing fits an OrderMassStatusRequest."""
    return "8", _nothing(found, exec_id, time, "No order fits") + _request_id(found)


def status_refused(
    found: Mapping[str, str],
    refusal: Refusal,
    exec_id: str,
    begin_string: str,
    time: str,
    instruments: Mapping[str, InstrumentText],
) -> Report:
    """The question asks for what is not offered, or is wrong in itself."""
    reason, words = ord_rej_reason(refusal, begin_string), text(refusal, instruments.get(found.get("55", "")))
    return "8", _nothing(found, exec_id, time, words, reason) + _request_id(found)


def forgotten_order(found: Mapping[str, str], exec_id: str, time: str, order_id: int) -> Report:
    """An order that lived when an OrderMassStatusRequest asked for it, and is not known any more."""
    return "8", _nothing(found, exec_id, time, f"Order {order_id} ended on a day that is not kept any more")


def _nothing(
    found: Mapping[str, str], exec_id: str, time: str, words: str, reason: int = UNKNOWN_ORDER
) -> bytes:
    name = f"11={found['11']}\x01" if "11" in found else ""
    body = (
        f"37={NO_ORDER}\x01{name}17={exec_id}\x01150={ORDER_STATUS}\x0139={REJECTED}\x01103={reason}\x01"
        f"55={found.get('55', NO_SYMBOL)}\x0154={found.get('54', UNDISCLOSED)}\x01151=0\x0114=0\x016=0\x01"
        f"60={time}\x0158={words}\x01"
    )
    return body.encode("utf-8", "surrogateescape")


def _request_id(found: Mapping[str, str]) -> bytes:
    """That of the question, as the one answer to it has it."""
    if "584" in found:
        return _mass(found["584"], 0, True)
    return _field("790", found["790"]) if "790" in found else b""


def _mass(request_id: str, total: int, last: bool) -> bytes:
    return _field("584", request_id) + f"911={total}\x01912={'Y' if last else 'N'}\x01".encode("ascii")


def _field(tag: str, value: str) -> bytes:
    return f"{tag}={value}\x01".encode("utf-8", "surrogateescape")
