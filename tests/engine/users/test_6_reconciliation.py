"""Holds are compared with orders, users.md 6: feature 68. The faults are made by hand."""

from __future__ import annotations

import pytest

from engine.user_commands import Reconcile
from tests.engine.users.desk import Desk, words


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.know("A", "B", "C")
    desk.hydrate("A", "B", "C")
    desk.buy("A", "a", 3, 50)
    desk.buy("B", "b", 1, 40)
    return desk


def reconcile(desk: Desk, most: int = 100) -> list[str]:
    return [words(event) for event in desk.commit(Reconcile(desk.time, most))]


def test_68_what_agrees_is_left_alone(desk: Desk) -> None:
    before = desk.money("A", "USD")
    assert reconcile(desk) == []
    assert desk.money("A", "USD") == before


def test_68_a_hold_without_an_order_ends_and_its_money_is_free(desk: Desk) -> None:
    order = desk.venue.order("A", "a")
    assert order is not None
    desk.venue.markets["BTC-USD"].take_out(order)
    del desk.venue.orders["A"]["a"], desk.venue.live["A"][order.order_id]
    assert reconcile(desk) == ["ghost of A: 300 USD"]
    assert desk.money("A", "USD") == (10_000, 0)
    desk.now = 100
    assert "write A 1 -> 2" in desk.sweep(), "it is flat, and can leave"


def test_68_a_hold_that_reserves_too_much_is_put_right(desk: Desk) -> None:
    [hold] = desk.user("A").holds.values()
    hold.amount += 7
    desk.user("A").balances["USD"].reserved += 7
    assert reconcile(desk) == ["leak of A: 7 USD"]
    assert desk.money("A", "USD") == (10_000, 300)


def test_68_a_sum_that_is_not_that_of_the_holds_is_put_right(desk: Desk) -> None:
    desk.user("C").balances["USD"].reserved += 7
    assert reconcile(desk) == ["sum of C: 7 USD"]
    assert desk.money("C", "USD") == (10_000, 0)


def test_68_an_order_without_a_hold_is_canceled(desk: Desk) -> None:
    """It cannot be paid for."""
    [hold] = desk.user("A").holds.values()
    desk.user("A").holds.clear()
    desk.user("A").shard.open_orders -= 1
    desk.user("A").balances["USD"].reserved -= hold.amount
    assert reconcile(desk) == ["orphan of A: 0", "a canceled"]
    assert desk.sell("B", "s", 1, 50) == ["s new"], "no one is there any more"


def test_68_a_round_looks_at_so_many_at_a_time_and_at_everyone(desk: Desk) -> None:
    """users.md 6.1"""
    for name in "ABC":
        desk.user(name).balances["BTC"].reserved += 1
    said = [reconcile(desk, 1) for _ in range(3)]
    desk.check()
    assert sorted(word for words in said for word in words) == [f"sum of {name}: 1 BTC" for name in "ABC"]
    assert all(len(words) == 1 for words in said)
