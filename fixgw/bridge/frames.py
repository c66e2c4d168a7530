"""What goes over a link between two nodes: frames, each a message of msgpack behind its length."""

from msgspec import Struct, msgpack

VERSION = 1
LENGTH = 4
"""bytes of the length in front of a frame"""
MOST = 1 << 20
"""bytes of a frame"""


class BadFrame(Exception):
    """What has come is none of these. The text is for the log."""


class Hello(Struct, frozen=True, array_like=True, tag="hello"):
    """The first frame in each direction."""

    version: int
    node: int
    """number of the one that speaks"""
    store: str
    """by which its data is known; another one has other messages under the same numbers"""
    taken: int
    """number of the last message of the other one that is on disk there"""
    sent: int
    """number of the last one of its own"""


class Carry(Struct, frozen=True, array_like=True, tag="carry"):
    number: int
    payload: bytes


class Taken(Struct, frozen=True, array_like=True, tag="taken"):
    """All messages up to this one are on disk."""

    number: int


class Bye(Struct, frozen=True, array_like=True, tag="bye"):
    """Why the link is closed."""

    text: str


Frame = Hello | Carry | Taken | Bye
_encode = msgpack.Encoder().encode
_decode = msgpack.Decoder(Frame).decode


def encode(frame: Frame) -> bytes:
    body = _encode(frame)
    return len(body).to_bytes(LENGTH) + body


def decode(body: bytes) -> Frame:
    """Raises BadFrame."""
    try:
        return _decode(body)
    except ValueError as problem:
        raise BadFrame(f"a frame cannot be read: {problem}") from None
