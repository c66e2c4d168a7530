"""users.md 8: what trades cost. All numbers were worked out by hand: a lot is 10 BTC and costs 2 USD a tick;
the maker pays 1 % of a trade's value, the taker 2.5 %; both accounts begin with 10,000 USD and 1,000 BTC."""

from __future__ import annotations

import msgspec
import pytest

from engine import refusals
from engine.commands import CorrectTrade, NewOrder, OpenAccount, SetRules, SetState
from engine.events import Execution
from engine.refusals import Refusal
from engine.words import (
    BUY,
    CONTINUOUS,
    DAY,
    DECREMENT,
    FILL_OR_KILL,
    IMMEDIATE_OR_CANCEL,
    LIMIT,
    MARKET,
    PRE_OPEN,
    SELL,
    STOP,
    TRADE,
)
from tests.engine.desk import Desk, change, new

BASIC = new("x", BUY, 1, 1)


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    fees(desk, 10_000, 25_000)
    return desk


def fees(desk: Desk, maker: int, taker: int) -> None:
    """In millionths."""
    desk.apply(SetRules(4, "BTC-USD", maker_fee=maker, taker_fee=taker))


def money(desk: Desk) -> tuple[tuple[int, int], tuple[int, int], int]:
    """ALPHA's USD and reserved of it, BRAVO's, and what the venue has. Nothing else is anywhere."""
    alpha, bravo = desk.money("ALPHA", "USD"), desk.money("BRAVO", "USD")
    taken = desk.venue.collected.get("USD", 0)
    assert alpha[0] + bravo[0] + taken == 20_000 == desk.venue.supply["USD"]
    return alpha, bravo, taken


def paid(executions: list[Execution]) -> list[tuple[str, str, int]]:
    """ClOrdID, LastLiquidityInd and fee of each fill."""
    return [(each.cl_ord_id, each.liquidity, each.fee) for each in executions if each.exec_type == TRADE]


def test_a_limit_buy_reserves_its_price_and_the_higher_fee(desk: Desk) -> None:
    """Feature 44, users.md 8.4: 300, and 2.5 % of that are 7.5: 7. To sell takes the goods alone."""
    desk.buy("b", 3, 50)
    desk.sell("s", 4, 60)
    assert money(desk) == ((10_000, 307), (10_000, 0), 0)
    assert desk.money("BRAVO", "BTC") == (1_000, 40)


def test_a_limit_buy_that_takes_pays_the_better_price_and_the_takers_fee_of_that(desk: Desk) -> None:
    """Feature 44: 3 at 48 are 288, and 7 of 7.2; the maker gets 288 less 2 of 2.88. Two more at 50 hold
    200 + 5."""
    desk.sell("s", 3, 48)
    assert paid(desk.buy("b", 5, 50)) == [("b", "2", 7), ("s", "1", 2)]
    assert money(desk) == ((10_000 - 295, 205), (10_286, 0), 9)


def test_a_limit_buy_that_is_taken_pays_the_makers_fee_and_has_the_rest_back(desk: Desk) -> None:
    """Feature 44: 300 and 3; the seller gets 300 less 7 of 7.5."""
    desk.buy("b", 3, 50)
    assert paid(desk.sell("s", 5, 48)) == [("s", "2", 7), ("b", "1", 3)]
    assert money(desk) == ((9_697, 0), (10_293, 0), 10)
    assert desk.money("BRAVO", "BTC") == (970, 20)


def test_a_market_buy_reserves_what_it_takes_and_the_takers_fee(desk: Desk) -> None:
    """Feature 44: 200 + 5 and 120 + 3; the makers get 200 - 2 and 120 - 1; the fourth lot finds no one."""
    desk.sell("s1", 2, 50)
    desk.sell("s2", 1, 60)
    assert paid(desk.buy("b", 4, 0)) == [("b", "2", 5), ("s1", "1", 2), ("b", "2", 3), ("s2", "1", 1)]
    assert money(desk) == ((9_672, 0), (10_317, 0), 11)


