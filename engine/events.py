"""Events: all that comes out of the engine. Each event of the output log is complete in itself: a reader
needs no earlier one to understand it. Units as in engine.commands."""

from msgspec import Struct

from engine.peer_commands import MessageSent
from engine.refusals import Refusal
from engine.user_events import (
    BalanceMoved,
    BeginDehydrate,
    Repaired,
    RoutingSet,
    UserConflict,
    UserHydrated,
    UserLeft,
    UserWanted,
)


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


class RulesSet(Struct, frozen=True, array_like=True, tag="rules", gc=False):
    """Fields as in engine.commands.SetRules."""

    time: int
    symbol: str
    min_price: int
    max_notional: int
    band: int
    collar: int
    dynamic_band: int
    reference_price: int
    maker_fee: int
    taker_fee: int


class AccountLimited(Struct, frozen=True, array_like=True, tag="limit-account", gc=False):
    """Fields as in engine.commands.LimitAccount."""

    time: int
    account: str
    max_open_orders: int
    max_notional: tuple[tuple[str, int], ...]
    max_orders_per_second: int


class StateSet(Struct, frozen=True, array_like=True, tag="state", gc=False):
    time: int
    symbol: str
    state: str
    reason: str = ""
    """VOLATILITY where a trade outside of the dynamic band has made it; RESTART; "" """


class Indicative(Struct, frozen=True, array_like=True, tag="indicative", gc=False):
    """What an auction now would give."""

    time: int
    symbol: str
    price: int
    """ticks; 0 if nothing would trade"""
    quantity: int
    surplus: int
    """lots left over at that price: of bids above 0, of offers below"""


class KillSet(Struct, frozen=True, array_like=True, tag="kill", gc=False):
    time: int
    scope: str
    name: str
    on: bool


class ManyCanceled(Struct, frozen=True, array_like=True, tag="cancel-many", gc=False):
    """All that fitted an OrderMassCancelRequest is canceled; `count` orders."""

    time: int
    client: str
    session: str
    cl_ord_id: str
    order_id: int
    """journal sequence of the request"""
    account: str
    symbol: str
    side: str
    count: int


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
    step: int = 1
    """counts the events of one order, without a gap (docs/market.md, 11.2)"""
    liquidity: str = ""
    """of a fill: ADDED, REMOVED or AUCTION, LastLiquidityInd(851)"""
    fee_rate: int = 0
    """of a fill, busted or corrected since or not: millionths of its value (docs/users.md, 8)"""
    fee: int = 0
    """of a fill: what the venue takes for it, in smallest units of the quote currency; of a correction: what
    it takes in place of that; of a bust: what it gives back"""
    stop_price: int = 0
    cash: int = 0
    """CashOrderQty(152)"""
    display: int = 0
    min_quantity: int = 0
    post_only: bool = False
    expire_time: int = 0
    expire_day: str = ""
    ref_id: int = 0
    """of a bust or correction: output log sequence of the event it is about, ExecRefID(19)"""


class RequestDenied(Struct, frozen=True, array_like=True, tag="denied", gc=False):
    """The market, which is on another node, has refused an order that was accepted here, or a request that
    was sent on to it. Of an order its end (ExecType 8) stands before this."""

    time: int
    request: str
    """D, F or G"""
    order_id: int
    client: str
    session: str
    """the one that asked"""
    account: str
    symbol: str
    cl_ord_id: str
    orig_cl_ord_id: str
    refusal: Refusal


Event = (
    InstrumentListed
    | AccountOpened
    | RulesSet
    | AccountLimited
    | StateSet
    | Indicative
    | KillSet
    | ManyCanceled
    | DayEnded
    | Execution
    | UserHydrated
    | UserWanted
    | BeginDehydrate
    | UserLeft
    | UserConflict
    | BalanceMoved
    | RoutingSet
    | Repaired
    | RequestDenied
    | MessageSent
)
