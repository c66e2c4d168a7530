"""`fixgw snapshot`: follows the journal of a venue, running or not, from the last snapshot on, in a process
of its own. It applies every entry again and compares what comes of it with what the venue has written
down; then it writes the next snapshot. The venue starts it by itself."""

import argparse
import os
import sys
from pathlib import Path

from fixgw.cycle.recovery import recover
from fixgw.snapshots import files
from fixgw.store import journal
from fixgw.store.directory import check_kinds, data_path
from fixgw.store.failures import StoreError, in_words, of_system
from fixgw.store.store import OWNER, Store

NOT_NOW, UNUSABLE = 1, 2
"""exit codes"""
KEEP = 3
"""snapshots: should one be damaged, the one before is used"""
NICE = 10
"""by which it gives way to the venue"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Replay the journal from the last snapshot on, compare what comes of it with what was written down, "
        "and write a snapshot, from which the next start goes on. `fixgw serve` does this by itself."
    )
    parser.add_argument("--data", type=data_path, default=Path("data"), help="the venue's data directory")
    parser.add_argument(
        "--keep", type=int, default=KEEP, metavar="N", help=f"snapshots that stay; default {KEEP}"
    )


def snapshot_command(args: argparse.Namespace) -> int:
    """Exit code: 0; 1 if none can be made now; 2 if the journal cannot be read, or does not give what it gave
    before."""
    os.nice(NICE)
    try:
        with in_words(args.data):
            check_kinds(args.data)
        line = make_snapshot(args.data, max(args.keep, 1))
    except StoreError as problem:
        print(f"fixgw snapshot: {problem}", file=sys.stderr)
        return UNUSABLE
    except BlockingIOError:
        print("fixgw snapshot: another one is being made", file=sys.stderr)
        return NOT_NOW
    except OSError as problem:
        print(f"fixgw snapshot: {problem.filename or args.data}: {of_system(problem)}", file=sys.stderr)
        return NOT_NOW
    print(line)
    return 0


def make_snapshot(directory: Path, keep: int) -> str:
    """Of all that is committed now. Raises StoreError for the journal, OSError for the snapshot."""
    store = Store(directory, 0, readonly=True)
    try:
        with files.one_at_a_time(directory):
            return _make(store, directory, keep)
    finally:
        store.close()


def _make(store: Store, directory: Path, keep: int) -> str:
    with in_words(directory):
        recovered = recover(store, directory)
    if not recovered.replayed:
        return f"nothing new since journal entry {recovered.sequence}"
    with store.read() as transaction:
        owner = transaction.get(OWNER, db=store.meta)
        entry = journal.fingerprint(store, transaction, recovered.sequence)
    assert owner is not None
    path = files.write(directory, owner, recovered.venue, entry, recovered.event_sequence)
    files.forget_old(directory, path, keep)
    return f"{path}: journal entry {recovered.sequence}, {recovered.replayed} entries replayed and compared"
