"""Seconds since the epoch to the standard's UTCTimestamp and back."""

from __future__ import annotations

from datetime import UTC, datetime

from acceptance.wire import utc_timestamp

WHOLE = 17
"""characters of a UTCTimestamp up to its whole seconds"""


def stamp(now: float) -> str:
    return utc_timestamp(datetime.fromtimestamp(now, UTC))


def seconds(timestamp: str) -> float:
    """To the whole second; raises ValueError."""
    return datetime.strptime(timestamp[:WHOLE], "%Y%m%d-%H:%M:%S").replace(tzinfo=UTC).timestamp()
