"""What orders reserve, what trades settle, what every end gives back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine import refusals
from engine.commands import LimitAccount, NewOrder, OpenAccount
from engine.refusals import Refusal
from engine.shard import Shard
from engine.user import Hold, User
from engine.user_commands import Row
from engine.words import BUY, FILL_OR_KILL, GOOD_TILL_CANCEL, IMMEDIATE_OR_CANCEL, SELL
from tests.engine.desk import BTC_USD, Desk, change, new


def test_a_limit_order_holds_its_own_price_or_its_goods() -> None:
    """Feature 44: 3 lots at 50 ticks cost 3 * 50 * 2; 4 lots are 4 * 10."""
    desk = Desk()
    desk.buy("b", 3, 50)
    desk.sell("s", 4, 60)
    assert desk.money("ALPHA", "USD") == (10_000, 300)
    assert desk.money("ALPHA", "BTC") == (1_000, 0)
    assert desk.money("BRAVO", "BTC") == (1_000, 40)
    assert desk.money("BRAVO", "USD") == (10_000, 0)


def test_a_buyer_pays_the_makers_price_and_the_improvement_is_free_at_once() -> None:
    """Feature 44: 3 lots bought at 48 for 288, 2 more wait at 50 for 200."""
    desk = Desk()
    desk.sell("s", 3, 48)
    desk.buy("b", 5, 50)
    assert desk.money("ALPHA", "USD") == (10_000 - 288, 200)
    assert desk.money("ALPHA", "BTC") == (1_030, 0)
    assert desk.money("BRAVO", "USD") == (10_288, 0)
    assert desk.money("BRAVO", "BTC") == (970, 0)


def test_a_seller_gets_the_makers_price() -> None:
    """Feature 44."""
    desk = Desk()
    desk.buy("b", 3, 50)
    desk.sell("s", 5, 48)
    assert desk.money("ALPHA", "USD") == (10_000 - 300, 0)
    assert desk.money("BRAVO", "USD") == (10_300, 0)
    assert desk.money("BRAVO", "BTC") == (970, 20)


def test_a_market_order_to_buy_pays_just_what_it_takes() -> None:
    """Feature 44: 2 lots at 50 and 1 at 60 are 320; the fourth lot finds no seller and costs nothing."""
    desk = Desk()
    desk.sell("s1", 2, 50)
    desk.sell("s2", 1, 60)
    desk.buy("b", 4, 0)
    assert desk.money("ALPHA", "USD") == (10_000 - 320, 0)
    assert desk.money("ALPHA", "BTC") == (1_030, 0)


def test_a_market_order_to_sell_gives_back_what_it_could_not_sell() -> None:
    """Feature 44."""
    desk = Desk()
    desk.buy("b", 2, 50)
    desk.sell("s", 5, 0)
    assert desk.money("BRAVO", "BTC") == (980, 0)
    assert desk.money("BRAVO", "USD") == (10_200, 0)


@pytest.mark.parametrize("time_in_force", [IMMEDIATE_OR_CANCEL, FILL_OR_KILL])
def test_what_is_not_filled_at_once_is_free_at_once(time_in_force: str) -> None:
    """Feature 44."""
    desk = Desk()
    desk.buy("b", 3, 50, time_in_force)
    desk.sell("s", 3, 50, time_in_force)
    assert desk.money("ALPHA", "USD") == (10_000, 0)
    assert desk.money("BRAVO", "BTC") == (1_000, 0)


def test_cancel_replace_and_the_end_of_the_day_free_exactly_the_rest() -> None:
    """Features 44 and 46: what was taken is given back once."""
    desk = Desk()
    desk.buy("b", 5, 50)
    desk.sell("s", 2, 50)
    assert desk.money("ALPHA", "USD") == (9_800, 300)
    desk.replace("b", "b2", 4, 60, by="ALPHA")
    assert desk.money("ALPHA", "USD") == (9_800, 240)
    desk.replace("b2", "b3", 3, 60, by="ALPHA")
    assert desk.money("ALPHA", "USD") == (9_800, 120)
    desk.cancel("b3", "c", by="ALPHA")
    assert desk.money("ALPHA", "USD") == (9_800, 0)
    desk.sell("s2", 7, 50)
    assert desk.money("BRAVO", "BTC") == (980, 70)
    desk.end_day("2026-01-02")
    assert desk.money("BRAVO", "BTC") == (980, 0)


@pytest.mark.parametrize(
    ("order", "needed", "available", "currency"),
    [
        (new("x", BUY, 100, 51), 10_200, 10_000, "USD"),
        (new("x", BUY, 100, 51, IMMEDIATE_OR_CANCEL), 10_200, 10_000, "USD"),
        (new("x", BUY, 6, 0), 12_000, 10_000, "USD"),
        (new("x", BUY, 6, 0, FILL_OR_KILL), 12_000, 10_000, "USD"),
        (new("x", SELL, 95, 50, by="BRAVO"), 950, 940, "BTC"),
        (new("x", SELL, 95, 0, by="BRAVO"), 950, 940, "BTC"),
    ],
)
def test_an_order_beyond_the_means_is_refused_with_the_figures(
    order: NewOrder, needed: int, available: int, currency: str
) -> None:
    """Feature 4: BRAVO's 6 lots at 1000 ticks cost 12,000 and hold 60 of its 1,000."""
    desk = Desk()
    desk.sell("s", 6, 1000)
    assert desk.refusal(order) == Refusal(refusals.FUNDS, needed, available, currency)


