"""Commands: the only way into the engine. One command is one journal entry.

Every command carries `time`, the logged time of its cycle (nanoseconds since the Unix epoch, UTC).
Prices are whole ticks, quantities whole lots, money whole smallest units of its currency. All integers
stay below 2**63, which the limits of the instruments guarantee."""

from msgspec import Struct

from engine.events import Execution
from engine.peer_commands import Acknowledge, FollowMarket, TakeMessage
from engine.user_commands import (
    Deposit,
    FlushComplete,
    FlushFailed,
    HydrateUser,
    MoveUsers,
    MoveWave,
    Reconcile,
    ResolveUser,
    SetShard,
    ShapeShards,
    SweepUsers,
    Withdraw,
)


class ListInstrument(Struct, frozen=True, array_like=True, tag="instrument", gc=False):
    """Opens a market. `tick` and `lot` are the decimal texts the integers stand for: not used by the
    engine, kept in the journal so that any reader can turn integers back into text."""

    time: int
    symbol: str
    base: str
    quote: str
    tick: str
    lot: str
    base_per_lot: int
    """smallest units of `base` in one lot, at least 1"""
    quote_per_tick_lot: int
    """smallest units of `quote` that one lot costs at a price of one tick, at least 1"""
    max_quantity: int
    """lots, at least 1"""
    max_price: int
    """ticks, at least 1; max_price * max_quantity * quote_per_tick_lot is at most 2**62"""
    peer: int = 0
    """the node that has the market, 1 to MAX_PEER; 0: this one"""


class OpenAccount(Struct, frozen=True, array_like=True, tag="account"):
    """Opens a user (FIX Account(1)) of a client with its first balances: (currency, amount) pairs."""

    time: int
    account: str
    client: str
    balances: tuple[tuple[str, int], ...]


class SetRules(Struct, frozen=True, array_like=True, tag="rules", gc=False):
    """The limits of a market from now on (docs/market.md, 6 and 9). 0: there is no such limit."""

    time: int
    symbol: str
    min_price: int = 0
    """ticks"""
    max_notional: int = 0
    """of one order, in smallest units of the quote currency"""
    band: int = 0
    """hundredths of a percent of the reference price, as are the next two"""
    collar: int = 0
    dynamic_band: int = 0
    reference_price: int = 0
    """ticks: the reference until there is a trade, and another one than before until there is the next"""
    maker_fee: int = 0
    """millionths of the value of a trade, 0 to engine.fees.HIGHEST (docs/users.md, 8); so with `taker_fee`"""
    taker_fee: int = 0


class LimitAccount(Struct, frozen=True, array_like=True, tag="limit-account", gc=False):
    """The limits of an account from now on. 0, or no entry: there is no such limit."""

    time: int
    account: str
    max_open_orders: int = 0
    max_notional: tuple[tuple[str, int], ...] = ()
    """of one order, by the market's quote currency: (currency, amount) pairs in smallest units, above 0"""
    max_orders_per_second: int = 0
    """new orders and replaces"""


class NewOrder(Struct, frozen=True, array_like=True, tag="D", gc=False):
    """NewOrderSingle. The journal sequence of this command is the order's OrderID(37)."""

    time: int
    client: str
    session: str
    """the session that sent it and that gets the order's reports"""
    account: str
    cl_ord_id: str
    symbol: str
    side: str
    ord_type: str
    time_in_force: str
    quantity: int
    """lots, 1 to the instrument's max_quantity; 0 with `cash`"""
    price: int
    """ticks, 1 to the instrument's max_price; 0 for an order without a Price (market, stop)"""
    stop_price: int = 0
    """ticks; 0 if it is no stop"""
    cash: int = 0
    """CashOrderQty(152) in smallest units of the quote currency, of a market order; else 0"""
    min_quantity: int = 0
    """lots"""
    display: int = 0
    """DisplayQty(1138) in lots; 0: all of it"""
    post_only: str = ""
    """REFUSE or SLIDE; "": it may take"""
    expire_time: int = 0
    """of a GTD order, nanoseconds since the epoch; 0 with `expire_day`"""
    expire_day: str = ""
    """of a GTD order, YYYY-MM-DD: the last trading day on which it lives"""
    group: str = ""
    """whom it does not trade with, unless `self_trade` is ALLOW; unique over all clients. "": everyone may"""
    self_trade: str = ""
    """ALLOW or "", CANCEL_TAKER, CANCEL_MAKER, CANCEL_BOTH, DECREMENT"""


class CancelOrder(Struct, frozen=True, array_like=True, tag="F", gc=False):
    """OrderCancelRequest for the live order whose current ClOrdID is `orig_cl_ord_id`."""

    time: int
    client: str
    session: str
    cl_ord_id: str
    orig_cl_ord_id: str
    symbol: str
    side: str


