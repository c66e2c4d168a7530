"""The guard before QuickFIX's parser: whole messages pass untouched, whatever their pieces; floods end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixgw.door.guard import Flood, Guard
from fixgw.settings import Door

MESSAGE = (
    b"8=FIX.4.4\x019=61\x0135=1\x0134=7\x0149=ALPHA\x0152=20260101-00:00:00\x0156=FIXGW\x01"
    b"112=x\x0110=123\x01"
)


def admit(guard: Guard, data: bytes, sizes: list[int]) -> bytes:
    passed = b""
    while data:
        size = sizes.pop() if sizes else len(data)
        passed += guard.admit(data[:size])
        data = data[size:]
    return passed


@given(st.lists(st.integers(1, 90), max_size=60))
def test_messages_pass_untouched_in_any_pieces(sizes: list[int]) -> None:
    assert admit(Guard(Door(message_bytes=1024)), MESSAGE * 40, sizes) == MESSAGE * 40


@given(st.lists(st.integers(1, 30), max_size=60))
def test_a_body_length_that_is_no_number_becomes_zero(sizes: list[int]) -> None:
    garbled = MESSAGE.replace(b"9=61", b"9=6x1")
    passed = admit(Guard(Door(message_bytes=1024)), MESSAGE + garbled + MESSAGE, sizes)
    assert passed == MESSAGE + garbled.replace(b"9=6x1", b"9=0") + MESSAGE


def test_of_two_body_lengths_side_by_side_both_are_looked_at() -> None:
    """The end of one field is the beginning of the next."""
    with pytest.raises(Flood, match="above the limit of 1024"):
        Guard(Door(message_bytes=1024)).admit(b"9=5\x019=999999999\x01")
    assert Guard(Door()).admit(b"9=x\x019=y\x019=7\x0110=000\x01") == b"9=0\x019=0\x019=7\x0110=000\x01"


@given(st.lists(st.integers(1, 90), max_size=60))
def test_a_body_length_above_the_limit_ends_it(sizes: list[int]) -> None:
    with pytest.raises(Flood, match="above the limit of 1024"):
        admit(Guard(Door(message_bytes=1024)), MESSAGE + MESSAGE.replace(b"9=61", b"9=999999999"), sizes)


@pytest.mark.parametrize(
    "stream",
    [
        b"x" * 4096,
        b"8=FIX.4.4\x01" * 400,
        b"8=FIX.4.4\x019=61\x01" * 400,  # lengths, but never a trailer
        b"8=FIX.4.4\x0110=000\x01" * 400,  # trailers, but never a length
        b"58=" + b"y" * 4096,
    ],
)
def test_a_stream_without_whole_messages_ends(stream: bytes) -> None:
    guard = Guard(Door(message_bytes=1024))
    with pytest.raises(Flood):
        for start in range(0, len(stream), 100):
            guard.admit(stream[start : start + 100])
