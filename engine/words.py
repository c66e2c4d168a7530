"""The words commands and events use. Their values are the standard's own codes, so that the codec
passes them on as they are (FIX tags 54, 40, 59, 378, 150, 39)."""

from typing import Final

BUY: Final = "1"
SELL: Final = "2"

MARKET: Final = "1"
LIMIT: Final = "2"

DAY: Final = "0"
GOOD_TILL_CANCEL: Final = "1"
IMMEDIATE_OR_CANCEL: Final = "3"
FILL_OR_KILL: Final = "4"

CONNECTION_LOST: Final = "12"
LOGGED_OUT: Final = "13"

NEW: Final = "0"
PARTIALLY_FILLED: Final = "1"
FILLED: Final = "2"
CANCELED: Final = "4"
REPLACED: Final = "5"
REJECTED: Final = "8"
EXPIRED: Final = "C"
TRADE: Final = "F"
