"""`fixgw log copies`: drop copies against what order entry sessions were sent."""

import argparse
from contextlib import closing

from fixgw.dropcopy.comparing import compare
from fixgw.store.directory import data_path
from fixgw.store.failures import StoreError, in_words
from fixgw.store.sessions import load
from fixgw.store.store import Store

MOST = 20
"""differences of one session that are shown"""
DIFFERENT = 1
"""exit code"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Compare what drop copy sessions were sent with what the sessions of order entry were sent, report "
        "by report. Exit code: 0 if all are equal, 1 if not. The venue may run meanwhile."
    )
    parser.add_argument("names", nargs="*", metavar="SESSION", help="drop copy sessions; default: all")
    parser.add_argument("--data", type=data_path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def copies_command(args: argparse.Namespace) -> int:
    """Exit code. Raises StoreError."""
    code = 0
    with (
        in_words(args.data),
        closing(Store(args.data, 0, readonly=True)) as venue,
        closing(Store(args.data / "drop-copy", 0, readonly=True)) as copies,
    ):
        known = load(copies)
        for name in args.names or sorted(known):
            if name not in known:
                raise StoreError(f"no drop copy session {name!r}; there are: {', '.join(sorted(known))}")
            found = compare(venue, copies, name, MOST)
            alone = f", {found.alone} without their originals" if found.alone else ""
            print(f"{name}: {found.compared} compared{alone}, {len(found.differences)} differ")
            for line in found.differences:
                print(f"  {line}")
            code = DIFFERENT if found.differences else code
    return code
