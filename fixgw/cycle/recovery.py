"""From the store back to the state: the journal is replayed, and must give the events it gave before."""

from typing import NamedTuple

from engine.venue import Venue
from fixgw.store import journal
from fixgw.store.failures import StoreError
from fixgw.store.store import CLEAN, Store


class Recovered(NamedTuple):
    venue: Venue
    sequence: int
    """of the last journal entry"""
    event_sequence: int
    """of the last event"""


def recover(store: Store) -> Recovered:
    """Replays the whole journal. Raises StoreError if an entry is damaged or missing, or if its events come
    out other than they are in the output log: then this is not the code that wrote it."""
    venue = Venue()
    sequence = event_sequence = 0
    with store.read() as transaction:
        for sequence, entry in journal.entries(store, transaction):
            refusal = venue.refusal(entry.command)
            if refusal is not None:
                raise StoreError(
                    f"journal entry {sequence} does not fit the state before it: {refusal.reason}"
                )
            events = venue.apply(sequence, entry.command)
            if (entry.first_event, entry.events) != (event_sequence + 1, events):
                raise StoreError(
                    f"the events of journal entry {sequence} differ from what comes of it now: "
                    "it was written by a release that decides otherwise"
                )
            event_sequence += len(events)
    _check_digest(store, venue)
    return Recovered(venue, sequence, event_sequence)


def _check_digest(store: Store, venue: Venue) -> None:
    with store.read() as transaction:
        kept = transaction.get(CLEAN, db=store.meta)
    if kept is not None and kept.decode() != f"{venue.sequence} {venue.digest()}":
        raise StoreError(
            "the state after replay differs from the one at the last stop: its digest is another"
        )