def test_what_rounding_leaves_of_the_reserved_fee_is_free(desk: Desk) -> None:
    """Feature 44, users.md 8.4: twice 118; reserved are 236 + 5 of 5.9, and each trade costs 2 of 2.95."""
    desk.sell("s1", 1, 59)
    desk.sell("s2", 1, 59)
    desk.buy("b", 2, 0)
    assert money(desk) == ((10_000 - 240, 0), (10_234, 0), 6)


def test_a_market_sell_pays_out_of_what_it_gets(desk: Desk) -> None:
    """Feature 44: 200 less 5; the buyer pays 200 + 2."""
    desk.buy("b", 2, 50)
    desk.sell("s", 5, 0)
    assert money(desk) == ((9_798, 0), (10_195, 0), 7)
    assert desk.money("BRAVO", "BTC") == (980, 0)


@pytest.mark.parametrize(("time_in_force", "quantity"), [(IMMEDIATE_OR_CANCEL, 5), (FILL_OR_KILL, 3)])
def test_the_rest_of_an_order_that_does_not_wait_is_free(
    desk: Desk, time_in_force: str, quantity: int
) -> None:
    """Feature 44: 300 + 7."""
    desk.sell("s", 3, 50)
    desk.buy("b", quantity, 50, time_in_force)
    assert money(desk) == ((9_693, 0), (10_297, 0), 10)


def test_partial_fills_free_what_they_do_not_need(desk: Desk) -> None:
    """Feature 44: 10 at 33 are 660 + 16 of 16.5. Three cost 198 + 1; seven hold 462 + 11 of 11.55, and cost
    462 + 4."""
    desk.buy("b", 10, 33)
    assert money(desk)[0] == (10_000, 676)
    assert paid(desk.sell("s1", 3, 33)) == [("s1", "2", 4), ("b", "1", 1)]
    assert money(desk) == ((9_801, 473), (10_194, 0), 5)
    assert paid(desk.sell("s2", 7, 33)) == [("s2", "2", 11), ("b", "1", 4)]
    assert money(desk) == ((9_335, 0), (10_645, 0), 20)


def test_a_replace_debits_more_or_frees_the_rest_with_its_fee(desk: Desk) -> None:
    """Feature 44: 500 + 12, 720 + 18, 320 + 8; after one lot of 80 + 0 three are left, 240 + 6."""
    desk.buy("b", 5, 50)
    assert money(desk)[0] == (10_000, 512)
    desk.replace("b", "b2", 6, 60, by="ALPHA")
    assert money(desk)[0] == (10_000, 738)
    desk.replace("b2", "b3", 4, 40, by="ALPHA")
    assert money(desk)[0] == (10_000, 328)
    desk.sell("s", 1, 40)
    assert money(desk) == ((9_920, 246), (10_078, 0), 2)
    desk.cancel("b3", "c", by="ALPHA")
    assert money(desk)[0] == (9_920, 0)


def test_a_replace_that_needs_more_than_there_is_is_refused(desk: Desk) -> None:
    """9,000 + 225 are held, 775 are free; 9,800 + 245 are 820 more."""
    desk.buy("b", 90, 50)
    assert desk.refusal(change("b", "b2", 98, 50)) == Refusal(refusals.FUNDS, 820, 775, "USD")
    desk.replace("b", "b2", 97, 50, by="ALPHA")
    assert money(desk)[0] == (10_000, 9_700 + 242)


def test_the_fee_counts_among_what_an_order_needs(desk: Desk) -> None:
    """Feature 4: 9,800 + 245."""
    assert desk.refusal(new("b", BUY, 98, 50)) == Refusal(refusals.FUNDS, 10_045, 10_000, "USD")


def cash(amount: int, side: str = BUY, by: str = "ALPHA") -> NewOrder:
    order = new("c", side, 1, 0, by=by)
    return msgspec.structs.replace(order, ord_type=MARKET, quantity=0, cash=amount)


