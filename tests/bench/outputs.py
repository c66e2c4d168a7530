"""`python -m tests.bench.outputs`: what it costs a venue that its log is read. The same orders to a venue
without outputs and to one with some, in interleaved rounds: orders/s with 1,000 outstanding. Which outputs
run, and whether their readers read, is for the command line; how far they are behind after a run is shown."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from typing import Any

from tests.bench.history import market
from tests.bench.load import Load
from tests.bench.orders import Flow
from tests.bench.table import machine
from tests.raw import Disconnected, NothingCame, RawClient
from tests.venue.floor import Floor
from tests.venue.users import wait_for

WINDOW = 1000
RUNS = count(1)
FREE = {"messages_per_second": 1_000_000}
SECTIONS: dict[str, dict[str, Any]] = {
    "drop-copy": {"drop_copy": {"port": 0, "sessions": {"COPY": FREE}}},
    "market-data": {"market_data": {"port": 0, "sessions": {"FEED": FREE}}},
    "history": {"history": {"on": "yes"}},
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.outputs", description=__doc__)
    parser.add_argument("outputs", nargs="*", help="default: all")
    parser.add_argument("--orders", type=int, default=30_000, help="of each run (default 30000)")
    parser.add_argument("--rounds", type=int, default=5, help="default 5")
    parser.add_argument("--crossing", type=float, default=0.3, help="share that trades (default 0.3)")
    parser.add_argument("--still", action="store_true", help="the FIX readers log on and read nothing")
    args = parser.parse_args()
    print(machine(), flush=True)
    names = args.outputs or list(SECTIONS)
    sections = {name: each for output in names for name, each in SECTIONS[output].items()}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        for name in "without", "with":
            (Path(folder) / name).mkdir()
        plain = stack.enter_context(Floor(Path(folder) / "without", instruments={"BTC-USD": market()}))
        read = stack.enter_context(
            Floor(Path(folder) / "with", instruments={"BTC-USD": market()}, **sections)
        )
        lines = {name: ready(read, name) for name in names}
        for reader in readers(lines):
            threading.Thread(target=swallow, args=(reader, args.still), daemon=True).start()
        measure(plain, read, args.orders, args.rounds, args.crossing)


def measure(plain: Floor, read: Floor, orders: int, rounds: int, crossing: float) -> None:
    rates: dict[Floor, list[float]] = {plain: [], read: []}
    for number in range(rounds):
        for floor in (plain, read) if number % 2 else (read, plain):
            load = Load(floor.host, floor.port, ["ALPHA", "BRAVO"], orders, Flow(crossing), next(RUNS))
            rates[floor].append(load.closed(WINDOW).orders_per_second)
            load.close()
            if floor is read:
                for line in standing(read):
                    print(f"  at the end of a run: {line}", flush=True)
                wait_for(lambda: all("; 0 events behind" in line for line in standing(read)), "the outputs")
    pairs = [one / other for one, other in zip(rates[read], rates[plain], strict=True)]
    print(f"orders/s with the outputs / without: {statistics.median(pairs):.2f} (median of {rounds} rounds,")
    print(f"  {min(pairs):.2f} to {max(pairs):.2f}); without {statistics.median(rates[plain]):,.0f}")


def standing(floor: Floor) -> list[str]:
    return [line for line in floor.lines() if line.startswith("output")]


def ready(floor: Floor, name: str) -> str:
    def line() -> str:
        return next((each for each in standing(floor) if f"{name} " in each and " ready " in each), "")

    return wait_for(line, name)


def readers(lines: dict[str, str]) -> list[RawClient]:
    """Logged on, and subscribed where that needs a request."""
    found = []
    for name, comp_id in (("drop-copy", "COPY"), ("market-data", "FEED")):
        if name in lines:
            address = next(word for word in lines[name].split() if word.startswith("127.0.0.1:"))
            reader = RawClient("127.0.0.1", int(address.rpartition(":")[2]), comp_id)
            reader.logon(heartbeat=300)
            if name == "market-data":
                entries = [(267, 3), (269, 0), (269, 1), (269, 2)]
                reader.send(
                    "V", [(262, "1"), (263, 1), (264, 0), (265, 1), *entries, (146, 1), (55, "BTC-USD")]
                )
            found.append(reader)
    return found


def swallow(reader: RawClient, still: bool) -> None:
    """Reads bytes and does nothing with them."""
    with suppress(OSError, Disconnected, NothingCame):
        while not still and reader.socket.recv(1 << 20):
            pass


if __name__ == "__main__":
    main()
