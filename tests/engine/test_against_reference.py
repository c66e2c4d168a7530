"""The whole venue against the reference: features 4, 44, 52, 53, 54, V2, and all of market.md."""

from __future__ import annotations

from random import Random

import pytest

from engine import stops
from tests.engine.chance import OPENING, THEMES, make
from tests.engine.pair import Pair


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("theme", THEMES)
def test_a_long_random_day_agrees_with_the_reference(
    theme: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Features 4, 44, 52, 53, 54, V2: everything is compared after each command."""
    monkeypatch.setattr(stops, "MOST", 3)
    choose, pair = Random(f"{theme} {seed}"), Pair()
    for command in OPENING:
        pair.send(command)
    kinds = set()
    for _ in range(2000):
        for event in pair.send(make(choose, pair, THEMES[theme])):
            kinds.add((event.get("exec_type"), event.get("ord_status")))
    print(sorted(map(str, kinds)), pair.refused)
