"""The outbox: every application message a session was or will be sent, under the number it has.

A record is `MsgType SOH SendingTime SOH body`; the rest of the message is made when it is sent."""

from collections.abc import Iterator

from fixgw.store.keys import outbox_key, outbox_number
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction


def records(
    store: Store, transaction: Transaction, prefix: bytes, generation: int, first: int, end: int
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


def from_key(
    store: Store, transaction: Transaction, prefix: bytes, key: bytes
) -> Iterator[tuple[bytes, bytes]]:
    """(key, record) of one session from `key` on, over all generations that are kept."""
    with transaction.cursor(db=store.outbox) as cursor:
        if cursor.set_range(key):
            for found, value in cursor:
                if not found.startswith(prefix):
                    return
                yield found, value


def sweep(store: Store, transaction: Transaction, prefix: bytes, generation: int, most: int) -> int:
    """Deletes at most `most` records of generations before `generation`; returns how many it found."""
    stop = outbox_key(prefix, generation, 0)
    swept = 0
    with transaction.cursor(db=store.outbox) as cursor:
        while swept < most and cursor.set_range(prefix) and (key := cursor.key()) < stop:
            transaction.delete(key, db=store.outbox)
            swept += 1
    return swept
