"""`python -m acceptance.reference`: the reference venue as a process of its own."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from acceptance.reference.faults import Fault, Faults
from acceptance.reference.settings import Mistake, load
from acceptance.reference.venue import ReferenceVenue


def main() -> int:
    """Exit code: 0, or 2 for arguments or settings that cannot be used."""
    parser = argparse.ArgumentParser(prog="acceptance.reference", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 (the default) takes a free one")
    parser.add_argument("--data", type=Path, default=Path("reference-data"), metavar="DIR")
    parser.add_argument(
        "--settings", type=Path, metavar="FILE", help="default: the sessions of the demo venue"
    )
    parser.add_argument("--fault", action="append", default=[], metavar="NAME", help="breaks one behaviour")
    parser.add_argument("--faults", action="store_true", help="lists the faults, and ends")
    args = parser.parse_args()
    if args.faults:
        for fault in Fault:
            print(f"{fault.label:32} {fault.case:12} {fault.words}")
        return 0
    known = {fault.label: fault for fault in Fault}
    unknown = [name for name in args.fault if name not in known]
    if unknown:
        print(f"there is no fault {unknown[0]!r}; --faults lists them", file=sys.stderr)
        return 2
    try:
        faults = Faults(known[name] for name in args.fault)
        venue = ReferenceVenue(load(args.settings), args.data, faults, args.port)
    except (Mistake, OSError) as problem:
        print(f"acceptance.reference: {problem}", file=sys.stderr)
        return 2
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: venue.stop())
    print(f"ready reference 1 127.0.0.1:{venue.port}", flush=True)
    venue.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
