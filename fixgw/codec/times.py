"""Nanoseconds since the Unix epoch, UTC, to the standard's UTCTimestamp and back."""

import re
from datetime import UTC, datetime
from functools import lru_cache
from time import gmtime, strftime

SECOND = 1_000_000_000
"""nanoseconds"""

_TIMESTAMP = re.compile(r"(\d{4})(\d\d)(\d\d)-(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?\Z", re.ASCII)


def utc_timestamp(time: int) -> str:
    """UTCTimestamp with milliseconds; what is below a millisecond is cut off."""
    second, rest = divmod(time, SECOND)
    return f"{_second(second)}{rest // 1_000_000:03d}"


@lru_cache(maxsize=64)
def _second(second: int) -> str:
    return strftime("%Y%m%d-%H:%M:%S.", gmtime(second))


def nanoseconds(timestamp: str) -> int:
    """The time of a UTCTimestamp with 0 to 9 decimals; raises ValueError for anything else."""
    match = _TIMESTAMP.match(timestamp)
    if match is None:
        raise ValueError(f"{timestamp!r} is not a UTCTimestamp (YYYYMMDD-HH:MM:SS.sss)")
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    try:
        whole = int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp())
    except ValueError as error:
        raise ValueError(f"{timestamp!r} is not a time: {error}") from None
    return whole * SECOND + int((match[7] or "0").ljust(9, "0"))
