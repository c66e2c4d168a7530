"""Passwords that the settings hold as a hash only: to compute one takes time, and no one else's."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.raw import BUY, Disconnected
from tests.venue.floor import NEW, Floor, Member, logged_on, running
from tests.venue.logons import COSTLY, hashed

PASSWORD = "correct-horse!"
CREDENTIALS: list[tuple[int, Any]] = [(553, "someone"), (554, PASSWORD)]
_HASH, _SLOW = hashed(PASSWORD), hashed(PASSWORD, COSTLY)
SLOW = ["ALPHA2", "ALPHA3", "ALPHA4", "ALPHA22", "ALPHA23", "ALPHA24", "BRAVO2", "BRAVO3", "BRAVO4"]
"""each is logged on to in one test only, as what a venue has hashed once it does not hash again"""
NEVER = ["CHARLIE2", "CHARLIE3"]
"""slow as well, and never logged on to"""
VERSIONS = {"ALPHA": "FIX.4.4", "BRAVO": "FIX.4.4", "CHARLIE": "FIXT.1.1"}


def session(name: str, **more: str) -> dict[str, str]:
    client = name.rstrip("234")
    return {"client": client, "begin_string": VERSIONS[client], **more}


SESSIONS = {name: session(name, password=_SLOW) for name in SLOW + NEVER} | {
    name: session(name, username="someone", password=_HASH) for name in ("ALPHA", "CHARLIE")
}
LOGON_BYTES = 1024


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    directory = tmp_path_factory.mktemp("floor")
    door = {"failed_logons_per_address": 100_000, "logon_bytes": LOGON_BYTES, "logon_deadline_seconds": 1}
    with running(directory, sessions=SESSIONS, door=door) as venue:
        yield venue
        assert venue.terminate() == 0
        written = [venue.errors.encode(), *map(str.encode, venue.output)]
        written += [path.read_bytes() for path in venue.data.rglob("*") if path.is_file()]
        assert not any(PASSWORD.encode() in text for text in written)
        venue.start()


def answered_in_order(*lines: Member) -> list[str]:
    """What came on each, "" for a close without a word."""
    answers = []
    for line in lines:
        try:
            answers.append(line.receive().msg_type)
        except Disconnected:
            answers.append("")
    return answers


def is_waiting(line: Member) -> bool:
    """Neither an answer nor an end has come."""
    line.socket.setblocking(False)
    try:
        line.socket.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    return False


def goes_on(member: Member, name: str) -> None:
    for number in range(5):
        member.new(f"{name}{number}", BUY, "1", "100")
        member.told(f"{name}{number}", NEW)


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_who_has_the_password_comes_in_and_no_other(floor: Floor, session: str) -> None:
    """Feature 10; before and after the venue has seen it once."""
    member = Member(floor, "M0-USD", session)
    before_all = floor.errors.count("turned away")
    before = floor.status()[f"session {session}"]
    for _ in range(2):
        wrong: list[list[tuple[int, Any]]] = [
            [],
            [(553, "someone")],
            [(554, PASSWORD)],
            [(553, "someone"), (554, PASSWORD[:-1])],
            [(553, "someone"), (554, PASSWORD + "x")],
            [(553, "someone"), (554, "x" * 500)],
            [(553, "someone"), (554, _HASH)],
            [(553, "someone2"), (554, PASSWORD)],
        ]
        for credentials in wrong:
            for reset in False, True:
                member.connect().send_logon(reset=reset, extra=credentials)
                assert member.expect_disconnect() == []
        assert floor.status()[f"session {session}"] == before
        member.logon(reset=True, extra=CREDENTIALS)
        member.settle()
        member.logout()
        before = floor.status()[f"session {session}"]
    refusals = [line for line in floor.errors.splitlines() if "turned away" in line][before_all:]
    assert len(refusals) == 2 * 2 * len(wrong)
    assert all(f"session {session}: wrong " in line for line in refusals)


def test_no_one_waits_for_it(floor: Floor, market: str) -> None:
    with logged_on(floor, market, "BRAVO") as (bravo,):
        lines = [Member(floor, "M0-USD", name).connect() for name in ("ALPHA2", "ALPHA3", "ALPHA4")]
        for line in lines:
            line.send_logon(reset=True, extra=[(554, PASSWORD)])
        goes_on(bravo, "n")
        assert all(map(is_waiting, lines)), "the hash was too cheap for this test"
        assert answered_in_order(*lines) == ["A", "A", "A"]
        for line in lines:
            line.close()


def test_the_deadline_for_a_logon_is_not_for_hashing(floor: Floor) -> None:
    """It is one second here; a dozen guesses come first."""
    busy = [Member(floor, "M0-USD", name).connect() for name in NEVER * 6]
    for line in busy:
        line.send_logon(reset=True, extra=[(554, "a guess")])
    member = Member(floor, "M0-USD", "ALPHA24").connect()
    member.send_logon(reset=True, extra=[(554, PASSWORD)])
    assert answered_in_order(*busy, member) == [""] * len(busy) + ["A"]
    assert "no Logon within" not in floor.errors
    member.close()


def test_what_comes_behind_the_logon_is_kept(floor: Floor, market: str) -> None:
    """Also if it is more than is read ahead of the decision."""
    member = Member(floor, market, "BRAVO2").connect()
    sent: list[bytes] = []
    member.send_bytes = sent.append  # type: ignore[method-assign]
    member.send_logon(reset=True, extra=[(554, PASSWORD)])
    for number in range(300):
        member.new(f"n{number}", BUY, "1", "100")
    del member.send_bytes  # type: ignore[attr-defined]
    assert len(b"".join(sent)) > 20 * LOGON_BYTES
    member.send_bytes(sent[0])
    for part in sent[1:]:
        member.send_bytes(part)
    assert is_waiting(member), "the hash was too cheap for this test"
    member.expect("A")
    for number in range(300):
        member.told(f"n{number}", NEW)
    member.logout()


def test_of_two_at_once_one_comes_in(floor: Floor) -> None:
    """While the password of the first is hashed the session is still free."""
    lines = [Member(floor, "M0-USD", "BRAVO3").connect() for _ in range(4)]
    for line in lines:
        line.send_logon(reset=True, extra=[(554, PASSWORD)])
    assert sorted(answered_in_order(*lines)) == ["", "", "", "A"]
    assert floor.errors.count("session BRAVO3 is logged on already") == 3
    for line in lines:
        line.close()


def test_who_guesses_does_not_keep_the_client_out(floor: Floor) -> None:
    """Its guess is being hashed, and then it is known that the session's client is right."""
    stranger = Member(floor, "M0-USD", "BRAVO4").connect()
    stranger.send_logon(reset=True, extra=[(554, "a guess")])
    client = Member(floor, "M0-USD", "BRAVO4").connect()
    client.send_logon(reset=True, extra=[(554, PASSWORD)])
    assert answered_in_order(stranger, client) == ["", "A"]
    client.close()


