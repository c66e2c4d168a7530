"""`python -m tests.bench.metrics`: what the numbers cost the venue. It as it is beside one that writes none
(tests/unmetered.py), and one with the metrics process beside it, in interleaved rounds of which each begins
with another one. Orders a second say what is left for clients; processor time of the venue says what
it costs on a machine that has other things to do as well."""

from __future__ import annotations

import argparse
import os
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

Found = dict[int, tuple[float, float]]
"""by window: orders a second, and microseconds of the processor for each"""


def measure(kind: str, directory: Path, crossing: float) -> Found:
    config = directory / f"{kind}.yaml"
    metrics = "\nmetrics: {on: yes, port: 0}\n" if kind == "published" else "\n"
    config.write_text(CONFIG.read_text() + metrics)
    with tempfile.TemporaryDirectory(dir=directory) as data:
        words = "serve", "--config", str(config), "--data", data, "--port", "0"
        with ServerProcess(sys.executable, "-m", KINDS[kind], *words) as venue:
            found = {}
            for window, orders in WINDOWS.items():
                load = Load(venue.host, venue.port, ["ALPHA"], orders, Flow(crossing), next(RUNS))
                before = processor(venue.pid)
                rate = load.closed(window).orders_per_second
                found[window] = rate, (processor(venue.pid) - before) * 1e6 / orders
                load.close()
            assert venue.terminate() == 0, venue.errors
    return found


def processor(process: int) -> float:
    """Seconds it has used, its own and the system's for it."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.metrics", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--crossing", type=float, default=0.3, help="share of orders that trade")
    parser.add_argument("--directory", type=Path, help="the disk to measure (default: the temporary one)")
    args = parser.parse_args()
    print(machine(), flush=True)
    rounds: list[dict[str, Found]] = []
    with tempfile.TemporaryDirectory(dir=args.directory) as folder:
        for number in range(args.rounds):
            kinds = list(KINDS)
            kinds = kinds[number % 3 :] + kinds[: number % 3]
            rounds.append({kind: measure(kind, Path(folder), args.crossing) for kind in kinds})
            print(number + 1, rounds[-1], flush=True)
    for title, which in (("orders/s", 0), ("processor us/order", 1)):
        print(f"\n| window | on, {title} | off | on / off | published / off |\n|---|---|---|---|---|")
        for window in WINDOWS:
            of = {kind: [each[kind][window][which] for each in rounds] for kind in KINDS}
            ratios = {
                kind: statistics.median(a / b for a, b in zip(of[kind], of["off"], strict=True))
                for kind in of
            }
            middle = {kind: statistics.median(each) for kind, each in of.items()}
            print(
                f"| {window} | {middle['on']:,.0f} | {middle['off']:,.0f} | {ratios['on']:.3f} "
                f"| {ratios['published']:.3f} |"
            )


if __name__ == "__main__":
    main()
