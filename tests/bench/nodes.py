"""`python -m tests.bench.nodes`: what it costs that a market is on another node. The same orders to a market
of the venue itself and to one on a second node of the same machine, in turn: orders a second, and for one
order at a time the way to the first word (new here; pending there) and to the market's word (new)."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from itertools import count
from pathlib import Path

from tests.bench.load import Load
from tests.bench.orders import Flow
from tests.bench.table import machine
from tests.raw import BUY, RawClient, new_order
from tests.venue.floor import Floor
from tests.venue.nodes import HOME, MARKET, UNITS
from tests.venue.users import wait_for

WINDOW = 1000
RUNS = count(1)
NEW, PENDING_NEW = "0", "A"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.nodes", description=__doc__)
    parser.add_argument("--orders", type=int, default=30_000, help="of each run (default 30000)")
    parser.add_argument("--single", type=int, default=1_000, help="one at a time (default 1000)")
    parser.add_argument("--rounds", type=int, default=3, help="of both in turn (default 3)")
    parser.add_argument("--directory", type=Path, help="the disk to measure (default: the temporary one)")
    args = parser.parse_args()
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory(dir=args.directory) as folder:
        measure(Path(folder), args.orders, args.single, args.rounds)


def measure(directory: Path, orders: int, single: int, rounds: int) -> None:
    for name in "alone", "home", "market":
        (directory / name).mkdir()
    alone = Floor(directory / "alone", instruments={"BTC-USD": UNITS})
    there = {"number": HOME, "peers": {str(MARKET): {"socket": "../market/node.sock"}}}
    home = Floor(directory / "home", instruments={"BTC-USD": UNITS | {"node": MARKET}}, node=there)
    here = {"number": MARKET, "socket": "node.sock", "peers": {str(HOME): {}}}
    market = Floor(directory / "market", instruments={"BTC-USD": UNITS}, node=here)
    with market, home, alone:
        wait_for(lambda: "node" in home.status(), "the home")
        wait_for(lambda: home.status()["market BTC-USD"].startswith("continuous"), "the nodes to meet")
        rates: dict[Floor, list[float]] = {alone: [], home: []}
        first: dict[Floor, list[float]] = {alone: [], home: []}
        final: list[float] = []
        for _ in range(rounds):
            for floor in alone, home:
                load = Load(floor.host, floor.port, ["ALPHA"], orders, Flow(), next(RUNS))
                rates[floor].append(load.closed(WINDOW).orders_per_second)
                load.close()
                answered = one_by_one(floor, single)
                first[floor] += answered[0]
                final += answered[1] if floor is home else []
        for floor in market, home, alone:
            assert floor.terminate() == 0, floor.errors
    report(rates[alone], rates[home], first[alone], first[home], final)


def report(
    alone: list[float], home: list[float], new: list[float], pending: list[float], final: list[float]
) -> None:
    middle = statistics.median
    print(f"orders/s, market on another node / on this one: {middle(home) / middle(alone):.2f}")
    print(f"p50 to pending there / to new here: {middle(pending) / middle(new):.2f}")
    print(f"p50 to new there / to new here: {middle(final) / middle(new):.2f}")
    print(f"  {middle(alone):,.0f} and {middle(home):,.0f} orders/s; {1e6 * middle(new):,.0f}, ", end="")
    print(f"{1e6 * middle(pending):,.0f} and {1e6 * middle(final):,.0f} us")


def one_by_one(floor: Floor, orders: int) -> tuple[list[float], list[float]]:
    """Seconds to the first word on each order, and to the market's."""
    client = RawClient(floor.host, floor.port, "BRAVO")
    client.logon(reset=True)
    client.settle()
    first, final = [], []
    for number in range(orders):
        order = new_order(
            f"{next(RUNS)}-{number}", BUY, "0.0001", "10.00", symbol="BTC-USD", account="BRAVO-1"
        )
        begin = time.perf_counter()
        client.send(*order)
        answer = client.receive()
        first.append(time.perf_counter() - begin)
        if answer[150] == PENDING_NEW:
            answer = client.receive()
        final.append(time.perf_counter() - begin)
        assert answer[150] == NEW, answer
    client.logout()
    return first, final


if __name__ == "__main__":
    main()
