"""`python -m tests.metrics.still NANOSECONDS metered|unmetered ...`: fixgw whose logged time stands still."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext


def main() -> int:
    now, kind = int(sys.argv[1]), sys.argv[2]
    time.time_ns = lambda: now
    from fixgw.cli import main as fixgw  # after the clock is in place
    from tests.unmetered import unmetered

    with unmetered() if kind == "unmetered" else nullcontext():
        return fixgw(sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())
