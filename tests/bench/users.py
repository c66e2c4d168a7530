"""`python -m tests.bench.users`: a venue that knows many users and has some of them in memory. One order in
ten is a cold user's first, beside the same orders of users who are all in memory; what a user costs; and what
those in memory notice of a record that stands still."""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from engine.user_commands import Row
from engine.user_events import BeginDehydrate
from fixgw.record.lmdb import LmdbRecord
from tests.bench.load import Load, Result
from tests.bench.orders import Flow
from tests.bench.table import machine
from tests.raw import BUY, RawClient, new_order
from tests.venue.floor import Floor
from tests.venue.users import held_record, shards

MIB = 1 << 20
WINDOW = 1000
ROW = Row("ALPHA", (("BTC", 10**9), ("USD", 10**11)))
FILL = 2000
MARKET = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001"}
MARKET |= {"max_quantity": "1000", "max_price": "1000000"}
COLD = 0.1
"""share of the orders that are a cold user's first"""
STANDSTILL = 5.0
"""seconds"""
RATE = 1000.0
"""orders a second meanwhile"""
IOC = "3"
"""so that everyone is flat again, and may leave"""
RUNS = count(1)


def name(number: int) -> str:
    return f"U{number:07}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.users", description=__doc__)
    parser.add_argument("--known", type=int, default=1_000_000, help="users in the record (default 1000000)")
    parser.add_argument("--resident", type=int, default=100_000, help="in memory (default 100000)")
    parser.add_argument("--orders", type=int, default=30_000, help="of each run (default 30000)")
    parser.add_argument("--rounds", type=int, default=3, help="of both kinds in turn (default 3)")
    parser.add_argument("--directory", type=Path, help="the disk to measure (default: the temporary one)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.directory) as folder:
        Bench(Path(folder), args.known, args.resident, args.orders).run(args.rounds)


class Bench:
    """Users by number: first those who are in memory and quiet, then those who trade, then all others."""

    def __init__(self, directory: Path, known: int, resident: int, orders: int) -> None:
        # A sixteenth of the places is kept free for who comes next.
        users = {"resident": resident * 16 // 15 + 1, "idle_seconds": 86_400, "wait_seconds": 60}
        self.venue = Floor(directory, users=users, instruments={"BTC-USD": MARKET}, snapshots={"entries": 0})
        self.known, self.orders = known, orders
        self.quiet, self.resident = resident * 4 // 5, resident
        self._next_cold = resident
        self._chance = random.Random(1)

    def run(self, rounds: int) -> None:
        print(f"{machine()}; {self.known:,} users known, {self.resident:,} in memory", flush=True)
        with self.venue:
            assert self.venue.terminate() == 0
        self._fill()
        with self.venue:
            self._memory()
            self._throughput(rounds)
            self._standstill()
            assert self.venue.terminate() == 0, self.venue.errors

    # -- what a user costs -----------------------------------------------------------------------------

    def _fill(self) -> None:
        """The record gets its users."""
        file = self.venue.data / "accounts.mdb"

        async def fill() -> None:
            record = LmdbRecord(self.venue.data, 16 << 30)
            for first in range(0, self.known, FILL):
                numbers = range(first, min(first + FILL, self.known))
                await record.write([BeginDehydrate(1, name(each), "S1", 1, 0, ROW) for each in numbers])
            await record.close()

        before = file.stat().st_blocks * 512
        asyncio.run(fill())
        on_disk = (file.stat().st_blocks * 512 - before) / self.known
        print(f"a cold user: {on_disk:.0f} bytes on disk", flush=True)

    def _memory(self) -> None:
        before = self.venue.memory_mib()["own_mib"]
        print(f"the venue with all users cold: {before:.0f} MiB of its own", flush=True)
        begin = time.perf_counter()
        self._closed(name, self.resident)
        seconds = time.perf_counter() - begin
        after = self.venue.memory_mib()["own_mib"]
        there = shards(self.venue)["S1"].in_memory
        assert there >= self.resident, there
        print(f"a user in memory: {(after - before) * MIB / there:,.0f} bytes (two balances, no order)")
        print(f"first orders of cold users, and nothing else: {self.resident / seconds:,.0f}/s", flush=True)

    # -- what cold users cost --------------------------------------------------------------------------

    def _throughput(self, rounds: int) -> None:
        warm, mixed = [], []
        for _ in range(rounds):
            warm.append(self._closed(self._warm, self.orders).orders_per_second)
            mixed.append(self._closed(self._mixed, self.orders).orders_per_second)
            print(f"  orders/s: {warm[-1]:,.0f} all in memory, {mixed[-1]:,.0f} with cold ones", flush=True)
        ratio = statistics.median(mixed) / statistics.median(warm)
        print(f"orders/s, {COLD:.0%} of them a cold user's first / all in memory: {ratio:.2f}", flush=True)

    def _warm(self, _: int) -> str:
        return name(self._chance.randrange(self.quiet, self.resident))

    def _mixed(self, order: int) -> str:
        return self._cold() if self._chance.random() < COLD else self._warm(order)

    def _cold(self) -> str:
        self._next_cold += 1
        assert self._next_cold < self.known, "no cold user is left: more --known, or fewer --orders"
        return name(self._next_cold)

    def _closed(self, account: Callable[[int], str], orders: int) -> Result:
        load = self._load(account, orders)
        result = load.closed(WINDOW)
        load.close()
        assert result.reports == 2 * orders, result  # accepted, and canceled at once
        return result

    def _load(self, account: Callable[[int], str], orders: int) -> Load:
        flow = Flow(time_in_force=IOC, account=account)
        return Load(self.venue.host, self.venue.port, ["ALPHA"], orders, flow, next(RUNS))

    # -- a record that stands still --------------------------------------------------------------------

    def _standstill(self) -> None:
        """At a rate that leaves it time; cold users' orders are sent through another session."""
        p99: dict[bool, list[float]] = {False: [], True: []}
        for still in (False, True) * 3:
            load = self._load(self._warm, int(RATE * (STANDSTILL + 3)))
            cold = threading.Thread(target=self._cold_orders, args=(still,))
            cold.start()
            result = load.open(RATE)
            cold.join()
            load.close()
            p99[still].append(result.p99)
            what = f"record stands still for {STANDSTILL:g} s" if still else "record answers"
            print(f"  {what}: p50 {result.p50:,.0f} us, p99 {result.p99:,.0f} us", flush=True)
        ratio = statistics.median(p99[True]) / statistics.median(p99[False])
        print(f"p99 of users in memory at {RATE:,.0f} orders/s, record stands still / answers: {ratio:.2f}")

    def _cold_orders(self, still: bool) -> None:
        client = RawClient(self.venue.host, self.venue.port, "ALPHA2", timeout=60)
        client.logon(reset=True)
        client.settle()
        if still:
            with held_record(self.venue):
                orders = list(self._send_cold(client))
                time.sleep(STANDSTILL)
        else:
            orders = list(self._send_cold(client))
        for _ in range(2 * len(orders)):
            assert client.receive()[150] != "8"
        client.logout()

    def _send_cold(self, client: RawClient) -> Iterator[str]:
        for _ in range(200):
            account = self._cold()
            how: dict[str, Any] = {"symbol": "BTC-USD", "account": account, "time_in_force": IOC}
            client.send(*new_order(f"cold-{account}", BUY, "0.0001", "10.00", **how))
            yield account


if __name__ == "__main__":
    main()
