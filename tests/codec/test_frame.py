"""Messages on the wire: made, cut out of a stream, and refused from a stranger."""

import pytest
import quickfix
from hypothesis import given
from hypothesis import strategies as st

from fixgw.codec.fields import fields
from fixgw.codec.frame import Frame, Garbled, checksum, first_message, split_messages, without

FRAME = Frame("FIX.4.4", "FIXGW", "ALPHA")
RECORD = b"8\x0120231114-22:13:20.123\x0137=7\x0111=A1\x01"
NOW = "20231114-22:14:00.000"


def whole(content: bytes, begin: bytes = b"FIX.4.4") -> bytes:
    """A message with right BodyLength and CheckSum, made the slow way."""
    message = b"8=%b\x019=%d\x01%b" % (begin, len(content), content)
    return b"%b10=%03d\x01" % (message, sum(message) % 256)


@given(data=st.binary(max_size=2000) | st.integers(0, 2000).map(lambda size: b"\xff" * size))
def test_checksum_is_the_sum_of_all_bytes(data: bytes) -> None:
    assert checksum(data) == sum(data) % 256


@given(size=st.integers(0, 1000))
def test_checksum_of_the_largest_ascii(size: int) -> None:
    assert checksum(b"\x7f" * size) == 127 * size % 256


def test_first_send_has_the_header_in_order() -> None:
    message = FRAME.first_send(12, RECORD)
    assert message == whole(
        b"35=8\x0134=12\x0149=FIXGW\x0152=20231114-22:13:20.123\x0156=ALPHA\x0137=7\x0111=A1\x01"
    )


def test_a_replay_says_when_it_was_sent_first() -> None:
    """feature 56"""
    assert FRAME.replay(12, RECORD, NOW) == whole(
        b"35=8\x0134=12\x0143=Y\x0149=FIXGW\x0152=20231114-22:14:00.000\x0156=ALPHA\x01"
        b"122=20231114-22:13:20.123\x0137=7\x0111=A1\x01"
    )


def test_a_gap_fill_names_the_next_number() -> None:
    assert FRAME.gap_fill(3, 12, NOW) == whole(
        b"35=4\x0134=3\x0143=Y\x0149=FIXGW\x0152=20231114-22:14:00.000\x0156=ALPHA\x01"
        b"122=20231114-22:14:00.000\x01123=Y\x0136=12\x01"
    )


@given(body=st.binary(max_size=700).map(lambda data: b"58=" + data.replace(b"\x01", b" ") + b"\x01"))
def test_quickfix_takes_every_frame(body: bytes) -> None:
    """BodyLength and CheckSum hold for any bytes, also those that are not UTF-8."""
    message = FRAME.first_send(1, b"8\x01" + NOW.encode() + b"\x01" + body)
    assert message == whole(message.split(b"\x01", 2)[2][:-7])
    text = message.decode("utf-8", "replace")
    if text.encode() == message:  # the binding cannot be given other bytes
        assert quickfix.Message(text, True).getHeader().getField(34) == "1"


@given(
    bodies=st.lists(st.binary(max_size=80).map(lambda data: data.replace(b"\x01", b"")), max_size=5),
    cut=st.integers(0, 400),
)
def test_a_stream_is_cut_into_its_messages(bodies: list[bytes], cut: int) -> None:
    messages = [FRAME.first_send(n, RECORD + b"58=" + body + b"\x01") for n, body in enumerate(bodies, 1)]
    stream = b"".join(messages)
    first, rest = split_messages(stream[:cut])
    second, end = split_messages(rest + stream[cut:])
    assert first + second == messages
    assert end == b""


def test_a_stream_out_of_step_is_noticed() -> None:
    with pytest.raises(AssertionError, match="out of step"):
        split_messages(b"5=8\x018=FIX.4.4\x01")


LOGON = whole(b"35=A\x0134=1\x0149=ALPHA\x0152=20231114-22:13:20\x0156=FIXGW\x0198=0\x01108=30\x01")


@given(rest=st.binary(max_size=40), size=st.integers(0, len(LOGON)))
def test_a_logon_is_complete_or_not_yet(rest: bytes, size: int) -> None:
    found = first_message(LOGON + rest, 4096)
    assert found is not None
    assert found.fields == fields(LOGON.decode())
    assert found.length == len(LOGON)
    partial = first_message(LOGON[:size], 4096)
    assert partial is None if size < len(LOGON) else partial == found


