"""`fixgw log …`: prints what the store holds, while the venue runs or after."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import lmdb

from fixgw.codec.frame import Frame
from fixgw.codec.readable import readable, readable_command, readable_event
from fixgw.store import journal, outbox
from fixgw.store.failures import StoreError
from fixgw.store.keys import number_key, number_of, outbox_key, outbox_number, outbox_prefix
from fixgw.store.sessions import load
from fixgw.store.store import Store

PAUSE = 0.1
"""seconds between looks with --follow"""
BATCH = 1000
"""entries read in one transaction: a reader that stays long in one keeps the store from reusing pages"""

Line = tuple[bytes, str]
"""the entry's key and its text"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print what a data directory holds, one line per entry, oldest first."
    parser.add_argument("--data", type=Path, default=Path("data"), help="the venue's data directory")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--follow", action="store_true", help="go on as entries are added, until Ctrl-C")
    common.add_argument("--from", dest="first", type=int, default=1, metavar="N", help="begin at number N")
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="WHAT")
    kinds.add_parser("journal", parents=[common], help="accepted commands, by sequence")
    kinds.add_parser("events", parents=[common], help="what came of them, by sequence")
    session = kinds.add_parser("session", parents=[common], help="what a session was or will be sent")
    session.add_argument("name", metavar="NAME", help="the session's name")


def log_command(args: argparse.Namespace) -> int:
    """Exit code: 0, or 2 for a directory or session that cannot be read."""
    try:
        store = Store(args.data, 1 << 20, readonly=True)
        read, start = _reader(store, args)
    except StoreError as problem:
        print(f"fixgw log: {problem}", file=sys.stderr)
        return 2
    try:
        _print(store, read, start, args.follow)
    except KeyboardInterrupt:
        pass
    except StoreError as problem:
        print(f"fixgw log: {problem}", file=sys.stderr)
        return 2
    finally:
        store.close()
    return 0


def _print(store: Store, read: "Callable[[lmdb.Transaction, bytes], Iterator[Line]]", key: bytes, follow: bool) -> None:
    while True:
        count = 0
        with store.read() as transaction:
            for key, text in read(transaction, key):
                print(text)
                count += 1
                if count == BATCH:
                    break
        if count:
            key = _after(key)
        if count < BATCH:
            sys.stdout.flush()
            if not follow:
                return
            time.sleep(PAUSE)


def _after(key: bytes) -> bytes:
    """The first key after `key` that another entry of its table can have."""
    return key[:-8] + number_key(number_of(key[-8:]) + 1)
