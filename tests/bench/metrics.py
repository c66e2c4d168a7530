"""`python -m tests.bench.metrics`: what the venue's numbers cost it. The venue as it is beside one that writes
none (tests/unmetered.py), and one with the metrics process beside it, in interleaved rounds of which each
begins with another one."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from itertools import count
from pathlib import Path

from tests.bench.load import Load
from tests.bench.orders import Flow
from tests.bench.table import machine
from tests.process import CONFIG, ServerProcess

WINDOWS = {1000: 30_000, 16: 15_000, 1: 3_000}
"""orders outstanding, and orders of a run"""
KINDS = {"on": "fixgw", "off": "tests.unmetered", "published": "fixgw"}
RUNS = count(1)


def measure(kind: str, directory: Path, crossing: float) -> dict[int, float]:
    """Orders a second by window."""
    config = directory / f"{kind}.yaml"
    metrics = "\nmetrics: {on: yes, port: 0}\n" if kind == "published" else "\n"
    config.write_text(CONFIG.read_text() + metrics)
    with tempfile.TemporaryDirectory(dir=directory) as data:
        words = "serve", "--config", str(config), "--data", data, "--port", "0"
        with ServerProcess(sys.executable, "-m", KINDS[kind], *words) as venue:
            found = {}
            for window, orders in WINDOWS.items():
                load = Load(venue.host, venue.port, ["ALPHA"], orders, Flow(crossing), next(RUNS))
                found[window] = load.closed(window).orders_per_second
                load.close()
            assert venue.terminate() == 0, venue.errors
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.metrics", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--crossing", type=float, default=0.3, help="share of orders that trade (default 0.3)"
    )
    parser.add_argument("--directory", type=Path, help="the disk to measure (default: the temporary one)")
    args = parser.parse_args()
    print(machine(), flush=True)
    rounds = []
    with tempfile.TemporaryDirectory(dir=args.directory) as folder:
        for number in range(args.rounds):
            kinds = list(KINDS)
            kinds = kinds[number % 3 :] + kinds[: number % 3]
            found = {kind: measure(kind, Path(folder), args.crossing) for kind in kinds}
            rounds.append(found)
            print(
                number + 1,
                {kind: [round(each) for each in found[kind].values()] for kind in KINDS},
                flush=True,
            )
    print("\n| window | on, orders/s | off, orders/s | on / off | published / off |\n|---|---|---|---|---|")
    for window in WINDOWS:
        rates = {kind: statistics.median(each[kind][window] for each in rounds) for kind in KINDS}
        ratios = [
            statistics.median(each[kind][window] / each["off"][window] for each in rounds)
            for kind in ("on", "published")
        ]
        print(f"| {window} | {rates['on']:,.0f} | {rates['off']:,.0f} | {ratios[0]:.3f} | {ratios[1]:.3f} |")


if __name__ == "__main__":
    main()
