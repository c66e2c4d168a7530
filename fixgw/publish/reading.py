"""The output log for other people's programs: `for record in read_events(Path("data"), follow=True)`."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.commands import ListInstrument
from fixgw.codec.decimals import Step
from fixgw.codec.instruments import InstrumentText
from fixgw.publish.records import Grids, Record, record
from fixgw.store import journal
from fixgw.store.failures import in_words
from fixgw.store.follow import Follower
from fixgw.store.journal import Entry

PAUSE = 0.005
"""seconds between looks at a log that has nothing new"""
BATCH = 1000
"""entries read at a time"""


def read_events(
    directory: Path,
    first: int = 1,
    follow: bool = False,
    idle: Callable[[], object] = lambda: time.sleep(PAUSE),
) -> Iterator[Record]:
    """The events of the venue whose data directory this is, from the sequence `first` on; the venue may run
    and does not notice. With `follow` it does not end: `idle` is called while there is nothing new. To go on
    later, give the last sequence and 1. Raises StoreError, in words for people."""
    with in_words(directory):
        follower = Follower(directory)
        try:
            if first > 1:
                follower.seek(first)
            yield from _read(follower, first, follow, idle)
        finally:
            follower.close()


class Records:
    """Journal entries to records."""

    def __init__(self, follower: Follower) -> None:
        self._instruments: dict[str, InstrumentText] = {}
        self._currencies: dict[str, Step] = {}
        self._grids = Grids(self._instruments, self._currencies)
        for listed in journal.instruments(follower.store):
            self._know(listed)

    def of(self, number: int, entry: Entry) -> Iterator[Record]:
        if isinstance(entry.command, ListInstrument):
            self._know(entry.command)
        for sequence, event in enumerate(entry.events, entry.first_event):
            yield record(sequence, number, event, self._grids)

    def _know(self, listed: ListInstrument) -> None:
        text = self._instruments[listed.symbol] = InstrumentText(listed)
        self._currencies.update(text.currencies)


def _read(follower: Follower, first: int, follow: bool, idle: Callable[[], object]) -> Iterator[Record]:
    records = Records(follower)
    while True:
        entries = follower.entries(BATCH)
        for number, entry in entries:
            yield from (each for each in records.of(number, entry) if each.sequence >= first)
        if not entries:
            if not follow:
                return
            idle()
