"""A message as bytes that may be wrong in every part, and the steps of a conversation made of them.

What is made from a seed must not depend on the clock: until it is sent, all its times are a fixed one."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from tests.wire import utc_now

NOW = b"20000101-00:00:00.000"
"""stands for the time of sending"""
VENUE = b"FIXGW"
_TRAILER = re.compile(rb"(?<=\x0110=\d\d\d\x01)")

Field = tuple[bytes, bytes]
"""tag and value"""


class Identity(NamedTuple):
    """Who sends, and where it trades."""

    begin_string: str
    comp_id: str
    account: str
    market: str


class Step(NamedTuple):
    """Bytes to be sent as one message; `next_number` is the MsgSeqNum that should follow them."""

    data: bytes
    next_number: int
    pieces: int = 1
    """writes it is cut into"""
    last: bool = False
    """nothing should follow"""


@dataclass(frozen=True)
class Draft:
    """A message without its frame. `fields` begin with MsgType(35)."""

    begin: bytes
    fields: tuple[Field, ...]
    length: bytes | None = None
    """BodyLength(9) in place of the right one"""
    checksum: bytes | None = None
    """CheckSum(10) in place of the right one"""
    counted: bool = True
    """whether the venue should count it"""

    def having(self, fields: list[Field]) -> Draft:
        return replace(self, fields=tuple(fields))

    def framed(self) -> bytes:
        body = joined(self.fields)
        length = b"%d" % len(body) if self.length is None else self.length
        head = b"8=%b\x019=%b\x01%b" % (self.begin, length, body)
        checksum = b"%03d" % (sum(head) % 256) if self.checksum is None else self.checksum
        return b"%b10=%b\x01" % (head, checksum)


def joined(fields: tuple[Field, ...]) -> bytes:
    return b"".join([b"%b=%b\x01" % field for field in fields])


def draft(who: Identity, number: int, msg_type: str, body: list[tuple[object, object]]) -> Draft:
    """A right one. `body` are the fields after the header; header fields among them go into the header."""
    pairs = [
        (str(tag).encode(), value if isinstance(value, bytes) else str(value).encode()) for tag, value in body
    ]
    extra = [pair for pair in pairs if pair[0] in (b"43", b"97", b"122")]
    rest = [pair for pair in pairs if pair not in extra]
    header = [(b"35", msg_type.encode()), (b"34", b"%d" % number), (b"49", who.comp_id.encode())]
    header += [(b"52", NOW), (b"56", VENUE)]
    return Draft(who.begin_string.encode(), (*header, *extra, *rest))


def messages(stream: bytes) -> list[bytes]:
    """The stream cut behind each trailer."""
    return [part for part in _TRAILER.split(stream) if part]


def repaired(part: bytes) -> bytes:
    """With the BodyLength and CheckSum that fit what is between them, if it has both."""
    found = re.match(rb"(8=[^\x01]*\x01)9=[^\x01]*\x01(.*\x01)10=[^\x01]*\x01\Z", part, re.DOTALL)
    if found is None:
        return part
    head = b"%b9=%d\x01%b" % (found[1], len(found[2]), found[2])
    return b"%b10=%03d\x01" % (head, sum(head) % 256)


def at(data: bytes, now: bytes | None = None) -> bytes:
    """`data` as it is to be sent now; a CheckSum that was right stays so."""
    if NOW not in data:
        return data
    moment = now or utc_now().encode()
    return b"".join([_at(part, moment) for part in messages(data)])


def _at(part: bytes, moment: bytes) -> bytes:
    start = max(part.rfind(b"8=FIX"), 0)
    moved = part.replace(NOW, moment)
    if not re.search(rb"\x0110=\d\d\d\x01\Z", part) or sum(part[start:-7]) % 256 != int(part[-4:-1]):
        return moved
    return b"%b%03d\x01" % (moved[:-4], sum(moved[start:-7]) % 256)
