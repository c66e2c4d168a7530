"""`fixgw log …`: prints what the store holds, while the venue runs or after."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from fixgw.codec.frame import Frame
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.readable import readable
from fixgw.codec.readable_journal import readable_command, readable_event
from fixgw.codec.times import utc_timestamp
from fixgw.publish import copies, fix
from fixgw.publish.json_lines import print_events
from fixgw.store import audit, journal, outbox
from fixgw.store.directory import check_kinds, data_path, in_use
from fixgw.store.failures import StoreError, in_words
from fixgw.store.keys import number_key, number_of, outbox_key, outbox_number, outbox_prefix
from fixgw.store.leftover import leftover
from fixgw.store.sessions import load
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction

PAUSE = 0.1
"""seconds between looks with --follow"""
BATCH = 1000
"""entries read in one transaction: a reader that stays long in one keeps the store from reusing pages"""

LEFTOVER = "the last moments are not shown: the venue was killed, and has them from its next start on"

Line = tuple[bytes, str]
"""the entry's key and its text"""
Read = Callable[[Transaction, bytes], Iterator[Line]]
"""entries from a key on"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print what a data directory holds, one line per entry, oldest first."
    parser.add_argument("--data", type=data_path, default=Path("data"), help="the venue's data directory")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--data", type=data_path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    common.add_argument("--follow", action="store_true", help="go on as entries are added, until Ctrl-C")
    common.add_argument(
        "--from", dest="first", type=_number, default=1, metavar="N", help="begin at number N"
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="WHAT")
    kinds.add_parser("journal", parents=[common], help="accepted commands, by sequence")
    events = kinds.add_parser("events", parents=[common], help="what came of them, by sequence")
    events.add_argument("--json", action="store_true", help="one JSON object a line, as in docs/log.md")
    kinds.add_parser("audit", parents=[common], help="what operators did, by whom and when, by number")
    session = kinds.add_parser("session", parents=[common], help="what a session was or will be sent")
    session.add_argument("name", metavar="NAME", help="the session's name")
    copies.add_arguments(kinds.add_parser("copies", help="compare drop copies with what they are copies of"))
    fix.add_arguments(kinds.add_parser("fix", help="every message in and out of a session, by time"))


def _number(text: str) -> int:
    number = int(text)
    if not 1 <= number < 2**63:
        raise argparse.ArgumentTypeError("numbers begin with 1")
    return number


def log_command(args: argparse.Namespace) -> int:
    """Exit code: 0, or 2 for a directory or session that cannot be read."""
    try:
        if args.kind == "fix":
            return fix.fix_command(args)
        if args.kind == "copies":
            return copies.copies_command(args)
        with in_words(args.data):
            check_kinds(args.data)
            if args.kind == "events" and args.json:
                print_events(args.data, args.first, args.follow)
                return 0
            store = Store(args.data, 0, readonly=True)
            read, start = _reader(store, args)
            if not in_use(args.data) and any(_shown(args, *each) for each in leftover(store)):
                print(f"fixgw log: {LEFTOVER}", file=sys.stderr)
            _print(store, read, start, args.follow)
    except KeyboardInterrupt:
        pass
    except StoreError as problem:
        print(f"fixgw log: {problem}", file=sys.stderr)
        return 2
    return 0


def _shown(args: argparse.Namespace, table: bytes, key: bytes) -> bool:
    """Whether this is a place of what is asked for."""
    if args.kind == "session":
        return table == b"outbox" and key.startswith(outbox_prefix(args.name))
    return table == b"journal"


def _reader(store: Store, args: argparse.Namespace) -> tuple[Read, bytes]:
    """How to read the asked-for entries from a key on, and the key to begin with."""
    if args.kind == "journal":
        return _journal(store), number_key(args.first)
    if args.kind == "events":
        return _events(store), number_key(args.first)
    if args.kind == "audit":
        return _audit(store), number_key(args.first)
    records = load(store)
    if args.name not in records:
        known = ", ".join(sorted(records)) or "none yet"
        raise StoreError(f"no session {args.name!r} in {store.directory}; there are: {known}")
    record = records[args.name]
    frame = Frame(record.begin_string, _comp_id(store), record.comp_id)
    prefix = outbox_prefix(args.name)
    # Records from before the last reset are shown only to who asks for everything.
    generation = record.generation if args.first > 1 else 0
    return _session(store, frame, prefix), outbox_key(prefix, generation, args.first)


def _instruments(store: Store) -> dict[str, InstrumentText]:
    return {listed.symbol: InstrumentText(listed) for listed in journal.instruments(store)}


def _journal(store: Store) -> Read:
    instruments = _instruments(store)

    def read(transaction: Transaction, key: bytes) -> Iterator[Line]:
        for sequence, entry in journal.entries(store, transaction, number_of(key)):
            yield number_key(sequence), readable_command(sequence, entry.command, instruments)

    return read


def _events(store: Store) -> Read:
    instruments = _instruments(store)

    def read(transaction: Transaction, key: bytes) -> Iterator[Line]:
        for sequence, event in journal.events(store, transaction, number_of(key)):
            yield number_key(sequence), readable_event(sequence, event, instruments)

    return read


def _audit(store: Store) -> Read:
    def read(transaction: Transaction, key: bytes) -> Iterator[Line]:
        for number, deed in audit.deeds(store, transaction, number_of(key)):
            yield number_key(number), f"{number} {utc_timestamp(deed.time)} {deed.who}: {deed.what}"

    return read


def _session(store: Store, frame: Frame, prefix: bytes) -> Read:
    def read(transaction: Transaction, key: bytes) -> Iterator[Line]:
        for found, record in outbox.from_key(store, transaction, prefix, key):
            message = frame.first_send(outbox_number(found)[1], record)
            yield found, readable(message.decode("utf-8", "surrogateescape"))

    return read


def _comp_id(store: Store) -> str:
    with store.read() as transaction:
        return (transaction.get(b"comp_id", db=store.meta) or b"?").decode()


def _print(store: Store, read: Read, key: bytes, follow: bool) -> None:
    while True:
        count = 0
        with store.read() as transaction:
            for found, text in read(transaction, key):
                print(text)
                key = found
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
