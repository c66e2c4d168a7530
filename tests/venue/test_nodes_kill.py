"""kill -9 of either of two nodes while users of both trade and pay fees: features 12, 44 to 46,
48, 56. The market is halted now and then, and stands still."""

from __future__ import annotations

import random
import signal
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from fixgw.admin.words import MarketState
from tests.raw import BUY, SELL, cancel, new_order, replace
from tests.venue.floor import Floor
from tests.venue.nodes import UNITS, Nodes, two_nodes
from tests.venue.operating import done
from tests.venue.test_kill import check, read_the_rest
from tests.venue.trader import Trader
from tests.venue.users import accounts, money

KILLS, AT_MOST = 10, 100
"""kills: on a slow machine fewer orders trade between two of them"""
SYMBOL = "M1-USD"
FEES = {"maker_fee": "0.0123", "taker_fee": "0.0777"}


def burst(trader: Trader, chance: random.Random, ids: list[str]) -> None:
    """Orders, cancels and replaces around one price, so that many trade."""
    for _ in range(chance.randint(1, 20)):
        name = f"{trader.comp_id}-{trader.next_outbound}"
        what, side = chance.random(), chance.choice((BUY, SELL))
        price, quantity = f"{100 + chance.randint(-3, 3)}.00", f"0.{chance.randint(1, 9)}"
        account = f"{trader.comp_id}-1"
        if what < 0.03:
            trader.trade("q", [(11, name), (530, "7"), (60, now(trader))])
        elif ids and what < 0.2:
            trader.trade(*cancel(name, chance.choice(ids[-8:]), side=side, symbol=SYMBOL))
        elif ids and what < 0.4:
            request = replace(name, ids[-1], side, quantity, price, symbol=SYMBOL, account=account)
            trader.trade(*request)
            ids.append(name)
        elif what < 0.5:
            money_order = new_order(name, BUY, None, None, symbol=SYMBOL, account=account, time_in_force="3")
            msg_type, fields = money_order
            fields = [pair for pair in fields if pair[0] != 38]
            trader.trade(msg_type, [*fields, (152, f"{chance.randint(1, 90)}")])
        else:
            ids.append(name)
            more = {"time_in_force": chance.choice("0113"), "account": account}
            if chance.random() < 0.15:
                more |= {"extra": [(18, "6")], "time_in_force": "0"}
            trader.trade(*new_order(name, side, quantity, price, symbol=SYMBOL, **more))


def now(trader: Trader) -> str:
    return str(dict(new_order("x", BUY, "1", "1")[1])[60])


def total(nodes: Nodes) -> dict[str, Decimal]:
    """With what the venues have taken."""
    found: Counter[str] = Counter()
    for floor in nodes.home, nodes.market:
        found.update(money(floor))  # type: ignore[arg-type]
        taken = floor.status().get("fees", "USD 0").split()
        found.update({taken[0]: Decimal(taken[1])})  # type: ignore[dict-item]
    return dict(found)  # type: ignore[arg-type]


def disturb(nodes: Nodes, chance: random.Random) -> None:
    if chance.random() < 0.5:
        done(nodes.market, MarketState(chance.choice(("halted", "cancel-only", "continuous")), SYMBOL))
    if chance.random() < 0.3:
        nodes.market.process.send_signal(signal.SIGSTOP)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_is_lost_or_doubled_between_nodes_that_are_killed(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    market = {"snapshots": {"entries": 200}, "instruments": {SYMBOL: UNITS | FEES}}
    with two_nodes(tmp_path, market, snapshots={"entries": 200}) as nodes:
        before = total(nodes)
        names = {nodes.home: ("ALPHA", "BRAVO"), nodes.market: ("ALPHA",)}
        traders = {
            floor: [Trader("127.0.0.1", floor.port, each) for each in own] for floor, own in names.items()
        }
        ids: dict[Trader, list[str]] = {trader: [] for own in traders.values() for trader in own}
        for floor, own in traders.items():
            for trader in own:
                trader.recover(floor.port)
        for kills in range(AT_MOST):
            if kills >= KILLS and len(commissions(ids)) > 10:
                break
            for _ in range(chance.randint(1, 3)):
                for trader, known in ids.items():
                    burst(trader, chance, known)
            disturb(nodes, chance)
            for trader in traders[nodes.home]:
                trader.take_up_to(chance.randint(0, 40))
            for floor in chance.choice(([nodes.home], [nodes.market], [nodes.market, nodes.home])):
                floor.kill9()
                read_the_rest(traders[floor], chance)
                floor.start()
                for trader in traders[floor]:
                    trader.recover(floor.port)
            nodes.market.process.send_signal(signal.SIGCONT)
        nodes.wait_for_rest()
        for trader in ids:
            trader.fence()
            trader.close()
        assert total(nodes) == before
        for floor, own in traders.items():
            assert no_more_than_is_open(floor)
            assert floor.terminate() == 0
            check(floor.data, own)
            for trader in own:
                check_last_words(trader)
            floor.start()
        nodes.wait_until_connected()
        assert total(nodes) == before
        assert len(commissions(ids)) > 10


def check_last_words(trader: Trader) -> None:
    """Of each request there is one: accepted or refused, whatever was said to be pending."""
    words: Counter[str] = Counter()
    for report in trader.reports.values():
        exec_type = report.get(150) or ""
        asked = exec_type == "4" and 41 in report
        words[report[11]] += report.msg_type == "9" or asked or exec_type in ("0", "5", "8")
    for msg_type, fields in trader.sent.values():
        name = str(dict(fields)[11])
        assert msg_type == "q" or words[name] == 1, f"{name}: {words[name]} last words"


def commissions(traders: dict[Trader, list[str]]) -> list[Decimal]:
    reports = [report for trader in traders for report in trader.reports.values() if 12 in report]
    return [Decimal(report[12]) for report in reports]


def no_more_than_is_open(floor: Floor) -> bool:
    """Who has no open order has nothing reserved."""
    return all(
        each.orders or not any(reserved for _, reserved in each.balances.values())
        for each in accounts(floor).values()
    )
