"""From the store back to the state: the last good snapshot, and the journal after it, which is replayed and
must give the events that it gave before."""

import logging
from pathlib import Path
from typing import NamedTuple

from engine.venue import Venue
from fixgw.snapshots import files
from fixgw.store import journal
from fixgw.store.failures import StoreError
from fixgw.store.keys import number_of
from fixgw.store.store import CLEAN, OWNER, Store
from fixgw.store.transaction import Transaction

BATCH = 10_000
"""entries read in one transaction: a reader that stays long in one keeps the store from reusing pages"""

log = logging.getLogger("fixgw")


class Recovered(NamedTuple):
    venue: Venue
    sequence: int
    """of the last journal entry"""
    event_sequence: int
    """of the last event"""
    replayed: int
    """entries"""


def recover(store: Store, directory: Path) -> Recovered:
    """Raises StoreError if an entry is damaged or missing, or if its events come out other than they are in
    the output log: then this is not the code that wrote it."""
    venue, event_sequence = last_snapshot(store, directory)
    first = venue.sequence
    while True:
        before = venue.sequence
        with store.read() as transaction:
            event_sequence = _replay(store, transaction, venue, event_sequence)
        if venue.sequence < before + BATCH:
            break
    _check_digest(store, venue)
    return Recovered(venue, venue.sequence, event_sequence, venue.sequence - first)


def last_snapshot(store: Store, directory: Path) -> tuple[Venue, int]:
    """The state and the last event of the newest that is good; an empty venue if there is none."""
    with store.read() as transaction, transaction.cursor(db=store.journal) as cursor:
        owner = transaction.get(OWNER, db=store.meta) or b""
        last = number_of(cursor.key()) if cursor.last() else 0
    for path in files.found(directory):
        if files.sequence_of(path) > last:
            log.warning("%s: is passed over: the journal ends at entry %d", path, last)
            continue
        try:
            venue, head = files.read(path, owner)
        except StoreError as problem:
            log.warning("%s; the one before it is taken", problem)
            continue
        with store.read() as transaction:
            entry = journal.fingerprint(store, transaction, head.sequence)
        if head.entry != entry:
            log.warning("%s: is passed over: journal entry %d is another one now", path, head.sequence)
            continue
        return venue, head.event_sequence
    return Venue(), 0


def _replay(store: Store, transaction: Transaction, venue: Venue, event_sequence: int) -> int:
    """At most BATCH entries; returns the sequence of the last event."""
    end = venue.sequence + BATCH
    for sequence, entry in journal.entries(store, transaction, venue.sequence + 1):
        refusal = venue.refusal(entry.command)
        if refusal is not None:
            raise StoreError(f"journal entry {sequence} does not fit the state before it: {refusal.reason}")
        events = venue.apply(sequence, entry.command)
        if (entry.first_event, entry.events) != (event_sequence + 1, events):
            raise StoreError(
                f"the events of journal entry {sequence} differ from what comes of it now: "
                "it was written by a release that decides otherwise"
            )
        event_sequence += len(events)
        if sequence == end:
            break
    return event_sequence


def _check_digest(store: Store, venue: Venue) -> None:
    with store.read() as transaction:
        kept = transaction.get(CLEAN, db=store.meta)
    if kept is None:
        return
    sequence, _, digest = kept.decode().partition(" ")
    if int(sequence) == venue.sequence and digest != venue.digest():
        raise StoreError(
            "the state after replay differs from the one at the last stop: its digest is another"
        )
