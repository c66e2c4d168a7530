"""A stream becomes messages again, whatever is in it."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from fixgw.codec.stream import CUT, GARBLED, WHOLE, Ids, Message, Splitter, ids, message_type
from tests.codec.test_masking import cut
from tests.wire import encode, frame

HEARTBEAT = frame("FIX.4.4", encode([(35, "0"), (34, 7), (112, b"\xff\n|")]))
LOGON = frame("FIXT.1.1", encode([(35, "A"), (554, "secret")])).replace(b"secret", b"***")
"""BodyLength and CheckSum are those of the secret"""
WRONG_SUM = frame("FIX.4.4", encode([(35, "0")]), checksum="000")
WRONG_LENGTH = frame("FIX.4.4", encode([(35, "0")]), body_length=4)
UNFINISHED = b"8=FIX.4.4\x019=5\x0135=0\x01"
NOISE = b"noise\x01"
KINDS = {HEARTBEAT: WHOLE, LOGON: WHOLE, WRONG_SUM: GARBLED, WRONG_LENGTH: GARBLED, UNFINISHED: CUT}


def split(*pieces: bytes) -> list[Message]:
    splitter = Splitter()
    messages = [message for piece in pieces for message in splitter.take(piece)]
    return messages + splitter.end()


@given(messages=st.lists(st.sampled_from(list(KINDS))), places=st.lists(st.integers(0, 500), max_size=8))
def test_messages_right_and_wrong(messages: list[bytes], places: list[int]) -> None:
    expected = [Message(text, KINDS[text]) for text in messages]
    assert split(*cut(b"".join(messages), places)) == expected


def test_what_stands_between_is_shown_as_garbled() -> None:
    assert split(NOISE + HEARTBEAT) == [(NOISE, GARBLED), (HEARTBEAT, WHOLE)]
    assert split(HEARTBEAT + NOISE + HEARTBEAT) == [(HEARTBEAT, WHOLE), (NOISE, GARBLED), (HEARTBEAT, WHOLE)]
    assert split(HEARTBEAT + NOISE) == [(HEARTBEAT, WHOLE), (NOISE, GARBLED)]
    assert split(HEARTBEAT + HEARTBEAT[:-3]) == [(HEARTBEAT, WHOLE), (HEARTBEAT[:-3], CUT)]


@given(data=st.binary(max_size=200), places=st.lists(st.integers(0, 200), max_size=8))
@example(data=b"\x0110=\x01\x0110=\x01", places=[1, 6])
def test_no_byte_is_lost(data: bytes, places: list[int]) -> None:
    assert b"".join(message.text for message in split(*cut(data, places))) == data


def test_what_a_message_names() -> None:
    text = frame("FIX.4.4", encode([(35, "8"), (34, 9), (37, 12), (11, "b"), (41, "a"), (45, 3)]))
    assert ids(text) == Ids("b", "a", "12", "9", "3")
    refused = frame("FIX.4.4", encode([(35, "8"), (34, 9), (37, "NONE"), (11, b"\xff")]))
    assert ids(refused) == Ids("\udcff", "", "", "9", "")
    assert ids(b"") == Ids("", "", "", "", "")
    assert (message_type(text), message_type(b"35=D"), message_type(b"\x0135=AE\x01")) == ("8", "", "AE")
