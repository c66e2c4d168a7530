"""A histogram of times in fixed places: four buckets for each doubling, from 0.25 us to 16.8 s, so that a
percentile is at most a quarter too high."""

from collections.abc import Sequence

UNIT = 250
"""nanoseconds of the first bucket"""
BUCKETS = 100
"""and one more for all that took longer"""
TOTAL = BUCKETS + 1
"""place of the sum of all times, nanoseconds, after that of the longer ones"""
SIZE = TOTAL + 1
"""places of a histogram"""


def bucket(time: int) -> int:
    """Of a time in nanoseconds, which is not above the bucket's bound and above the one before."""
    units = (time - 1) // UNIT
    shift = units.bit_length() - 3
    if shift <= 0:
        return max(units, 0)
    number = (shift << 2) + (units >> shift)
    return number if number < BUCKETS else BUCKETS


def bound(number: int) -> int:
    """The longest time in the bucket, nanoseconds."""
    shift = max((number >> 2) - 1, 0)
    return ((number - (shift << 2) + 1) << shift) * UNIT


BOUNDS = [bound(number) for number in range(BUCKETS)]
SHOWN = [number for number in range(BUCKETS) if number % 4 == 3]
"""those whose bounds Prometheus gets: doublings of a microsecond"""


def cumulative(places: Sequence[int]) -> list[tuple[str, float]]:
    """(bound in seconds as text, how many were not longer) of the places of one histogram, as Prometheus has
    them."""
    found, so_far, done = [], 0.0, 0
    for number in SHOWN:
        so_far += sum(places[done : number + 1])
        done = number + 1
        found.append((repr(BOUNDS[number] / 1e9), so_far))
    return [*found, ("+Inf", float(sum(places[:TOTAL])))]


def percentile(places: Sequence[int], share: float) -> int:
    """The bound below which `share` (0 to 1) of all times were, nanoseconds; 0 if there were none. Of times
    above the last bound only that is known."""
    wanted = sum(places[:TOTAL]) * share
    so_far = 0
    for number, count in enumerate(places[:TOTAL]):
        so_far += count
        if count and so_far >= wanted:
            return BOUNDS[min(number, BUCKETS - 1)]
    return 0
