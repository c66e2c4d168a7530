"""Nanoseconds since the Unix epoch, UTC, to the standard's UTCTimestamp and back."""

import re
from datetime import UTC, datetime
from functools import lru_cache
from time import gmtime, strftime

SECOND = 1_000_000_000
"""nanoseconds"""

TO_THE_SECOND = len("20260101-00:00:00")
"""of a UTCTimestamp, with which its text sorts by time"""

_TIMESTAMP = re.compile(r"(\d{4})(\d\d)(\d\d)-(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?\Z", re.ASCII)


def utc_timestamp(time: int, decimals: int = 3) -> str:
    """UTCTimestamp with 3, 6 or 9 decimals of its seconds; what is below is cut off."""
    second, rest = divmod(time, SECOND)
    if decimals == 3:
        return f"{_second(second)}{rest // 1_000_000:03d}"
    return f"{_second(second)}{rest:09d}"[: TO_THE_SECOND + 1 + decimals]


def exact_timestamp(time: int) -> str:
    """UTCTimestamp with as many decimals, 3, 6 or 9, as it takes to say the time as it is."""
    return utc_timestamp(time, 9 if time % 1000 else 6 if time % 1_000_000 else 3)


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


@lru_cache(maxsize=64)
def whole_second(timestamp: str) -> int:
    """Nanoseconds of a UTCTimestamp without decimals; raises ValueError. Most of a moment are the same."""
    return nanoseconds(timestamp)
