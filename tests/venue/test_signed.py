"""Signed Logons: HMAC-SHA256 for FIX.4.4, Ed25519 for FIXT.1.1. What was changed, is old or was seen before
is closed without a word and moves no number."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.raw import BUY
from tests.venue.floor import NEW, Floor, Member, running
from tests.venue.logons import Sign, ed25519_key, hashed, hmac_key, send_signed

SECONDS = 60
SETTINGS: dict[str, dict[str, Any]] = {
    "ALPHA": {"client": "ALPHA", "signature_seconds": SECONDS},
    "ALPHA2": {"client": "ALPHA", "signature_seconds": SECONDS},
    "ALPHA3": {"client": "ALPHA", "signature_seconds": SECONDS, "password": hashed("both-are-needed")},
    "CHARLIE": {"client": "CHARLIE", "begin_string": "FIXT.1.1", "signature_seconds": SECONDS},
    "CHARLIE2": {"client": "CHARLIE", "begin_string": "FIXT.1.1", "signature_seconds": SECONDS},
}
SIGN: dict[str, Sign] = {}
for _names, _make in ((("ALPHA", "ALPHA2", "ALPHA3"), hmac_key), (("CHARLIE", "CHARLIE2"), ed25519_key)):
    _setting, _sign = _make()
    for _name in _names:
        SETTINGS[_name] |= _setting
        SIGN[_name] = _sign


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    door = {"failed_logons_per_address": 100_000, "failed_logons_per_session": 100_000}
    with running(tmp_path_factory.mktemp("floor"), sessions=SETTINGS, door=door) as venue:
        yield venue


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def member(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[Member]:
    """Not connected yet."""
    client = Member(floor, market, request.param)
    yield client
    client.close()


def log_on(member: Member, **how: Any) -> bytes:
    member.connect()
    raw = send_signed(member, SIGN[member.comp_id], reset=True, **how)
    member.expect("A")
    member.settle()
    return raw


def is_refused(floor: Floor, member: Member, why: str) -> None:
    """Closed without a word, said once in the log."""
    assert member.expect_disconnect() == []
    assert floor.errors.splitlines()[-1].count(f"turned away: session {member.comp_id}: {why}") == 1


def test_the_right_signature_opens(floor: Floor, member: Member) -> None:
    log_on(member)
    member.new("a", BUY, "1", "100")
    member.told("a", NEW)
    member.logout()
    member.connect()
    send_signed(member, SIGN[member.comp_id], length=0)  # RawDataLength may be left out
    member.expect("A")
    member.logout()


OTHER = "20260102-03:04:05.678"
TAMPERED: dict[str, dict[str, Any]] = {
    "SendingTime": {"signed": {52: OTHER}},
    "MsgType": {"signed": {35: "5"}},
    "MsgSeqNum": {"signed": {34: "2"}},
    "SenderCompID": {"signed": {49: "ALPHA2"}},
    "TargetCompID": {"signed": {56: "OTHER"}},
    "no signature": {"raw_data": lambda text: "", "length": 0},
    "cut": {"raw_data": lambda text: text[:-4]},
    "too long": {"raw_data": lambda text: text + "AAAA"},
    "one bit": {"raw_data": lambda text: ("B" if text[0] == "A" else "A") + text[1:]},
    "not base64": {"raw_data": lambda text: "!" + text[1:]},
    "a blank": {"raw_data": lambda text: f" {text}"},
    "RawDataLength too small": {"length": 1},
    "RawDataLength no number": {"length": "x"},
}


@pytest.mark.parametrize("what", TAMPERED)
@pytest.mark.parametrize("reset", [False, True])
def test_anything_changed_is_refused(floor: Floor, member: Member, what: str, reset: bool) -> None:
    """Features 10, 14: and no number moves, also if it wants to reset them."""
    before = floor.status()[f"session {member.comp_id}"]
    member.connect()
    send_signed(member, SIGN[member.comp_id], reset=reset, **TAMPERED[what])
    is_refused(floor, member, "wrong signature")
    assert floor.status()[f"session {member.comp_id}"] == before


def test_a_signature_of_another_session_or_key_is_refused(floor: Floor, member: Member) -> None:
    """ALPHA and ALPHA2 share a key: the signed CompID keeps them apart."""
    other = "CHARLIE2" if member.comp_id == "ALPHA" else "ALPHA"
    member.connect()
    send_signed(member, SIGN[other])
    is_refused(floor, member, "wrong signature")
    second = Member(floor, member.market, f"{member.comp_id}2").connect()
    raw = send_signed(second, SIGN[second.comp_id], reset=True)
    second.expect("A")
    second.logout()
    moved = raw.replace(f"49={second.comp_id}".encode(), f"49={member.comp_id}".encode())
    body = moved.split(b"\x01", 2)[2][:-7]
    head = b"8=%b\x019=%d\x01" % (member.begin_string.encode(), len(body))
    member.connect().send_bytes(head + body + b"10=%03d\x01" % (sum(head + body) % 256))
    is_refused(floor, member, "wrong signature")


@pytest.mark.parametrize(
    ("seconds", "where"), [(-SECONDS - 2, "behind"), (SECONDS + 2, "ahead of"), (-86400 * 400, "behind")]
)
def test_a_clock_that_is_off_is_refused(floor: Floor, member: Member, seconds: int, where: str) -> None:
    time = (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y%m%d-%H:%M:%S.%f")[:-3]
    member.connect()
    send_signed(member, SIGN[member.comp_id], sending_time=time)
    assert member.expect_disconnect() == []
    assert f"s {where} the venue's clock; a signed Logon may be off by {SECONDS} s" in floor.errors


def test_a_time_that_is_none_is_refused(floor: Floor, member: Member) -> None:
    for time in ("now", "20260101", "20260101-25:00:00", "1" * 500):
        member.connect()
        send_signed(member, SIGN[member.comp_id], sending_time=time)
        is_refused(floor, member, "SendingTime(52) is not a UTCTimestamp")


def test_no_signed_logon_is_good_twice(floor: Floor, member: Member) -> None:
    """At once, while it is logged on, after a logout; also with ResetSeqNumFlag=Y, which QuickFIX would
    take."""
    raw = log_on(member)
    last = raw.split(b"\x0152=")[1].split(b"\x01")[0].decode()
    replayed = Member(floor, member.market, member.comp_id)
    for _ in range(2):
        replayed.connect().send_bytes(raw)
        is_refused(floor, replayed, "SendingTime(52) is not later than that of the last signed Logon")
        if member.connected:
            assert member.settle() == []
            member.logout()
    before = floor.status()[f"session {member.comp_id}"]
    earlier = (datetime.strptime(last, "%Y%m%d-%H:%M:%S.%f") - timedelta(milliseconds=1)).strftime(
        "%Y%m%d-%H:%M:%S.%f"
    )
    for time in (last, last + "000", earlier):
        replayed.connect()
        send_signed(replayed, SIGN[member.comp_id], reset=True, sending_time=time)
        is_refused(floor, replayed, "SendingTime(52) is not later than that of the last signed Logon")
    assert floor.status()[f"session {member.comp_id}"] == before
    log_on(member)
    member.logout()


def test_of_two_that_come_in_the_same_moment_one_is_let_in(floor: Floor, member: Member) -> None:
    log_on(member)
    member.logout()
    lines = [Member(floor, member.market, member.comp_id).connect() for _ in range(5)]
    raw = send_signed(lines[0], SIGN[member.comp_id], reset=True)
    for line in lines[1:]:
        line.send_bytes(raw)
    answers = []
    for line in lines:
        try:
            answers.append(line.receive())
        except AssertionError:
            line.close()
    assert [answer.msg_type for answer in answers] == ["A"]
    for line in lines:
        line.close()


def test_one_that_was_refused_as_the_session_was_in_use_is_spent_too(floor: Floor, member: Member) -> None:
    log_on(member)
    second = Member(floor, member.market, member.comp_id).connect()
    raw = send_signed(second, SIGN[member.comp_id], reset=True)
    assert second.expect_disconnect() == []
    assert f"session {member.comp_id} is logged on already" in floor.errors
    member.logout()
    second.connect().send_bytes(raw)
    is_refused(floor, second, "SendingTime(52) is not later than that of the last signed Logon")


def test_with_both_configured_both_are_needed(floor: Floor, market: str) -> None:
    member = Member(floor, market, "ALPHA3").connect()
    send_signed(member, SIGN["ALPHA3"], reset=True)
    is_refused(floor, member, "wrong Password")
    member.connect().send_logon(reset=True, extra=[(554, "both-are-needed")])
    is_refused(floor, member, "wrong signature")
    member.connect()
    send_signed(member, SIGN["ALPHA3"], reset=True, extra=((554, "both-are-needed"),))
    member.expect("A")
    member.logout()


@pytest.mark.parametrize("refused", [False, True])
@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_none_is_good_twice_over_kill_9(tmp_path: Path, session: str, refused: bool) -> None:
    """Taken, or refused by the session itself for its MsgSeqNum: what is answered is on disk."""
    door = {"failed_logons_per_address": 100_000}
    with Floor(tmp_path, sessions=SETTINGS, door=door) as venue:
        member = Member(venue, "M0-USD", session)
        raw = log_on(member)
        if refused:
            member.logout()
            member.connect()
            raw = send_signed(member, SIGN[session], sequence=1)
            assert "MsgSeqNum too low" in member.expect("5")[58]
        venue.kill9()
        venue.start()
        again = Member(venue, "M0-USD", session).connect()
        again.send_bytes(raw)
        is_refused(venue, again, "SendingTime(52) is not later than that of the last signed Logon")
        log_on(again)
        again.logout()
        assert venue.terminate() == 0, venue.errors
