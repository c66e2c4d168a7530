"""The outbox: every application message a session was or will be sent, under the number it has.

A record is `MsgType SOH SendingTime SOH body`; the rest of the message is made when it is sent."""

from collections.abc import Iterator

import lmdb

from fixgw.store.keys import outbox_key, outbox_number
from fixgw.store.store import Store


def records(
    store: Store, transaction: lmdb.Transaction, prefix: bytes, generation: int, first: int, end: int
) -> Iterator[tuple[int, bytes]]:
    """(MsgSeqNum, record) of one session and generation, from `first` up to, not including, `end`."""
    with transaction.cursor(db=store.outbox) as cursor:
        if not cursor.set_range(outbox_key(prefix, generation, first)):
            return
        stop = outbox_key(prefix, generation, end)
        for key, value in cursor:
            if key >= stop:
                return
            yield outbox_number(key)[1], value


def sweep(store: Store, transaction: lmdb.Transaction, prefix: bytes, generation: int, most: int) -> int:
    """Deletes at most `most` records of generations before `generation`; returns how many it found."""
    stop = outbox_key(prefix, generation, 0)
    swept = 0
    with transaction.cursor(db=store.outbox) as cursor:
        while swept < most and cursor.set_range(prefix) and cursor.key() < stop:
            cursor.delete()
            swept += 1
    return swept
