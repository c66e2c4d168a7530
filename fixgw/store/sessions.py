"""What is kept of each session, by name."""

import lmdb
import msgspec
from msgspec import Struct

from fixgw.store.store import Store

_encode = msgspec.msgpack.Encoder().encode


class SessionRecord(Struct, array_like=True, frozen=True):
    """The numbers of one FIX session as of the last commit."""

    sender: int = 1
    """next MsgSeqNum(34) out"""
    target: int = 1
    """next expected MsgSeqNum(34) in"""
    generation: int = 0
    """how often the numbers were reset to 1"""
    delivered: int = 0
    """all outbound numbers up to this one are proven to have arrived"""


_decoder = msgspec.msgpack.Decoder(SessionRecord)


def load(store: Store, name: str) -> SessionRecord:
    with store.read() as transaction:
        value = transaction.get(name.encode("ascii"), db=store.sessions)
    return SessionRecord() if value is None else _decoder.decode(value)


def save(store: Store, transaction: lmdb.Transaction, name: str, record: SessionRecord) -> None:
    transaction.put(name.encode("ascii"), _encode(record), db=store.sessions)
