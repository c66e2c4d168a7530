"""Whole messages: records of the outbox to bytes on the wire, and bytes of a stream to messages."""

import re
from collections.abc import Collection
from typing import NamedTuple
from zlib import adler32

from fixgw.codec.fields import fields

_HEADER = re.compile(rb"8=FIXT?\.\d\.\d\x019=(\d{1,5})\x01")
_TRUSTED_HEADER = re.compile(rb"8=[^\x01]+\x019=(\d+)\x01")
_TRAILER = 7
"""bytes of the CheckSum(10) field"""
_REPEATING = {"372", "385", "1130", "1131", "1406", "1410", "628", "629", "630"}
"""tags of the repeating groups a Logon can have: NoMsgTypes(384) and NoHops(627)"""


def checksum(data: bytes) -> int:
    """CheckSum(10): the sum of all bytes modulo 256.

    The low half of Adler-32, begun at 0, is the sum modulo 65521: exact for up to 256 bytes, and for up to
    515 of ASCII."""
    size = len(data)
    if size <= 256 or (size <= 515 and data.isascii()):
        return adler32(data, 0) & 0xFF
    return sum([adler32(data[start : start + 256], 0) for start in range(0, size, 256)]) & 0xFF


class Frame:
    """Makes the messages of one session out of records (`MsgType SOH SendingTime SOH body`)."""

    __slots__ = ("_begin", "_sender", "_target", "decimals")

    def __init__(self, begin_string: str, sender: str, target: str, decimals: int = 3) -> None:
        """`sender` is the venue's CompID, `target` the client's; `decimals` of the seconds, 3, 6 or 9, have
        the times in its messages."""
        self.decimals = decimals
        self._begin = f"8={begin_string}\x019=".encode("ascii")
        self._sender = f"\x0149={sender}\x0152=".encode("ascii")
        self._target = f"\x0156={target}\x01".encode("ascii")

    def first_send(self, sequence: int, record: bytes) -> bytes:
        """The record as new message number `sequence`."""
        msg_type, sending_time, body = record.split(b"\x01", 2)
        return self._seal(
            b"35=%b\x0134=%d%b%b%b%b" % (msg_type, sequence, self._sender, sending_time, self._target, body)
        )

    def replay(self, sequence: int, record: bytes, now: str) -> bytes:
        """The record again: PossDupFlag(43)=Y, its own time as OrigSendingTime(122). `now`: UTCTimestamp."""
        msg_type, sending_time, body = record.split(b"\x01", 2)
        return self._seal(
            b"35=%b\x0134=%d\x0143=Y%b%b%b122=%b\x01%b"
            % (msg_type, sequence, self._sender, now.encode("ascii"), self._target, sending_time, body)
        )

    def gap_fill(self, sequence: int, next_sequence: int, now: str) -> bytes:
        """SequenceReset-GapFill in place of the messages from `sequence` up to, not including,
        `next_sequence`."""
        time = now.encode("ascii")
        return self._seal(
            b"35=4\x0134=%d\x0143=Y%b%b%b122=%b\x01123=Y\x0136=%d\x01"
            % (sequence, self._sender, time, self._target, time, next_sequence)
        )

    def _seal(self, content: bytes) -> bytes:
        message = b"%b%d\x01%b" % (self._begin, len(content), content)
        return b"%b10=%03d\x01" % (message, checksum(message))


def split_messages(data: bytes) -> tuple[list[bytes], bytes]:
    """Whole messages of a trusted stream, and the beginning of the next one."""
    messages: list[bytes] = []
    start = 0
    while match := _TRUSTED_HEADER.match(data, start):
        end = match.end() + int(match[1]) + _TRAILER
        if end > len(data):
            break
        messages.append(data[start:end])
        start = end
    assert b"8=".startswith(data[start : start + 2]), "the stream is out of step"
    return messages, data[start:]


def without(message: bytes, tags: Collection[bytes]) -> bytes:
    """A whole message without these fields, BodyLength(9) and CheckSum(10) made anew."""
    begin, _, *pairs, _ = message[:-1].split(b"\x01")
    content = b"".join([pair + b"\x01" for pair in pairs if pair.partition(b"=")[0] not in tags])
    kept = b"%b\x019=%d\x01%b" % (begin, len(content), content)
    return b"%b10=%03d\x01" % (kept, checksum(kept))


class Garbled(Exception):
    """Not the beginning of a FIX stream; the text says why, without the bytes."""


class FirstMessage(NamedTuple):
    fields: dict[str, str]
    length: int
    """bytes of the stream it took"""


def first_message(data: bytes, limit: int) -> FirstMessage | None:
    """The first message of a stranger's stream, if `data` holds it whole; None if more bytes may complete
    it. Raises Garbled as soon as no more bytes can. `limit`: bytes of the longest message allowed."""
    header = _HEADER.match(data)
    if header is None:
        if not _begins_well(data):
            raise Garbled("does not begin with BeginString(8) and a BodyLength(9) of 1 to 5 digits")
        return None
    end = header.end() + int(header[1]) + _TRAILER
    if end > limit:
        raise Garbled(f"BodyLength(9) makes a message of {end} bytes, the limit is {limit}")
    if len(data) < end:
        return None
    message = data[:end]
    if not re.fullmatch(rb"\x0110=\d{3}\x01", message[-_TRAILER - 1 :]):
        raise Garbled("CheckSum(10) is not where BodyLength(9) says")
    if int(message[-4:-1]) != checksum(message[:-_TRAILER]):
        raise Garbled("CheckSum(10) is wrong")
    return FirstMessage(_strict_fields(message), end)


def _begins_well(data: bytes) -> bool:
    """Whether more bytes can make `data` the header of a message."""
    examples = (b"8=FIX.4.4\x019=00000\x01", b"8=FIXT.1.1\x019=00000\x01")
    return any(_HEADER.fullmatch(data + example[len(data) :]) for example in examples)


def _strict_fields(message: bytes) -> dict[str, str]:
    """The fields of a message that is ASCII, all `tag=value`, none twice outside of a group."""
    if not message.isascii() or b"\0" in message:
        raise Garbled("holds bytes that are not ASCII text")
    text = message.decode("ascii")
    pairs = text[:-1].split("\x01")
    tags = [pair.partition("=")[0] for pair in pairs if re.match(r"[1-9]\d{0,5}=.", pair)]
    if len(tags) != len(pairs):
        raise Garbled("holds something that is not tag=value")
    if tags[:3] != ["8", "9", "35"]:
        raise Garbled("MsgType(35) is not the third field")
    single = [tag for tag in tags if tag not in _REPEATING]
    if len(single) != len(set(single)):
        raise Garbled("holds a field twice")
    return fields(text)
