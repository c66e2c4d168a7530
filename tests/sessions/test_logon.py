"""Cases 1S: who is let in, who is refused in words, and who is left without a word."""

from __future__ import annotations

import pytest

from tests.process import VenueProcess
from tests.raw import RawClient, utc_now
from tests.sessions.client import VERSIONS, Client
from tests.wire import Fields

LONG_AGO, FAR_AHEAD = "20200101-00:00:00.000", "20991231-00:00:00.000"


def test_a_valid_logon_is_answered(venue: VenueProcess, client: Client) -> None:
    """Case 1S/a: the answer repeats HeartBtInt, says which application version, and spends one number."""
    client.logout()
    expected = client.next_inbound
    answer = client.logon(heartbeat=47)
    assert (answer.sequence, answer[98], answer[108], answer.get(141)) == (expected, "0", "47", None)
    assert answer.get(1137) == ("9" if client.begin_string == "FIXT.1.1" else None)
    assert (answer[49], answer[56]) == ("FIXGW", client.comp_id)
    assert client.settle() == []


def test_a_logon_above_a_gap_is_answered_and_the_gap_asked_for(client: Client) -> None:
    """Case 1S/a: MsgSeqNum too high. The gap once filled, the session is as any."""
    missing = client.next_outbound
    client.logout()
    client.logon(sequence=missing + 10)
    client.expect("2", t7=missing + 1, t16="0")
    client.fill_gap(missing + 1, client.next_outbound)
    assert client.settle() == []


def test_a_session_in_use_is_closed_to_others(venue: VenueProcess, client: Client) -> None:
    """Case 1S/b: a duplicate identity is disconnected without a message; the first client goes on, and no
    number is spent, even if the stranger wants to reset them."""
    with Client(venue, client.comp_id) as other:
        other.send_logon(reset=True)
        assert other.expect_disconnect() == []
    before = client.next_inbound
    assert client.settle() == []
    assert client.next_inbound == before + 1


@pytest.mark.parametrize("begin_string", ["FIX.4.4", "FIXT.1.1", "FIX.4.2"])
@pytest.mark.parametrize(
    ("comp_id", "target"), [("NOBODY", "FIXGW"), ("ALPHA", "OTHER"), ("CHARLIE", "OTHER"), ("FIXGW", "ALPHA")]
)
def test_an_unknown_identity_hears_nothing(
    venue: VenueProcess, comp_id: str, target: str, begin_string: str
) -> None:
    """Case 1S/c: wrong SenderCompID, TargetCompID or both."""
    with RawClient(venue.host, venue.port, comp_id, target, begin_string) as stranger:
        stranger.send_logon()
        assert stranger.expect_disconnect() == []


@pytest.mark.parametrize(("comp_id", "begin_string"), [("ALPHA", "FIXT.1.1"), ("CHARLIE", "FIX.4.4")])
def test_a_known_name_in_the_wrong_version_hears_nothing(
    venue: VenueProcess, comp_id: str, begin_string: str
) -> None:
    """Case 1S/d (wrong BeginString): a session is its names and its version."""
    with RawClient(venue.host, venue.port, comp_id, begin_string=begin_string) as stranger:
        stranger.send_logon()
        assert stranger.expect_disconnect() == []


REFUSED: dict[str, tuple[Fields, dict[str, str], str]] = {
    "a field of another message": ([(98, 0), (108, 30), (55, "X")], {}, "55"),
    "an unknown field": ([(98, 0), (108, 30), (4999, "X")], {}, "Invalid tag number: 4999"),
    "no EncryptMethod": ([(108, 30)], {}, "Required tag missing: 98"),
    "encryption": ([(98, 1), (108, 30)], {}, "Value is incorrect"),
    "no HeartBtInt": ([(98, 0)], {}, "HeartBtInt(108) must be from 1 to 300"),
    "HeartBtInt 0": ([(98, 0), (108, 0)], {}, "HeartBtInt(108) must be from 1 to 300"),
    "HeartBtInt 301": ([(98, 0), (108, 301)], {}, "HeartBtInt(108) must be from 1 to 300"),
    "HeartBtInt no number": ([(98, 0), (108, "ten")], {}, "HeartBtInt(108) must be from 1 to 300"),
    "789 no number": ([(98, 0), (108, 30), (789, "x")], {}, "NextExpectedMsgSeqNum(789)"),
    "789 zero": ([(98, 0), (108, 30), (789, 0)], {}, "NextExpectedMsgSeqNum(789)"),
    "789 too high": ([(98, 0), (108, 30), (789, 9999)], {}, "NextExpectedMsgSeqNum too high, expecting"),
    "a bad flag": ([(98, 0), (108, 30), (141, "X")], {}, "Incorrect data format"),
    "sent long ago": ([(98, 0), (108, 30)], {"sending_time": LONG_AGO}, "within 120 s of the venue's clock"),
    "sent tomorrow": ([(98, 0), (108, 30)], {"sending_time": FAR_AHEAD}, "within 120 s of the venue's clock"),
    "a reset sent long ago": ([(98, 0), (108, 30), (141, "Y")], {"sending_time": LONG_AGO}, ""),
    "a reset with 789 above 1": ([(98, 0), (108, 30), (141, "Y"), (789, 2)], {}, ""),
}


