"""OrderMassCancelRequest(q) and its report (r)."""

from collections.abc import Mapping

from engine import refusals
from engine.commands import CancelMany
from engine.events import ManyCanceled
from engine.refusals import Refusal
from fixgw.codec.ids import is_id
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.questions import ALL, OF_A_SYMBOL, objection
from fixgw.codec.refusals import BAD_CL_ORD_ID, text
from fixgw.codec.reports import NO_ORDER, Report
from fixgw.codec.times import utc_timestamp

REJECTED = "0"
"""MassCancelResponse(531)"""
UNKNOWN_SYMBOL, OTHER = "1", "99"
_REASONS = {
    "MassCancelRequestType": "0",
    "Product": "3",
    "CFICode": "4",
    "SecurityType": "5",
    "TradingSessionID": "6",
}
_REASONS_SINCE = {"MarketID": "7", "MarketSegmentID": "8"}
"""MassCancelRejectReason(532) by the field that is refused, and in FIX.5.0SP2 alone"""


def decode_mass_cancel(
    found: Mapping[str, str],
    instruments: Mapping[str, InstrumentText],
    client: str,
    session: str,
    time: int,
    most: int,
) -> CancelMany | Refusal:
    """BAD_CL_ORD_ID is decided before anything else, as with orders."""
    cl_ord_id = found.get("11", "")
    if not is_id(cl_ord_id):
        return Refusal(BAD_CL_ORD_ID, cl_ord_id)
    refusal = objection(found, instruments)
    if refusal is not None:
        return refusal
    account, symbol, side = (found.get(tag, "") for tag in ("1", "55", "54"))
    return CancelMany(time, client, account, symbol, side, most, session, cl_ord_id)


def mass_cancel_report(event: ManyCanceled, report_id: int, begin_string: str, decimals: int) -> Report:
    """The OrderMassCancelReport once all is done; `report_id` is the event's sequence in the output log."""
    kind = OF_A_SYMBOL if event.symbol else ALL
    optional = (("55", event.symbol), ("54", event.side))  # the standard has no Account in this report
    body = (
        f"37={event.order_id}\x01{_report_id(report_id, begin_string)}11={event.cl_ord_id}\x01530={kind}\x01"
        f"531={kind}\x01533={event.count}\x01"
        + "".join(f"{tag}={value}\x01" for tag, value in optional if value)
        + f"60={utc_timestamp(event.time, decimals)}\x01"
    )
    return "r", body.encode("ascii")


def mass_cancel_reject(
    found: Mapping[str, str],
    refusal: Refusal,
    report_id: str,
    begin_string: str,
    time: str,
    instruments: Mapping[str, InstrumentText],
) -> Report:
    """The OrderMassCancelReport that refuses the request `found`."""
    reasons = _REASONS if begin_string == "FIX.4.4" else _REASONS | _REASONS_SINCE
    reason = reasons.get(refusal.unit, OTHER)
    if refusal.reason == refusals.UNKNOWN_SYMBOL:
        reason = UNKNOWN_SYMBOL
    echo = "".join(f"{tag}={found[tag]}\x01" for tag in ("11", "55", "54") if tag in found)
    body = (
        f"37={NO_ORDER}\x01{_report_id(report_id, begin_string)}{echo}530={found.get('530', ALL)}\x01"
        f"531={REJECTED}\x01532={reason}\x01533=0\x0160={time}\x01"
        f"58={text(refusal, instruments.get(found.get('55', '')))}\x01"
    )
    return "r", body.encode("utf-8", "surrogateescape")


def _report_id(report_id: int | str, begin_string: str) -> str:
    """MassActionReportID(1369), which FIX.4.4 does not have."""
    return "" if begin_string == "FIX.4.4" else f"1369={report_id}\x01"
