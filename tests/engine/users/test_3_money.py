"""Money from outside, users.md 3."""

from __future__ import annotations

import pytest

from tests.engine.users.desk import Desk


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.know("A", "B")
    desk.hydrate("A")
    return desk


def test_money_comes_and_goes(desk: Desk) -> None:
    assert desk.deposit("A", "USD", 5, "d1") == ["A +5 USD: 10005"]
    assert desk.deposit("A", "EUR", 7, "d2") == ["A +7 EUR: 7"]
    assert desk.withdraw("A", "USD", 5, "w1") == ["A -5 USD: 10000"]


def test_the_same_reference_changes_nothing(desk: Desk) -> None:
    """users.md 3.1: not before it has left memory, and not after."""
    desk.deposit("A", "USD", 5, "d1")
    assert desk.deposit("A", "USD", 5, "d1") == ["refused: repeated d1 16"]
    assert desk.withdraw("A", "USD", 5, "d1") == ["refused: repeated d1 16"]
    desk.now = 100
    desk.sweep()
    desk.write()
    desk.hydrate("A")
    assert desk.deposit("A", "USD", 5, "d1") == ["refused: repeated d1 16"]
    for number in range(16):
        desk.deposit("A", "USD", 1, f"x{number}")
    assert desk.deposit("A", "USD", 5, "d1") == ["A +5 USD: 10026"]


def test_only_what_is_available_can_be_withdrawn(desk: Desk) -> None:
    """users.md 3.2"""
    desk.buy("A", "b", 100, 49)
    assert desk.withdraw("A", "USD", 201, "w") == ["refused: insufficient funds 201 200 USD"]
    assert desk.withdraw("A", "USD", 200, "w") == ["A -200 USD: 9800"]
    assert desk.withdraw("A", "XAU", 1, "w2") == ["refused: insufficient funds 1 XAU"]


def test_who_is_not_in_memory_has_to_be_read_first(desk: Desk) -> None:
    assert desk.deposit("B", "USD", 1, "d") == ["refused: not in memory B"]


def test_there_is_no_more_money_than_numbers_go(desk: Desk) -> None:
    most = 2**63 - 1 - 10_000
    assert desk.deposit("A", "USD", most + 1, "d") == [f"refused: too much money {most + 1} {most} USD"]
    assert desk.deposit("A", "USD", most, "d") == [f"A +{most} USD: {2**63 - 1}"]


def test_a_deposit_is_something_that_a_user_does(desk: Desk) -> None:
    """users.md 2.7: it cancels what was under way."""
    desk.now = 100
    desk.sweep()
    [flush] = desk.take()
    desk.deposit("A", "USD", 5, "d1")
    assert desk.complete(flush) == []
    desk.now = 200
    desk.sweep()
    desk.write()
    assert dict(desk.record["A"][1].balances)["USD"] == 10_005