@pytest.mark.parametrize(("name", "abort"), [("ALPHA22", False), ("ALPHA23", True)])
def test_who_hangs_up_meanwhile_has_changed_nothing(floor: Floor, name: str, abort: bool) -> None:
    before = floor.status()[f"session {name}"]
    member = Member(floor, "M0-USD", name).connect()
    member.send_logon(sequence=1, extra=[(554, PASSWORD)])
    assert is_waiting(member), "the hash was too cheap for this test"
    member.close(abort=abort)
    for _ in range(2):  # takes longer
        guess(Member(floor, "M0-USD", NEVER[0]))
    assert floor.status()[f"session {name}"] == before
    assert member.logon(sequence=1, extra=[(554, PASSWORD)]).sequence == 1
    member.logout()


def guess(member: Member) -> None:
    member.connect().send_logon(reset=True, extra=[(554, "a guess")])
    assert member.expect_disconnect() == []


def test_a_password_that_was_right_is_not_hashed_again(floor: Floor) -> None:
    """A thousand clients that come back at once are in at once; and a guess costs nothing any more. Here all
    the threads there are have seconds of work, which is not waited for."""
    member = Member(floor, "M0-USD", "ALPHA")
    member.logon(reset=True, extra=CREDENTIALS)
    member.logout()
    busy = [Member(floor, "M0-USD", name).connect() for name in NEVER * 3]
    for line in busy:
        line.send_logon(extra=[(554, "a guess")])
    for _ in range(20):
        member.logon(extra=CREDENTIALS)
        member.logout()
        member.connect().send_logon(sequence=1, extra=[(553, "someone"), (554, "a guess")])
        assert member.expect_disconnect() == []
        member.next_outbound = member.next_inbound  # as many each way
    assert is_waiting(busy[-1]), "the hash was too cheap for this test"
    assert answered_in_order(*busy) == [""] * 6


def test_the_venue_closes_while_it_hashes(floor: Floor) -> None:
    line = Member(floor, "M0-USD", NEVER[0]).connect()
    line.send_logon(reset=True, extra=[(554, PASSWORD)])
    assert is_waiting(line), "the hash was too cheap for this test"
    assert floor.terminate() == 0
    assert line.expect_disconnect() == []
    floor.start()
