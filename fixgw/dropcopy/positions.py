"""How far each session has got, in the same transaction as what it was sent."""

import msgspec
from msgspec import Struct

from fixgw.store.store import Store
from fixgw.store.transaction import Transaction

_KEY = b"position/"
_encode = msgspec.msgpack.Encoder().encode


class Position(Struct, array_like=True):
    """Sequences of events."""

    next: int
    """with which it goes on"""
    sent: int = 0
    """the last one that it was sent a copy of: what comes again from before it is a possible resend"""
    kept: int = 0
    """`next` as it is on disk"""


_decode = msgspec.msgpack.Decoder(Position).decode


def load(store: Store, session: str) -> Position | None:
    """None for a session that never was."""
    with store.read() as transaction:
        value = transaction.get(_KEY + session.encode("ascii"), db=store.meta)
    return None if value is None else _decode(value)


def save(store: Store, transaction: Transaction, session: str, position: Position) -> None:
    position.kept = position.next
    transaction.put(_KEY + session.encode("ascii"), _encode(position), db=store.meta)
