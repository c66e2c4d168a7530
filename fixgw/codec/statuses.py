"""In which state markets are: SecurityStatus(f) and TradingSessionStatus(h). The state in the venue's own
word is in Text(58), as the standard has fewer."""

from collections.abc import Collection

from engine.words import (
    CANCEL_ONLY,
    CLOSED,
    CLOSING_AUCTION,
    CONTINUOUS,
    HALTED,
    OPENING_AUCTION,
    PRE_OPEN,
    VOLATILITY_AUCTION,
)
from fixgw.codec.reports import Report

UNKNOWN = "20"
"""SecurityTradingStatus(326)"""
REQUEST_REJECTED = "6"
"""TradSesStatus(340)"""
SESSION = "1"
"""TradingSessionID(336): the day"""
MIXED = "markets are in different states"

_OF_A_MARKET = {
    PRE_OPEN: "21",
    OPENING_AUCTION: "22",
    CONTINUOUS: "17",
    CLOSING_AUCTION: "5",
    VOLATILITY_AUCTION: "5",
    CANCEL_ONLY: "2",
    HALTED: "2",
    CLOSED: "18",
}
"""SecurityTradingStatus(326): pre-open, opening rotation, ready to trade, price indication, trading halt, not
available for trading"""
_OF_THE_VENUE = {
    PRE_OPEN: "4",
    OPENING_AUCTION: "4",
    CONTINUOUS: "2",
    CLOSING_AUCTION: "5",
    VOLATILITY_AUCTION: "2",
    CANCEL_ONLY: "1",
    HALTED: "1",
    CLOSED: "3",
}
"""TradSesStatus(340): pre-open, open, pre-close, halted, closed"""


def security_status(symbol: str, state: str, time: str, request_id: str = "") -> Report:
    """Of one market, asked for (`request_id`) or not. `time`: UTCTimestamp."""
    asked = f"324={request_id}\x01" if request_id else ""
    unasked = "N" if request_id else "Y"
    body = f"{asked}55={symbol}\x01325={unasked}\x01326={_OF_A_MARKET[state]}\x0160={time}\x0158={state}\x01"
    return "f", body.encode("utf-8", "surrogateescape")


def no_security(symbol: str, time: str, request_id: str, text: str) -> Report:
    """There is no such market, or the question for it is refused."""
    body = f"324={request_id}\x0155={symbol}\x01325=N\x01326={UNKNOWN}\x0160={time}\x0158={text}\x01"
    return "f", body.encode("utf-8", "surrogateescape")


def trading_session_status(states: Collection[str], request_id: str = "") -> Report:
    """Of the venue as a whole: open as soon as one market is; where states differ Text says so."""
    asked = f"335={request_id}\x01" if request_id else ""
    unasked = "N" if request_id else "Y"
    state = next(iter(states)) if len(set(states)) == 1 else ""
    known = state or (CONTINUOUS if CONTINUOUS in states else HALTED)
    status = _OF_THE_VENUE[known]
    body = f"{asked}336={SESSION}\x01325={unasked}\x01340={status}\x0158={state or MIXED}\x01"
    return "h", body.encode("utf-8", "surrogateescape")


def unknown_session(session_id: str, request_id: str) -> Report:
    """There is one trading session only."""
    return no_session(session_id, request_id, f"the venue has one trading session, {SESSION}", "1")


def no_session(session_id: str, request_id: str, text: str, reason: str = "99") -> Report:
    """The question is refused; `reason`: TradSesStatusRejReason(567)."""
    body = f"335={request_id}\x01336={session_id}\x01325=N\x01340={REQUEST_REJECTED}\x01"
    body += f"567={reason}\x0158={text}\x01"
    return "h", body.encode("utf-8", "surrogateescape")
