"""Feature 2, small: a hundred sessions lose their connections at once and come back at once, also over a
venue that was killed. The large one: `python -m tests.soak`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.process import VenueProcess
from tests.soak.crowd import Crowd, write_config

SESSIONS = 100


@pytest.mark.slow
def test_no_order_is_lost_or_doubled(tmp_path: Path) -> None:
    config = write_config(tmp_path / "venue.yaml", SESSIONS)
    with VenueProcess(tmp_path / "data", config=config) as venue:

        async def storms() -> None:
            for number in range(4):
                await crowd.storm(5, kill=number % 2 == 1)

        crowd = Crowd(venue, SESSIONS)
        asyncio.run(storms())
        assert crowd.check() == SESSIONS * 4 * 6
        assert venue.terminate() == 0, venue.errors
        assert "Traceback" not in venue.errors
