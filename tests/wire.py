"""FIX text for tests: messages to bytes and bytes to messages, without quickfix and without the codec
under test. BodyLength and CheckSum of everything parsed are checked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

SOH = b"\x01"
LONGEST_MESSAGE = 64 * 1024

Fields = list[tuple[int, object]]


class Received:
    """One message as it came: `bytes`, and `fields` as (tag, text) in the order on the wire."""

    def __init__(self, raw: bytes) -> None:
        self.bytes = raw
        pairs = (field.partition(b"=") for field in raw[:-1].split(SOH))
        self.fields = [(int(tag), value.decode("utf-8", "surrogateescape")) for tag, _, value in pairs]
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


def readable(raw: bytes) -> str:
    return raw.replace(SOH, b"|").decode("utf-8", "backslashreplace")


def utc_now() -> str:
    """The time in FIX's UTCTimestamp form, with milliseconds."""
    return datetime.now(UTC).strftime("%Y%m%d-%H:%M:%S.%f")[:-3]


def encode(fields: Iterable[tuple[int, object]]) -> bytes:
    """`tag=value SOH` for each field; a value may be bytes, to send what no text can say."""
    return b"".join(
        b"%d=%s\x01" % (tag, value if isinstance(value, bytes) else str(value).encode("utf-8"))
        for tag, value in fields
    )


def frame(begin_string: str, body: bytes, body_length: object = None, checksum: object = None) -> bytes:
    """Puts 8 and 9 before `body` and 10 after it; right ones, unless told otherwise."""
    length = len(body) if body_length is None else body_length
    raw = encode([(8, begin_string), (9, length)]) + body
    return raw + encode([(10, f"{sum(raw) % 256:03d}" if checksum is None else checksum)])


class Parser:
    """Cuts a byte stream into messages; the stream must be well-formed from its first byte on."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Received]:
        self._buffer += data
        messages = []
        start = 0
        while (end := self._message_end(start)) is not None:
            messages.append(Received(self._checked(start, end)))
            start = end
        del self._buffer[:start]
        return messages

    def _message_end(self, start: int) -> int | None:
        """Where the message at `start` ends, or None while it is incomplete."""
        buffer = self._buffer
        length_at = buffer.find(b"\x019=", start, start + 40) + 3
        body_at = buffer.find(SOH, length_at, length_at + 10) + 1
        if length_at == 2 or body_at == 0:
            assert len(buffer) - start < 50, f"not FIX: {readable(bytes(buffer[start : start + 80]))}"
            return None
        end = body_at + int(buffer[length_at : body_at - 1]) + len("10=000|")
        assert end - start <= LONGEST_MESSAGE, f"a message of {end - start} bytes"
        return end if end <= len(buffer) else None

    def _checked(self, start: int, end: int) -> bytes:
        raw = bytes(self._buffer[start:end])
        trailer = encode([(10, f"{sum(raw[:-7]) % 256:03d}")])
        assert raw.startswith(b"8=FIX") and raw[-8:] == SOH + trailer, (
            f"wrong BodyLength or CheckSum, expected {readable(trailer)} at the end: {readable(raw)}"
        )
        return raw


# Application messages: (MsgType, fields), for `client.send(*new_order(...))`

BUY, SELL = "1", "2"


def new_order(
    cl_ord_id: str,
    side: str = BUY,
    quantity: object = 1,
    price: object = None,
    *,
    symbol: str = "BTC-USD",
    account: str = "ALPHA-1",
    time_in_force: str | None = None,
    extra: Iterable[tuple[int, object]] = (),
) -> tuple[str, Fields]:
    """NewOrderSingle: a limit order, or a market order without `price`."""
    fields: Fields = [(11, cl_ord_id), (1, account), (55, symbol), (54, side)]
    fields += [(60, utc_now()), (38, quantity)]
    fields += [(40, "1")] if price is None else [(40, "2"), (44, price)]
    fields += [] if time_in_force is None else [(59, time_in_force)]
    return "D", [*fields, *extra]


def cancel(
    cl_ord_id: str,
    original: str,
    side: str = BUY,
    *,
    symbol: str = "BTC-USD",
    extra: Iterable[tuple[int, object]] = (),
) -> tuple[str, Fields]:
    """OrderCancelRequest for the order whose current ClOrdID is `original`."""
    fields: Fields = [(41, original), (11, cl_ord_id), (55, symbol), (54, side), (60, utc_now())]
    return "F", [*fields, *extra]


def replace(
    cl_ord_id: str,
    original: str,
    side: str = BUY,
    quantity: object = 1,
    price: object = None,
    *,
    symbol: str = "BTC-USD",
    account: str = "ALPHA-1",
    extra: Iterable[tuple[int, object]] = (),
) -> tuple[str, Fields]:
    """OrderCancelReplaceRequest: `quantity` is the new total, `price` the new limit."""
    _, fields = new_order(cl_ord_id, side, quantity, price, symbol=symbol, account=account, extra=extra)
    return "G", [(41, original), *fields]