def test_the_fee_of_so_much_money_is_on_top_of_it(desk: Desk) -> None:
    """users.md 8.4, market.md 1.6: 450 buy 4 lots of 100, and 10 are the fee."""
    desk.sell("s", 10, 50)
    desk.apply(OpenAccount(5, "CARL-1", "CARL", (("USD", 409),)))
    assert desk.refusal(cash(450, by="CARL")) == Refusal(refusals.FUNDS, 410, 409, "USD")
    desk.apply(cash(450))
    assert desk.money("ALPHA", "USD") == (9_590, 0)
    assert desk.money("ALPHA", "BTC") == (1_040, 0)


def test_to_sell_for_so_much_money_is_before_the_fee(desk: Desk) -> None:
    """market.md 1.6: for 450 go 4 lots of 100; 390 come."""
    desk.buy("b", 10, 50)
    desk.apply(cash(450, SELL, "BRAVO"))
    assert money(desk) == ((10_000 - 404, 600 + 15), (10_390, 0), 14)


def test_in_an_auction_both_are_takers(desk: Desk) -> None:
    """users.md 8.2: 300, and 7 of each."""
    desk.apply(SetState(5, "BTC-USD", PRE_OPEN))
    desk.buy("b", 3, 50)
    desk.sell("s", 3, 50)
    events = [each for each in desk.apply(SetState(5, "BTC-USD", CONTINUOUS)) if isinstance(each, Execution)]
    assert paid(events) == [("b", "4", 7), ("s", "4", 7)]
    assert money(desk) == ((9_693, 0), (10_293, 0), 14)


def test_a_market_order_waits_for_an_auction_with_the_higher_fee_of_its_limit(desk: Desk) -> None:
    """users.md 8.4: of 1,000 ticks, 3 lots are 6,000 + 150."""
    desk.apply(SetState(5, "BTC-USD", PRE_OPEN))
    desk.buy("b", 3, 0)
    assert money(desk)[0] == (10_000, 6_150)
    desk.sell("s", 3, 50)
    desk.apply(SetState(5, "BTC-USD", CONTINUOUS))
    assert money(desk) == ((9_693, 0), (10_293, 0), 14)


def test_a_stop_that_is_triggered_takes(desk: Desk) -> None:
    """users.md 8.2: it holds 1 lot at 1,000 with 2.5 %, 2,050, and pays 102 + 2 of 2.55. What triggers it is
    1 lot at 50, 100 + 1 and 100 - 2."""
    stop = msgspec.structs.replace(BASIC, cl_ord_id="x", ord_type=STOP, price=0, stop_price=50)
    desk.apply(stop)
    assert money(desk)[0] == (10_000, 2_050)
    desk.buy("b", 1, 50)
    desk.sell("s2", 1, 51)
    assert paid(desk.sell("s1", 1, 50)) == [("s1", "2", 2), ("b", "1", 1), ("x", "2", 2), ("s2", "1", 1)]
    assert money(desk) == ((10_000 - 101 - 104, 0), (10_000 + 98 + 101, 0), 6)


def test_an_order_keeps_the_rates_it_came_with(desk: Desk) -> None:
    """users.md 8.3: 300 + 7; at 10 % the seller who comes pays 10 of 100, and the buyer 1 % as ever."""
    desk.buy("b", 3, 50)
    fees(desk, 50_000, 100_000)
    assert money(desk)[0] == (10_000, 307)
    assert paid(desk.sell("s", 1, 50)) == [("s", "2", 10), ("b", "1", 1)]
    assert money(desk) == ((9_899, 205), (10_090, 0), 11)


