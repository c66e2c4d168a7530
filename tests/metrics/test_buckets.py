"""Times find their bucket, and percentiles come out of buckets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fixgw.metrics.buckets import BOUNDS, BUCKETS, SHOWN, TOTAL, bucket, cumulative, percentile

TIMES = st.integers(min_value=0, max_value=20 * 10**9)


@given(TIMES)
def test_a_time_is_in_the_first_bucket_whose_bound_it_does_not_pass(time: int) -> None:
    number = bucket(time)
    assert number == BUCKETS or time <= BOUNDS[number]
    assert number == 0 or time > BOUNDS[number - 1]


def test_bounds_double_from_a_microsecond_to_more_than_ten_seconds() -> None:
    shown = [BOUNDS[number] for number in SHOWN]
    assert shown == [1000 * 2**step for step in range(25)] and shown[-1] > 10 * 10**9


@given(st.lists(TIMES, min_size=1))
def test_buckets_of_prometheus_count_what_was_not_longer(times: list[int]) -> None:
    places = [0] * (TOTAL + 1)
    for time in times:
        places[bucket(time)] += 1
    for bound, count in cumulative(places)[:-1]:
        assert count == sum(time <= round(float(bound) * 1e9) for time in times)
    assert cumulative(places)[-1] == ("+Inf", len(times))


@given(st.lists(st.integers(min_value=250, max_value=16 * 10**9), min_size=1), st.floats(0.01, 1))
def test_a_percentile_is_at_most_a_quarter_too_high(times: list[int], share: float) -> None:
    places = [0] * (TOTAL + 1)
    for time in times:
        places[bucket(time)] += 1
    found = percentile(places, share)
    exact = next(time for number, time in enumerate(sorted(times), 1) if number >= len(times) * share)
    assert exact <= found <= exact * 1.25 + 250
