"""What is kept of each session, by name."""

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fixgw.store.store import Store
from fixgw.store.transaction import Transaction

_encode = msgspec.msgpack.Encoder().encode


class SessionRecord(Struct, array_like=True, frozen=True):
    """One FIX session as of the last commit."""

    begin_string: str
    comp_id: str
    sender: int = 1
    """next MsgSeqNum(34) out"""
    target: int = 1
    """next expected MsgSeqNum(34) in"""
    generation: int = 0
    """how often the numbers were reset to 1"""
    delivered: int = 0
    """all outbound numbers up to this one are proven to have arrived"""
    carry: tuple[tuple[int, int, int], ...] = ()
    """reports of earlier generations still to be sent again: (generation, first number, end)"""
    last_report: int = 0
    """no report of this generation has a higher number"""
    period: int = 0
    """when the session of its schedule began to which the numbers belong; nanoseconds since the epoch"""
    blocked: bool = False
    """by the operator: no one logs on"""
    cancels: str = ""
    """what ends the orders of the client that was connected last: a value of cancel_on_disconnect, or ""
    when that is done or not asked for"""
    signed: str = ""
    """SendingTime(52) of the last signed Logon: one that is not later was seen before"""
    password: str = ""
    """hash of the password the client has chosen itself; "" if none"""
    password_before: str = ""
    """mark of the configured password at that time: another one there, and it counts again"""

    def belonging_to(self, begin_string: str, comp_id: str) -> "SessionRecord":
        """The same session under the identity it has now."""
        return replace(self, begin_string=begin_string, comp_id=comp_id)


_decoder = msgspec.msgpack.Decoder(SessionRecord)


def load(store: Store) -> dict[str, SessionRecord]:
    """Every session that ever was, by name."""
    with store.read() as transaction, transaction.cursor(db=store.sessions) as cursor:
        return {bytes(name).decode("ascii"): _decoder.decode(value) for name, value in cursor}


def save(store: Store, transaction: Transaction, name: str, record: SessionRecord) -> None:
    transaction.put(name.encode("ascii"), _encode(record), db=store.sessions)
