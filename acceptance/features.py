"""What a venue may have or not: the words of a script's `needs:` and of a profile's `offers:`. A new one is
added here first, so that a slip of the pen is no feature that nobody offers."""

from __future__ import annotations

from pathlib import Path

from acceptance.reading import ScriptError, meant
from acceptance.script import Script

EVERYTHING = "everything"
FEATURES = (
    "accounts with money", "at the close", "at the opening", "auctions", "busted quantity comes back",
    "cancel by another session", "cancel on disconnect", "cancel on trading halt", "cancel-only",
    "ClOrdID rules", "corporate actions", "DAY", "done for day", "drop copy",
    "duplicates rejected with the first order's state", "FOK", "GTC", "GTD", "guaranteed executions",
    "iceberg orders", "IOC", "kill switch", "LastLiquidityInd", "limit orders",
    "limits of HeartBtInt", "market data", "market orders",
    "market orders by value", "market states", "mass cancel", "mass status", "MinQty", "NewPassword",
    "open order limits", "operator", "order status", "OrderID in requests",
    "orders canceled by the operator", "orders entered by the operator", "orders replaced by the operator",
    "own venue", "pending cancel", "pending new", "pending replace", "phases after a restart",
    "post-only orders", "price bands", "price limits", "quantity limits",
    "reinstatement after a trading halt", "replace", "replaces of filled orders",
    "replaces refused by hand", "replaces to the filled quantity",
    "replaces to the filled quantity refused", "reports after a reset", "reset by the operator", "restart",
    "restatement of GTC orders", "schedules", "security list", "security status", "self-trade prevention",
    "stale orders refused", "stop orders", "stop-limit orders", "throttle", "TLS", "trade bust",
    "trade correct", "trading session status", "value limits", "volatility halts",
)  # fmt: skip


def unknown(words: list[str]) -> str:
    """The first of them that is no feature, and what may have been meant; "" if all are."""
    wrong = next((word for word in words if word not in FEATURES), None)
    return "" if wrong is None else f"{wrong!r} is no feature{meant(wrong, list(FEATURES))}"


def check_needs(script: Script) -> None:
    """Raises ScriptError, with the line on which the word stands."""
    problem = unknown(script.needs)
    if problem:
        word = next(need for need in script.needs if need not in FEATURES)
        raise ScriptError(script.file, _line(script.file, word), f"needs: {problem}")


def _line(file: Path, word: str) -> int:
    """Of the first `needs:` with this word, or of what follows it."""
    inside = False
    for number, line in enumerate(file.read_text().splitlines(), 1):
        text = line.partition("#")[0].strip().lstrip("- ")
        inside = text.startswith("needs") or (inside and ":" not in text)
        if inside and word in text:
            return number
    return 1
