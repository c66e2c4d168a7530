"""The volatility halt, market.md 9."""

from __future__ import annotations

import pytest

from engine.words import (
    CANCEL_MAKER,
    FILL_OR_KILL,
    GOOD_TILL_CANCEL,
    IMMEDIATE_OR_CANCEL,
)
from tests.engine.market.desk import Desk

HALT = "BTC-USD is volatility-auction (volatility)"


@pytest.fixture
def ladder(desk: Desk) -> Desk:
    """The last trade was at 100, the band is 10 percent; offers at 105, 110, 111, bids at 95, 90, 89."""
    desk.trade(100)
    desk.rules(dynamic_band=1000)
    for price in 105, 110, 111:
        desk.sell(f"s{price}", 1, price)
    for price in 95, 90, 89:
        desk.buy(f"b{price}", 1, price)
    return desk


def test_a_taker_that_could_only_trade_too_far_away_halts_the_market(ladder: Desk) -> None:
    """market.md 9.1, 9.2: what is left of it joins the call phase."""
    assert ladder.buy("b", 4, 111) == [
        "b new",
        "b trades 1 @ 105, 3 left",
        "s105 trades 1 @ 105, 0 left",
        "b trades 1 @ 110, 2 left",
        "s110 trades 1 @ 110, 0 left",
        HALT,
    ]
    assert (ladder.bids()[0], ladder.asks()[0]) == ("b 2 @ 111", "s111 1 @ 111")
    assert ladder.state() == "volatility-auction"
    assert ladder.enter("continuous")[1:] == ["b trades 1 @ 111, 1 left", "s111 trades 1 @ 111, 0 left"]


def test_the_same_downwards(ladder: Desk) -> None:
    """market.md 9.1."""
    assert ladder.sell("s", 4, 80)[-1] == HALT
    assert ladder.event_of("s")["cum_quantity"] == 2


def test_nothing_halts_what_goes_no_further(ladder: Desk) -> None:
    """market.md 9.1: neither the limit of the taker nor its quantity matters."""
    ladder.buy("b1", 2, 1000, IMMEDIATE_OR_CANCEL)
    assert ladder.state() == "continuous"
    ladder.buy("b2", 1, 110)
    assert ladder.state() == "continuous"


def test_too_far_is_too_far_in_both_directions(desk: Desk) -> None:
    """market.md 9.1: a buyer may meet a price far below the last trade."""
    desk.trade(100)
    desk.rules(dynamic_band=1000)
    desk.sell("s", 1, 89)
    assert desk.buy("b", 1, 89) == ["b new", HALT]


def test_the_dynamic_reference_is_the_last_trade_of_an_earlier_command(ladder: Desk) -> None:
    """market.md 9.1: each command may go as far as the band, from where the one before ended."""
    ladder.buy("b1", 2, 110)
    assert ladder.state() == "continuous"
    assert ladder.buy("b2", 1, 111)[1] == "b2 trades 1 @ 111, 0 left"


def test_without_a_trade_there_is_no_halt(desk: Desk) -> None:
    """market.md 9.1: the market's reference price is none of it."""
    desk.rules(dynamic_band=100, reference_price=50)
    desk.sell("s", 1, 500)
    assert desk.buy("b", 1, 500)[1] == "b trades 1 @ 500, 0 left"


def test_the_trades_of_an_auction_are_a_reference(desk: Desk) -> None:
    """market.md 9.1: for the stops that they touch as well."""
    desk.trade(100)
    desk.rules(dynamic_band=1000)
    desk.enter("pre-open")
    desk.buy("b", 1, 150)
    desk.sell("s", 1, 150)
    desk.buy("stop", 2, stop_price=150)
    desk.sell("s1", 1, 160)
    desk.sell("s2", 1, 166)
    assert desk.enter("continuous")[-4:] == [
        "stop trades 1 @ 160, 1 left",
        "s1 trades 1 @ 160, 0 left",
        HALT,
        "stop canceled: volatility halt",
    ]


