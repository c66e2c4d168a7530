"""What is around the log: how large the files are, what is free, and how far its readers have come."""

import os
from bisect import bisect_right
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import lmdb

from fixgw.publish import standing
from fixgw.publish.outputs import OUTPUTS
from fixgw.snapshots import files
from fixgw.store.store import Store

FILES = "venue.mdb", "tail", "accounts.mdb"
TABLES = "journal", "outbox", "sessions", "audit", "parked", "accounts"
MARKS = 20_000
BETWEEN = 100_000_000
"""nanoseconds between two marks of when an event was seen: half an hour is remembered"""


class Sizes(NamedTuple):
    """Bytes, but for `entries`."""

    files: Mapping[str, int]
    """on disk; a file that is not there has none"""
    tables: Mapping[str, int]
    entries: Mapping[str, int]
    """of tables"""
    map_size: int
    used: int
    """of the map: all pages it ever used, and what was freed among them is used again"""
    disk_free: int
    snapshots: int
    """of all together"""
    newest_snapshot: int
    """journal entry; 0: there is none"""


def sizes(directory: Path, store: Store) -> Sizes | None:
    """None if the venue has just made the map larger: it is looked at again."""
    try:
        page = store.environment.stat()["psize"]
        info = store.environment.info()
        tables, entries = {}, {}
        with store.read() as transaction:
            for name in TABLES:
                found = transaction.raw.stat(getattr(store, name).handle)
                pages = found["branch_pages"] + found["leaf_pages"] + found["overflow_pages"]
                tables[name], entries[name] = pages * page, found["entries"]
    except lmdb.MapResizedError:
        store.environment.set_mapsize(0)
        return None
    disk = os.statvfs(directory)
    made = files.found(directory)
    return Sizes(
        {name: _size(directory / name) for name in FILES},
        tables,
        entries,
        info["map_size"],
        (info["last_pgno"] + 1) * page,
        disk.f_bavail * disk.f_frsize,
        sum(map(_size, made)),
        files.sequence_of(made[0]) if made else 0,
    )


def _size(path: Path) -> int:
    """What it takes on disk: the map's own length says nothing."""
    try:
        return path.stat().st_blocks * 512
    except OSError:
        return 0


class Lag(NamedTuple):
    events: int
    seconds: float
    """since the first event that it has not taken was seen here"""
    sessions: Mapping[str, int]
    """of readers that have some: events behind"""


class Readers:
    """How far each has come with the log: they say so in a file each (fixgw.publish.standing)."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._events: deque[int] = deque(maxlen=MARKS)
        self._times: deque[int] = deque(maxlen=MARKS)

    def mark(self, event: int, now: int) -> None:
        """The log has come to this event. `now`: nanoseconds since the epoch."""
        if not self._events or (event > self._events[-1] and now >= self._times[-1] + BETWEEN):
            self._times.append(now)
            self._events.append(event)

    def lag(self, taken: int, event: int, now: int) -> tuple[int, float]:
        """(events, seconds) of who has taken all up to one event, when there is another."""
        if taken >= event:
            return 0, 0.0
        known = list(self._events)
        at = bisect_right(known, taken)
        since = self._times[at] if at < len(known) else now
        return event - taken, max(now - since, 0) / 1e9

    def lags(self, event: int, now: int) -> dict[str, Lag]:
        """Of all that have said how far they are. `event`: the last one on disk."""
        found = {}
        for name in OUTPUTS:
            said = standing.read(self._directory / name)
            if said is not None:
                behind = {session: max(event - at, 0) for session, at in said.sessions.items()}
                found[name] = Lag(*self.lag(said.event, event, now), behind)
        return found
