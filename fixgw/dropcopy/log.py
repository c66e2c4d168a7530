"""The output log as drop copies read it: the last of it is read once for all of them, what is older by each
that is behind, in pieces."""

from bisect import bisect_left
from collections import deque
from pathlib import Path

from engine.commands import ListInstrument
from fixgw.codec.instruments import InstrumentText
from fixgw.dropcopy.copies import Told, told_in
from fixgw.store import journal
from fixgw.store.follow import Follower
from fixgw.store.journal import Entry

WINDOW = 20_000
"""entries that are kept in memory for sessions that keep up"""
READ = 500
"""entries that are read in one look"""

Piece = tuple[list[Told], int]
"""what was told, and the sequence of the event with which it goes on"""


class Log:
    def __init__(self, directory: Path) -> None:
        self._live = Follower(directory)
        self._behind = Follower(directory, store=self._live.store)
        self.id = self._live.owner
        self.instruments = {
            each.symbol: InstrumentText(each) for each in journal.instruments(self._live.store)
        }
        self.next = 1
        """the sequence of the first event that was not read yet"""
        self.time = 0
        """of the last entry that was read; nanoseconds since the epoch"""
        self._window: deque[tuple[int, Entry]] = deque(maxlen=WINDOW)
        """first event, entry; those that have events"""
        self._live.seek(2**62)
        self.look()

    def look(self) -> bool:
        """Whether there is more."""
        entries = self._live.entries(READ)
        for _, entry in entries:
            if isinstance(entry.command, ListInstrument):
                self.instruments[entry.command.symbol] = InstrumentText(entry.command)
            self.next, self.time = entry.first_event + len(entry.events), entry.command.time
            if entry.events:
                self._window.append((entry.first_event, entry))
        return len(entries) == READ

    @property
    def written(self) -> int:
        """The last event on disk."""
        return max(self._live.written, self.next - 1)

    def piece(self, event: int, most: int) -> Piece:
        """What was told from `event` on, out of at most `most` entries."""
        window = self._window
        if window and event >= window[0][0]:
            place = bisect_left(window, event + 1, key=lambda each: each[0]) - 1
            last = min(place + most, len(window))
            entries = [window[each][1] for each in range(place, last)]
            end = window[last][0] if last < len(window) else self.next
        else:
            entries, end = self._read(event, most)
        return [told for entry in entries for told in told_in(entry) if told.sequence >= event], end

    def _read(self, event: int, most: int) -> tuple[list[Entry], int]:
        self._behind.seek(event)
        entries = [entry for _, entry in self._behind.entries(most)]
        last = entries[-1]
        return entries, last.first_event + len(last.events)

    def close(self) -> None:
        self._live.close()
