"""From the store back to the state: the journal is replayed, and must give the events it gave before."""

from typing import NamedTuple

from engine.venue import Venue
from fixgw.store.failures import StoreError
from fixgw.store.journal import decode_command, encode_event, entries
from fixgw.store.store import Store


class Recovered(NamedTuple):
    venue: Venue
    sequence: int
    """of the last journal entry"""
    event_sequence: int
    """of the last event"""


def recover(store: Store) -> Recovered:
    """Replays the whole journal. Raises StoreError if an entry is damaged or missing, or if an event comes
    out other than it is in the output log: then this is not the code, or not the journal, that wrote it."""
    venue = Venue()
    sequence = event_sequence = 0
    with store.read() as transaction:
        log = entries(transaction, store.events)
        for number, value in entries(transaction, store.journal):
            sequence += 1
            if number != sequence:
                raise StoreError(f"journal entry {sequence} is missing: the next one there is {number}")
            command = decode_command(number, value)
            refusal = venue.refusal(command)
            if refusal is not None:
                raise StoreError(f"journal entry {number} does not fit the state before it: {refusal.reason}")
            for event in venue.apply(number, command):
                event_sequence += 1
                logged = next(log, (0, b""))
                if logged != (event_sequence, encode_event(event)):
                    raise StoreError(
                        f"event {event_sequence}, of journal entry {number}, differs from the output log: "
                        "the data is damaged or was written by a release that decides otherwise"
                    )
        surplus = next(log, None)
    if surplus is not None:
        raise StoreError(f"the output log goes on at {surplus[0]}, after the journal's last entry {sequence}")
    _check_digest(store, venue)
    return Recovered(venue, sequence, event_sequence)


def _check_digest(store: Store, venue: Venue) -> None:
    with store.read() as transaction:
        kept = transaction.get(b"digest", db=store.meta)
    if kept is not None and kept.decode() != f"{venue.sequence} {venue.digest()}":
        raise StoreError(
            "the state after replay differs from the one at the last stop: its digest is another"
        )
