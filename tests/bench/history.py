"""`python -m tests.bench.history`: how fast the history is written: a log of so many orders, some of which
trade, into SQLite, and into PostgreSQL where a server is installed; beside the rate at which it was made."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import yaml

from tests.bench.load import Load
from tests.bench.orders import Flow
from tests.bench.table import machine
from tests.record.server import PostgresqlServer, binaries
from tests.venue.floor import Floor
from tests.venue.operating import fixgw


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.history", description=__doc__)
    parser.add_argument("--orders", type=int, default=30_000, help="default 30000")
    parser.add_argument("--crossing", type=float, default=0.3, help="share of them that trades (default 0.3)")
    args = parser.parse_args()
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        floor = Floor(Path(folder), instruments={"BTC-USD": market()})
        with floor:
            load = Load(floor.host, floor.port, ["ALPHA", "BRAVO"], args.orders, Flow(crossing=args.crossing))
            made = load.closed(1000)
            load.close()
            events = int(floor.status()["journal"].split()[2])
            assert floor.terminate() == 0
        rate = made.reports_per_second
        print(f"the venue made {rate:,.0f} reports/s")
        report("SQLite", floor, events, rate)
        if binaries() is not None:
            with PostgresqlServer(durable=True) as server:
                settings = yaml.safe_load(floor.config.read_text())
                settings["history"] = {"url": server.url()}
                floor.config.write_text(yaml.safe_dump(settings))
                report("PostgreSQL", floor, events, rate)


def market() -> dict[str, str]:
    market = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001"}
    return market | {"max_quantity": "1000", "max_price": "1000000"}


def report(name: str, floor: Floor, events: int, rate: float) -> None:
    begin = time.perf_counter()
    done = fixgw("history", "rebuild", "--config", floor.config, "--data", floor.data)
    assert done.returncode == 0, done.stderr
    written = events / (time.perf_counter() - begin)
    print(f"{name}: {written:,.0f} events/s, {written / rate:.2f} of the rate at which the venue made them")


if __name__ == "__main__":
    main()
