"""The journal (commands) and the output log (events), both by sequence from 1 on."""

from collections.abc import Iterator
from zlib import crc32

import msgspec

from engine.commands import Command, ListInstrument
from engine.events import Event
from fixgw.store.failures import StoreError
from fixgw.store.keys import number_key, number_of
from fixgw.store.store import Store
from fixgw.store.types import Table, Transaction

_encode = msgspec.msgpack.Encoder().encode
_command = msgspec.msgpack.Decoder(Command)
_event = msgspec.msgpack.Decoder(Event)
_instrument = msgspec.msgpack.Decoder(ListInstrument)
_INSTRUMENT = b"instrument/"
"""leads the keys in `meta`"""


def encode_event(event: Event) -> bytes:
    return _encode(event)


def decode_event(value: bytes) -> Event:
    return _event.decode(value)


def encode_command(sequence: int, command: Command) -> bytes:
    """Led by a checksum over sequence and command: LMDB itself would not notice a flipped bit."""
    body = _encode(command)
    return crc32(body, sequence & 0xFFFFFFFF).to_bytes(4, "big") + body


def decode_command(sequence: int, value: bytes) -> Command:
    """Raises StoreError if the entry is damaged."""
    body = value[4:]
    if crc32(body, sequence & 0xFFFFFFFF).to_bytes(4, "big") != value[:4]:
        raise StoreError(f"journal entry {sequence} is damaged: its checksum is wrong")
    try:
        return _command.decode(body)
    except msgspec.DecodeError as problem:
        raise StoreError(f"journal entry {sequence} cannot be read: {problem}") from None


def keep_instrument(store: Store, transaction: Transaction, listed: ListInstrument) -> None:
    """Where readers of the logs find what ticks and lots stand for, without reading the whole journal."""
    transaction.put(_INSTRUMENT + listed.symbol.encode("ascii"), _encode(listed), db=store.meta)


def instruments(store: Store) -> list[ListInstrument]:
    with store.read() as transaction, transaction.cursor(db=store.meta) as cursor:
        found = cursor.set_range(_INSTRUMENT)
        values = [value for key, value in cursor if key.startswith(_INSTRUMENT)] if found else []
    return [_instrument.decode(value) for value in values]


def entries(transaction: Transaction, table: Table, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """(sequence, value) from `first` on."""
    with transaction.cursor(db=table) as cursor:
        if cursor.set_range(number_key(first)):
            for key, value in cursor:
                yield number_of(key), value
