"""One measurement each: a server of its own in a process of its own, loaded, and gone again."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

from fixgw.codec.dictionary import compose
from tests.bench.disk import fdatasync, lmdb_commit
from tests.bench.ids import fill
from tests.bench.load import Load
from tests.bench.orders import Flow
from tests.process import CONFIG, ROOT, ServerProcess, VenueProcess

WINDOWS = (1, 16, 1000)
RUNS = count(1)
"""keeps the ClOrdIDs of all loads of one bench apart"""

Row = dict[str, Any]
"""one measurement: what was measured, then the figures; written to the JSON file as it is"""


@dataclass(frozen=True)
class Plan:
    """How long to measure."""

    directory: Path
    """where data directories are made: on the disk to be measured"""
    rounds: int = 3
    orders: tuple[int, int, int] = (4_000, 20_000, 60_000)
    """for each window"""
    stored_ids: int = 10_000_000


def disk(plan: Plan) -> list[Row]:
    rows = []
    for name, what in (("fdatasync", fdatasync), ("lmdb commit", lmdb_commit)):
        times = what(plan.directory, 500)
        rows.append({"server": name, "window": 1, "p50": times[250], "p99": times[495], "p999": times[-1]})
    return rows


def echo(plan: Plan) -> list[Row]:
    """In both ways of waiting for bytes."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        dictionary = compose(ROOT / "dictionaries", Path(folder))["FIX44"]
        command = (sys.executable, "-m", "tests.bench.echo", "--dictionary", str(dictionary))
        for name, options in (("echo", ()), ("spinning echo", ("--spin",))):
            with ServerProcess(*command, *options) as server:
                rows += [_closed(name, server, window, orders, Flow()) for window, orders in _sizes(plan)]
    return rows


def mirror(plan: Plan) -> list[Row]:
    with ServerProcess(sys.executable, "-m", "tests.bench.mirror") as server:
        return [_closed("mirror", server, window, orders, Flow()) for window, orders in _sizes(plan)]


def venue(plan: Plan) -> list[Row]:
    """Two kinds of flow on a new venue each, then two sessions at once."""
    rows = []
    for crossing in (0.0, 0.3):
        with _new_venue(plan) as server:
            for window, orders in _sizes(plan):
                rows.append(_closed("venue", server, window, orders, Flow(crossing)))
    with _new_venue(plan) as server:
        rows.append(_closed("venue", server, WINDOWS[-1], plan.orders[-1], Flow(), "BRAVO"))
    return rows


def unlogged(plan: Plan) -> list[Row]:
    """The venue without a message log: what it costs."""
    config = plan.directory / "unlogged.yaml"
    config.write_text(CONFIG.read_text() + "\nmessage_log: {on: no}\n")
    with _new_venue(plan, config) as server:
        return [_closed("unlogged", server, window, orders, Flow()) for window, orders in _sizes(plan)]


def open_loop(plan: Plan, rate: int) -> list[Row]:
    """A fixed rate, latencies from the intended send time."""
    with _new_venue(plan) as server:
        load = Load(server.host, server.port, ["ALPHA"], plan.orders[1], Flow(0.3), next(RUNS))
        result = load.open(rate)
        load.close()
        kind = {"server": "venue", "rate": rate, "crossing": 0.3, "sessions": 1}
        return [{**kind, **asdict(result), **server.memory_mib()}]


def stored_ids(plan: Plan) -> list[Row]:
    """The venue with many ClOrdIDs spent today, in three kinds of order: none, in sequence, at random."""
    kinds = {"none": None, "sequential": False, "random": True}
    rows = []
    with tempfile.TemporaryDirectory(dir=plan.directory) as folder:
        sizes = {}
        for kind, random_ids in kinds.items():
            data = Path(folder) / kind
            with VenueProcess(data) as server:
                server.terminate()
            sizes[kind] = 0.0 if random_ids is None else fill(data, plan.stored_ids, random_ids)
        for _ in range(plan.rounds):
            for kind, random_ids in kinds.items():
                with VenueProcess(Path(folder) / kind) as server:
                    row = _closed("venue", server, WINDOWS[-1], plan.orders[-1], Flow(0.0, bool(random_ids)))
                rows.append({**row, "stored": kind, "ids": plan.stored_ids, "bytes_per_id": sizes[kind]})
    return rows


@contextmanager
def _new_venue(plan: Plan, config: Path = CONFIG) -> Iterator[VenueProcess]:
    with (
        tempfile.TemporaryDirectory(dir=plan.directory) as data,
        VenueProcess(Path(data), config=config) as server,
    ):
        yield server
        assert server.terminate() == 0, server.errors


def _sizes(plan: Plan) -> Iterator[tuple[int, int]]:
    return zip(WINDOWS, plan.orders, strict=True)


def _closed(name: str, server: ServerProcess, window: int, orders: int, flow: Flow, *others: str) -> Row:
    """One closed-loop run over ALPHA and `others`."""
    sessions = ["ALPHA", *others]
    load = Load(server.host, server.port, sessions, orders, flow, next(RUNS))
    result = load.closed(window)
    load.close()
    kind = {"server": name, "window": window, "crossing": flow.crossing, "sessions": len(sessions)}
    return {**kind, **asdict(result), **server.memory_mib()}
