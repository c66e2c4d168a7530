"""The state of the venue in another process: the last good snapshot, and every journal entry after it as it
comes. What comes of an entry must be what the venue has written down."""

from pathlib import Path

from fixgw.cycle.recovery import last_snapshot
from fixgw.store.failures import StoreError
from fixgw.store.follow import Follower
from fixgw.store.journal import Entry


class Replica:
    """Raises StoreError where the log cannot be read, or is not what comes of the journal."""

    def __init__(self, directory: Path) -> None:
        self.follower = Follower(directory)
        self.venue, self.event_sequence = last_snapshot(self.follower.store, directory)
        """the state, and the sequence of the last event that is in it"""
        self.follower.next = self.venue.sequence + 1

    def following(self, most: int) -> list[tuple[int, Entry]]:
        """The next entries, to be given to `apply` one by one."""
        return self.follower.entries(most)

    def apply(self, sequence: int, entry: Entry) -> None:
        venue = self.venue
        refusal = venue.refusal(entry.command)
        if refusal is None:
            events = venue.apply(sequence, entry.command)
            if (entry.first_event, entry.events) == (self.event_sequence + 1, events):
                self.event_sequence += len(events)
                return
        raise StoreError(
            f"journal entry {sequence} does not give what the venue has written down: it is of another "
            "release, or the data is damaged"
        )
