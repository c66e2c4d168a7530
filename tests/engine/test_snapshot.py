"""Feature 65: a venue out of a snapshot goes on as the one it was made of."""

from __future__ import annotations

from random import Random

import pytest

from engine import stops
from tests.engine.chance import make
from tests.engine.pair import Pair
from tests.engine.themes import OPENING, THEMES
from tests.engine.users.desk import again

LENGTH = 400


@pytest.mark.parametrize("theme", THEMES)
def test_65_a_random_day_with_a_snapshot_now_and_then_agrees_with_the_reference(
    monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.setattr(stops, "MOST", 3)
    choose, pair = Random(f"snapshots of {theme}"), Pair()
    for command in OPENING:
        pair.send(command)
    for _ in range(LENGTH):
        pair.send(make(choose, pair, THEMES[theme]))
        if choose.random() < 0.1:
            before = pair.venue.digest()
            pair.venue = again(pair.venue)
            assert pair.venue.digest() == before