# fmt: off
GARBLED = [
    (b"GET / HTTP/1.1\r\n", "does not begin"),
    (b"\x16\x03\x01", "does not begin"),
    (b"8=FIX.4.4\x0135=A\x01", "does not begin"),
    (b"8=FIX.4.4\x019=\x01", "does not begin"),
    (b"8=FIX.4.4\x019=123456", "does not begin"),
    (b"8=FIX.4.4\x019=-1\x01", "does not begin"),
    (b"8=FIX.4.4\x019=1e3\x01", "does not begin"),
    (b"8=FIX.44\x01", "does not begin"),
    (b"8=FIX.4.4\x019=99999\x01", "makes a message of 100024 bytes, the limit is 4096"),
    (LOGON[:-4] + b"000\x01", "CheckSum.10. is wrong"),
    (LOGON[:-1] + b" ", "CheckSum.10. is not where"),
    (LOGON.replace(b"\x0110=", b" 10="), "CheckSum.10. is not where"),
    (LOGON.replace(b"9=", b"9=1", 1) + LOGON * 4, "CheckSum.10. is not where"),
    (whole(b"35=A\x0149=AL\0PHA\x01"), "not ASCII"),
    (whole(b"35=A\x0149=\xc3\x84\x01"), "not ASCII"),
    (whole(b"35=A\x0149=\x01"), "not tag=value"),
    (whole(b"35=A\x01ALPHA\x01"), "not tag=value"),
    (whole(b"35=A\x01\x01"), "not tag=value"),
    (whole(b"35=A\x01049=ALPHA\x01"), "not tag=value"),
    (whole(b"35=A\x0149x=ALPHA\x01"), "not tag=value"),
    (whole(b"35=A\x0195=3\x0196=a\x01b\x01"), "not tag=value"),
    (whole(b"49=ALPHA\x0135=A\x01"), "third field"),
    (whole(b"35=A\x0149=ALPHA\x0149=BRAVO\x01"), "twice"),
    (whole(b"35=A\x0149=ALPHA\x018=FIX.4.4\x01"), "twice"),
]
# fmt: on


@pytest.mark.parametrize(("data", "why"), GARBLED)
def test_a_garbled_beginning_is_refused_at_once(data: bytes, why: str) -> None:
    """feature 3"""
    with pytest.raises(Garbled, match=why):
        first_message(data, 4096)


def test_the_groups_of_a_logon_may_repeat() -> None:
    groups = b"384=2\x01372=D\x01385=R\x01372=8\x01385=S\x01"
    assert first_message(whole(b"35=A\x0149=ALPHA\x01" + groups), 4096) is not None


FIELD = st.tuples(st.sampled_from([9, 55, 95, 96, 553, 554, 1404, 5540]), st.text("abc=1 ", min_size=1))


@given(st.lists(FIELD, max_size=8))
def test_fields_are_taken_out_of_a_message(pairs: list[tuple[int, str]]) -> None:
    """The rest stays as it is, in its order, with right BodyLength and CheckSum."""
    start = b"35=A\x0134=1\x0149=ALPHA\x01"
    message = whole(start + b"".join(f"{tag}={value}\x01".encode() for tag, value in pairs))
    kept = b"".join(f"{tag}={value}\x01".encode() for tag, value in pairs if tag not in (96, 554))
    assert without(message, {b"96", b"554"}) == whole(start + kept)


def test_the_limit_is_the_whole_message() -> None:
    assert first_message(LOGON, len(LOGON)) is not None
    with pytest.raises(Garbled, match=f"the limit is {len(LOGON) - 1}$"):
        first_message(LOGON, len(LOGON) - 1)


@given(data=st.binary(max_size=60), position=st.integers(0, len(LOGON)), cut=st.integers(0, 30))
def test_a_damaged_logon_is_never_taken(data: bytes, position: int, cut: int) -> None:
    """feature 3: any bytes are refused or wait for more, and nothing else is raised"""
    damaged = LOGON[:position] + data + LOGON[position + cut :]
    try:
        found = first_message(damaged, 4096)
    except Garbled:
        return
    assert found is None or damaged[: found.length] == whole(
        damaged[: found.length].split(b"\x01", 2)[2][:-7]
    )
