"""The sessions as a table for people."""

from collections.abc import Sequence

from fixgw.admin.words import SessionState
from fixgw.codec.times import SECOND, nanoseconds

HEAD = (
    *("session", "client", "state", "address", "next-out", "next-in"),
    *("last-out", "last-in", "unread", "resends", "blocked", "schedule"),
)
RIGHT = {"next-out", "next-in", "last-out", "last-in", "unread", "resends"}
"""columns that are read from the right"""


def table(states: Sequence[SessionState], now: int) -> list[str]:
    """One line for each session below a line of heads; `now`: nanoseconds since the epoch. Without a schedule
    in any of them, there is no column for it."""
    rows = [HEAD, *(_row(state, now) for state in states)]
    if not any(state.schedule for state in states):
        rows = [row[:-1] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if head in RIGHT else cell.ljust(width)
            for cell, width, head in zip(row, widths, HEAD, strict=False)
        ).rstrip()
        for row in rows
    ]


def _row(state: SessionState, now: int) -> tuple[str, ...]:
    return (
        state.session,
        state.client,
        state.state,
        state.address or "-",
        str(state.next_out),
        str(state.next_in),
        _age(state.last_out, now),
        _age(state.last_in, now),
        str(state.unread_bytes),
        str(state.resends),
        "yes" if state.blocked else "no",
        state.schedule or "-",
    )


def _age(timestamp: str, now: int) -> str:
    """How long ago: `0.3s`, `12s`, `5m`, `7h`, `3d`; `-` for never."""
    if not timestamp:
        return "-"
    seconds = max(now - nanoseconds(timestamp), 0) / SECOND
    for limit, unit, size in ((120, "s", 1), (7200, "m", 60), (172800, "h", 3600)):
        if seconds < limit:
            count = seconds / size
            return f"{count:.1f}{unit}" if count < 10 and unit == "s" else f"{count:.0f}{unit}"
    return f"{seconds / 86400:.0f}d"
