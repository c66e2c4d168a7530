"""What the disk alone costs: appending 4 KiB to a file and fdatasync, one at a time."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

BLOCK = b"\x5a" * 4096


def fdatasync_microseconds(directory: Path, rounds: int) -> list[float]:
    """The time of each append with its fdatasync, in a new file in `directory`, sorted."""
    times = []
    with tempfile.NamedTemporaryFile(dir=directory) as file:
        descriptor = file.fileno()
        for _ in range(rounds):
            begin = time.perf_counter_ns()
            os.write(descriptor, BLOCK)
            os.fdatasync(descriptor)
            times.append((time.perf_counter_ns() - begin) / 1000)
    return sorted(times)


def main() -> None:
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir())
    times = fdatasync_microseconds(directory, 1000)
    print(f"fdatasync of 4 KiB in {directory}: p50 {times[500]:.0f} µs, p99 {times[990]:.0f} µs")


if __name__ == "__main__":
    main()
