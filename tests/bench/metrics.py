"""`python -m tests.bench.metrics`: what the numbers cost the venue. It as it is ("on") beside one that writes
none ("off", tests/unmetered.py), and one with the metrics process beside it ("published"). All three run the
whole time, and short runs go to one after the other, in another order each round: what else the machine does
meets all of them. Each ratio is the median of those of the rounds."""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from tests.bench.load import Load
from tests.bench.orders import Flow
from tests.bench.table import machine
from tests.process import CONFIG, ServerProcess

WINDOWS = {1000: 6_000, 16: 3_000, 1: 600}
"""orders outstanding, and orders of a run"""
KINDS = {"on": "fixgw", "off": "tests.unmetered", "published": "fixgw"}
RUNS = count(1)

Found = tuple[float, float]
"""orders a second, and microseconds of the processor that the venue's process has used for each"""


def start(kind: str, directory: Path) -> ServerProcess:
    config = directory / f"{kind}.yaml"
    config.write_text(CONFIG.read_text() + "\nmetrics: {on: yes, port: 0}\n" * (kind == "published"))
    words = "serve", "--config", str(config), "--data", str(directory / kind), "--port", "0"
    return ServerProcess(sys.executable, "-m", KINDS[kind], *words)


def measure(venue: ServerProcess, window: int, crossing: float) -> Found:
    orders = WINDOWS[window]
    load = Load(venue.host, venue.port, ["ALPHA"], orders, Flow(crossing), next(RUNS))
    before = processor(venue.pid)
    rate = load.closed(window).orders_per_second
    used = processor(venue.pid) - before
    load.close()
    return rate, used * 1e6 / orders


def processor(process: int) -> float:
    """Seconds it has used, its own and the system's for it: of all its threads, to the nanosecond."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return sum(int((each / "schedstat").read_text().split()[0]) for each in tasks) / 1e9


def turned(kinds: list[str], number: int) -> Iterator[str]:
    yield from kinds[number % len(kinds) :] + kinds[: number % len(kinds)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.metrics", description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--crossing", type=float, default=0.3, help="share of orders that trade")
    parser.add_argument("--directory", type=Path, help="the disk to measure (default: the temporary one)")
    args = parser.parse_args()
    print(machine(), f"load {os.getloadavg()[0]:.1f}", flush=True)
    found: dict[tuple[str, int], list[Found]] = {(kind, window): [] for kind in KINDS for window in WINDOWS}
    with tempfile.TemporaryDirectory(dir=args.directory) as folder, ExitStack() as stack:
        venues = {kind: stack.enter_context(start(kind, Path(folder))) for kind in KINDS}
        for number in range(-1, args.rounds):  # the first one only warms up
            for window in WINDOWS:
                for kind in turned(list(KINDS), number):
                    measured = measure(venues[kind], window, args.crossing)
                    if number >= 0:
                        found[kind, window].append(measured)
        for venue in venues.values():
            assert venue.terminate() == 0, venue.errors
    for title, which in (("orders/s", 0), ("processor us/order", 1)):
        print(f"\n| window | {title}, on | off | on / off | published / off |\n|---|---|---|---|---|")
        for window in WINDOWS:
            of = {kind: [each[which] for each in found[kind, window]] for kind in KINDS}
            middle = {kind: statistics.median(each) for kind, each in of.items()}
            ratio = {
                kind: statistics.median(one / other for one, other in zip(of[kind], of["off"], strict=True))
                for kind in KINDS
            }
            print(
                f"| {window} | {middle['on']:,.0f} | {middle['off']:,.0f} | {ratio['on']:.3f} "
                f"| {ratio['published']:.3f} |"
            )


if __name__ == "__main__":
    main()
