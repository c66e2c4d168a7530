"""Application messages for tests, as (MsgType, fields), for `client.send(*new_order(...))`; and the FIX text
below them, without quickfix and without the codec under test."""

from __future__ import annotations

from collections.abc import Iterable

from acceptance.wire import Fields, Parser, encode, frame, readable, utc_now
from acceptance.wire import Message as Received

__all__ = [
    "BUY",
    "SELL",
    "Fields",
    "Parser",
    "Received",
    "cancel",
    "encode",
    "frame",
    "new_order",
    "readable",
    "replace",
    "utc_now",
]

BUY, SELL = "1", "2"


def new_order(
    cl_ord_id: str,
    side: str = BUY,
    quantity: object = 1,
    price: object = None,
    *,
    symbol: str = "BTC-USD",
    account: str = "ALPHA-1",
    time_in_force: str | None = None,
    extra: Iterable[tuple[int, object]] = (),
) -> tuple[str, Fields]:
    """NewOrderSingle: a limit order, or a market order without `price`."""
    fields: Fields = [(11, cl_ord_id), (1, account), (55, symbol), (54, side)]
    fields += [(60, utc_now()), (38, quantity)]
    fields += [(40, "1")] if price is None else [(40, "2"), (44, price)]
    fields += [] if time_in_force is None else [(59, time_in_force)]
    return "D", [*fields, *extra]


def cancel(
    cl_ord_id: str,
    original: str,
    side: str = BUY,
    *,
    symbol: str = "BTC-USD",
    extra: Iterable[tuple[int, object]] = (),
) -> tuple[str, Fields]:
    """OrderCancelRequest for the order whose current ClOrdID is `original`."""
    fields: Fields = [(41, original), (11, cl_ord_id), (55, symbol), (54, side), (60, utc_now())]
    return "F", [*fields, *extra]


def replace(
    cl_ord_id: str,
    original: str,
    side: str = BUY,
    quantity: object = 1,
    price: object = None,
    *,
    symbol: str = "BTC-USD",
    account: str = "ALPHA-1",
    extra: Iterable[tuple[int, object]] = (),
) -> tuple[str, Fields]:
    """OrderCancelReplaceRequest: `quantity` is the new total, `price` the new limit."""
    _, fields = new_order(cl_ord_id, side, quantity, price, symbol=symbol, account=account, extra=extra)
    return "G", [(41, original), *fields]
