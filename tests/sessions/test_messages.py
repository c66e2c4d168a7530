"""Cases 2d to 2o, 2t, 3, 12: a message that is garbled, and a header that is not the session's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.raw import encode, frame, utc_now
from tests.sessions.client import VERSIONS, Client
from tests.wire import Fields

LONG_AGO, FAR_AHEAD = "20200101-00:00:00.000", "20991231-00:00:00.000"


def order_bytes(client: Client) -> bytes:
    """A right order, as bytes, under the number that is expected next."""
    header: Fields = [(35, "D"), (34, client.next_outbound), (49, client.comp_id), (52, utc_now())]
    return frame(client.begin_string, encode([*header, (56, client.target), *client.order_fields()]))


def with_length(length: str) -> Callable[[bytes], bytes]:
    """Another BodyLength, and the CheckSum that goes with it."""

    def changed(raw: bytes) -> bytes:
        begin, _, rest = raw.partition(b"\x019=")
        content = begin + b"\x019=" + length.encode() + b"\x01" + rest.partition(b"\x01")[2][:-7]
        return content + encode([(10, f"{sum(content) % 256:03d}")])

    return changed


def with_trailer(trailer: bytes) -> Callable[[bytes], bytes]:
    return lambda raw: raw[:-7] + trailer


def first_fields(*order: int) -> Callable[[bytes], bytes]:
    """BeginString, BodyLength and MsgType in another order, or not all of them."""

    def changed(raw: bytes) -> bytes:
        fields = raw[:-7].split(b"\x01")
        content = b"\x01".join([*(fields[at] for at in order), *fields[3:]])
        return content + encode([(10, f"{sum(content) % 256:03d}")])

    return changed


def with_content(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Other content between BodyLength and CheckSum, both right."""

    def changed(raw: bytes) -> bytes:
        start = raw.index(b"\x0135=") + 1
        return frame(raw[2 : raw.index(b"\x01")].decode(), change(raw[start:-7]))

    return changed


def longer(surplus: int) -> Callable[[bytes], bytes]:
    return lambda raw: with_length(str(len(raw.split(b"\x01", 2)[2]) - 7 + surplus))(raw)


GARBLED: dict[str, Callable[[bytes], bytes]] = {
    "2d, 3b wrong CheckSum": lambda raw: raw[:-4] + b"%03d\x01" % ((int(raw[-4:-1]) + 1) % 256),
    "3b CheckSum no number": with_trailer(b"10=abc\x01"),
    "3c CheckSum of 2 digits": lambda raw: with_trailer(b"10=%02d\x01" % (12 + (raw[-4:-1] == b"012")))(raw),
    "3c CheckSum of 4 digits": lambda raw: with_trailer(b"10=%04d\x01" % (123 + (raw[-4:-1] == b"123")))(raw),
    "2m BodyLength too small": with_length("20"),
    "2m BodyLength 0": with_length("0"),
    "2m BodyLength one too small": longer(-1),
    "2m BodyLength no number": with_length("abc"),
    "2m BodyLength negative": with_length("-5"),
    "2m BodyLength fractional": with_length("5.5"),
    "2m BodyLength empty": with_length(""),
    "2t no MsgType": with_content(lambda content: content[content.index(b"\x01") + 1 :]),
    "2t MsgType not third": with_content(lambda content: b"11=x\x01" + content),
    "2d no field": with_content(lambda content: content + b"hello\x01"),
    "2d no tag": with_content(lambda content: content + b"=5\x01"),
    "2d a tag that is no number": with_content(lambda content: content + b"abc=5\x01"),
    "2d bytes between messages": lambda raw: b"hello, venue\x01",
}


@pytest.mark.parametrize("how", GARBLED)
def test_a_garbled_message_is_ignored(client: Client, how: str) -> None:
    """Cases 2d, 2m, 2t, 3b, 3c: no answer, and its number is still the one expected: the same order in the
    right form is then taken."""
    right = order_bytes(client)
    client.send_bytes(GARBLED[how](right))
    client.send_bytes(right)
    client.next_outbound += 1
    report = client.expect("8", t150="0")
    assert b"\x0111=" + report[11].encode() + b"\x01" in right
    assert client.settle() == []