def test_a_replace_has_the_rates_of_its_moment(desk: Desk) -> None:
    """users.md 8.3: 300 + 7 become 300 + 30, though it keeps its place; as a maker it pays 5 of 100."""
    desk.buy("b", 3, 50)
    fees(desk, 50_000, 100_000)
    desk.replace("b", "b2", 3, 50, by="ALPHA")
    assert money(desk)[0] == (10_000, 330)
    fees(desk, 0, 0)
    assert paid(desk.sell("s", 1, 50)) == [("s", "2", 0), ("b2", "1", 5)]
    assert money(desk) == ((9_895, 220), (10_100, 0), 5)


def test_the_maker_may_be_the_dearer(desk: Desk) -> None:
    """users.md 8.4: 300 + 30 are held; as a taker at 100 it pays 2, as a maker 10, and the rest holds 110."""
    fees(desk, 100_000, 25_000)
    desk.sell("s1", 1, 50)
    desk.buy("b", 3, 50)
    assert money(desk) == ((9_898, 220), (10_090, 0), 12)
    desk.sell("s2", 1, 50)
    assert money(desk) == ((9_788, 110), (10_188, 0), 24)


def test_a_decrement_costs_nothing(desk: Desk) -> None:
    """market.md 5.1: nothing trades; what is left of 5 at 50 are 2, 200 + 5."""
    wary = msgspec.structs.replace(BASIC, group="g", self_trade=DECREMENT)
    desk.apply(msgspec.structs.replace(wary, cl_ord_id="b", quantity=5, price=50))
    desk.apply(msgspec.structs.replace(wary, cl_ord_id="s", side=SELL, quantity=3, price=50))
    assert money(desk) == ((10_000, 205), (10_000, 0), 0)


def test_the_highest_value_of_an_order_is_without_its_fee(desk: Desk) -> None:
    """market.md 6.1"""
    desk.apply(SetRules(5, "BTC-USD", max_notional=300, taker_fee=25_000))
    assert desk.refusal(new("b", BUY, 3, 50)) is None
    assert desk.refusal(new("b", BUY, 1, 151)) == Refusal(refusals.NOTIONAL, 302, 300, "market")


def test_of_one_account_both_sides_pay(desk: Desk) -> None:
    """300 go from ALPHA to ALPHA, 3 and 7 to the venue."""
    desk.buy("b", 3, 50)
    desk.sell("s", 3, 50, by="ALPHA")
    assert money(desk) == ((9_990, 0), (10_000, 0), 10)


# -- busts and corrections ---------------------------------------------------------------------------


def trade(desk: Desk, seller: str = "BRAVO") -> dict[str, Execution]:
    """3 at 50: the buyer pays 300 + 3, the seller gets 300 - 7. Returns the last events of both."""
    desk.buy("b", 3, 50)
    return {each.cl_ord_id: each for each in desk.sell("s", 3, 50, by=seller)}


def correction(
    last: dict[str, Execution], quantity: int, price: int, was: tuple[int, int] = (3, 50)
) -> CorrectTrade:
    rates = last["b"].fee_rate, last["s"].fee_rate
    return CorrectTrade(11, last["b"], last["s"], 1, 9, 8, *was, quantity, price, "a mistake", *rates)


def test_a_bust_gives_the_fees_back(desk: Desk) -> None:
    """users.md 8.6, market.md 10.5"""
    last = trade(desk)
    events = desk.executions(correction(last, 0, 0))
    assert [(each.exec_type, each.fee, each.fee_rate) for each in events] == [
        ("H", 3, 10_000),
        ("H", 7, 25_000),
    ]
    assert money(desk) == ((10_000, 0), (10_000, 0), 0)
    assert desk.money("ALPHA", "BTC") == desk.money("BRAVO", "BTC") == (1_000, 0)


