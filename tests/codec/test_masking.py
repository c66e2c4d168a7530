"""No secret of a client is written anywhere, and everything else is, however the bytes come."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixgw.codec.masking import LONGEST_FIELD, Mask

SECRET = b"s3cret"
PLAIN_TAGS = (
    b"8",
    b"9",
    b"35",
    b"34",
    b"49",
    b"553",
    b"58",
    b"5554",
    b"196",
    b"1",
    b"11",
    b"9254",
    b"14",
    b"140",
)
ZEROS = st.sampled_from([b"", b"", b"", b"0", b"00"])
Part = tuple[bytes, bytes]
"""as it is sent, and as it is shown"""


def masked(*pieces: bytes) -> bytes:
    mask = Mask()
    return b"".join([*map(mask.take, pieces), mask.end()])


def cut(data: bytes, places: list[int]) -> list[bytes]:
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(bounds)]


@st.composite
def plain_field(draw: st.DrawFn) -> Part:
    value = draw(st.binary(max_size=12).filter(lambda value: b"\x01" not in value))
    field = draw(st.sampled_from(PLAIN_TAGS)) + b"=" + value + b"\x01"
    return field, field


@st.composite
def secret_field(draw: st.DrawFn) -> Part:
    """A password, or data that states its length and may hold SOH, also what looks like fields."""
    zeros = draw(ZEROS)
    value = SECRET + draw(st.binary(max_size=8).filter(lambda value: b"\x01" not in value))
    tag, length = draw(
        st.sampled_from(
            [(b"554", b""), (b"925", b""), (b"96", b"95"), (b"1402", b"1401"), (b"1404", b"1403")]
        )
    )
    before = b""
    if length and draw(st.booleans()):
        value += draw(
            st.sampled_from([b"", b"\x01" + SECRET, b"\x0158=" + SECRET, b"\x01", b"\x01\x01" + SECRET])
        )
        before = b"%b%b=%b%d\x01" % (zeros, length, draw(ZEROS), len(value))
    head = before + zeros + tag + b"="
    return head + value + b"\x01", head + b"***\x01"


trailer = st.just((b"10=123\x01", b"10=123\x01"))
parts = st.lists(st.one_of(plain_field(), plain_field(), secret_field(), trailer), max_size=12)


@given(parts=parts, places=st.lists(st.integers(0, 500), max_size=8))
def test_secrets_and_nothing_else_whatever_the_pieces(parts: list[Part], places: list[int]) -> None:
    sent = b"".join(part[0] for part in parts)
    shown = b"".join(part[1] for part in parts)
    assert masked(sent) == shown
    assert masked(*cut(sent, places)) == shown


@given(parts=parts, places=st.lists(st.integers(0, 500), max_size=8), end=st.integers(0, 500))
def test_a_stream_that_ends_anywhere_shows_no_secret(parts: list[Part], places: list[int], end: int) -> None:
    sent = b"".join(part[0] for part in parts)
    assert SECRET not in masked(*cut(sent[:end], places))


@given(parts=parts, places=st.lists(st.integers(0, 500), max_size=8), lost=st.sets(st.integers(0, 8)))
def test_after_lost_pieces_no_half_of_a_secret_is_taken_for_text(
    parts: list[Part], places: list[int], lost: set[int]
) -> None:
    """It goes on with the next message."""
    sent = b"".join(part[0] for part in parts)
    begin = b"8=FIX.4.4\x019=5\x0135=0\x01"
    mask = Mask()
    shown = b""
    for number, piece in enumerate(cut(sent, places)):
        if number in lost:
            mask.lose()
        else:
            shown += mask.take(piece)
    assert SECRET not in shown
    mask.lose()
    assert mask.take(b"cret\x01" + begin) == begin
    mask.lose()
    assert mask.take(begin) == begin


@given(data=st.binary(max_size=300), places=st.lists(st.integers(0, 300), max_size=8))
def test_any_bytes_come_out_alike_however_they_are_cut(data: bytes, places: list[int]) -> None:
    assert masked(*cut(data, places)) == masked(data)


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        (b"35=A\x01554=x\x01", b"35=A\x01554=***\x01"),
        (b"35=A\x01554=\x0110=1\x01", b"35=A\x01554=***\x0110=1\x01"),
        (b"554=a\x01554=b\x01", b"554=***\x01554=***\x01"),
        (b"\x01\x01554=a\x01", b"\x01\x01554=***\x01"),
        (b" 554 =a\x01", b" 554 ***\x01"),
        (b"+554:a\x01", b"+554:***\x01"),
        (b"=554=a\x01", b"=554=a\x01"),  # a field without a tag, whose value is 554=a
    ],
)
def test_by_example(sent: bytes, shown: bytes) -> None:
    assert masked(sent) == shown


@pytest.mark.parametrize("stated", [0, 1, 3, 99, 10**8])
def test_a_wrong_length_hides_no_more_than_its_message(stated: int) -> None:
    """And no less than the field: a client cannot hide its orders, nor give away its secret."""
    sent = b"35=A\x0195=%d\x0196=s3cret\x0158=text\x0110=123\x018=FIX.4.4\x0135=D\x01" % stated
    shown = masked(sent)
    assert SECRET not in shown
    assert shown.endswith(b"\x0110=123\x018=FIX.4.4\x0135=D\x01")
    assert (b"58=text" in shown) == (stated < 99)
    assert masked(sent.replace(b"10=123\x01", b"")).endswith(b"\x018=FIX.4.4\x0135=D\x01")


@pytest.mark.parametrize("tag", [b"554", b"58"])
def test_a_field_without_end_costs_little_memory(tag: bytes) -> None:
    """The rest of it is hidden, and what follows is shown again."""
    mask = Mask()
    shown = mask.take(b"35=A\x01" + tag + b"=" + b"x" * LONGEST_FIELD)
    for _ in range(100):
        shown += mask.take(SECRET * 1000)
    shown += mask.take(SECRET + b"\x0110=123\x01")
    assert SECRET not in shown
    assert shown.startswith(b"35=A\x01" + tag) and shown.endswith(b"***\x0110=123\x01")
    assert len(shown) < LONGEST_FIELD + 100
