"""What a stop, a crash and a new start of the venue are to a session; both versions go through it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process import VenueProcess
from tests.raw import RawClient, Received
from tests.sessions.client import VERSIONS, Client, content

JUMP = 1000
"""numbers left out after a crash, as the demo venue is set"""


@pytest.fixture
def venue(tmp_path: Path) -> Iterator[VenueProcess]:
    with VenueProcess(tmp_path) as running:
        yield running


@pytest.fixture
def clients(venue: VenueProcess) -> Iterator[list[Client]]:
    opened = [Client(venue, name) for name in VERSIONS]
    for client in opened:
        client.logon()
    yield opened
    for client in opened:
        client.close()


def trade(client: Client) -> list[Received]:
    for _ in range(3):
        client.order()
    return [client.expect("8", t150="0") for _ in range(3)]


def start_again(venue: VenueProcess, clients: list[Client]) -> None:
    venue.start()
    for client in clients:
        client.close()
        client.address = (venue.host, venue.port)


def test_a_venue_that_stops_logs_its_sessions_out(venue: VenueProcess, clients: list[Client]) -> None:
    """Cases 12, 13a: Logout in words; the client's answer ends the connection and lets the venue go. Its next
    start goes on with the next numbers, in both directions."""
    for client in clients:
        trade(client)
    venue.process.terminate()
    for client in clients:
        client.expect("5", t58="the venue is closing")
        client.send("5")
    for client in clients:
        assert client.expect_disconnect() == []
    assert venue.wait(2.0) == 0
    start_again(venue, clients)
    for client in clients:
        assert client.logon().sequence == client.next_inbound - 1
        assert client.settle() == []


def test_a_venue_that_stops_does_not_wait_for_ever(venue: VenueProcess, clients: list[Client]) -> None:
    """Case 12: without an answer it goes all the same, in time; nothing is out of step."""
    venue.process.terminate()
    for client in clients:
        client.expect("5")
    assert venue.wait(3.0) == 0
    start_again(venue, clients)
    for client in clients:
        assert client.logon().sequence == client.next_inbound - 1
        assert client.settle() == []


def test_numbers_jump_after_a_crash(venue: VenueProcess, clients: list[Client]) -> None:
    """Features 1, 12: a number that may have been on the wire is never used again, so the client sees a gap;
    it asks, and gets its reports as they were and a gap fill over the rest."""
    before = {client.comp_id: trade(client) for client in clients}
    venue.kill9()
    start_again(venue, clients)
    for client in clients:
        end = client.next_inbound
        assert client.logon().sequence >= end + JUMP
        client.send("2", [(7, 1), (16, 0)])
        came = client.settle()
        reports = [message for message in came if message.msg_type == "8"]
        assert [content(report) for report in reports] == [content(each) for each in before[client.comp_id]]
        assert [report.sequence for report in reports] == [each.sequence for each in before[client.comp_id]]
        assert came[-1].msg_type == "4" and came[-1].sequence == end
        client.order()
        client.expect("8", t150="0", t34=client.next_inbound)


def test_a_crash_and_a_low_next_expected(venue: VenueProcess, clients: list[Client]) -> None:
    """Feature 1: the same through NextExpectedMsgSeqNum."""
    for client in clients:
        trade(client)
    venue.kill9()
    start_again(venue, clients)
    for client in clients:
        end = client.next_inbound
        logon = client.logon(extra=[(789, end - 1)])
        client.expect("8", t34=end - 1, t43="Y")
        client.expect("4", t34=end, t43="Y", t36=logon.sequence + 1)
        assert client.settle() == []


def test_a_crash_and_a_reset(venue: VenueProcess, clients: list[Client]) -> None:
    """Feature 56: reports of before the crash come as possible resends; numbers begin at 1."""
    before = {client.comp_id: trade(client) for client in clients}
    venue.kill9()
    start_again(venue, clients)
    for client in clients:
        client.logon(reset=True)
        came = client.settle()
        assert [content(message) for message in came] == [content(each) for each in before[client.comp_id]]
        assert [(message.sequence, message[97]) for message in came] == [(2, "Y"), (3, "Y"), (4, "Y")]


def test_crash_after_crash(venue: VenueProcess, clients: list[Client]) -> None:
    """Features 1, 12: numbers go up whatever happens, and what the client sent is never asked for twice."""
    for _ in range(3):
        for client in clients:
            trade(client)
        venue.kill9()
        start_again(venue, clients)
        for client in clients:
            end = client.next_inbound
            assert client.logon().sequence > end
            client.send("2", [(7, end), (16, 0)])
            assert [message.msg_type for message in client.settle()] == ["4"]


def test_an_absurd_number_survives_a_restart(venue: VenueProcess, clients: list[Client]) -> None:
    """Case 11a at its end: it is the client's own trouble, and a reset ends it."""
    for client, last in zip(clients, (2**64 - 1, 2**64 - 2), strict=True):
        client.send("4", [(36, last)])
        client.send("0", sequence=last)
        client.send("5", sequence=last + 1 if last < 2**64 - 1 else 0)
        client.expect("5")
        client.close()
    venue.kill9()
    start_again(venue, clients)
    for client in clients:
        client.logon(reset=True)
        assert client.settle() == []


PASSWORD = """
  ALPHA: {client: ALPHA, begin_string: FIX.4.4, username: alpha, password: secret}
"""


def test_a_password_is_asked_before_anything_else(tmp_path: Path) -> None:
    """Case 1S/c: wrong credentials hear nothing and cannot reset a session; and a client that says nothing is
    closed when its time is over."""
    config = tmp_path / "venue.yaml"
    demo = Path("config/venue.yaml").read_text()
    plain = "  ALPHA: {client: ALPHA, begin_string: FIX.4.4}\n"
    assert plain in demo
    config.write_text(demo.replace(plain, PASSWORD).replace("door: {", "door: {logon_deadline_seconds: 1, "))
    with VenueProcess(tmp_path / "data", config=config) as venue:
        right = [(553, "alpha"), (554, "secret")]
        with Client(venue) as client:
            client.logon(extra=right)
            client.order()
            client.expect("8", t150="0")
            client.logout()
            for wrong in (
                [],
                right[:1],
                right[1:],
                [(553, "alpha"), (554, "SECRET")],
                [(553, "x"), (554, "secret")],
            ):
                with RawClient(venue.host, venue.port, "ALPHA") as stranger:
                    stranger.send_logon(reset=True, extra=wrong)
                    assert stranger.expect_disconnect() == []
            expected = client.next_inbound
            assert client.logon(extra=right).sequence == expected
            assert client.settle() == []
        with RawClient(venue.host, venue.port, "ALPHA") as silent:
            silent.send_bytes(b"8=FIX.4.4\x019=")
            assert silent.expect_disconnect(timeout=3.0) == []
