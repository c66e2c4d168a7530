"""The long run: `python -m tests.fuzz --messages 100000`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.live import Found, Report, run
from tests.fuzz.suspects import fails, read


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000, help="mutated messages in all")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="makes the same ones again")
    parser.add_argument("--rate", type=float, default=200.0, help="orders a second of the honest client")
    parser.add_argument("--quiet", type=float, default=20.0, help="seconds it is alone before the attack")
    parser.add_argument(
        "--replay", type=Path, metavar="FILE", help="an input that was kept, and nothing else"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        if args.replay:
            failed = fails(Path(directory), *read(args.replay))
            print("the venue fails" if failed else "the venue goes on")
            return int(failed)
        print(f"seed {args.seed}", flush=True)
        try:
            _show(run(Path(directory), args.seed, args.messages, args.rate, args.quiet))
        except Found as found:
            print(found, file=sys.stderr)
            return 1
    return 0


def _show(report: Report) -> None:
    print(
        f"{report.messages} messages over {report.connections} connections in {report.seconds:.1f} s, "
        f"{report.answers} answers"
    )
    print("honest client, ms     p50      p99    p99.9    worst   orders")
    for name, latencies in (("before", report.before), ("during", report.during)):
        values = sorted(1000 * each for each in latencies)
        shares = [values[min(int(len(values) * share), len(values) - 1)] for share in (0.5, 0.99, 0.999, 1)]
        print(f"  {name:12}" + "".join(f"{value:9.2f}" for value in shares) + f"{len(values):9}")
    print("venue's own memory, MiB: {:.1f} before, {:.1f} after".format(*report.memory))


if __name__ == "__main__":
    sys.exit(main())
