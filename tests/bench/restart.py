"""`python -m tests.bench.restart`: a start that replays the whole journal, beside one from a snapshot and the
journal after it."""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections import deque
from pathlib import Path

from engine.commands import CancelOrder, Command, NewOrder
from engine.words import BUY, DAY, LIMIT, SELL
from fixgw.cycle.recovery import recover
from fixgw.store import journal
from fixgw.store.store import Store
from tests.bench.table import machine
from tests.venue.floor import Floor
from tests.venue.operating import fixgw

LIVE = 10_000
"""orders in the book"""
AT_ONCE = 2_000
WHO = "ALPHA", "ALPHA"
"""client and session"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.restart", description=__doc__)
    parser.add_argument("--entries", type=int, default=1_000_000, help="of the journal (default 1000000)")
    parser.add_argument("--tail", type=int, default=10_000, help="of them after the snapshot (default 10000)")
    parser.add_argument("--directory", type=Path, help="the disk to measure (default: the temporary one)")
    args = parser.parse_args()
    print(f"{machine()}; {args.entries:,} journal entries, {args.tail:,} after the snapshot", flush=True)
    with tempfile.TemporaryDirectory(dir=args.directory) as folder:
        venue = Floor(Path(folder), snapshots={"entries": 0}, store={"map_size_mib": 65536})
        started(venue)
        begin = time.perf_counter()
        grow(venue.data, args.entries - args.tail)
        print(f"the journal is written: {time.perf_counter() - begin:.0f} s", flush=True)
        begin = time.perf_counter()
        made = fixgw("snapshot", "--data", venue.data, patience=3600)
        assert made.returncode == 0, made
        size = sum(path.stat().st_size for path in (venue.data / "snapshots").iterdir())
        print(f"the first snapshot: {size / 1e6:.1f} MB, {time.perf_counter() - begin:.1f} s", flush=True)
        grow(venue.data, args.tail)
        print(f"the store: {(venue.data / 'venue.mdb').stat().st_blocks * 512 / 1e6:,.0f} MB", flush=True)
        copy = Path(folder) / "copy"
        shutil.copytree(venue.data, copy, ignore=shutil.ignore_patterns("snapshots"))
        from_snapshot, state = started(venue)
        print(f"a start from it: {from_snapshot:.1f} s", flush=True)
        shutil.rmtree(venue.data)
        shutil.move(copy, venue.data)
        full, again = started(venue)
        print(f"a start that replays all: {full:.1f} s")
        assert state == again, "the states differ"
        print(f"from the snapshot / all: {from_snapshot / full:.3f}; the states are the same")


def started(venue: Floor) -> tuple[float, str]:
    """Seconds until it takes connections, and its state then."""
    begin = time.perf_counter()
    venue.start(timeout=3600)
    seconds = time.perf_counter() - begin
    state = venue.ready_line.split("state=")[1].split()[0]
    assert venue.terminate() == 0
    return seconds, state


def grow(data: Path, entries: int) -> None:
    """The journal goes on by so many: orders that rest, trade, and are canceled."""
    store = Store(data, 64 << 30)
    try:
        found = recover(store, data)
        venue, sequence, number = found.venue, found.sequence, found.event_sequence + 1
        live = deque(
            (each.cl_ord_id, each.side) for orders in venue.live.values() for each in orders.values()
        )
        end = sequence + entries
        while sequence < end:
            with store.write() as transaction:
                for _ in range(min(AT_ONCE, end - sequence)):
                    sequence += 1
                    command = next_command(sequence, live)
                    if venue.refusal(command) is not None:  # the order that it would cancel has traded
                        command = order(sequence, live)
                    events = venue.apply(sequence, command)
                    journal.append(store, transaction, sequence, journal.Entry(command, number, events))
                    number += len(events)
    finally:
        store.close()


def next_command(sequence: int, live: deque[tuple[str, str]]) -> Command:
    if len(live) < LIVE:
        return order(sequence, live)
    name, side = live.popleft()
    return CancelOrder(time.time_ns(), *WHO, f"c{sequence}", name, "M1-USD", side)


def order(sequence: int, live: deque[tuple[str, str]]) -> NewOrder:
    """Some of them cross."""
    side = BUY if sequence % 2 else SELL
    name, price = f"n{sequence}", 10_000 + (-1 if side == BUY else 1) * (sequence * 7 % 100 - 5)
    live.append((name, side))
    return NewOrder(time.time_ns(), *WHO, "ALPHA-1", name, "M1-USD", side, LIMIT, DAY, 10, price)


if __name__ == "__main__":
    main()
