"""How much a session may send: a burst of a second's worth, then as it trickles in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fixgw.codec.times import SECOND
from fixgw.sessions.allowance import Allowance

START = 1_800_000_000 * SECOND


def taken(allowance: Allowance, time: int, rate: int) -> int:
    """How many messages of one moment pass."""
    count = 0
    while not allowance.wait(time, rate):
        count += 1
    return count


@given(st.integers(1, 5000), st.integers(0, 3 * SECOND))
def test_a_seconds_worth_at_once_then_as_time_goes_by(rate: int, later: int) -> None:
    allowance = Allowance()
    assert taken(allowance, START, rate) == rate
    expected = min(later // (SECOND // rate), rate)
    assert taken(allowance, START + later, rate) == expected


@given(st.integers(1, 1000), st.lists(st.integers(0, SECOND // 10), max_size=300))
def test_no_second_has_more_than_twice_the_rate(rate: int, gaps: list[int]) -> None:
    allowance, time, passed = Allowance(), START, []
    for gap in gaps:
        time += gap
        if not allowance.wait(time, rate):
            passed.append(time)
    for first in passed:
        assert sum(first <= each < first + SECOND for each in passed) <= 2 * rate


@given(st.integers(1, 100))
def test_the_wait_it_names_is_enough_and_not_too_long(rate: int) -> None:
    allowance = Allowance()
    taken(allowance, START, rate)
    wait = allowance.wait(START, rate)
    assert allowance.wait(START + wait - 1, rate) == 1
    assert allowance.wait(START + wait, rate) == 0


def test_a_flood_is_one_that_does_not_pause() -> None:
    allowance, time = Allowance(), START
    for _ in range(50):
        time += SECOND // 10
        taken(allowance, time, 10)
    assert allowance.over_for == 49 * SECOND // 10
    time += SECOND + 1
    allowance.wait(time, 10)
    taken(allowance, time, 10)
    assert allowance.over_for == 0