def test_an_order_may_use_all_there_is() -> None:
    """Feature 4: to the last unit, and then not one more."""
    desk = Desk()
    desk.buy("b", 100, 50)
    desk.sell("s", 100, 51)
    assert desk.money("ALPHA", "USD") == (10_000, 10_000)
    assert desk.money("BRAVO", "BTC") == (1_000, 1_000)
    assert desk.refusal(new("b2", BUY, 1, 1)) == Refusal(refusals.FUNDS, 2, 0, "USD")
    assert desk.refusal(new("s2", SELL, 1, 1, by="BRAVO")) == Refusal(refusals.FUNDS, 10, 0, "BTC")


def test_of_two_orders_jointly_beyond_the_balance_one_passes() -> None:
    """Feature 4."""
    desk = Desk()
    first, second = new("b1", BUY, 100, 30), new("b2", BUY, 100, 30)
    assert desk.refusal(first) is None
    assert desk.refusal(second) is None
    desk.apply(first)
    assert desk.refusal(second) == Refusal(refusals.FUNDS, 6_000, 4_000, "USD")


def test_a_market_order_that_would_be_killed_needs_no_money() -> None:
    """Feature 44: nothing can be matched, so nothing is needed."""
    desk = Desk()
    desk.sell("s", 6, 1000)
    desk.buy("b", 7, 0, FILL_OR_KILL)
    assert desk.money("ALPHA", "USD") == (10_000, 0)


def test_a_replace_needs_only_the_difference() -> None:
    """Feature 44: the order holds 9,800, so 200 are free: 100 lots at 50 are within, at 51 beyond."""
    desk = Desk()
    desk.buy("b", 98, 50)
    assert desk.refusal(change("b", "b2", 100, 51)) == Refusal(refusals.FUNDS, 400, 200, "USD")
    desk.replace("b", "b2", 100, 50, by="ALPHA")
    assert desk.money("ALPHA", "USD") == (10_000, 10_000)


def test_a_client_without_the_currency_is_refused_and_one_may_earn_it() -> None:
    """Feature 44: CARL owns no USD until he sells."""
    desk = Desk()
    desk.apply(OpenAccount(4, "CARL-1", "CARL", (("BTC", 20),)))
    assert desk.refusal(new("b", BUY, 1, 1, by="CARL")) == Refusal(refusals.FUNDS, 2, 0, "USD")
    desk.buy("b", 2, 50)
    desk.sell("s", 2, 50, by="CARL")
    assert desk.money("CARL", "USD") == (200, 0)
    assert desk.money("CARL", "BTC") == (0, 0)


def test_a_command_is_carried_out_once() -> None:
    """Feature 46: the journal's sequence only rises, so the same entry again is an error and changes
    nothing, however often it comes."""
    desk = Desk()
    order, later = new("b", BUY, 3, 50, GOOD_TILL_CANCEL), new("b2", BUY, 3, 50)
    desk.apply(order)
    before = desk.venue.digest()
    for _ in range(3):
        for sequence, command in (desk.sequence, later), (desk.sequence - 1, later), (99, order):
            with pytest.raises(AssertionError):
                desk.venue.apply(sequence, command)
    assert desk.venue.digest() == before
    desk.venue.apply(99, later)


@pytest.mark.parametrize(
    ("step", "amounts"),
    [(User.give, ("USD", 41)), (User.give, ("USD", -1)), (User.hold, (41,)), (User.hold, (-1,))],
)
def test_an_account_moves_no_more_than_it_has(step: Callable[..., None], amounts: tuple[Any, ...]) -> None:
    """Feature 46: of 100 units 60 are reserved. The last guard, behind every check."""
    user = User("A-1", Row("A", (("USD", 100),)), 0, Shard("S1", {}), LimitAccount(0, "A-1"))
    user.hold(Hold(1, "A", BTC_USD, BUY, 0, 60))
    if step is User.hold:
        amounts = (Hold(2, "A", BTC_USD, BUY, 0, *amounts),)
    with pytest.raises(AssertionError):
        step(user, *amounts)


@pytest.mark.parametrize("balances", [(("USD", -1),), (("USD", 2**63 - 20_000),), (("USD", 1), ("USD", 1))])
def test_an_account_opens_with_sound_balances(balances: tuple[tuple[str, int], ...]) -> None:
    """Not negative, not twice the same currency, and all of a currency together below 2**63."""
    with pytest.raises(AssertionError):
        Desk().apply(OpenAccount(4, "CARL-1", "CARL", balances))
    Desk().apply(OpenAccount(4, "CARL-1", "CARL", (("USD", 2**63 - 20_001), ("BTC", 0))))


def test_an_account_opens_once() -> None:
    with pytest.raises(AssertionError):
        Desk().apply(OpenAccount(4, "ALPHA-1", "ALPHA", ()))
