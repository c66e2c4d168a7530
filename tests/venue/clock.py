"""`python -m tests.venue.clock FILE ...`: fixgw with a clock that a test moves. FILE holds the seconds by
which it is ahead of the true one. Only the venue's own clock, of which the trading day comes, is moved."""

from __future__ import annotations

import sys
import time
from pathlib import Path

SECOND = 10**9


def main() -> int:
    ahead = Path(sys.argv[1])
    true_time = time.time_ns
    time.time_ns = lambda: true_time() + int(ahead.read_text()) * SECOND
    from fixgw.cli import main as fixgw  # after the clock is in place

    return fixgw(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
