"""Where the stream of a client is cut before QuickFIX sees it."""

import re

from hypothesis import given
from hypothesis import strategies as st

from fixgw.codec.admin import up_to_question

PIECES = [
    b"8=FIX.4.4\x019=5", b"8=FIXT.1.1\x019=5", b"\x0135=D\x01", b"\x0135=1\x01", b"\x0135=2\x01",
    b"\x0135=5\x01", b"\x0135=A\x01", b"\x0135=q\x01", b"\x01", b"8=", b"8=FIX", b"11=x\x01",
    b"10=000\x01", b"35=1\x01",
]  # fmt: skip


def slowly(data: bytes) -> bytes:
    """Before the first question that begins in a message behind the first."""
    for question in re.finditer(rb"\x0135=[A125q]\x01", data):
        start = data.rfind(b"8=FIX", 0, question.start())
        if start > 0:
            return data[:start]
    return data


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_a_chunk_ends_before_a_question(pieces: list[bytes]) -> None:
    data = b"8=FIX.4.4\x019=5\x0135=0\x0134=1\x0149=ALPHA\x01" + b"".join(pieces)
    assert up_to_question(data) == slowly(data)


def test_a_chunk_has_one_mass_cancel() -> None:
    first, order, second = (b"8=FIX.4.4\x019=5\x0135=%c\x01" % kind for kind in b"qDq")
    assert up_to_question(first + order + second + order) == first + order


def test_questions_that_are_in_no_message_cost_one_look() -> None:
    """They are searched for from the second message on, of which there is none."""
    assert up_to_question(b"\x0135=1" * 1_000_000) == b"\x0135=1" * 1_000_000