OUT_OF_STEP: dict[str, Callable[[bytes], bytes]] = {
    "2m BodyLength one too large": longer(1),
    "2m BodyLength 50 too large": longer(50),
    "2m BodyLength 1000 too large": longer(1000),
    "2t no BodyLength": first_fields(0, 2),
    "2t MsgType before BodyLength": first_fields(0, 2, 1),
    "2t no BeginString": first_fields(1, 2),
}


@pytest.mark.parametrize("how", OUT_OF_STEP)
def test_a_message_without_an_end_costs_those_behind_it(client: Client, how: str) -> None:
    """Cases 2m, 2t: where it ends cannot be seen, so what follows is lost with it; the venue asks for all of
    it as soon as it sees a message again."""
    missing = client.next_outbound
    client.send_bytes(OUT_OF_STEP[how](order_bytes(client)))
    client.next_outbound += 1
    for _ in range(20):
        client.send("0")
    client.expect("2", t7=missing, t16="0")
    client.send("D", client.order_fields(), sequence=missing, possdup=True, original_sending_time=utc_now())
    client.expect("8", t150="0")
    client.fill_gap(missing + 1, client.next_outbound)
    assert client.settle() == []


def test_bytes_may_be_cut_anywhere(client: Client) -> None:
    """Case 2a: two messages, cut in two at each place, are still two messages."""
    for cut in range(1, 120, 3):
        order = order_bytes(client)
        client.next_outbound += 1
        question = encode([(35, "1"), (34, client.next_outbound), (49, client.comp_id), (52, utc_now())])
        client.next_outbound += 1
        raw = order + frame(client.begin_string, question + encode([(56, client.target), (112, cut)]))
        assert 2 * cut < len(raw)
        client.send_bytes(raw[:cut])
        client.send_bytes(raw[cut:-cut])
        client.send_bytes(raw[-cut:])
        client.expect("8", t150="0")
        client.expect("0", t112=cut)
    raw = order_bytes(client)
    client.next_outbound += 1
    for at in range(len(raw)):
        client.send_bytes(raw[at : at + 1])
    client.expect("8", t150="0")


WRONG: dict[str, dict[str, str]] = {
    "2k SenderCompID": {"sender": "NOBODY"},
    "2k TargetCompID": {"target": "NOBODY"},
    "2o sent long ago": {"sending_time": LONG_AGO},
    "2o sent tomorrow": {"sending_time": FAR_AHEAD},
}


@pytest.mark.parametrize("why", WRONG)
@pytest.mark.parametrize("msg_type", ["D", "0"])
def test_a_wrong_header_ends_the_session(client: Client, why: str, msg_type: str) -> None:
    """Cases 2k, 2o: Reject with the reason, the number counts, Logout that says why; the client's Logout is
    answered by closing."""
    number = client.next_outbound
    client.send(msg_type, client.order_fields() if msg_type == "D" else [], **WRONG[why])  # type: ignore[arg-type]
    reason, text = ("9", "CompID problem") if why.startswith("2k") else ("10", "SendingTime accuracy problem")
    client.expect("3", t45=number, t372=msg_type, t373=reason, t58=text)
    client.expect("5", t58=text)
    client.send("5")
    assert client.expect_disconnect(timeout=3.0) == []
    client.logon()
    assert client.settle() == []


def test_another_beginstring_ends_the_session(client: Client) -> None:
    """Case 2i: a Logout that says so; the number counts."""
    other = next(version for version in VERSIONS.values() if version != client.begin_string)
    client.send("0", begin_string=other)
    client.expect("5", t58="Incorrect BeginString")
    client.send("5")
    assert client.expect_disconnect() == []
    client.logon()
    assert client.settle() == []


def test_a_venue_that_said_logout_closes_without_an_answer(client: Client) -> None:
    """Cases 12, 2k: it waits for the client's Logout a few seconds, not for ever."""
    client.send("0", sender="NOBODY")
    client.expect("3", t373="9")
    client.expect("5")
    assert client.expect_disconnect() == []
