"""`python -m tests.bench.record`: reads and flushes a second of both kinds of record, beside what disk and
server can do at best. A server of its own is started for it, with fsync."""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psycopg

from fixgw.record.record import Record
from tests.bench.disk import fdatasync
from tests.bench.table import machine
from tests.record.kinds import Lmdb, Place, Postgresql, flush, opened
from tests.record.server import PostgresqlServer, binaries

BALANCES = (("BTC", 12_345_678), ("ETH", 987_654_321), ("USD", 123_456_789_012))
WINDOWS = (1, 16)
BATCHES = (1, 100, 1000)
FILL = 2000


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.record", description=__doc__)
    parser.add_argument("--users", type=int, default=100_000, help="in the record (default 100000)")
    parser.add_argument("--seconds", type=float, default=2, help="for each figure (default 2)")
    parser.add_argument("--directory", type=Path, help="the disk to measure (default: the temporary one)")
    args = parser.parse_args()
    print(f"{machine()}; {args.users:,} users of {len(BALANCES)} currencies\n")
    with tempfile.TemporaryDirectory(dir=args.directory) as folder:
        waits = fdatasync(Path(folder), 500)
        show("fdatasync of 4 KiB", 500 / (sum(waits) / 1e6))
        await measure("lmdb", Lmdb(Path(folder), 4 << 30), args.users, args.seconds)
    if binaries() is None:
        print("no PostgreSQL server is installed")
        return
    with PostgresqlServer(durable=True, directory=args.directory) as server:
        await select_1(server.url(), args.seconds)
        await measure("postgresql", Postgresql(server.url(), "fixgw"), args.users, args.seconds)


async def measure(kind: str, place: Place, users: int, seconds: float) -> None:
    names = [f"U{number:07}" for number in range(users)]
    versions = dict.fromkeys(names, 0)
    chance = random.Random(1)
    async with opened(place) as record:
        for first in range(0, users, FILL):
            await write(record, names[first : first + FILL], versions)
        for window in WINDOWS:
            rate = await rate_of(lambda: record.read(chance.choice(names)), window, seconds)
            show(f"{kind}: reads, {window} at a time", rate)
        for batch in BATCHES:
            rate = await rate_of(lambda: write(record, chance.sample(names, batch), versions), 1, seconds)  # noqa: B023
            show(f"{kind}: flushes, {batch} in a batch", rate * batch)
        begin = time.perf_counter()
        await record.totals()
        print(f"{kind}: totals of all users: {time.perf_counter() - begin:.2f} s")
    print()


async def write(record: Record, names: list[str], versions: dict[str, int]) -> None:
    batch = [flush(name, versions[name], *BALANCES, epoch=versions[name]) for name in names]
    for name, written in zip(names, await record.write(batch), strict=True):
        assert written.done
        versions[name] = written.version


async def select_1(url: str, seconds: float) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        show("SELECT 1, 1 at a time", await rate_of(lambda: connection.execute("SELECT 1"), 1, seconds))


async def rate_of(work: Callable[[], Awaitable[object]], window: int, seconds: float) -> float:
    """Per second: the median of five stretches."""
    rates = []
    for _ in range(5):
        begin = time.perf_counter()
        until = begin + seconds / 5

        async def one_after_another(until: float = until) -> int:
            done = 0
            while time.perf_counter() < until:
                await work()
                done += 1
            return done

        done = await asyncio.gather(*(one_after_another() for _ in range(window)))
        rates.append(sum(done) / (time.perf_counter() - begin))
    return statistics.median(rates)


def show(what: str, rate: float) -> None:
    print(f"{what:<36}{rate:>10,.0f} /s")


if __name__ == "__main__":
    asyncio.run(main())