class ReplaceOrder(Struct, frozen=True, array_like=True, tag="G", gc=False):
    """OrderCancelReplaceRequest: new total quantity and price of the live order `orig_cl_ord_id`."""

    time: int
    client: str
    session: str
    account: str
    """as sent; must be the order's own. "" if it was not sent"""
    cl_ord_id: str
    orig_cl_ord_id: str
    symbol: str
    side: str
    ord_type: str
    quantity: int
    price: int
    time_in_force: str = ""
    """as sent; must be the order's own. "" if it was not sent"""
    stop_price: int = 0
    display: int = 0
    expire_time: int = 0
    expire_day: str = ""


class SetState(Struct, frozen=True, array_like=True, tag="state", gc=False):
    """Another state for one market, or for all with symbol "" (docs/market.md, 7)."""

    time: int
    symbol: str
    state: str
    reason: str = ""
    """RESTART on the way back from an unclean stop; "": the operator's will"""


class TriggerStops(Struct, frozen=True, array_like=True, tag="trigger", gc=False):
    """Triggers more of a market's touched stops, after a command that left some."""

    time: int
    symbol: str


class TellIndicative(Struct, frozen=True, array_like=True, tag="indicative", gc=False):
    """Says what an auction now would give, for a market in a call phase."""

    time: int
    symbol: str


class ExpireOrders(Struct, frozen=True, array_like=True, tag="expire", gc=False):
    """Ends GTD orders whose ExpireTime is not after `time`: the earliest first, at most `most`."""

    time: int
    most: int
    """at least 1"""


class EndDay(Struct, frozen=True, array_like=True, tag="day", gc=False):
    """Ends the trading day: DAY orders expire, `day` (YYYY-MM-DD) begins."""

    time: int
    day: str
    most: int = 0
    """of more orders that expire only so many do, the oldest, and `day` begins with another such command;
    0: all of them"""


class CancelSession(Struct, frozen=True, array_like=True, tag="cancel-session", gc=False):
    """Cancels the live orders of one session, whose client has gone: the oldest first, at most `most`;
    ContinueMany does the rest."""

    time: int
    session: str
    restatement: str
    """why: CONNECTION_LOST or LOGGED_OUT"""
    good_till_cancel: bool
    """GTC orders as well"""
    most: int
    """0 or more"""


class CancelMany(Struct, frozen=True, array_like=True, tag="cancel-many", gc=False):
    """Cancels what fits of the orders that are there: the oldest first, at most `most`; ContinueMany does the
    rest."""

    time: int
    client: str
    """"": of all clients"""
    account: str
    """"": of all accounts; so with symbol and side"""
    symbol: str
    side: str
    most: int
    """0 or more"""
    session: str = ""
    """the one that asked, with OrderMassCancelRequest; "" for the operator and the kill switch"""
    cl_ord_id: str = ""
    """of the request"""
    text: str = ""
    """why, for the reports of a cancel that no client asked for"""


class ContinueMany(Struct, frozen=True, array_like=True, tag="continue-many", gc=False):
    """Goes on with the CancelMany or CancelSession that has waited longest."""

    time: int
    most: int
    """at least 1"""


class WithdrawOrder(Struct, frozen=True, array_like=True, tag="withdraw", gc=False):
    """Cancels a live order by the operator's hand."""

    time: int
    order_id: int
    text: str


class SetKill(Struct, frozen=True, array_like=True, tag="kill", gc=False):
    """Switches a kill switch: while it is on, no new order or replace is taken. Orders that are there are
    canceled by CancelMany."""

    time: int
    scope: str
    """VENUE, CLIENT or ACCOUNT"""
    name: str
    """"" for VENUE"""
    on: bool


class CorrectTrade(Struct, frozen=True, array_like=True, tag="correct", gc=False):
    """Takes a trade back, or changes its quantity and price (docs/market.md, 10.5). What the engine does not
    keep any more is given by the caller, from the output log."""

    time: int
    buy: Execution
    """the latest event of the buy order; so with `sell`"""
    sell: Execution
    match_id: int
    buy_exec_id: int
    """output log sequence of the trade's event of the buy order; so with `sell_exec_id`"""
    sell_exec_id: int
    was_quantity: int
    """lots; so that a trade that was corrected can be corrected again"""
    was_price: int
    quantity: int
    """0: the trade is busted"""
    price: int
    text: str
    buy_rate: int = 0
    """fee_rate of the trade's event of the buy order; so with `sell_rate`"""
    sell_rate: int = 0


Command = (
    ListInstrument
    | OpenAccount
    | SetRules
    | LimitAccount
    | NewOrder
    | CancelOrder
    | ReplaceOrder
    | SetState
    | TriggerStops
    | TellIndicative
    | ExpireOrders
    | EndDay
    | CancelSession
    | CancelMany
    | ContinueMany
    | WithdrawOrder
    | SetKill
    | CorrectTrade
    | HydrateUser
    | SweepUsers
    | FlushComplete
    | FlushFailed
    | ResolveUser
    | Deposit
    | Withdraw
    | ShapeShards
    | SetShard
    | MoveUsers
    | MoveWave
    | Reconcile
    | TakeMessage
    | Acknowledge
    | FollowMarket
)
OrderCommand = NewOrder | CancelOrder | ReplaceOrder
