"""The tests' own client: what it takes for a message, and how it counts."""

from __future__ import annotations

import pytest

from tests.raw import RawClient, Received, encode, frame
from tests.wire import Parser


def message(sequence: int, msg_type: str = "8", *fields: tuple[int, object]) -> bytes:
    return frame("FIX.4.4", encode([(35, msg_type), (34, sequence), *fields]))


def test_a_stream_in_pieces_gives_the_same_messages() -> None:
    stream = message(1, "8", (58, "x" * 500)) + message(2, "0") + message(3, "8", (58, "ü"))
    for size in (1, 7, 64, len(stream)):
        parser = Parser()
        pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
        found = [each for piece in pieces for each in parser.feed(piece)]
        assert [each.sequence for each in found] == [1, 2, 3]
        assert b"".join(each.bytes for each in found) == stream
        assert found[2][58] == "ü"


@pytest.mark.parametrize(
    "raw",
    [
        frame("FIX.4.4", encode([(35, "0"), (34, 1)]), checksum="000"),
        frame("FIX.4.4", encode([(35, "0"), (34, 1)]), body_length=8) + message(2),
        b"HTTP/1.1 400 Bad Request\r\n" * 4,
    ],
    ids=["CheckSum", "BodyLength", "not FIX"],
)
def test_what_is_malformed_fails_the_test(raw: bytes) -> None:
    with pytest.raises(AssertionError):
        Parser().feed(raw)


def test_the_next_inbound_number_stops_at_a_gap_and_goes_on_when_it_is_filled() -> None:
    client = RawClient("127.0.0.1", 1, "ALPHA")

    def next_after(sequence: int, msg_type: str = "8", *fields: tuple[int, object]) -> int:
        client._count(Received(message(sequence, msg_type, *fields)))
        return client.next_inbound

    assert next_after(1) == 2
    assert next_after(4) == 2
    assert next_after(2, "8", (43, "Y")) == 3
    assert next_after(3, "4", (123, "Y"), (36, 4)) == 5
    assert next_after(7, "4", (123, "Y"), (36, 9)) == 5
    assert next_after(2, "4", (36, 20)) == 20
