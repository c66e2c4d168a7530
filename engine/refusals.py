"""Why the engine would not take a command. Numbers are in engine units; the codec turns them into text."""

from typing import Final

from msgspec import Struct

UNKNOWN_SYMBOL: Final = "unknown symbol"
UNKNOWN_ACCOUNT: Final = "unknown account"
"""no such account, or not this client's"""
UNKNOWN_ORDER: Final = "unknown order"
"""the client has no live order whose current ClOrdID is the OrigClOrdID sent"""
DUPLICATE: Final = "duplicate ClOrdID"
"""the ClOrdID is the current one of a live order of the client, if only of an earlier day"""
MISMATCH: Final = "mismatch"
"""`unit` names a field in which the request (`value`) differs from the order (`limit`)"""
CANCEL_ONLY: Final = "cancel-only"
FUNDS: Final = "insufficient funds"
"""needs `value`, available is `limit`, in smallest units of the currency `unit`"""
NOT_ABOVE_FILLED: Final = "not above filled"
"""the new total quantity `value` is not above the quantity already filled, `limit` (lots)"""


class Refusal(Struct, frozen=True):
    """One of the reasons above, what was sent, and what it would have had to respect."""

    reason: str
    value: int | str = 0
    limit: int | str = 0
    unit: str = ""
