"""Why the engine would not take a command. Numbers are in engine units; the codec turns them into text. Where
several reasons hold, the one that stands first here is told."""

from typing import Final

from msgspec import Struct

UNKNOWN_SYMBOL: Final = "unknown symbol"
UNKNOWN_ACCOUNT: Final = "unknown account"
"""no such account, or not this client's"""
NOT_RESIDENT: Final = "not in memory"
"""the user is not, or is on its way to another shard: it has to be read first"""
BLOCKED: Final = "blocked"
"""the record has another version of the user, and the operator has not decided yet (docs/users.md, 2.8)"""
UNKNOWN_ORDER: Final = "unknown order"
"""the client has no live order whose current ClOrdID is the OrigClOrdID sent"""
DUPLICATE: Final = "duplicate ClOrdID"
"""the ClOrdID is the current one of a live order of the client, if only of an earlier day"""
MISMATCH: Final = "mismatch"
"""`unit` names a field in which the request (`value`) differs from the order (`limit`): Symbol, Side,
OrdType, Account, TimeInForce (an ExpireTime or ExpireDate means GTD), StopPx (of a triggered order)"""
NO_EXPIRY: Final = "no expiry"
"""a replace of a GTD order has neither ExpireTime nor ExpireDate"""
KILLED: Final = "kill switch"
"""of the scope `value` (VENUE, CLIENT, ACCOUNT, the first of them), `limit` is its name"""
STATE: Final = "state"
"""the market is in state `limit`, and takes no `value`: ORDERS, REPLACES, CANCELS (of these one), then
"TimeInForce 3" and the like, "MinQty", "CashOrderQty" """
NOT_ABOVE_FILLED: Final = "not above filled"
"""the new total quantity `value` is not above the quantity already filled, `limit` (lots)"""
PAST: Final = "past"
"""ExpireTime `value` is not after the command's time, or ExpireDate is before the trading day: `limit`"""
BELOW_MIN: Final = "below minimum"
"""of Price, then StopPx (`unit`): `value` is below `limit` (ticks)"""
OUT_OF_BAND: Final = "out of band"
"""of Price, then StopPx (`unit`): `value` is beyond the end of the band, `limit` (ticks)"""
WOULD_TAKE: Final = "would take"
"""a post-only order at `value` meets, or cannot slide below, the best price opposite, `limit`"""
NO_LOT: Final = "no lot"
"""CashOrderQty `value` comes to less than one lot"""
NOTIONAL: Final = "notional"
"""the order's value, `value`, is above `limit`: that of the market, then of the account (`unit`); in smallest
units of the quote currency"""
OPEN_ORDERS: Final = "open orders"
"""the account has `value` open orders, and may have `limit`"""
TOO_FAST: Final = "too fast"
"""one order more than `limit` in this second"""
NOT_REACHED: Final = "not reached"
"""the node with the market has not said yet that it takes orders from here, or has said (`value`) why not"""
UNKNOWN_AMOUNT: Final = "unknown amount"
"""what an order for a market on another node reserves must be known here: to buy it needs `value` ("Price or
CashOrderQty", "Price"), to sell "OrderQty" """
PENDING: Final = "pending"
"""the order has a request of this kind that its market has not answered"""
IN_FLIGHT: Final = "in flight"
"""another node has `value` orders that it has not answered, and may have `limit`"""
FUNDS: Final = "insufficient funds"
"""needs `value`, available is `limit`, in smallest units of the currency `unit`"""

STORE_FULL: Final = "store full"
"""no new orders and no replaces: there is room for cancels only"""

RESIDENT: Final = "in memory"
"""the user is there already"""
ON_THE_MOVE: Final = "on the move"
"""the user is going to another shard"""
SHARD_FULL: Final = "shard full"
"""it has `value` users in memory, and may have `limit`"""
SUPPLY: Final = "too much money"
"""`value` more of the currency `unit` is more than numbers go, or more than the user can have"""
REPEATED: Final = "repeated"
"""the deposit or withdrawal `value` was made already"""
UNKNOWN_SHARD: Final = "unknown shard"
NOT_ALONE: Final = "not alone"
"""on shard `value` would be two users who are to be alone"""
SHARD_STATE: Final = "shard state"
"""shard `value` cannot become that: it is `limit`"""
LAST_SHARD: Final = "last shard"
"""there has to be another one that is active"""
PINNED_THERE: Final = "pinned there"
"""the operator has pinned users to shard `value`, `limit` is one of them"""
NOT_BLOCKED: Final = "not blocked"
NOT_FLAT: Final = "not flat"
"""the user has `value` open orders"""
DISTANT: Final = "distant"
"""trades of orders of two nodes cannot be taken back or changed"""
OUT_OF_TURN: Final = "out of turn"
"""message `value` is not the next one, which is `limit`"""
UNREADABLE: Final = "unreadable"
"""a message of another node, `value` says why: it is of a release that this one does not know"""

ORDERS: Final = "orders"
REPLACES: Final = "replaces"
CANCELS: Final = "cancels"


class Refusal(Struct, frozen=True):
    """One of the reasons above, what was sent, and what it would have had to respect."""

    reason: str
    value: int | str = 0
    limit: int | str = 0
    unit: str = ""
