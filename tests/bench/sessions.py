"""`python -m tests.bench.sessions`: what 1, 100 and 1,000 sessions cost that are logged on and idle, what one
more that trades notices of them, and what it notices while 1,000 are added."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from fixgw.admin.command import ask
from fixgw.admin.words import Reload
from tests.bench.idle import begin_string, session_name
from tests.bench.load import Load, Result
from tests.bench.measure import RUNS
from tests.bench.orders import Flow
from tests.bench.table import machine
from tests.process import CONFIG, ServerProcess, VenueProcess

RESULTS = Path(__file__).parent / "results"
COUNTS = (1, 100, 1000)
HEAD = (
    f"{'idle sessions':16}{'start s':>9}{'own MiB':>9}{'MiB each':>9}{'core idle':>10}"
    f"{'p50 µs':>9}{'p99 µs':>9}{'orders/s':>10}"
)

Row = dict[str, Any]


class Bench:
    """A venue with one session that trades, S0000, and others that do not."""

    def __init__(self, directory: Path, orders: int, seconds: float) -> None:
        self._directory = directory
        self._orders = orders
        self._seconds = seconds

    def idle(self, count: int) -> Row:
        with self._venue(count) as venue:
            row: Row = {"kind": f"{count:,}", "sessions": count, "start": venue.seconds}
            with Idle(venue, count):
                row["idle"] = venue.cpu_share(self._seconds)
                row["own_mib"] = venue.memory_mib()["own_mib"]
                one, many = self._trade(venue, self._orders, 1), self._trade(venue, self._orders * 5, 1000)
        return {**row, "p50": one.p50, "p99": one.p99, "orders_per_second": many.orders_per_second}

    def added(self, count: int) -> Row:
        """One order at a time, over and over, while a reload adds sessions."""
        with self._venue(0) as venue:
            self._write(count)
            answers = []
            adding = threading.Thread(target=lambda: answers.append(ask(venue.data, Reload())))
            began = time.perf_counter()
            adding.start()
            latencies: list[int] = []
            while adding.is_alive():
                load = Load(venue.host, venue.port, [session_name(0)], 500, Flow(), next(RUNS))
                load.closed(1)
                latencies += load.latency
                load.close()
            assert answers[0].ok and len(answers[0].lines) == 2 * count, answers
            seconds = time.perf_counter() - began
        latencies.sort()
        return {
            "kind": f"{count:,} are added",
            "sessions": count,
            "start": seconds,
            "p50": latencies[len(latencies) // 2] / 1000,
            "p99": latencies[len(latencies) * 99 // 100] / 1000,
            "worst": latencies[-1] / 1000,
        }

    def _venue(self, count: int) -> SmallVenue:
        data = Path(tempfile.mkdtemp(dir=self._directory))
        return SmallVenue(data, self._write(count))

    def _write(self, count: int) -> Path:
        path = self._directory / "venue.yaml"
        path.write_text(yaml.safe_dump(settings(count), default_flow_style=None))
        return path

    def _trade(self, venue: VenueProcess, orders: int, window: int) -> Result:
        load = Load(venue.host, venue.port, [session_name(0)], orders, Flow(), next(RUNS))
        result = load.closed(window)
        load.close()
        assert not result.rejects
        return result


class Idle(ServerProcess):
    def __init__(self, venue: VenueProcess, count: int) -> None:
        command = ("tests.bench.idle", "--port", str(venue.port), "--sessions", str(count))
        super().__init__(sys.executable, "-m", *command)

    def start(self, timeout: float = 300.0) -> Idle:
        super().start(timeout)
        return self


class SmallVenue(VenueProcess):
    def __init__(self, data: Path, config: Path) -> None:
        super().__init__(data, config=config)
        self.data = data
        self.seconds = 0.0
        """until it was ready"""

    def start(self, timeout: float = 120.0) -> SmallVenue:
        began = time.perf_counter()
        super().start(timeout)
        self.seconds = time.perf_counter() - began
        return self

    def cpu_share(self, seconds: float) -> float:
        """Of one core, over some seconds."""
        before = self._cpu()
        time.sleep(seconds)
        return (self._cpu() - before) / seconds

    def _cpu(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settings(count: int) -> dict[str, Any]:
    """The demo venue with S0000 and `count` more sessions, half of them FIXT.1.1, each with an account."""
    made: dict[str, Any] = yaml.safe_load(CONFIG.read_text())
    numbers = range(count + 1)
    accounts = {
        f"{session_name(n)}-1": {"USD": 1 if n else 10**10, "BTC": 1 if n else 10**6} for n in numbers
    }
    made["clients"] = {f"C{name[1:5]}": {"accounts": {name: account}} for name, account in accounts.items()}
    made["templates"] = {"bench": {"messages_per_second": 10**6}}
    made["sessions"] = {
        session_name(n): {"template": "bench", "client": f"C{n:04d}", "begin_string": begin_string(n)}
        for n in numbers
    }
    made["door"] = {"connections_per_address": 10_000, "connections": 10_000}
    return made


def medians(rows: list[Row]) -> list[Row]:
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        kinds.setdefault(row["kind"], []).append(row)
    return [
        {
            name: value if name == "kind" else statistics.median(row[name] for row in same)
            for name, value in same[0].items()
        }
        for same in kinds.values()
    ]


def line(row: Row, least: Row) -> str:
    each = ""
    if row["sessions"] > 1 and "own_mib" in row:
        each = f"{(row['own_mib'] - least['own_mib']) / (row['sessions'] - 1):.2f}"
    own, idle = (f"{row['own_mib']:,.0f}", f"{row['idle']:.1%}") if "idle" in row else ("", "")
    rate = f"{row['orders_per_second']:,.0f}" if "orders_per_second" in row else ""
    times = f"{row['p50']:>9,.0f}{row['p99']:>9,.0f}"
    return f"{row['kind']:16}{row['start']:>9.1f}{own:>9}{each:>9}{idle:>10}{times}{rate:>10}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.sessions", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--orders", type=int, default=4000, help="one at a time; five times as many at once")
    parser.add_argument("--seconds", type=float, default=30.0, help="of idleness")
    parser.add_argument("--directory", type=Path, help="the disk to measure (default: this checkout's)")
    args = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=args.directory or RESULTS) as folder:
        bench = Bench(Path(folder), args.orders, args.seconds)
        for number in range(args.rounds):
            for count in COUNTS:
                print(f"round {number + 1} of {args.rounds}: {count:,} sessions", file=sys.stderr, flush=True)
                rows.append(bench.idle(count))
            print(f"round {number + 1} of {args.rounds}: reload", file=sys.stderr, flush=True)
            rows.append(bench.added(COUNTS[-1]))
    file = RESULTS / f"sessions-{datetime.now(UTC):%Y%m%d-%H%M%S}.json"
    file.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1))
    print(f"{machine()}\nmedians of {args.rounds} rounds; raw figures in {file}\n\n{HEAD}")
    found = medians(rows)
    print("\n".join(line(row, found[0]) for row in found))


if __name__ == "__main__":
    main()
