"""The whole venue against the reference: features 4, 44, 52 to 54, 63, 64, V1 to V5, and all of market.md."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from engine import refusals, stops
from tests.engine.chance import make
from tests.engine.pair import Pair
from tests.engine.themes import OPENING, THEMES

SEEDS = 2
LENGTH = 1500
NAMES = [name for name in vars(refusals) if name.isupper()]
ABOUT_USERS = (refusals.BLOCKED, refusals.TOO_FAST)
"""are met in tests/engine/users"""
BETWEEN_NODES = (
    *(refusals.NOT_REACHED, refusals.UNKNOWN_AMOUNT, refusals.PENDING, refusals.IN_FLIGHT),
    refusals.STORE_FULL,
)
"""are met in tests/engine/nodes"""
REASONS = {getattr(refusals, name) for name in NAMES[: NAMES.index("RESIDENT")]} - {
    *ABOUT_USERS,
    *BETWEEN_NODES,
}
ALWAYS = {"0", "F", "4", "5", "C"}
KINDS = {
    "continuous": ALWAYS | {"L", "G", "H", "ManyCanceled", "KillSet", "DayEnded"},
    "stops": ALWAYS | {"L"},
    "auctions": ALWAYS | {"L", "Indicative"},
    "self-trade": ALWAYS | {"D"},
    "limits": ALWAYS | {"RulesSet", "AccountLimited"},
    "volatility": ALWAYS | {"L", "volatility"},
}
"""what a day of a theme must have, or it was too tame to prove anything: ExecTypes and other events"""


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_long_random_day_agrees_with_the_reference(
    theme: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Features 4, 44, 52, 53, 54, 63, 64, V2, V4, V5: everything is compared after each command."""
    monkeypatch.setattr(stops, "MOST", 3)
    choose, pair = Random(f"{theme} {seed}"), Pair()
    for command in OPENING:
        pair.send(command)
    kinds: Counter[str] = Counter()
    for _ in range(LENGTH):
        events = pair.send(make(choose, pair, THEMES[theme]))
        kinds.update(event.get("exec_type", event.get("reason") or event["event"]) for event in events)
    assert kinds.keys() >= KINDS[theme]


def test_every_reason_to_refuse_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """V5: by a day of limits and one of continuous trading."""
    monkeypatch.setattr(stops, "MOST", 3)
    met: set[str] = set()
    for theme in "limits", "continuous":
        choose, pair = Random(f"every reason of {theme}"), Pair()
        for command in OPENING:
            pair.send(command)
        for _ in range(LENGTH):
            pair.send(make(choose, pair, THEMES[theme]))
        met |= pair.refused.keys()
    assert met == REASONS


class Trading(RuleBasedStateMachine):
    """The same, but Hypothesis chooses, and finds the shortest way to a failure."""

    def __init__(self) -> None:
        super().__init__()
        self.pair = Pair()

    @initialize(theme=st.sampled_from(sorted(THEMES)))
    def open(self, theme: str) -> None:
        self.theme = THEMES[theme]
        for command in OPENING:
            self.pair.send(command)

    @rule(choose=st.randoms(use_true_random=False))
    def send(self, choose: Random) -> None:
        self.pair.send(make(choose, self.pair, self.theme))


TestTrading = Trading.TestCase
TestTrading.settings = settings(max_examples=60, stateful_step_count=50, deadline=None)
