"""Fills a venue's data directory with spent ClOrdIDs, as if millions of orders had come today."""

from __future__ import annotations

import random
from pathlib import Path

import lmdb

from fixgw.store.keys import clordid_key, number_key
from tests.bench.orders import cl_ord_id

CHUNK = 500_000
"""ids written in one transaction, in key order: random ids still fall all over the tree"""


def fill(data: Path, count: int, random_ids: bool) -> float:
    """Spends `count` ClOrdIDs of client ALPHA in the current trading day of the venue that has run on
    `data` and is stopped. Returns the bytes of the table for each id."""
    chance = random.Random(count)
    environment = lmdb.open(
        str(data / "venue.mdb"), subdir=False, map_size=1 << 36, max_dbs=1024, sync=False, lock=False
    )
    with environment:
        table = environment.open_db(_current_day(environment), create=False)
        for start in range(0, count, CHUNK):
            numbers = range(start, min(start + CHUNK, count))
            keys = [clordid_key("ALPHA", cl_ord_id(chance, random_ids, 0, number)) for number in numbers]
            with environment.begin(write=True, db=table) as transaction, transaction.cursor() as cursor:
                cursor.putmulti([(key, number_key(1)) for key in sorted(keys)])
        environment.sync(True)
        with environment.begin() as transaction:
            size = transaction.stat(table)
        assert size["entries"] >= count
        return (size["branch_pages"] + size["leaf_pages"]) * size["psize"] / size["entries"]


def _current_day(environment: lmdb.Environment) -> bytes:
    with environment.begin() as transaction, transaction.cursor() as cursor:
        days = [bytes(key) for key in cursor.iternext(values=False) if key.startswith(b"clordids/")]
    assert days, "no trading day in the store: start the venue on it once"
    return max(days)
