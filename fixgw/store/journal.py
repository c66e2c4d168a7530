"""The journal: accepted commands by sequence, from 1 on, each with the events that came of it. The events of
all entries, numbered through, are the output log: one record holds both, so one page is written for both."""

from bisect import bisect_right
from collections.abc import Iterator
from hashlib import sha256
from zlib import crc32

import msgspec
from msgspec import Struct

from engine.commands import Command, ListInstrument
from engine.events import Event
from fixgw.store.failures import StoreError
from fixgw.store.keys import number_key, number_of
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction


class Entry(Struct, array_like=True, frozen=True):
    command: Command
    first_event: int
    """sequence of the first of `events` in the output log, from 1 on"""
    events: list[Event]
    numbers: list[int] = []
    """MsgSeqNum of each Execution's report to the session that owns the order, in their order; 0: none"""


_encode = msgspec.msgpack.Encoder().encode
_entry = msgspec.msgpack.Decoder(Entry)
_instrument = msgspec.msgpack.Decoder(ListInstrument)
_INSTRUMENT = b"instrument/"
"""leads the keys in `meta`"""


def append(store: Store, transaction: Transaction, sequence: int, entry: Entry) -> None:
    transaction.put(number_key(sequence), encode_entry(sequence, entry), append=True, db=store.journal)


def encode_entry(sequence: int, entry: Entry) -> bytes:
    """Led by a checksum over sequence and entry: LMDB itself would not notice a flipped bit."""
    body = _encode(entry)
    return crc32(body, sequence & 0xFFFFFFFF).to_bytes(4, "big") + body


def decode_entry(sequence: int, value: bytes) -> Entry:
    """Raises StoreError if the entry is damaged."""
    body = value[4:]
    if crc32(body, sequence & 0xFFFFFFFF).to_bytes(4, "big") != value[:4]:
        raise StoreError(f"journal entry {sequence} is damaged: its checksum is wrong")
    try:
        return _entry.decode(body)
    except msgspec.DecodeError as problem:
        raise StoreError(f"journal entry {sequence} cannot be read: {problem}") from None


def read(store: Store, transaction: Transaction, sequence: int) -> Entry | None:
    value = transaction.get(number_key(sequence), db=store.journal)
    return None if value is None else decode_entry(sequence, value)


def fingerprint(store: Store, transaction: Transaction, sequence: int) -> bytes:
    """By which the entry is told from one that another journal has under its number; b"" for none."""
    value = transaction.get(number_key(sequence), db=store.journal)
    return b"" if value is None else sha256(value).digest()


def fingerprint_of(sequence: int, entry: Entry) -> bytes:
    """The same of an entry that may not be in the database yet."""
    return sha256(encode_entry(sequence, entry)).digest()


def entries(store: Store, transaction: Transaction, first: int = 1) -> Iterator[tuple[int, Entry]]:
    """(sequence, entry) from `first` on. Raises StoreError at a damaged or missing one."""
    expected = first
    with transaction.cursor(db=store.journal) as cursor:
        found = cursor.set_range(number_key(first))
        while found:
            sequence = number_of(cursor.key())
            if sequence != expected:
                raise StoreError(f"journal entry {expected} is missing: the next one there is {sequence}")
            yield sequence, decode_entry(sequence, cursor.value())
            expected += 1
            found = cursor.next()


def events(store: Store, transaction: Transaction, first: int = 1) -> Iterator[tuple[int, Event]]:
    """The output log: (event sequence, event) from `first` on."""
    for _, entry in entries(store, transaction, entry_with(store, transaction, first)):
        for number, event in enumerate(entry.events, entry.first_event):
            if number >= first:
                yield number, event


def entry_with(store: Store, transaction: Transaction, event: int) -> int:
    """The sequence of the entry that holds an event, or of one before it; the last one for an event that is
    not there yet, and 1 if there are none."""

    def first_event(sequence: int) -> int:
        entry = read(store, transaction, sequence)
        if entry is None:
            raise StoreError(f"journal entry {sequence} is missing")
        return entry.first_event

    with transaction.cursor(db=store.journal) as cursor:
        last = number_of(cursor.key()) if cursor.last() else 0
    return max(bisect_right(range(1, last + 1), event, key=first_event), 1)


def keep_instrument(store: Store, transaction: Transaction, listed: ListInstrument) -> None:
    """Where readers of the journal find what ticks and lots stand for, without reading all of it."""
    transaction.put(_INSTRUMENT + listed.symbol.encode("ascii"), _encode(listed), db=store.meta)


def instruments(store: Store) -> list[ListInstrument]:
    with store.read() as transaction, transaction.cursor(db=store.meta) as cursor:
        found = cursor.set_range(_INSTRUMENT)
        values = [value for key, value in cursor if key.startswith(_INSTRUMENT)] if found else []
    return [_instrument.decode(value) for value in values]
