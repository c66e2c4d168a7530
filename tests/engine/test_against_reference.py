"""The whole venue against the reference: features 4, 44, 52, 53, 54, V2."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from engine.commands import CancelOrder, CancelSession, EndDay, NewOrder, ReplaceOrder, SetCancelOnly
from tests.engine.chance import ACCOUNTS, OPENING, SYMBOLS, make
from tests.engine.pair import Pair


@pytest.mark.parametrize("seed", range(6))
def test_a_long_random_day_agrees_with_the_reference(seed: int) -> None:
    """Features 4, 44, 52, 53, 54, V2: 3,000 commands, everything compared after each one."""
    choose, pair = Random(seed), Pair()
    for command in OPENING:
        pair.send(command)
    kinds = set()
    for _ in range(3000):
        for event in pair.send(make(choose, pair.venue)):
            kinds.add((event.get("exec_type"), event.get("ord_status")))
    executions = {("0", "0"), ("F", "1"), ("F", "2"), ("4", "4"), ("5", "0"), ("5", "1"), ("C", "C")}
    assert kinds >= executions, "the run was too tame to prove anything"
    assert len(pair.refused) == 8, "each reason to refuse was met"


class Trading(RuleBasedStateMachine):
    """The same, but Hypothesis chooses, and finds the shortest way to a failure."""

    def __init__(self) -> None:
        super().__init__()
        self.pair = Pair()
        self.name = 0

    @initialize()
    def open(self) -> None:
        for command in OPENING:
            self.pair.send(command)

    @rule(
        account=st.sampled_from(ACCOUNTS),
        symbol=st.sampled_from(SYMBOLS),
        side=st.sampled_from("12"),
        time_in_force=st.sampled_from("0134"),
        quantity=st.integers(1, 9),
        price=st.integers(0, 7),
    )
    def new(
        self, account: str, symbol: str, side: str, time_in_force: str, quantity: int, price: int
    ) -> None:
        client, ord_type = account[0], "2" if price else "1"
        self.name += 1
        self.pair.send(
            NewOrder(
                self.name,
                client,
                f"{client}1",
                account,
                f"{self.name}",
                symbol,
                side,
                ord_type,
                time_in_force,
                quantity,
                price,
            )
        )

    @rule(nth=st.integers(0, 20), session=st.sampled_from(("1", "2")))
    def cancel(self, nth: int, session: str) -> None:
        live = self.pair.reference.live
        if live:
            order = live[nth % len(live)].command
            self.name += 1
            client, orig = order.client, live[nth % len(live)].name
            self.pair.send(
                CancelOrder(
                    self.name, client, client + session, f"{self.name}", orig, order.symbol, order.side
                )
            )

    @rule(nth=st.integers(0, 20), quantity=st.integers(1, 9), price=st.integers(0, 7))
    def replace(self, nth: int, quantity: int, price: int) -> None:
        live = self.pair.reference.live
        if live:
            found = live[nth % len(live)]
            order = found.command
            self.name += 1
            self.pair.send(
                ReplaceOrder(
                    self.name,
                    order.client,
                    order.session,
                    order.account,
                    f"{self.name}",
                    found.name,
                    order.symbol,
                    order.side,
                    "2",
                    quantity,
                    price or found.price,
                )
            )

    @rule(symbol=st.sampled_from(("", *SYMBOLS)), on=st.booleans())
    def cancel_only(self, symbol: str, on: bool) -> None:
        self.pair.send(SetCancelOnly(self.name, symbol, on))

    @rule(
        session=st.sampled_from(("A1", "B1")),
        restatement=st.sampled_from(("12", "13")),
        gtc=st.booleans(),
        most=st.integers(1, 3),
    )
    def cancel_session(self, session: str, restatement: str, gtc: bool, most: int) -> None:
        self.pair.send(CancelSession(self.name, session, restatement, gtc, most))

    @rule()
    def end_day(self) -> None:
        self.pair.send(EndDay(self.name, f"day {self.pair.sequence:09}"))


TestTrading = Trading.TestCase
TestTrading.settings = settings(max_examples=300, stateful_step_count=40, deadline=None)
