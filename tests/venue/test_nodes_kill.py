"""kill -9 of either of two nodes while users of both trade with each other: features 12, 45, 46, 48, 56."""

from __future__ import annotations

import random
from decimal import Decimal
from pathlib import Path

import pytest

from tests.raw import BUY, SELL, cancel, new_order, replace
from tests.venue.floor import Floor
from tests.venue.nodes import Nodes, two_nodes
from tests.venue.test_kill import check, read_the_rest
from tests.venue.trader import Trader
from tests.venue.users import accounts, money

KILLS = 10
SYMBOL = "M1-USD"


def burst(trader: Trader, chance: random.Random, ids: list[str]) -> None:
    """Orders, cancels and replaces around one price, so that many trade."""
    for _ in range(chance.randint(1, 20)):
        name = f"{trader.comp_id}-{trader.next_outbound}"
        what, side = chance.random(), chance.choice((BUY, SELL))
        price, quantity = f"{100 + chance.randint(-3, 3)}.00", f"0.{chance.randint(1, 9)}"
        if ids and what < 0.2:
            trader.trade(*cancel(name, chance.choice(ids), side=side, symbol=SYMBOL))
        elif ids and what < 0.35:
            account = f"{trader.comp_id}-1"
            request = replace(name, chance.choice(ids), side, quantity, price, symbol=SYMBOL, account=account)
            trader.trade(*request)
            ids.append(name)
        else:
            ids.append(name)
            more = {"time_in_force": chance.choice("0113"), "account": f"{trader.comp_id}-1"}
            trader.trade(*new_order(name, side, quantity, price, symbol=SYMBOL, **more))


def total(nodes: Nodes) -> dict[str, Decimal]:
    here, there = money(nodes.home), money(nodes.market)
    return {currency: here[currency] + there[currency] for currency in here}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_lost_or_doubled_between_nodes_that_are_killed(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with two_nodes(tmp_path, snapshots={"entries": 200}) as nodes:
        before = total(nodes)
        floors = {nodes.home: ("ALPHA", "BRAVO"), nodes.market: ("ALPHA",)}
        traders = {
            floor: [Trader("127.0.0.1", floor.port, name) for name in names]
            for floor, names in floors.items()
        }
        ids: dict[Trader, list[str]] = {trader: [] for each in traders.values() for trader in each}
        for floor, own in traders.items():
            for trader in own:
                trader.recover(floor.port)
        for _ in range(KILLS):
            for _ in range(chance.randint(1, 3)):
                for trader, names in ids.items():
                    burst(trader, chance, names)
            for trader in ids:
                trader.take_up_to(chance.randint(0, 40))
            for floor in chance.choice(([nodes.home], [nodes.market], [nodes.market, nodes.home])):
                floor.kill9()
                read_the_rest(traders[floor], chance)
                floor.start()
                for trader in traders[floor]:
                    trader.recover(floor.port)
        nodes.wait_for_rest()
        for trader in ids:
            trader.fence()
            trader.close()
        assert total(nodes) == before
        for floor, own in traders.items():
            assert no_more_than_is_open(floor)
            assert floor.terminate() == 0
            check(floor.data, own)
            floor.start()
        nodes.wait_until_connected()
        assert total(nodes) == before


def no_more_than_is_open(floor: Floor) -> bool:
    """Who has no open order has nothing reserved."""
    return all(
        each.orders or not any(reserved for _, reserved in each.balances.values())
        for each in accounts(floor).values()
    )
