"""`python -m tests.bench.market_data`: what a market data station costs. First the publisher alone, on a
journal that is there: entries a second with so many subscribers of one full book, served after every look.
Then beside a venue under a steady load: what its clients notice, and how long a trade takes from its logged
time to a subscriber that reads at once."""

from __future__ import annotations

import argparse
import os
import re
import select
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import yaml

from fixgw.codec.market_data import Form
from fixgw.codec.times import nanoseconds
from fixgw.marketdata.books import Books
from fixgw.marketdata.desk import ENTRIES
from fixgw.marketdata.feeds import Feeds
from fixgw.marketdata.subscriber import Limits, Subscriber
from fixgw.publish.replica import Replica
from tests.bench.load import Load, Result
from tests.bench.measure import RUNS
from tests.bench.orders import Flow
from tests.bench.table import machine
from tests.marketdata.station import station, station_pid
from tests.process import CONFIG, VenueProcess
from tests.raw import RawClient

SUBSCRIBERS = (1, 10, 100)
CROSSING = 0.3
LOOK = 4
"""batches of ENTRIES that one look reads under load"""
FIELDS = "264=0|265=1|267=3|269=0|269=1|269=2|146=1|55=BTC-USD|"
_TRADE = re.compile(rb"269=2\x01.*?\x01272=(\d+)\x01273=([\d:.]+)\x01")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.market_data", description=__doc__)
    parser.add_argument("--orders", type=int, default=30_000)
    parser.add_argument("--rate", type=int, default=1_500, help="orders a second of the steady load")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        data = make_journal(Path(folder), args.orders)
        for name, count in (
            ("replica alone", None),
            ("books", 0),
            *((f"{n} subscribers", n) for n in SUBSCRIBERS),
        ):
            print(f"{name:>20}: {take(data, count):>9,.0f} entries/s")
    for _ in range(args.rounds):
        for count in (None, 0, *SUBSCRIBERS):
            beside(args.rate, count)


def make_journal(folder: Path, orders: int) -> Path:
    with VenueProcess(folder / "data", config=write_config(folder, None)) as venue:
        run(venue, orders).closed(1000)
        assert venue.terminate() == 0
    return folder / "data"


def write_config(folder: Path, subscribers: int | None) -> Path:
    settings = yaml.safe_load(CONFIG.read_text())
    settings["snapshots"] = {"entries": 0}
    if subscribers is not None:
        sessions = {f"MD{n}": {"timestamps": "microseconds"} for n in range(max(subscribers, 1))}
        settings["market_data"] = {"port": 0, "sessions": sessions}
    path = folder / "venue.yaml"
    path.write_text(yaml.safe_dump(settings))
    return path


def run(venue: VenueProcess, orders: int) -> Load:
    return Load(venue.host, venue.port, ["ALPHA"], orders, Flow(CROSSING), next(RUNS))


def take(data: Path, subscribers: int | None) -> float:
    """Entries a second from the store to the bytes for each subscriber; None: the engine's state alone."""
    replica = Replica(data)
    books = Books(replica.venue, 0)
    feeds = Feeds(books)
    everyone = [Subscriber(feeds, Form("FIX.4.4", 3), Limits()) for _ in range(subscribers or 0)]
    begin, taken, looks = time.perf_counter(), 0, 0
    while entries := replica.following(ENTRIES):
        for sequence, entry in entries:
            replica.apply(sequence, entry)
            if subscribers is not None:
                books.hear(entry.events)
        taken += len(entries)
        looks += 1
        if looks % LOOK == 0:
            if books.get("BTC-USD") is not None:
                for number, each in enumerate(everyone):
                    if taken == LOOK * ENTRIES:
                        fields = FIELDS.replace("|", "\x01")
                        each.request(f"8=FIX.4.4\x0135=V\x01262={number}\x01263=1\x01{fields}10=000\x01", 0.0)
            for reader in feeds.advance():
                reader.subscriber.stir(reader, 0.0)
            for each in everyone:
                while each.due(0.0):
                    each.serve(0.0)
    replica.follower.close()
    return taken / (time.perf_counter() - begin)


def beside(rate: int, subscribers: int | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = write_config(Path(folder), subscribers)
        with VenueProcess(Path(folder) / "data", config=config) as venue:
            name = "no market data" if subscribers is None else f"{subscribers} subscribers"
            with listening(venue, subscribers) as lags:
                load, pid = run(venue, 4 * rate), None if subscribers is None else station_pid(venue)
                begin, used = time.perf_counter(), processor(pid)
                result = load.open(rate)
                share = (processor(pid) - used) / (time.perf_counter() - begin)
                load.close()
                time.sleep(0.5)
            show(name, result, sorted(lags), share)
            assert venue.terminate() == 0


def processor(pid: int | None) -> float:
    """Seconds of processor time that it has taken; 0 for none."""
    if pid is None:
        return 0.0
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def show(name: str, result: Result, lags: list[float], share: float) -> None:
    line = f"{name:>20}: p50 {result.p50:,.0f} µs, p99 {result.p99:,.0f} µs"
    if share:
        line += f"; station {share:.0%} of a processor"
    if lags:
        middle, most = lags[len(lags) // 2], lags[len(lags) * 99 // 100]
        line += f"; trades after p50 {middle * 1e3:,.1f} ms, p99 {most * 1e3:,.1f} ms ({len(lags)} seen)"
    print(line, flush=True)


@contextmanager
def listening(venue: VenueProcess, subscribers: int | None) -> Iterator[list[float]]:
    """Seconds from the logged time of a trade until the first subscriber has read it. The others read and
    throw away."""
    lags: list[float] = []
    if subscribers is None:
        yield lags
        return
    where = station(venue)
    clients = [RawClient(*where, f"MD{number}") for number in range(subscribers)]
    for client in clients:
        client.logon(heartbeat=300, reset=True)
        fields: list[Any] = [tuple(each.split("=")) for each in FIELDS[:-1].split("|")]
        client.send("V", [(262, "R"), (263, 1), *((int(tag), value) for tag, value in fields)])
        client.socket.setblocking(False)
    ours, theirs = Pipe()
    reader = Process(target=read, args=(clients, theirs))
    reader.start()
    try:
        yield lags
    finally:
        ours.send("stop")
        lags += ours.recv()
        reader.join()
        for client in clients:
            client.close()


def read(clients: list[RawClient], told: Connection) -> None:
    """In a process of its own, so that the load generator does not wait for it."""
    lags: list[float] = []
    sockets = [client.socket for client in clients]
    while not told.poll():
        for each in select.select(sockets, [], [], 0.1)[0]:
            data = each.recv(1 << 18)
            if each is sockets[0]:
                now = time.time_ns()
                for date, clock in _TRADE.findall(data):
                    lags.append((now - nanoseconds(f"{date.decode()}-{clock.decode()}")) / 1e9)
    told.send(lags)


if __name__ == "__main__":
    main()