def test_whoever_is_at_that_price(ladder: Desk) -> None:
    """market.md 9.1: also one whom the taker may not trade with."""
    ladder.cancel("s105")
    ladder.cancel("s110")
    ladder.cancel("s111")
    ladder.sell("own", 1, 120, group="g")
    assert ladder.buy("b", 1, 120, group="g", self_trade=CANCEL_MAKER) == ["b new", HALT]
    assert ladder.asks() == ["own 1 @ 120"]


@pytest.mark.parametrize(("price", "tif"), [(0, "0"), (0, "1"), (111, IMMEDIATE_OR_CANCEL)])
def test_what_may_not_rest_is_canceled(ladder: Desk, price: int, tif: str) -> None:
    """market.md 9.2."""
    assert ladder.buy("b", 4, price, tif)[-2:] == [HALT, "b canceled: volatility halt"]
    assert ladder.event_of("b")["cum_quantity"] == 2


def test_touched_stops_stay_touched(ladder: Desk) -> None:
    """market.md 9.2."""
    ladder.buy("stop", 1, 0, GOOD_TILL_CANCEL, stop_price=110)
    ladder.buy("b", 4, 111)
    assert (ladder.touched(), ladder.stops()) == (["stop"], [])
    assert ladder.trigger() == []
    assert "stop triggered" in ladder.enter("continuous")


def test_a_triggered_stop_can_halt_the_market(ladder: Desk) -> None:
    """market.md 9.2, 2.4: and the stops after it stay touched."""
    ladder.buy("first", 1, 120, stop_price=110)
    ladder.buy("second", 1, stop_price=110)
    ladder.buy("b", 2, 110)
    assert [e["exec_type"] for e in ladder.events if e["event"] == "Execution"][-1] == "L"
    assert ladder.state() == "volatility-auction"
    assert ladder.touched() == ["second"]
    assert ladder.bids()[0] == "first 1 @ 120"


def test_a_replaced_order_can_halt_the_market(ladder: Desk) -> None:
    """market.md 9.1, 4.2."""
    assert ladder.replace("b89", "c", 4, 120)[-1] == HALT
    assert ladder.bids()[0] == "c 2 @ 120"


def test_fill_or_kill_and_min_qty_foresee_it(ladder: Desk) -> None:
    """market.md 9.2: beyond it nothing is there, and nothing halts."""
    assert ladder.buy("b1", 3, 111, FILL_OR_KILL) == [
        "b1 new",
        "b1 canceled: not enough liquidity to fill the whole order",
    ]
    assert ladder.buy("b2", 5, 111, min_quantity=3) == [
        "b2 new",
        "b2 canceled: not enough liquidity for MinQty",
    ]
    assert ladder.state() == "continuous"
    assert ladder.buy("b3", 5, 111, min_quantity=2)[-1] == HALT


def test_cash_and_funds_foresee_it(ladder: Desk) -> None:
    """market.md 9.2."""
    ladder.buy("b", 0, cash=2 * (105 + 110 + 111))
    assert ladder.event_of("b")["quantity"] == 2
    assert ladder.state() == "continuous"


def test_a_market_order_only_pays_for_what_is_before_the_halt(ladder: Desk) -> None:
    """market.md 9.2: it needs money for the trades that it makes."""
    ladder.leave(2 * (105 + 110) - 1)
    assert ladder.buy("b", 3) == ["refused: insufficient funds 430 429 USD"]
    ladder.cancel("b89")
    assert ladder.buy("b", 3)[-1] == "b canceled: volatility halt"


@pytest.mark.parametrize("orders", [1, 300])
def test_it_knows_nothing_of_load(desk: Desk, orders: int) -> None:
    """market.md 9.4: as many orders as there may be, none outside of the band halts nothing."""
    desk.trade(100)
    desk.rules(dynamic_band=1000)
    for n in range(orders):
        desk.sell(f"s{n}", 1, 110)
        desk.buy(f"b{n}", 1, 110)
    assert desk.state() == "continuous"
