"""The small venue of random days, and of what there is more on which day."""

from __future__ import annotations

from msgspec import Struct

from engine.commands import Command, ListInstrument, OpenAccount
from tests.engine.reference.states import CALL_PHASES

SYMBOLS = ("BTC-USD", "ETH-BTC")
CLIENTS = ("A", "B")
ACCOUNTS = ("A-1", "A-2", "B-1")
STATES = (*CALL_PHASES, "continuous", "cancel-only", "halted", "closed")
OPENING: tuple[Command, ...] = (
    ListInstrument(1, "BTC-USD", "BTC", "USD", "0.01", "0.1", 3, 2, 12, 9),
    ListInstrument(2, "ETH-BTC", "ETH", "BTC", "0.5", "1", 1, 1, 12, 9),
    OpenAccount(3, "A-1", "A", (("USD", 700), ("BTC", 250))),
    OpenAccount(4, "A-2", "A", (("ETH", 90), ("BTC", 250))),
    OpenAccount(5, "B-1", "B", (("USD", 900), ("BTC", 300), ("ETH", 90))),
)


class Theme(Struct, frozen=True):
    """Weights, and chances from 0 to 1."""

    states: dict[str, int]
    """of the states that are set"""
    state: float = 0.01
    """of a command that sets one; so with all that follow"""
    rules: float = 0.002
    band: float = 0
    stop: float = 0.1
    special: float = 0.3
    """of an order with MinQty, DisplayQty or post-only"""
    self_trade: float = 0.1
    fees: float = 0
    """of rules that have one of the two"""


CONTINUOUS = {"continuous": 20, "closing-auction": 1, "halted": 1, "closed": 1}
THEMES = {
    "continuous": Theme(CONTINUOUS),
    "stops": Theme(CONTINUOUS | {"pre-open": 3}, state=0.02, stop=0.5),
    "auctions": Theme(
        dict.fromkeys(STATES, 2) | {"continuous": 6}, state=0.08, band=0.5, rules=0.01, fees=0.5
    ),
    "self-trade": Theme(CONTINUOUS, self_trade=0.9),
    "limits": Theme(CONTINUOUS | {"pre-open": 2}, rules=0.03, band=0.7, fees=0.3),
    "volatility": Theme({"continuous": 1}, state=0.05, rules=0.03, band=1, stop=0.25, self_trade=0.2),
    "fees": Theme(CONTINUOUS | {"pre-open": 12}, state=0.04, rules=0.04, fees=0.8, self_trade=0.2),
}
