"""The journal as a process beside the venue sees it: the database and, behind it, the tail, up to what the
venue has said to be on disk. A reader is never waited for, and sees an entry a moment after its fsync."""

from pathlib import Path

import lmdb

from fixgw.store import journal
from fixgw.store.failures import StoreError
from fixgw.store.journal import Entry
from fixgw.store.keys import number_key, number_of
from fixgw.store.pulse import EVENT, JOURNAL, Pulse
from fixgw.store.store import COMMITS, OWNER, Store, decode_redo
from fixgw.store.tail import Tail

_JOURNAL = b"journal"


class Follower:
    """Gives journal entries in order from `next` on. Raises StoreError for a directory that is no store, and
    for a damaged entry."""

    def __init__(self, directory: Path, first: int = 1, store: Store | None = None) -> None:
        """`store`: of another follower in this process, which may open it only once."""
        self.directory = directory
        self.next = first
        """journal sequence"""
        self.store = store or Store(directory, 0, readonly=True)
        with self.store.read() as transaction:
            self.owner = transaction.get(OWNER, db=self.store.meta) or b""
            """the id of the store"""
        self._pulse: Pulse | None = None
        self._tail: Tail | None = None
        self._in_tail = False

    def entries(self, most: int) -> list[tuple[int, Entry]]:
        """(sequence, entry) of those that follow, at most `most` of them; none if there is nothing new."""
        found: list[tuple[int, Entry]] = []
        if self._pulse is None:
            self._pulse = Pulse.look(self.directory)
        if self._pulse is not None and self._pulse.numbers[JOURNAL] < self.next:
            return found
        if self._in_tail:
            found = self._read_tail(most, 0 if self._pulse is None else self._pulse.numbers[JOURNAL])
        return found or self._read_database(most)

    @property
    def written(self) -> int:
        """The sequence of the last event that is on disk, as the venue says; 0: it has not said so yet."""
        return 0 if self._pulse is None else int(self._pulse.numbers[EVENT])

    def seek(self, event: int) -> None:
        """Goes to the entry that holds the event, or to the first one after all there are."""
        with self.store.read() as transaction:
            self.go_to(journal.entry_with(self.store, transaction, event))

    def go_to(self, sequence: int) -> None:
        """To this journal entry."""
        self.next = sequence
        self._in_tail = False

    def fingerprint(self, sequence: int, entry: Entry | None = None) -> bytes:
        """By which entry `sequence` is told from another one of that number; b"" if it is not there. `entry`:
        as it was read, if it may not be in the database yet."""
        with self.store.read() as transaction:
            found = journal.fingerprint(self.store, transaction, sequence)
        return found or (b"" if entry is None else journal.fingerprint_of(sequence, entry))

    def close(self) -> None:
        if self._pulse is not None:
            self._pulse.close()
        if self._tail is not None:
            self._tail.close()
        self.store.close()

    def _read_database(self, most: int) -> list[tuple[int, Entry]]:
        found: list[tuple[int, Entry]] = []
        try:
            with self.store.read() as transaction:
                commits = number_of(transaction.get(COMMITS, db=self.store.meta) or number_key(0))
                for each in journal.entries(self.store, transaction, self.next):
                    found.append(each)
                    if len(found) == most:
                        break
        except lmdb.MapResizedError:  # by a venue that was started again, with more room
            self.store.environment.set_mapsize(0)
            return []
        self.next += len(found)
        self._in_tail = len(found) < most and self._open_tail()
        if self._tail is not None:
            self._tail.begin(commits)
        return found

    def _open_tail(self) -> bool:
        if self._tail is None:
            try:
                self._tail = Tail(self.directory / "tail", self.owner, readonly=True)
            except StoreError:
                return False
        return True

    def _read_tail(self, most: int, last: int) -> list[tuple[int, Entry]]:
        """Up to entry `last`; nothing if the tail was begun anew, and the database has what it had."""
        assert self._tail is not None
        found: list[tuple[int, Entry]] = []
        while len(found) < most and self.next <= last and (payload := self._tail.following()) is not None:
            for name, key, value in decode_redo(payload):
                if name != _JOURNAL or number_of(key) < self.next:
                    continue
                assert number_of(key) == self.next and value is not None, (number_of(key), self.next)
                found.append((self.next, journal.decode_entry(self.next, value)))
                self.next += 1
        return found
