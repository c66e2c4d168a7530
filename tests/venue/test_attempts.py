"""Failed Logons: who fails too often waits, and shuts no one else out."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.raw import NothingCame
from tests.venue.floor import Floor, Member, running

PER_ADDRESS, PER_SESSION = 4, 6
LONG = 3600
"""seconds no test waits for"""
PASSWORD = "pa55word-of-alpha"
SESSIONS = {
    "ALPHA": {"client": "ALPHA", "password": PASSWORD},
    "ALPHA2": {"client": "ALPHA", "password": PASSWORD},
    "CHARLIE": {"client": "CHARLIE", "begin_string": "FIXT.1.1", "password": PASSWORD},
    "BRAVO": {"client": "BRAVO", "password": PASSWORD, "addresses": ["127.0.5.0/24", "127.0.6.1"]},
}


def door(seconds: int = LONG) -> dict[str, int]:
    return {
        "failed_logons_per_address": PER_ADDRESS, "failed_logons_per_session": PER_SESSION,
        "failed_logon_seconds": seconds, "logon_deadline_seconds": 1,
    }  # fmt: skip


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """Each test has addresses of its own."""
    with running(tmp_path_factory.mktemp("floor"), sessions=SESSIONS, door=door()) as venue:
        yield venue


def at(floor: Floor, address: str, session: str = "ALPHA") -> Member:
    member = Member(floor, "M0-USD", session)
    member.source = address
    return member


def opens(member: Member) -> None:
    member.connect().send_logon(reset=True, extra=[(554, PASSWORD)])
    member.expect("A")
    member.settle()
    member.logout()


def is_shut(member: Member) -> None:
    """Even to the right password."""
    member.connect()
    try:
        member.send_logon(extra=[(554, PASSWORD)])
    except ConnectionError:
        member.close()  # closed before the Logon was sent
    else:
        assert member.expect_disconnect() == []


def wrong_password(member: Member) -> None:
    member.send_logon(extra=[(554, "wrong")])


FAILURES: dict[str, Callable[[Member], object]] = {
    "password": wrong_password,
    "identity": lambda member: member.send("A", [(98, 0), (108, 30)], sender="MALLORY"),
    "no Logon": lambda member: member.send("0"),
    "garbage": lambda member: member.send_bytes(b"GET / HTTP/1.1\r\n\r\n"),
    "checksum": lambda member: member.send("A", [(98, 0), (108, 30)], checksum="000"),
    "never ends": lambda member: member.send_bytes(b"8=FIX.4.4\x019=100\x01"),
}


@pytest.mark.parametrize(("number", "kind"), list(enumerate(FAILURES)))
def test_an_address_that_fails_too_often_is_closed(floor: Floor, number: int, kind: str) -> None:
    """Feature 10: before a byte is read; other addresses go on. It is logged once."""
    address = f"127.0.1.{number + 1}"
    member = at(floor, address, "ALPHA2" if kind == "password" else "ALPHA")
    opens(member)
    for _ in range(PER_ADDRESS):
        FAILURES[kind](member.connect())
        assert member.expect_disconnect() == []
    before = floor.errors.count("turned away")
    for _ in range(3):
        is_shut(member)
    assert floor.errors.count("turned away") == before
    assert floor.errors.count(f"{address}: too many failed Logons; closed to it for {LONG} s") == 1
    opens(at(floor, "127.0.0.1"))


def test_less_than_that_and_what_is_no_failure_closes_nothing(floor: Floor) -> None:
    """A probe that says nothing, a session in use, and a Logon that is refused in words."""
    member = at(floor, "127.0.2.1")
    for _ in range(PER_ADDRESS - 1):
        member.connect().send_bytes(b"garbage")
        assert member.expect_disconnect() == []
    for _ in range(PER_ADDRESS + 1):
        member.connect().close()
    lines = [at(floor, "127.0.2.1").connect() for _ in range(PER_ADDRESS + 1)]
    for line in lines:
        assert line.expect_disconnect() == []  # at the deadline
    member.logon(reset=True, extra=[(554, PASSWORD)])
    for _ in range(PER_ADDRESS + 1):
        is_shut(at(floor, "127.0.2.1"))
    member.settle()
    member.logout()
    for _ in range(PER_ADDRESS + 1):
        member.connect().send_logon(heartbeat=0, extra=[(554, PASSWORD)])
        member.expect("5")
        assert member.expect_disconnect() == []
    opens(member)


def test_who_is_inside_stays_when_its_address_is_closed(floor: Floor) -> None:
    """And who is still outside goes."""
    inside, outside = at(floor, "127.0.2.2"), at(floor, "127.0.2.2")
    inside.logon(reset=True, extra=[(554, PASSWORD)])
    outside.connect()
    for _ in range(PER_ADDRESS):
        member = at(floor, "127.0.2.2").connect()
        member.send_bytes(b"garbage")
        assert member.expect_disconnect() == []
    assert outside.expect_disconnect() == []
    assert "turned away: its address is closed" in floor.errors
    inside.settle()
    inside.logout()


@pytest.mark.parametrize(("session", "third"), [("ALPHA", 3), ("CHARLIE", 4)])
def test_who_guesses_does_not_lock_the_client_out(floor: Floor, session: str, third: int) -> None:
    """A session takes Logons only from addresses it knows then, each address with its own few guesses."""
    client = at(floor, f"127.0.{third}.1", session)
    opens(client)
    for number in range(PER_SESSION):
        stranger = at(floor, f"127.0.{third}.{number + 10}", session).connect()
        wrong_password(stranger)
        assert stranger.expect_disconnect() == []
    said = f"session {session}: too many failed Logons; for {LONG} s it takes them from known addresses only"
    assert floor.errors.count(said) == 1
    new = at(floor, f"127.0.{third}.100", session)
    is_shut(new)
    last = floor.errors.splitlines()[-1]
    assert f"session {session}: after too many failed Logons not from an unknown address" in last
    opens(client)
    wrong_password(client.connect())
    assert client.expect_disconnect() == []
    opens(client)
    opens(at(floor, f"127.0.{third}.100", "ALPHA2"))


def test_a_session_is_for_its_addresses_only(floor: Floor) -> None:
    """Feature 10: closed without a word, whatever the password, and no number moves."""
    before = floor.status()["session BRAVO"]
    for address in ("127.0.0.1", "127.0.4.255", "127.0.6.2"):
        member = at(floor, address, "BRAVO").connect()
        member.send_logon(reset=True, extra=[(554, PASSWORD)])
        assert member.expect_disconnect() == []
        assert "session BRAVO: not from this address" in floor.errors.splitlines()[-1]
    assert floor.status()["session BRAVO"] == before
    for address in ("127.0.5.1", "127.0.5.255", "127.0.6.1"):
        opens(at(floor, address, "BRAVO"))


def test_after_the_time_all_is_as_before(tmp_path: Path) -> None:
    """The end is logged once, with how many were turned away meanwhile."""
    with running(tmp_path, sessions=SESSIONS, door=door(seconds=2)) as venue:
        known = at(venue, "127.0.0.1")
        opens(known)
        address, guesser = at(venue, "127.0.0.2"), at(venue, "127.0.0.3")
        for number in range(PER_SESSION):
            guesser.source = f"127.0.0.{number + 10}"
            wrong_password(guesser.connect())
            assert guesser.expect_disconnect() == []
        for _ in range(PER_ADDRESS):
            address.connect().send_bytes(b"garbage")
            assert address.expect_disconnect() == []
        for _ in range(3):
            is_shut(address)
        said = "127.0.0.2: open to it again; 3 connections were turned away meanwhile"
        known.logon(reset=True, heartbeat=1, extra=[(554, PASSWORD)])
        while said not in venue.errors:
            try:
                known.receive(timeout=0.2)
            except NothingCame:
                known.send("0")
        assert venue.errors.count(said) == 1
        known.logout()
        opens(address)  # which the session does not know; its time began before the address's and is over


def test_all_that_a_machine_has_of_ipv6_is_one_address(tmp_path: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    sessions = {"ALPHA": {"client": "ALPHA", "addresses": ["::1"]}} | {
        "BRAVO": {"client": "BRAVO", "addresses": ["127.0.0.0/8", "2001:db8::/32"]}
    }
    with running(tmp_path, sessions=sessions, door=door(), venue={"address": "::1"}) as venue:
        member = Member(venue, "M0-USD", "ALPHA")
        member.logon()
        member.logout()
        for _ in range(PER_ADDRESS):
            stranger = Member(venue, "M0-USD", "BRAVO").connect()
            stranger.send_logon()
            assert stranger.expect_disconnect() == []
        assert venue.errors.count("session BRAVO: not from this address") == PER_ADDRESS
        is_shut(member)
        assert f"::/64: too many failed Logons; closed to it for {LONG} s" in venue.errors


def test_what_a_stranger_says_is_logged_short_and_on_one_line(floor: Floor) -> None:
    member = at(floor, "127.0.7.1").connect()
    lines = len(floor.errors.splitlines())
    member.send("A", [(98, 0), (108, 30), (554, PASSWORD)], sender="M\n2026 WARNING fixgw: hello" + "x" * 900)
    assert member.expect_disconnect() == []
    member.connect().send("\x1b[31m" + "y" * 900, [(554, PASSWORD)])
    assert member.expect_disconnect() == []
    new = floor.errors.splitlines()[lines:]
    assert len(new) == 2 and all(len(line) < 300 and line.isprintable() for line in new), new
    assert PASSWORD not in floor.errors
