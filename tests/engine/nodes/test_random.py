"""Random days of two and three nodes (features 4, 45 to 52): whatever the network does, and whoever dies."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.commands import (
    CancelMany,
    CancelOrder,
    CancelSession,
    Command,
    EndDay,
    NewOrder,
    ReplaceOrder,
    SetRules,
    SetState,
    WithdrawOrder,
)
from engine.events import Execution
from engine.user_commands import Reconcile
from engine.user_events import Repaired
from engine.words import BUY, SELL
from tests.engine.nodes.network import Network, Node, denied

SEEDS = 30
STEPS = 400


class Chance:
    def __init__(self, seed: int) -> None:
        self.choose = Random(f"nodes {seed}")
        self.network = Network(self.choose.choice((1, 1, 2)))
        self.names = 0
        self.asked: Counter[tuple[int, str]] = Counter()
        """requests that were accepted, by node and ClOrdID"""

    def play(self) -> None:
        for _ in range(STEPS):
            node = self.choose.choice(self.network.nodes)
            what = self.choose.random()
            if what < 0.5:
                self.network.carry_some(self.choose)
            elif what < 0.52:
                node.replay()
            else:
                self.give(node)
            self.network.check()
        self.network.rest()
        self.network.check()
        self.network.check_at_rest()
        for node in self.network.nodes:
            node.replay()
            check_lives(node)
            assert not node.reports(Repaired)
            answered = answers(node)
            for (number, name), times in self.asked.items():
                assert number != node.number or answered[name] == times == 1, name

    def give(self, node: Node) -> None:
        command = self.command(node)
        if node.give(command) is None and isinstance(command, NewOrder | CancelOrder | ReplaceOrder):
            self.asked[node.number, command.cl_ord_id] += 1

    def command(self, node: Node) -> Command:
        choose, time = self.choose, self.network.tick()
        self.names += 1
        user = choose.choice(list(node.venue.users))
        live = list(node.venue.orders[user].values())
        what = choose.random()
        if what < 0.02 and node is self.network.market:
            return SetState(
                time, "BTC-USD", choose.choice(("continuous", "continuous", "halted", "cancel-only"))
            )
        if what < 0.05 and node is self.network.market:
            maker, taker = choose.choice((0, 1, 12_345, 100_000)), choose.choice((0, 77_777, 100_000))
            return SetRules(time, "BTC-USD", maker_fee=maker, taker_fee=taker)
        if what < 0.03:
            return EndDay(time, f"2026-{len(node.journal):06}")
        if what < 0.07:
            return CancelMany(time, user, "", "", "", 100, user, f"m{self.names}")
        if what < 0.1:
            return Reconcile(time, choose.randint(1, 3))
        if what < 0.11:
            return CancelSession(time, user, "12", True, 100)
        if live and what < 0.12:
            return WithdrawOrder(time, choose.choice(live).order_id, "by hand")
        if live and what < 0.25:
            order = choose.choice(live)
            name = choose.choice([key for key, each in node.venue.orders[user].items() if each is order])
            return CancelOrder(time, user, user, f"c{self.names}", name, "BTC-USD", order.side)
        if live and what < 0.5:
            order = choose.choice(live)
            name = choose.choice([key for key, each in node.venue.orders[user].items() if each is order])
            price = choose.randint(45, 55) if order.ord_type == "2" else 0
            return ReplaceOrder(
                time, user, user, "", f"r{self.names}", name, "BTC-USD", order.side, order.ord_type,
                choose.randint(1, 20), price,
            )  # fmt: skip
        return self.order(node, user, time)

    def order(self, node: Node, user: str, time: int) -> NewOrder:
        choose = self.choose
        side, quantity = choose.choice((BUY, SELL)), choose.randint(1, 20)
        price, more = choose.randint(45, 55), {}
        kind, time_in_force = choose.choice("2222222222221"), choose.choice("0111134")
        if kind == "1":
            price, time_in_force = 0, "3"
            if side == BUY:
                quantity, more = 0, {"cash": choose.randint(1, 2000)}
        elif time_in_force in "01" and choose.random() < 0.2:
            more = {"post_only": choose.choice(("refuse", "slide"))}
        return NewOrder(
            time, user, user, user, f"o{self.names}", "BTC-USD", side, kind, time_in_force, quantity, price,
            group=user, self_trade=choose.choice("01234"), **more,
        )  # fmt: skip


def check_lives(node: Node) -> None:
    """The events of each order follow each other without a gap, to one end."""
    lives: dict[int, list[Execution]] = {}
    for event in node.events:
        if isinstance(event, Execution) and event.exec_type not in "A6E":
            lives.setdefault(event.order_id, []).append(event)
    for order_id, events in lives.items():
        assert [event.step for event in events] == list(range(1, len(events) + 1)), order_id
        assert all(event.leaves_quantity for event in events[:-1]), order_id
        live = node.venue.by_id(order_id)
        assert (live is None) == (not events[-1].leaves_quantity), order_id


def answers(node: Node) -> Counter[str]:
    """How often each ClOrdID was given its last word on the request itself."""
    found: Counter[str] = Counter(event.cl_ord_id for event in denied(node))
    for event in node.events:
        if isinstance(event, Execution):
            found[event.cl_ord_id] += event.exec_type in "05" or (
                event.exec_type == "4" and event.orig_cl_ord_id != ""
            )
    return found


@pytest.mark.parametrize("seed", range(SEEDS))
def test_whatever_happens_between_nodes(seed: int) -> None:
    Chance(seed).play()
