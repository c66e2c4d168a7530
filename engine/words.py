"""The words commands and events use. Where the standard has a code for it the value is that code, so that
the codec passes it on as it is (FIX tags 54, 40, 59, 378, 150, 39, 851, 2964)."""

from typing import Final

BUY: Final = "1"
SELL: Final = "2"

MARKET: Final = "1"
LIMIT: Final = "2"
STOP: Final = "3"
STOP_LIMIT: Final = "4"
PRICED: Final = (LIMIT, STOP_LIMIT)
"""has a Price(44)"""

DAY: Final = "0"
GOOD_TILL_CANCEL: Final = "1"
AT_THE_OPENING: Final = "2"
IMMEDIATE_OR_CANCEL: Final = "3"
FILL_OR_KILL: Final = "4"
GOOD_TILL_DATE: Final = "6"
AT_THE_CLOSE: Final = "7"
AT_ONCE: Final = (IMMEDIATE_OR_CANCEL, FILL_OR_KILL)
OF_AUCTIONS: Final = (AT_THE_OPENING, AT_THE_CLOSE)

REFUSE: Final = "refuse"
SLIDE: Final = "slide"
"""what a post-only order does that would take"""

ALLOW: Final = "0"
CANCEL_TAKER: Final = "1"
CANCEL_MAKER: Final = "2"
CANCEL_BOTH: Final = "3"
DECREMENT: Final = "4"
"""SelfMatchPreventionInstruction(2964); 4 is ours"""

PARTIAL_DECLINE: Final = "5"
CONNECTION_LOST: Final = "12"
LOGGED_OUT: Final = "13"
OTHER: Final = "99"
"""ExecRestatementReason(378)"""

NEW: Final = "0"
PARTIALLY_FILLED: Final = "1"
FILLED: Final = "2"
CANCELED: Final = "4"
REPLACED: Final = "5"
PENDING_CANCEL: Final = "6"
REJECTED: Final = "8"
PENDING_NEW: Final = "A"
EXPIRED: Final = "C"
RESTATED: Final = "D"
PENDING_REPLACE: Final = "E"
TRADE: Final = "F"
CORRECTED: Final = "G"
BUSTED: Final = "H"
TRIGGERED: Final = "L"
ORDER_STATUS: Final = "I"

ADDED: Final = "1"
REMOVED: Final = "2"
AUCTION: Final = "4"
"""LastLiquidityInd(851)"""

PRE_OPEN: Final = "pre-open"
OPENING_AUCTION: Final = "opening-auction"
CONTINUOUS: Final = "continuous"
CLOSING_AUCTION: Final = "closing-auction"
VOLATILITY_AUCTION: Final = "volatility-auction"
CANCEL_ONLY: Final = "cancel-only"
HALTED: Final = "halted"
CLOSED: Final = "closed"
CALL_PHASES: Final = (PRE_OPEN, OPENING_AUCTION, CLOSING_AUCTION, VOLATILITY_AUCTION)
STATES: Final = (*CALL_PHASES, CONTINUOUS, CANCEL_ONLY, HALTED, CLOSED)
VOLATILITY: Final = "volatility"
RESTART: Final = "restart"
"""why a market is in its state, where it is not the operator's will"""

ACCOUNT: Final = "account"
CLIENT: Final = "client"
VENUE: Final = "venue"
"""scope of a kill switch"""

ACTIVE: Final = "active"
RECEIVING: Final = "receiving"
LEAVING: Final = "leaving"
"""state of a shard in the routing"""

PINNED: Final = "pinned"
ALONE: Final = "alone"
HELD: Final = "held"
"""why a user is where no hash has put it"""

HERE: Final = "here"
LEAVING_MEMORY: Final = "leaving"
MOVING: Final = "moving"
BLOCKED: Final = "blocked"
"""state of a user in memory: nothing is under way; it is written back and leaves unless it does something; it
is written back and takes no order; the record has another version of it, and the operator has to decide"""

GHOST: Final = "ghost"
LEAK: Final = "leak"
ORPHAN: Final = "orphan"
SUM: Final = "sum"
"""what a reconciliation has found: a hold whose order is gone; one that reserves other than what is left; an
order without a hold; a balance whose holds come to something else"""
