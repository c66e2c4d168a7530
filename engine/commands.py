"""Commands: the only way into the engine. One command is one journal entry.

Every command carries `time`, the logged time of its cycle (nanoseconds since the Unix epoch, UTC).
Prices are whole ticks, quantities whole lots, money whole smallest units of its currency. All integers
stay below 2**63, which the limits of the instruments guarantee."""

from msgspec import Struct


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


class OpenAccount(Struct, frozen=True, array_like=True, tag="account"):
    """Opens a user (FIX Account(1)) of a client with its first balances: (currency, amount) pairs."""

    time: int
    account: str
    client: str
    balances: tuple[tuple[str, int], ...]


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
    """lots, 1 to the instrument's max_quantity"""
    price: int
    """ticks, 1 to the instrument's max_price; 0 for a market order"""


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


class SetCancelOnly(Struct, frozen=True, array_like=True, tag="cancel-only", gc=False):
    """Switches cancel-only mode of one market, or of the whole venue with symbol ""."""

    time: int
    symbol: str
    on: bool


class EndDay(Struct, frozen=True, array_like=True, tag="day", gc=False):
    """Ends the trading day: DAY orders expire, `day` (YYYY-MM-DD) begins."""

    time: int
    day: str


class CancelSession(Struct, frozen=True, array_like=True, tag="cancel-session", gc=False):
    """Cancels live orders of one session, whose client has gone: the oldest first, at most `most` of them, so
    that one command stays short."""

    time: int
    session: str
    restatement: str
    """why: CONNECTION_LOST or LOGGED_OUT"""
    good_till_cancel: bool
    """GTC orders as well"""
    most: int
    """at least 1"""


Command = (
    ListInstrument
    | OpenAccount
    | NewOrder
    | CancelOrder
    | ReplaceOrder
    | SetCancelOnly
    | EndDay
    | CancelSession
)
OrderCommand = NewOrder | CancelOrder | ReplaceOrder
