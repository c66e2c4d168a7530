"""The audit: what operators and the calendar did to the venue, by whom and when. A deed and its note go to
disk together."""

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from fixgw.store.keys import number_key, number_of
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction

_encode = msgspec.msgpack.Encoder().encode


class Deed(Struct, array_like=True, frozen=True):
    time: int
    """nanoseconds since the epoch: the logged time of the cycle"""
    who: str
    """a user of the machine, `SIGHUP`, `calendar` or `venue`"""
    what: str


_decoder = msgspec.msgpack.Decoder(Deed)


def note(store: Store, transaction: Transaction, deed: Deed) -> None:
    with transaction.cursor(db=store.audit) as cursor:
        number = number_of(cursor.key()) + 1 if cursor.last() else 1
    transaction.put(number_key(number), _encode(deed), db=store.audit)


def deeds(store: Store, transaction: Transaction, first: int = 1) -> Iterator[tuple[int, Deed]]:
    """(number, deed) from `first` on, oldest first."""
    with transaction.cursor(db=store.audit) as cursor:
        if cursor.set_range(number_key(first)):
            for key, value in cursor:
                yield number_of(key), _decoder.decode(value)
