"""From an instant to what clocks show somewhere, and back."""

from bisect import bisect_left
from datetime import UTC, datetime, timedelta, tzinfo

from fixgw.codec.times import SECOND

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def shown(zone: tzinfo, time: int) -> datetime:
    """What clocks show there, without the part below a second and without a zone."""
    return datetime.fromtimestamp(time // SECOND, zone).replace(tzinfo=None)


def in_utc(time: int) -> str:
    """For people, in whole seconds."""
    return f"{shown(UTC, time):%Y%m%d-%H:%M:%S}"


def first_shown(zone: tzinfo, local: datetime) -> int:
    """The first instant at which clocks there show `local` (whole seconds, no zone) or later: of a time that
    comes twice the first, of one that is skipped the moment of the skip. So a later `local` is never an
    earlier instant, on whichever day clocks are set."""
    first = _second(local.replace(tzinfo=zone, fold=0))
    other = _second(local.replace(tzinfo=zone, fold=1))
    if other < first:  # skipped: the skip is between the two readings
        first = other + bisect_left(
            range(other, first), local, key=lambda second: shown(zone, second * SECOND)
        )
    return first * SECOND


def _second(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(seconds=1)
