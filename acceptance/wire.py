"""FIX text without an engine: messages to bytes and bytes to messages, right ones and wrong ones.

Nothing here is shared with the venue. A peer that used its code would not see its mistakes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from acceptance.masking import SOH, masked, readable

LONGEST_MESSAGE = 1 << 20
"""bytes"""
LONGEST_TAG = 9
"""digits"""

Fields = list[tuple[int, object]]


class Malformed(AssertionError):
    """What came is not a FIX message: what is wrong with it, and the bytes without secrets."""


class Message:
    """One message as it came: `bytes`, and `fields` as (tag, text) in the order on the wire."""

    def __init__(self, raw: bytes) -> None:
        """Raises ValueError for what has no tags and values."""
        self.bytes = raw
        self.fields = [field_of(field) for field in raw[:-1].split(SOH)]
        self._first = dict(reversed(self.fields))

    def get(self, tag: int, default: str | None = None) -> str | None:
        return self._first.get(tag, default)

    def __getitem__(self, tag: int) -> str:
        return self._first[tag]

    def __contains__(self, tag: int) -> bool:
        return tag in self._first

    @property
    def msg_type(self) -> str:
        return self[35]

    @property
    def sequence(self) -> int:
        return int(self[34])

    @property
    def possible_duplicate(self) -> bool:
        return self.get(43) == "Y"

    def __str__(self) -> str:
        return readable(self.bytes)

    __repr__ = __str__


def field_of(field: bytes) -> tuple[int, str]:
    """Tag and value of `tag=value`. Raises ValueError."""
    tag, equals, value = field.partition(b"=")
    if not (equals and tag.isdigit() and len(tag) <= LONGEST_TAG):
        raise ValueError(f"{masked(field)[:80]!r} is no field")
    return int(tag), value.decode("utf-8", "surrogateescape")


def whole(text: str | None) -> int | None:
    """A number as MsgSeqNum(34) must be, of 18 digits at most; None if it is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 18 else None


def utc_timestamp(moment: datetime) -> str:
    """In FIX's UTCTimestamp form, with milliseconds."""
    return moment.strftime("%Y%m%d-%H:%M:%S.%f")[:-3]


def utc_now() -> str:
    return utc_timestamp(datetime.now(UTC))


def encode(fields: Iterable[tuple[int, object]]) -> bytes:
    """`tag=value SOH` for each field; a value may be bytes, to send what no text can say."""
    return b"".join(
        b"%d=%s\x01" % (tag, value if isinstance(value, bytes) else _bytes(str(value)))
        for tag, value in fields
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def frame(begin_string: str, body: bytes, body_length: object = None, checksum: object = None) -> bytes:
    """Puts 8 and 9 before `body` and 10 after it; right ones, unless told otherwise."""
    length = len(body) if body_length is None else body_length
    raw = encode([(8, begin_string), (9, length)]) + body
    return raw + encode([(10, f"{sum(raw) % 256:03d}" if checksum is None else checksum)])


def completed(raw: bytes) -> bytes:
    """A message with what BodyLength(9) and CheckSum(10) should be, where they are `?`."""
    head, mark, body = raw.partition(b"\x019=?\x01")
    if mark:
        end = body.rfind(b"\x0110=") + 1 or len(body)
        raw = head + b"\x019=%d\x01" % end + body
    if raw.endswith(b"\x0110=?\x01"):
        raw = raw[: -len(b"10=?|")]
        raw += b"10=%03d\x01" % (sum(raw) % 256)
    return raw


class Parser:
    """Cuts a byte stream into messages. The stream must be well-formed from its first byte on, with right
    BodyLength and CheckSum, else `feed` raises Malformed."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._broken: Malformed | None = None

    def feed(self, data: bytes) -> list[Message]:
        """The messages that are complete now. What is right before something wrong is returned first; the
        next call raises then, also one without data."""
        if self._broken:
            raise self._broken
        self._buffer += data
        messages: list[Message] = []
        start = 0
        try:
            while (end := self._message_end(start)) is not None:
                messages.append(_parsed(self._checked(start, end)))
                start = end
        except Malformed as problem:
            if not messages:
                raise
            self._broken = problem
        del self._buffer[:start]
        return messages

    def _message_end(self, start: int) -> int | None:
        """Where the message at `start` ends, or None while it is incomplete."""
        buffer = self._buffer
        length_at = buffer.find(b"\x019=", start, start + 40) + 3
        body_at = buffer.find(SOH, length_at, length_at + 10) + 1
        if length_at == 2 or body_at == 0:
            if len(buffer) - start >= 50:
                raise Malformed(f"not FIX: {masked(bytes(buffer[start : start + 80]))}")
            return None
        length = bytes(buffer[length_at : body_at - 1])
        if not length.isdigit():
            raise Malformed(f"BodyLength(9) is no number: {masked(bytes(buffer[start : start + 80]))}")
        end = body_at + int(length) + len("10=000|")
        if end - start > LONGEST_MESSAGE:
            raise Malformed(f"a message of {end - start} bytes")
        return end if end <= len(buffer) else None

    def _checked(self, start: int, end: int) -> bytes:
        raw = bytes(self._buffer[start:end])
        trailer = encode([(10, f"{sum(raw[:-7]) % 256:03d}")])
        if not raw.startswith(b"8=FIX") or raw[-8:] != SOH + trailer:
            right = f"expected {readable(trailer)} at the end"
            raise Malformed(f"wrong BodyLength or CheckSum, {right}: {masked(raw)}")
        return raw


def _parsed(raw: bytes) -> Message:
    try:
        message = Message(raw)
    except ValueError as problem:
        raise Malformed(f"not FIX: {problem}: {masked(raw)}") from None
    if message.fields[2][0] != 35:
        raise Malformed(f"not FIX: MsgType(35) must be the third field: {masked(raw)}")
    return message
