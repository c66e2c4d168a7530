"""The journal (commands) and the output log (events), both by sequence from 1 on."""

from collections.abc import Iterator
from zlib import crc32

import msgspec

from engine.commands import Command
from engine.events import Event
from fixgw.store.failures import StoreError
from fixgw.store.keys import number_key, number_of
from fixgw.store.types import Table, Transaction

_encode = msgspec.msgpack.Encoder().encode
_command = msgspec.msgpack.Decoder(Command)
_event = msgspec.msgpack.Decoder(Event)


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


def entries(transaction: Transaction, table: Table, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """(sequence, value) from `first` on."""
    with transaction.cursor(db=table) as cursor:
        if cursor.set_range(number_key(first)):
            for key, value in cursor:
                yield number_of(key), value