def test_a_correction_charges_the_fees_of_what_the_trade_is_now(desk: Desk) -> None:
    """users.md 8.6: 3 at 59 are 354: 3 of 3.54 and 8 of 8.85; 2 at 59 are 236: 2 of 2.36 and 5 of 5.9."""
    last = trade(desk)
    events = desk.executions(correction(last, 3, 59))
    assert [(each.exec_type, each.fee) for each in events] == [("G", 3), ("G", 8)]
    assert money(desk) == ((10_000 - 357, 0), (10_000 + 346, 0), 11)
    last = {each.cl_ord_id: each for each in events}
    fees(desk, 0, 0)
    assert [each.fee for each in desk.executions(correction(last, 2, 59, (3, 59)))] == [2, 5]
    assert money(desk) == ((10_000 - 238, 0), (10_000 + 231, 0), 7)


def test_who_cannot_pay_the_difference_with_its_fee_is_not_corrected(desk: Desk) -> None:
    """users.md 8.6: 3 at 500 are 3,000 and 30: 2,727 more than 303. ALPHA has 9,697 and holds 7,000 + 70."""
    fees(desk, 10_000, 0)
    last = trade(desk)
    desk.buy("wait", 70, 50)
    assert desk.money("ALPHA", "USD") == (9_697, 7_070)
    command = correction(last, 3, 500)
    assert desk.refusal(command) == Refusal(refusals.FUNDS, 2_727, 2_627, "USD")
    desk.cancel("wait", "c", by="ALPHA")
    desk.apply(command)
    assert money(desk) == ((10_000 - 3_030, 0), (13_000, 0), 30)


def test_a_seller_owes_what_it_got_and_no_more(desk: Desk) -> None:
    """users.md 8.6: CARL has sold for 300 - 7, spent nothing, and can give just that back."""
    desk.apply(OpenAccount(5, "CARL-1", "CARL", (("BTC", 30),)))
    last = trade(desk, "CARL")
    assert desk.money("CARL", "USD") == (293, 0)
    desk.apply(correction(last, 0, 0))
    assert desk.money("CARL", "USD") == (0, 0)
    assert desk.money("ALPHA", "USD") == (10_000, 0)


def test_a_bust_of_a_trade_with_oneself_gives_both_fees_back(desk: Desk) -> None:
    """users.md 8.6"""
    last = trade(desk, "ALPHA")
    desk.apply(correction(last, 0, 0))
    assert money(desk) == ((10_000, 0), (10_000, 0), 0)


def test_what_the_venue_has_taken_is_part_of_the_state() -> None:
    """users.md 8.5: two states that differ by it alone differ."""
    with_fee, without = Desk(), Desk()
    fees(with_fee, 0, 25_000), fees(without, 0, 25_000)
    assert with_fee.venue.digest() == without.venue.digest()
    with_fee.venue.collected["USD"] = 1
    assert with_fee.venue.digest() != without.venue.digest()


@pytest.mark.parametrize("rates", [(-1, 0), (0, -1), (100_001, 0), (0, 100_001)])
def test_a_rate_is_from_nothing_to_ten_percent(rates: tuple[int, int]) -> None:
    """users.md 8.1: no rebates."""
    desk = Desk()
    with pytest.raises(AssertionError):
        fees(desk, *rates)
    fees(desk, 100_000, 100_000)


def test_the_largest_trade_and_its_fee_fit() -> None:
    """users.md 8.1: a value of 2**62 and 10 % of it are below 2**63."""
    desk = Desk()
    market = msgspec.structs.replace(
        desk.venue.markets["BTC-USD"].instrument,
        symbol="BIG", quote_per_tick_lot=2**40, max_price=2**11, max_quantity=2**11, base_per_lot=1,
    )  # fmt: skip
    desk.apply(market)
    desk.apply(SetRules(4, "BIG", maker_fee=100_000, taker_fee=100_000))
    most = 2**62 + 2**62 // 10
    desk.apply(OpenAccount(5, "CARL-1", "CARL", (("USD", most),)))
    order = NewOrder(5, "CARL", "CARL", "CARL-1", "b", "BIG", BUY, LIMIT, DAY, 2**11, 2**11)
    desk.apply(order)
    assert desk.money("CARL", "USD") == (most, most)
