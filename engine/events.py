"""Events: all that comes out of the engine. Each event of the output log is complete in itself: a reader
needs no earlier one to understand it. Units as in engine.commands."""

from msgspec import Struct


class InstrumentListed(Struct, frozen=True, array_like=True, tag="instrument", gc=False):
    time: int
    symbol: str
    base: str
    quote: str
    tick: str
    lot: str


class AccountOpened(Struct, frozen=True, array_like=True, tag="account"):
    time: int
    account: str
    client: str
    balances: tuple[tuple[str, int], ...]


class CancelOnlySet(Struct, frozen=True, array_like=True, tag="cancel-only", gc=False):
    time: int
    symbol: str
    on: bool


class DayEnded(Struct, frozen=True, array_like=True, tag="day", gc=False):
    time: int
    day: str
    """the day that begins"""


class Execution(Struct, frozen=True, array_like=True, tag="execution", gc=False):
    """One step in an order's life; becomes one ExecutionReport. While the order lives,
    quantity = cum_quantity + leaves_quantity; at its end leaves_quantity is 0."""

    time: int
    exec_type: str
    ord_status: str
    order_id: int
    client: str
    session: str
    """the session that owns the order and gets the report"""
    account: str
    symbol: str
    cl_ord_id: str
    orig_cl_ord_id: str
    """the ClOrdID before this request, on the answer to a cancel or replace; else "" """
    side: str
    ord_type: str
    time_in_force: str
    quantity: int
    price: int
    cum_quantity: int
    leaves_quantity: int
    notional: int
    """sum of price times quantity of all fills so far, in ticks times lots"""
    last_quantity: int = 0
    last_price: int = 0
    match_id: int = 0
    """one number for both sides of a trade, unique in the venue"""
    requester: str = ""
    """the session that asked for this step, where it is not `session`: it gets a report as well"""
    text: str = ""
    restatement: str = ""
    """ExecRestatementReason(378), of a step that no one asked for"""


Event = InstrumentListed | AccountOpened | CancelOnlySet | DayEnded | Execution
