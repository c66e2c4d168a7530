"""Every refusal has the standard's code and a text with value and limit."""

import pytest

import fixgw.codec.refusals as codec
from engine import refusals
from engine.refusals import Refusal
from engine.words import CANCEL_ONLY, STOP
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.refusals import cxl_rej_reason, ord_rej_reason, text
from tests.codec.venue import BITCOIN, TIME

# (refusal, 103, 102, 103 in FIXT.1.1, 102 in FIXT.1.1, text)
# fmt: off
ANSWERS = [
    (Refusal(refusals.DUPLICATE, "A1"), 6, 6, 6, 6, "Duplicate ClOrdID"),
    (Refusal(refusals.UNKNOWN_SYMBOL, "XBT-USD"), 1, 99, 1, 99, "Symbol XBT-USD is unknown"),
    (Refusal(refusals.UNKNOWN_ACCOUNT, "BRAVO-1"), 15, 99, 15, 99,
     "Account BRAVO-1 is not one of this client"),
    (Refusal(refusals.UNKNOWN_ORDER, "A9"), 99, 1, 99, 1, "There is no order with ClOrdID A9"),
    (Refusal(refusals.MISMATCH, "2", "1", "Side"), 99, 99, 99, 99, "Side 2 is not the order's, which is 1"),
    (Refusal(refusals.MISMATCH, 5_100_000, 5_000_000, "StopPx"), 99, 99, 99, 99,
     "StopPx 51000.00 is not the order's, which is 50000.00"),
    (Refusal(refusals.NO_EXPIRY), 99, 99, 99, 99, "ExpireTime or ExpireDate is missing"),
    (Refusal(refusals.KILLED, "venue", ""), 0, 2, 0, 2,
     "The kill switch is on: no new orders, no replaces; cancels pass"),
    (Refusal(refusals.KILLED, "account", "ALPHA-1"), 0, 2, 0, 2,
     "The kill switch of account ALPHA-1 is on: no new orders, no replaces; cancels pass"),
    (Refusal(refusals.STATE, refusals.ORDERS, "cancel-only"), 0, 2, 0, 2,
     "BTC-USD is in state cancel-only: it takes no orders"),
    (Refusal(refusals.STATE, refusals.ORDERS, "halted"), 2, 2, 2, 2,
     "BTC-USD is in state halted: it takes no orders"),
    (Refusal(refusals.STATE, "TimeInForce 3", "pre-open"), 11, 2, 11, 2,
     "BTC-USD is in state pre-open: it takes no TimeInForce 3"),
    (Refusal(refusals.PAST, TIME, TIME + 1), 99, 99, 99, 99,
     "ExpireTime 20231114-22:13:20.123456789 has passed: it is 20231114-22:13:20.123456790"),
    (Refusal(refusals.PAST, "2023-11-13", "2023-11-14"), 99, 99, 99, 99,
     "ExpireDate 20231113 has passed: it is 20231114"),
    (Refusal(refusals.BELOW_MIN, 99, 100, "StopPx"), 3, 99, 3, 99, "StopPx 0.99 is below the minimum 1.00"),
    (Refusal(refusals.OUT_OF_BAND, 15_000, 11_000, "Price"), 3, 99, 16, 8,
     "Price 150.00 is above the band: at most 110.00"),
    (Refusal(refusals.OUT_OF_BAND, 8_000, 9_000, "StopPx"), 3, 99, 16, 8,
     "StopPx 80.00 is below the band: at least 90.00"),
    (Refusal(refusals.WOULD_TAKE, 10_000, 9_900), 99, 99, 99, 99,
     "Post-only: Price 100.00 would trade at once, the best price opposite is 99.00"),
    (Refusal(refusals.NO_LOT, 50_000_000), 13, 99, 13, 99,
     "CashOrderQty 0.50000000 comes to less than one lot"),
    (Refusal(refusals.NOTIONAL, 100_000_000_000, 50_000_000_000, "market"), 3, 99, 3, 99,
     "The order's value 1000.00000000 USD is above the maximum 500.00000000 USD of the market"),
    (Refusal(refusals.BLOCKED, "ALPHA-1"), 0, 2, 0, 2,
     "Account ALPHA-1 is blocked: the operator has to look at it"),
    (Refusal(refusals.TOO_FAST, 5, 5), 3, 99, 3, 99,
     "The account has 5 orders a second, and no more: send it later"),
    (Refusal(refusals.NOT_REACHED, ""), 0, 2, 0, 2,
     "The market of BTC-USD has not been reached: send it later"),
    (Refusal(refusals.NOT_REACHED, "lot"), 0, 2, 0, 2,
     "The market of BTC-USD has not been reached (lot differs there): send it later"),
    (Refusal(refusals.UNKNOWN_AMOUNT, "Price"), 99, 99, 99, 99,
     "BTC-USD is traded on another node: Price is needed"),
    (Refusal(refusals.PENDING), 99, 3, 99, 3, "The order has a request that its market has not answered yet"),
    (Refusal(refusals.IN_FLIGHT, 7, 7), 0, 2, 0, 2,
     "7 orders wait for their markets: send it again later"),
    (Refusal(codec.NOT_READ, "ALPHA-1"), 0, 2, 0, 2,
     "Account ALPHA-1 cannot be looked up now: send it again later"),
    (Refusal(codec.CANCELED_FIRST), 0, 2, 0, 2, "Canceled before it was accepted"),
    (Refusal(refusals.OPEN_ORDERS, 10, 10), 3, 99, 3, 99, "The account has 10 open orders, and may have 10"),
    (Refusal(refusals.FUNDS, 10_000_000_000_000, 1, "USD"), 3, 99, 3, 99,
     "Insufficient funds: 100000.00000000 USD needed, 0.00000001 USD available"),
    (Refusal(refusals.NOT_ABOVE_FILLED, 10_000, 15_000), 99, 99, 99, 99,
     "OrderQty 1.0000 is not above the 1.5000 already filled"),
    (Refusal(codec.BAD_CL_ORD_ID, "A 1"), 99, 99, 99, 99,
     "ClOrdID must be 1 to 64 printable ASCII characters without blanks"),
    (Refusal(codec.MISSING, unit="Symbol"), 99, 99, 99, 99, "Symbol is missing"),
    (Refusal(codec.UNSUPPORTED, "5", "", "MinQty"), 11, 99, 11, 99, "MinQty 5 is not supported"),
    (Refusal(codec.UNSUPPORTED, "3", ", only 1 (market) and 2 (limit)", "OrdType"), 11, 99, 11, 99,
     "OrdType 3 is not supported, only 1 (market) and 2 (limit)"),
    (Refusal(codec.NOT_POSITIVE, "-1", unit="OrderQty"), 13, 99, 13, 99,
     "OrderQty -1 is not a plain number above 0"),
    (Refusal(codec.NOT_POSITIVE, "-1", unit="Price"), 99, 99, 99, 99,
     "Price -1 is not a plain number above 0"),
    (Refusal(codec.OFF_TICK, "50000.005", "0.01", "Price"), 99, 99, 18, 18,
     "Price 50000.005 is not a multiple of the tick 0.01"),
    (Refusal(codec.OFF_LOT, "0.00005", "0.0001", "OrderQty"), 13, 99, 13, 99,
     "OrderQty 0.00005 is not a multiple of the lot 0.0001"),
    (Refusal(codec.ABOVE_MAX, "1001", "1000.0000", "OrderQty"), 3, 99, 3, 99,
     "OrderQty 1001 is above the maximum 1000.0000"),
    (Refusal(codec.OFF_UNIT, "0.5", "1", "CashOrderQty"), 13, 99, 13, 99,
     "CashOrderQty 0.5 is not a multiple of the smallest unit 1"),
    (Refusal(codec.MALFORMED, "soon", "a day YYYYMMDD", "ExpireDate"), 99, 99, 99, 99,
     "ExpireDate soon is not a day YYYYMMDD"),
    (Refusal(codec.MISPLACED, "50000", "on a market order: leave Price out", "Price"), 11, 99, 11, 99,
     "Price 50000 on a market order: leave Price out"),
    (Refusal(codec.BAD_QUANTITY, "3", "is above OrderQty 2.0000", "MinQty"), 13, 99, 13, 99,
     "MinQty 3 is above OrderQty 2.0000"),
    (Refusal(codec.TOO_LATE), 99, 0, 99, 0, "Too late: the order is not live any more"),
    (Refusal(codec.SUPERSEDED, "C1"), 99, 0, 99, 0, "Too late: the order has a newer ClOrdID than C1"),
    (Refusal(codec.STALE, "20250101-00:00:00", 60), 99, 99, 99, 99,
     "TransactTime 20250101-00:00:00 is more than 60 s from the venue's clock"),
    (Refusal(codec.OTHER_ORDER, "8", "7", "C1"), 99, 1, 99, 1,
     "OrderID 8 is not that of OrigClOrdID C1, which is 7"),
    (Refusal(refusals.STORE_FULL), 99, 99, 99, 99,
     "The venue's store is full: new orders are refused, cancels pass"),
    (Refusal(codec.NO_ROOM), 99, 99, 99, 99, "The venue's store has no room left, not even for cancels"),
]
# fmt: on


