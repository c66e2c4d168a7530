"""Keys of the tables. Big-endian, so that LMDB's byte order is the order of numbers."""

from struct import Struct

_number = Struct(">Q")
_record = Struct(">IQ")

number_key = _number.pack
"""sequence (0 to 2**64 - 1) -> 8 bytes"""


NUMBER = _number.size
"""bytes of it"""


def number_of(key: bytes) -> int:
    return int(_number.unpack(key)[0])


def clordid_key(client: str, cl_ord_id: str) -> bytes:
    """Unique, as neither part holds a SOH."""
    return f"{client}\x01{cl_ord_id}".encode("ascii")


def outbox_prefix(session: str) -> bytes:
    return session.encode("ascii") + b"\x01"


def outbox_key(prefix: bytes, generation: int, sequence: int) -> bytes:
    """`generation` counts the resets of a session's numbers: number 7 before one is not number 7 after it."""
    return prefix + _record.pack(generation, sequence)


def outbox_number(key: bytes) -> tuple[int, int]:
    """(generation, MsgSeqNum) of an outbox key"""
    generation, sequence = _record.unpack(key[-12:])
    return generation, sequence
