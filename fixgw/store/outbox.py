"""The outbox: every application message a session was or will be sent, under the number it has.

A record is `MsgType SOH SendingTime SOH body`; the rest of the message is made when it is sent. It is kept
behind a checksum: a CheckSum(10) made anew for a report that the disk has changed would be right."""

from collections.abc import Iterator
from zlib import crc32

from fixgw.store.failures import StoreError
from fixgw.store.keys import outbox_key, outbox_number
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction


class DamagedReport(StoreError):
    def __init__(self, session: str, sequence: int) -> None:
        super().__init__(f"outbox: report {sequence} of session {session} is damaged: its checksum is wrong")
        self.sequence = sequence


def put(store: Store, transaction: Transaction, key: bytes, record: bytes) -> bool:
    """False if the number was used before."""
    value = crc32(record, crc32(key)).to_bytes(4, "big") + record
    return transaction.put(key, value, overwrite=False, db=store.outbox)


def _record(key: bytes, value: bytes) -> bytes:
    record = value[4:]
    if crc32(record, crc32(key)).to_bytes(4, "big") != value[:4]:
        raise DamagedReport(key[:-13].decode("ascii", "replace"), outbox_number(key)[1])
    return record


def records(
    store: Store, transaction: Transaction, prefix: bytes, generation: int, first: int, end: int
) -> Iterator[tuple[int, bytes]]:
    """(MsgSeqNum, record) of one session and generation, from `first` up to, not including, `end`. Raises
    DamagedReport."""
    with transaction.cursor(db=store.outbox) as cursor:
        if not cursor.set_range(outbox_key(prefix, generation, first)):
            return
        stop = outbox_key(prefix, generation, end)
        for key, value in cursor:
            if key >= stop:
                return
            yield outbox_number(key)[1], _record(key, value)


def from_key(
    store: Store, transaction: Transaction, prefix: bytes, key: bytes
) -> Iterator[tuple[bytes, bytes]]:
    """(key, record) of one session from `key` on, over all generations that are kept. Raises
    DamagedReport."""
    with transaction.cursor(db=store.outbox) as cursor:
        if cursor.set_range(key):
            for found, value in cursor:
                if not found.startswith(prefix):
                    return
                yield found, _record(found, value)


def sweep(store: Store, transaction: Transaction, prefix: bytes, generation: int, most: int) -> int:
    """Deletes at most `most` records of generations before `generation`; returns how many it found."""
    stop = outbox_key(prefix, generation, 0)
    swept = 0
    with transaction.cursor(db=store.outbox) as cursor:
        while swept < most and cursor.set_range(prefix) and (key := cursor.key()) < stop:
            transaction.delete(key, db=store.outbox)
            swept += 1
    return swept
