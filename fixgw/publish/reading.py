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


def _read(follower: Follower, first: int, follow: bool, idle: Callable[[], object]) -> Iterator[Record]:
    instruments: dict[str, InstrumentText] = {}
    currencies: dict[str, Step] = {}

    def know(listed: ListInstrument) -> None:
        text = instruments[listed.symbol] = InstrumentText(listed)
        currencies.update(text.currencies)

    for listed in journal.instruments(follower.store):
        know(listed)
    grids = Grids(instruments, currencies)
    while True:
        entries = follower.entries(BATCH)
        for number, entry in entries:
            if isinstance(entry.command, ListInstrument):
                know(entry.command)
            for sequence, event in enumerate(entry.events, entry.first_event):
                if sequence >= first:
                    yield record(sequence, number, event, grids)
        if not entries:
            if not follow:
                return
            idle()
