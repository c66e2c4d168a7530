"""Who failed how often: counted for a time, forgotten after it, in bounded memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixgw.door import attempts
from fixgw.door.attempts import Attempts, network_of
from fixgw.settings import Door

SECONDS = 10
LIMIT = 3
SETTINGS = Door(
    failed_logons_per_address=LIMIT, failed_logons_per_session=LIMIT, failed_logon_seconds=SECONDS
)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8:0:0:ffff::1", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
    ],
)
def test_what_counts_as_one_address(address: str, network: str) -> None:
    assert network_of(address) == network


@given(steps=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 6)), max_size=60))
def test_an_address_is_closed_from_its_last_failure_allowed_on(steps: list[tuple[str, int]]) -> None:
    """Against the rule as it is said: LIMIT failures within SECONDS of the first close it for SECONDS."""
    counted = Attempts(SETTINGS)
    failures: dict[str, list[int]] = {}
    closed_until: dict[str, int] = {}
    now = 0
    for network, later in steps:
        now += later
        is_closed = now < closed_until.get(network, 0)
        assert counted.turns_away(network, now) == is_closed
        if is_closed:
            continue
        recent = failures.setdefault(network, [])
        if network in closed_until or (recent and now >= recent[0] + SECONDS):
            closed_until.pop(network, None)
            recent.clear()
        recent.append(now)
        closes = len(recent) == LIMIT
        assert counted.fail(network, now) == closes
        if closes:
            closed_until[network] = now + SECONDS


def test_those_who_stood_before_a_closed_address_are_counted() -> None:
    counted = Attempts(SETTINGS)
    assert [counted.fail("a", 0) for _ in range(LIMIT + 2)] == [False] * (LIMIT - 1) + [True, False, False]
    assert all(counted.turns_away("a", 1) for _ in range(5))
    assert counted.reopen("a") == 5
    assert not counted.turns_away("a", 1)
    assert counted.reopen("a") == 0


def test_of_too_many_addresses_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "MOST_ADDRESSES", 100)
    counted = Attempts(SETTINGS)
    for number in range(1000):
        for _ in range(LIMIT):
            counted.fail(str(number), 0)
    assert [number for number in range(1000) if counted.turns_away(str(number), 1)] == list(range(900, 1000))


def test_a_session_that_is_guessed_at_takes_known_addresses_only() -> None:
    counted = Attempts(SETTINGS)
    counted.welcome("S", "known")
    counted.welcome("T", "elsewhere")
    assert [counted.guess("S", 0) for _ in range(LIMIT + 1)] == [False] * (LIMIT - 1) + [True, False]
    assert counted.admits("S", "known", SECONDS - 1)
    assert not counted.admits("S", "elsewhere", SECONDS - 1)
    assert counted.admits("T", "anywhere", SECONDS - 1)
    assert counted.admits("S", "elsewhere", SECONDS)
    assert not counted.guess("S", SECONDS)


def test_of_too_many_known_addresses_the_ones_not_used_for_longest_go() -> None:
    counted = Attempts(SETTINGS)
    for number in range(attempts.MOST_KNOWN):
        counted.welcome("S", str(number))
    counted.welcome("S", "0")
    counted.welcome("S", "new")
    for _ in range(LIMIT):
        counted.guess("S", 0)
    assert counted.admits("S", "0", 1) and counted.admits("S", "new", 1)
    assert not counted.admits("S", "1", 1)
