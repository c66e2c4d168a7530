"""Feature 62: monitoring changes no trace. The same script gives the same bytes, whether numbers are written
or not, and whatever the clock says that times are measured by."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import lmdb
import pytest

from fixgw.metrics.meter import Meter
from fixgw.metrics.table import place
from fixgw.store.pulse import Pulse
from tests.metrics.scripted import play as play_to
from tests.process import ServerProcess
from tests.simulation.script import generate
from tests.simulation.world import World, play
from tests.unmetered import Unmetered
from tests.venue.floor import write_config

NOW = 1_796_112_000 * 10**9
"""nanoseconds since the epoch"""


@pytest.fixture
def quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def mad(*_: Any) -> Callable[[], int]:
    """A clock that jumps, also back."""
    chance = Random(7)
    return lambda: chance.randrange(10**12)


class MadMeter(Meter):
    def __init__(self, numbers: memoryview[int], *_: Any) -> None:
        super().__init__(numbers, mad(), mad())

    def observe(self, at: int, duration: int, weight: int = 1) -> None:
        super().observe(at, max(duration, 0), weight)

    def span(self, kind: str, begin: int, end: int, detail: int = 0) -> None:
        super().span(kind, min(begin, end), end, detail)


@pytest.mark.parametrize("seed", (4, 11, 12, 15))
def test_62_a_simulated_venue_gives_the_same_bytes(seed: int, quiet: None) -> None:
    """With crashes, cold users, several nodes."""
    metered = play(generate(seed))
    with patch("tests.simulation.node.Meter", MadMeter):
        by_a_mad_clock = play(generate(seed))
    with patch("tests.simulation.node.Meter", Unmetered), patch("tests.simulation.node.Turns", Unmetered):
        unmetered = play(generate(seed))
    assert of(metered) == of(unmetered) == of(by_a_mad_clock)


def of(world: World) -> list[Any]:
    return [world.loop.now, *((site.disk.tables, site.oracle.digests) for site in world.sites)]


def test_62_a_real_venue_gives_the_same_bytes(tmp_path: Path) -> None:
    """Its logged time stands still, so that two runs can be compared: journal with output log, outbox,
    numbers of sessions, ClOrdIDs, and the digest of the whole state."""
    metered, unmetered = (run(tmp_path / kind, kind) for kind in ("metered", "unmetered"))
    assert len(metered["journal"]) > 250 and len(metered["outbox"]) > 200
    for name in metered.keys() | unmetered.keys():
        assert metered[name] == unmetered[name], name


def run(directory: Path, kind: str) -> dict[str, Any]:
    directory.mkdir()
    config = write_config(directory, metrics={"on": "yes" if kind == "metered" else "no", "port": 0})
    words = "serve", "--config", str(config), "--data", str(directory / "data"), "--port", "0"
    with ServerProcess(sys.executable, "-m", "tests.metrics.still", str(NOW), kind, *words) as venue:
        play_to(venue)
        assert venue.terminate() == 0, venue.errors
    pulse = Pulse.look(directory / "data")
    assert pulse is not None and (pulse.numbers[place("cycles")] > 100) == (kind == "metered")
    pulse.close()
    return tables(directory / "data")


def tables(data: Path) -> dict[str, Any]:
    """All that the database holds, but for random ids (of store, record and node) and what counts commits."""
    found: dict[str, Any] = {}
    environment = lmdb.open(str(data / "venue.mdb"), subdir=False, readonly=True, max_dbs=64)
    with environment, environment.begin() as transaction:
        for key in list(transaction.cursor().iternext(values=False)):
            table = environment.open_db(key, transaction, create=False)
            found[key.decode()] = list(transaction.cursor(db=table))
    assert {key for key, _ in found["meta"]} >= {b"digest", b"id", b"commits"}
    found["meta"] = [pair for pair in found["meta"] if pair[0] not in (b"id", b"record", b"node", b"commits")]
    return found