@pytest.mark.parametrize(("refusal", "order_44", "cancel_44", "order_50", "cancel_50", "words"), ANSWERS)
def test_codes_and_text(
    refusal: Refusal, order_44: int, cancel_44: int, order_50: int, cancel_50: int, words: str
) -> None:
    """feature 3"""
    assert text(refusal, BITCOIN) == words
    assert (ord_rej_reason(refusal, "FIX.4.4"), cxl_rej_reason(refusal, "FIX.4.4")) == (order_44, cancel_44)
    assert (ord_rej_reason(refusal, "FIXT.1.1"), cxl_rej_reason(refusal, "FIXT.1.1")) == (order_50, cancel_50)


def test_every_reason_is_tested() -> None:
    """But for those that no client is told: they are about commands of the operator and the agent."""
    engine = [name for name in vars(refusals) if name.isupper()]
    own = [name for name in vars(codec) if name.isupper() and not name.startswith("_")]
    reasons = {getattr(refusals, name) for name in engine[: engine.index("RESIDENT")]}
    reasons |= {value for name in own if isinstance(value := getattr(codec, name), str)}
    reasons -= {refusals.NOT_RESIDENT, CANCEL_ONLY, STOP}
    reasons -= {codec.THROTTLED, codec.NOT_UNDERSTOOD}  # told in a BusinessMessageReject, by the front end
    assert reasons == {answer[0].reason for answer in ANSWERS}


@pytest.mark.parametrize(
    ("value", "shown"), [("Ä\udcff\x1b[2J", "\\xc4\\udcff\\x1b[2J"), ("A" * 70, "A" * 64)]
)
@pytest.mark.parametrize("instrument", [BITCOIN, None])
def test_the_text_is_short_printable_ascii(value: str, shown: str, instrument: InstrumentText | None) -> None:
    assert text(Refusal(refusals.UNKNOWN_SYMBOL, value), instrument) == f"Symbol {shown} is unknown"
