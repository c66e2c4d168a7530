"""A venue in which something of everything has happened, and what it has left behind."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lmdb

from fixgw.admin.words import ChangeShard, PinUser, Transfer
from fixgw.cycle.recovery import Recovered, recover
from fixgw.snapshots import files
from fixgw.store.keys import number_key
from fixgw.store.store import Store
from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, GTC, NEW, TRADE, Floor, Member, logged_on
from tests.venue.operating import done
from tests.venue.users import CLIENTS, QUICK, leaves, opened, shards, wait_for

SETTINGS = {"users": QUICK | {"wave": 3, "idle_seconds": 1}, "clients": CLIENTS}
MASS = 1200
"""orders that are canceled at once, which takes three commands"""


def be_busy(venue: Floor) -> None:
    """Live orders of many kinds, trades, a mass cancel in pieces, users who come, go and move."""
    opened(venue, "ALPHA-X", "ALPHA", USD=1000)
    with logged_on(venue, "M1-USD", "ALPHA", "BRAVO") as (one, other):
        _trade(one, other)
        done(venue, ChangeShard("S2", joins=True))
        for number in range(MASS):
            other.new(f"m{number}", SELL, "0.001", "500", account="2")
        for number in range(MASS):
            other.told(f"m{number}", NEW)
        done(venue, PinUser("BRAVO-2", "S2"))  # which it does when it has no order any more
        other.market = "M2-USD"
        other.new("n", SELL, "1", "500", account="3")
        other.told("n", NEW)
        other.send(
            "q", [(11, other.id("q")), (530, 1), (55, "M1-USD"), (54, SELL), (60, "20260101-00:00:00")]
        )
        for _ in range(MASS):
            assert other.receive()[150] == CANCELED
        other.expect("r", t533=str(MASS))
    wait_for(lambda: shards(venue)["S2"].state == "active", "the shard to have its share")
    for name in ("ALPHA-X", "BRAVO-2", "CHARLIE-5"):
        leaves(venue, name)
    done(venue, Transfer("ALPHA-X", "5", "USD", "d-2"))
    leaves(venue, "ALPHA-X")
    wait_for(lambda: " 0 orders wait" in venue.status()["users"], "all to be calm")


def _trade(one: Member, other: Member) -> None:
    one.new("a", BUY, "3", "100", account="1", time_in_force=GTC)
    one.told("a", NEW)
    one.new("i", BUY, "8", "99", account="2", extra=[(111, 1)])
    one.told("i", NEW)
    other.new("s", SELL, "1", "100", account="1")
    other.told("s", NEW)
    other.told("s", TRADE)
    one.told("a", TRADE)
    one.new("x", BUY, "1", "98", account="X")
    one.told("x", NEW)
    one.cancel("cx", "x")
    one.told("cx", CANCELED)
    stop = [
        (11, one.id("t")),
        (1, "ALPHA-3"),
        (55, one.market),
        (54, BUY),
        (38, 1),
        (40, 4),
        (44, 120),
        (99, 110),
    ]
    one.send("D", [*stop, (60, "20260101-00:00:00")])
    one.told("t", NEW)


def cut(data: Path, copy: Path, sequence: int) -> Path:
    """The data as they were when the journal had so many entries, as far as the journal is concerned."""
    copy.mkdir()
    shutil.copy(data / "venue.mdb", copy / "venue.mdb")
    with lmdb.open(str(copy / "venue.mdb"), subdir=False, max_dbs=64, map_size=1 << 30) as environment:
        journal, meta = environment.open_db(b"journal"), environment.open_db(b"meta")
        with environment.begin(write=True) as transaction:
            transaction.delete(b"digest", db=meta)
            with transaction.cursor(journal) as cursor:
                found = cursor.set_range(number_key(sequence + 1))
                while found:
                    found = cursor.delete()
    return copy


@contextmanager
def read_only(data: Path) -> Iterator[Store]:
    store = Store(data, 0, readonly=True)
    try:
        yield store
    finally:
        store.close()


def recovered(data: Path) -> Recovered:
    with read_only(data) as store:
        return recover(store, data)


def snapshots(data: Path) -> list[int]:
    """Their journal sequences, the newest first."""
    return [files.sequence_of(path) for path in files.found(data)]
