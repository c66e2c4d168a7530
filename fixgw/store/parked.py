"""Messages that wait for their user to be read, by number: on disk with the turn in which they came, so that
a crash loses none of them."""

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from fixgw.store.keys import number_key, number_of
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction


class Parked(Struct, array_like=True, frozen=True):
    session: str
    user: str
    text: str
    """the FIX message"""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Parked).decode


def put(store: Store, transaction: Transaction, number: int, parked: Parked) -> None:
    transaction.put(number_key(number), _encode(parked), db=store.parked)


def remove(store: Store, transaction: Transaction, number: int) -> None:
    transaction.delete(number_key(number), db=store.parked)


def all_parked(store: Store) -> Iterator[tuple[int, Parked]]:
    """(number, message), the oldest first."""
    with store.read() as transaction, transaction.cursor(db=store.parked) as cursor:
        for key, value in cursor:
            yield number_of(key), _decode(value)