@pytest.mark.parametrize("why", REFUSED)
def test_an_invalid_logon_is_refused_in_words(client: Client, why: str) -> None:
    """Case 1S/d: a Logout says what is wrong, then the venue disconnects. Apart from that Logout's number
    nothing has changed: the same number in, no report lost, none under a number used before."""
    fields, how, text = REFUSED[why]
    client.order()
    report = client.expect("8", t150="0")
    client.logout()
    number, reset = client.next_outbound, (141, "Y") in fields
    version: Fields = [(1137, 9)] if client.begin_string == "FIXT.1.1" else []
    client.connect().send("A", [*fields, *version], sequence=1 if reset else number, **how)  # type: ignore[arg-type]
    logout = client.expect("5", t34=client.next_inbound)
    assert text in logout[58]
    assert client.expect_disconnect() == []
    client.logon()
    client.send("2", [(7, report.sequence), (16, report.sequence)])
    client.expect("8", t34=report.sequence, t43="Y", t17=report[17])
    client.order()
    client.expect("8", t150="0", t34=client.next_inbound)


@pytest.mark.parametrize("version", [[], [(1137, 7)], [(1137, "")]])
def test_another_application_version_is_refused(venue: VenueProcess, version: Fields) -> None:
    """Case 1S/d: DefaultApplVerID must be 9, FIX.5.0SP2."""
    with Client(venue, "CHARLIE") as client:
        client.begin()
        client.logout()
        client.connect().send("A", [(98, 0), (108, 30), *version])
        if version != [(1137, "")]:  # an empty field is no Logon at all
            assert "1137" in client.expect("5")[58]
        assert client.expect_disconnect() == []


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("possdup", [False, True])
def test_a_logon_that_repeats_a_number_is_refused(client: Client, reset: bool, possdup: bool) -> None:
    """Cases 1S/d, 2c: MsgSeqNum too low; a reset begins at 1; and no Logon is a possible duplicate."""
    client.logout()
    fields = [*client.session_fields(), (108, 30), *([(141, "Y")] if reset else [])]
    client.connect().send("A", fields, sequence=2, possdup=possdup, original_sending_time=utc_now())
    text = client.expect("5")[58]
    if possdup and not reset:
        assert "PossDupFlag" in text
    elif not reset:
        assert text == f"MsgSeqNum too low, expecting {client.next_outbound} but received 2"
    else:
        assert "MsgSeqNum(34) must be 1" in text
    assert client.expect_disconnect() == []
    client.logon()
    assert client.settle() == []


@pytest.mark.parametrize("msg_type", ["0", "1", "2", "4", "5", "D", "ZZ"])
@pytest.mark.parametrize("name", VERSIONS)
def test_the_first_message_must_be_a_logon(venue: VenueProcess, name: str, msg_type: str) -> None:
    """Case 1S/e: anything else is disconnected, and counts for nothing."""
    with Client(venue, name) as client:
        client.begin()
        client.logout()
        fields: dict[str, Fields] = {"1": [(112, "x")], "2": [(7, 1), (16, 0)], "4": [(36, 99)]}
        client.connect().send(msg_type, fields.get(msg_type, []), sequence=client.next_outbound)
        assert client.expect_disconnect() == []
        expected = client.next_inbound
        assert client.logon().sequence == expected
        assert client.settle() == []


@pytest.mark.parametrize(
    "damage",
    [
        {"checksum": "256"},
        {"checksum": "0000"},
        {"body_length": 10},
        {"body_length": "x"},
        {"body_length": 99999},
        {"body_length": -1},
    ],
)
@pytest.mark.parametrize("name", VERSIONS)
def test_a_garbled_logon_is_not_answered(venue: VenueProcess, name: str, damage: dict[str, object]) -> None:
    """Case 1S/d (BodyLength, CheckSum): before a Logon there is no session that could ignore it."""
    with Client(venue, name).connect() as client:
        client.send("A", [*client.session_fields(), (108, 30)], **damage)  # type: ignore[arg-type]
        assert client.expect_disconnect() == []


def test_a_logon_may_come_byte_by_byte_with_an_order_behind_it(client: Client) -> None:
    """Case 1S/a: TCP may cut anywhere; what follows the Logon at once is not lost."""
    client.logout()
    sent: list[bytes] = []
    client.connect().send_bytes = sent.append  # type: ignore[method-assign]
    client.send_logon()
    cl_ord_id = client.order()
    del client.send_bytes  # type: ignore[attr-defined]
    raw = b"".join(sent)
    for position in range(len(raw) - 150):
        client.send_bytes(raw[position : position + 1])
    client.send_bytes(raw[len(raw) - 150 :])
    client.expect("A")
    client.expect("8", t11=cl_ord_id, t150="0")


@pytest.mark.parametrize("abort", [False, True])
def test_who_hangs_up_may_come_back_at_once(client: Client, abort: bool) -> None:
    """Feature 1: the session is free as soon as what was sent before is read, and a client that knocks in
    between is let in, not turned away."""
    for _ in range(20):
        expected = client.next_inbound
        client.close(abort=abort)
        assert client.logon().sequence == expected


def test_a_second_logon_without_a_reset_ends_the_session(client: Client) -> None:
    """The standard knows no Logon inside of a session but one that resets it."""
    client.send_logon()
    assert client.expect_disconnect() == []
    client.logon(sequence=client.next_outbound - 1)
    assert client.settle() == []


def test_a_stranger_cannot_reset_a_session(venue: VenueProcess, client: Client) -> None:
    """Case 1S/c: a Logon with ResetSeqNumFlag to another TargetCompID leaves the numbers alone."""
    client.logout()
    with Client(venue, client.comp_id).connect() as stranger:
        stranger.send("A", [*client.session_fields(), (108, 30), (141, "Y")], target="OTHER")
        assert stranger.expect_disconnect() == []
    expected = client.next_inbound
    assert client.logon().sequence == expected
