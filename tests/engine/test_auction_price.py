"""The worked examples of market.md 8, and more like them, as data for both the engine and the reference."""

from __future__ import annotations

from random import Random

import pytest

from engine.commands import TellIndicative
from tests.engine.market.desk import SYMBOL, TIME, Desk, EngineSide, ReferenceSide

EXAMPLES = [
    # bids, offers, reference, price, volume, surplus; an order is (quantity, price), 0 for a market order
    pytest.param([(10, 101)], [(10, 100)], 99, 100, 10, 0, id="nearest to a reference below"),
    pytest.param([(10, 102), (5, 101)], [(8, 100)], 0, 102, 8, 2, id="least surplus"),
    pytest.param([(10, 102), (5, 101)], [(8, 100)], 100, 102, 8, 2, id="least surplus, not the reference"),
    pytest.param([(20, 101)], [(8, 99)], 99, 101, 8, 12, id="pressure of bids"),
    pytest.param([(8, 101)], [(20, 99)], 101, 99, 8, -12, id="pressure of offers"),
    pytest.param([(5, 100), (5, 0)], [(10, 98), (10, 102)], 97, 98, 10, 0, id="with a market order"),
    pytest.param([(8, 0)], [(5, 100)], 300, 100, 5, 3, id="the only Price"),
    pytest.param([(8, 0)], [(5, 0)], 103, 103, 5, 3, id="no Price but the reference"),
    pytest.param([(8, 0)], [(5, 0)], 0, 0, 0, 0, id="no Price at all"),
    pytest.param([(10, 105)], [(10, 100)], 103, 103, 10, 0, id="a reference within"),
    pytest.param([(10, 105)], [(10, 100)], 109, 105, 10, 0, id="nearest to a reference above"),
    pytest.param([(10, 105)], [(10, 100)], 0, 100, 10, 0, id="the lowest without a reference"),
    pytest.param([(5, 99)], [(5, 100)], 100, 0, 0, 0, id="nothing trades"),
    pytest.param([(5, 99)], [], 100, 0, 0, 0, id="one side only"),
    pytest.param([], [], 100, 0, 0, 0, id="no one"),
    pytest.param([(6, 102), (6, 100)], [(8, 100)], 102, 100, 8, 4, id="volume before reference"),
    pytest.param([(6, 102), (4, 101)], [(8, 101), (2, 102)], 0, 101, 8, 2, id="volume before surplus"),
    pytest.param([(8, 101), (4, 100)], [(6, 100), (4, 101)], 105, 101, 8, -2, id="most volume at the top"),
    pytest.param([(6, 100), (4, 103)], [(4, 99), (2, 101)], 0, 101, 4, -2, id="surplus before pressure"),
    pytest.param([(2, 100), (4, 101)], [(4, 100), (2, 101)], 0, 100, 4, 2, id="no pressure one way"),
    pytest.param([(2, 100), (4, 101)], [(4, 100), (2, 101)], 300, 101, 4, -2, id="no pressure, reference"),
    pytest.param([(10, 104)], [(10, 101)], 102, 102, 10, 0, id="one of two in the middle"),
]


@pytest.mark.parametrize("side", [EngineSide, ReferenceSide])
@pytest.mark.parametrize(("bids", "offers", "reference", "price", "volume", "surplus"), EXAMPLES)
def test_an_example(
    side: type[EngineSide | ReferenceSide],
    bids: list[tuple[int, int]],
    offers: list[tuple[int, int]],
    reference: int,
    price: int,
    volume: int,
    surplus: int,
) -> None:
    """market.md 8.1, 8.3, 8.4."""
    desk = Desk(side())
    desk.enter("opening-auction")
    desk.rules(reference_price=reference)
    for n, order in enumerate(bids):
        desk.buy(f"b{n}", *order)
    for n, order in enumerate(offers):
        desk.sell(f"s{n}", *order)
    assert desk.send(TellIndicative(TIME, SYMBOL)) == [
        f"would trade {volume} @ {price}, surplus {surplus}",
    ]
    desk.enter("continuous")
    trades = [event for event in desk.events if event.get("exec_type") == "F"]
    assert {event["last_price"] for event in trades} == ({price} if volume else set())
    assert sum(event["last_quantity"] for event in trades) == 2 * volume


@pytest.mark.parametrize("seed", range(400))
def test_both_find_the_same_price(seed: int) -> None:
    """market.md 8.1: books by chance, with few prices, so that every criterion has to decide."""
    choose = Random(seed)
    desks = [Desk(EngineSide()), Desk(ReferenceSide())]
    reference = choose.choice((0, choose.randint(1, 12)))
    band = choose.choice((0, 0, 5000))
    commands = [
        (name, choose.randint(1, 9), choose.choice((0, *range(3, 11))))
        for name in [f"{side}{n}" for n in range(choose.randint(1, 5)) for side in "bs"]
    ]
    for desk in desks:
        desk.enter("opening-auction")
        desk.rules(reference_price=reference, band=band)
        for name, *order in commands:
            (desk.buy if name[0] == "b" else desk.sell)(name, *order)
    told = [desk.send(TellIndicative(TIME, SYMBOL)) for desk in desks]
    assert told[0] == told[1], commands
    ends = [desk.enter("continuous") for desk in desks]
    assert ends[0] == ends[1], commands
