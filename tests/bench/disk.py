"""What the disk alone costs, and what LMDB makes of it: one commit writes and waits twice, first for the
pages, then for the meta page that names them."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import lmdb

TABLES = 5
"""what one order touches: journal, ClOrdIDs, events, outbox, sessions"""


def fdatasync(directory: Path, rounds: int) -> list[float]:
    """Microseconds for each append of 4 KiB to a new file in `directory` with its fdatasync, sorted."""
    with tempfile.NamedTemporaryFile(dir=directory) as file:
        descriptor = file.fileno()

        def append(_: int) -> None:
            os.write(descriptor, b"\x5a" * 4096)
            os.fdatasync(descriptor)

        return _timed(append, rounds)


def lmdb_commit(directory: Path, rounds: int) -> list[float]:
    """Microseconds for each commit of one small record in each of five tables, sorted."""
    with (
        tempfile.TemporaryDirectory(dir=directory) as folder,
        lmdb.open(folder, max_dbs=TABLES, map_size=1 << 28) as environment,
    ):
        tables = [environment.open_db(b"%d" % number) for number in range(TABLES)]

        def commit(number: int) -> None:
            with environment.begin(write=True) as transaction:
                for table in tables:
                    transaction.put(number.to_bytes(8, "big"), b"\x5a" * 120, db=table)

        return _timed(commit, rounds)


def _timed(action: Callable[[int], None], rounds: int) -> list[float]:
    times = []
    for number in range(rounds):
        begin = time.perf_counter_ns()
        action(number)
        times.append((time.perf_counter_ns() - begin) / 1000)
    return sorted(times)


def main() -> None:
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir())
    for what in (fdatasync, lmdb_commit):
        times = what(directory, 1000)
        print(f"{what.__name__} in {directory}: p50 {times[500]:.0f} µs, p99 {times[990]:.0f} µs")


if __name__ == "__main__":
    main()
