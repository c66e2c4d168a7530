"""How many may be connected, in all and from one address: strangers who hold places keep no client out."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.venue.floor import Floor, Member, logged_on, running

MOST, PER_ADDRESS = 30, 20


@pytest.fixture
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    door = {"connections": MOST, "connections_per_address": PER_ADDRESS, "logon_deadline_seconds": 60}
    with running(tmp_path_factory.mktemp("floor"), door=door) as venue:
        yield venue


def idle(venue: Floor, address: str) -> socket.socket:
    return socket.create_connection((venue.host, venue.port), 10, (address, 0))


def end(line: socket.socket) -> None:
    with line, suppress(ConnectionResetError):
        assert line.recv(1) == b""


def all_open(*lines: socket.socket) -> bool:
    for line in lines:
        line.setblocking(False)
        with suppress(BlockingIOError):
            line.recv(1)
            return False
    return True


def settled(venue: Floor) -> None:
    """A client from an address of its own has been in and out: all that came before has been seen."""
    with logged_on(venue, "M0-USD", "ALPHA4"):
        pass


def test_one_address_has_its_limit(floor: Floor) -> None:
    """Others are not concerned; and there is room again when one goes. What it does is logged once."""
    lines = [idle(floor, "127.0.0.2") for _ in range(PER_ADDRESS)]
    for _ in range(5):
        end(idle(floor, "127.0.0.2"))
    other = idle(floor, "127.0.0.3")
    settled(floor)
    assert all_open(*lines, other)
    lines.pop().close()
    settled(floor)
    lines.append(idle(floor, "127.0.0.2"))
    settled(floor)
    assert all_open(*lines)
    assert floor.errors.count(f"127.0.0.2: turned away: {PER_ADDRESS} connections from there are open") == 1
    for line in [*lines, other]:
        line.close()


def test_who_has_not_logged_on_makes_room(floor: Floor) -> None:
    """Of the address that has most of them, who came first; a client gets in at once."""
    few = [idle(floor, "127.0.0.3") for _ in range(4)]
    many = [idle(floor, "127.0.0.2") for _ in range(PER_ADDRESS)]
    few += [idle(floor, f"127.0.1.{number}") for number in range(MOST - PER_ADDRESS - 4)]
    members = []
    for name in ("ALPHA", "BRAVO", "CHARLIE", "ALPHA2", "BRAVO2"):
        members.append(Member(floor, "M0-USD", name))
        members[-1].logon(reset=True)
    for line in many[: len(members)]:
        end(line)
    assert all_open(*many[len(members) :], *few)
    for member in members:
        member.settle()
        member.logout()
    assert floor.errors.count("turned away: ") == 1, floor.errors
    for line in many[len(members) :] + few:
        line.close()


def test_with_an_address_for_each_the_oldest_goes(floor: Floor) -> None:
    lines = [idle(floor, f"127.0.2.{number + 1}") for number in range(MOST + 20)]
    for line in lines[:20]:
        end(line)
    settled(floor)
    end(lines[20])
    assert all_open(*lines[21:])
    for line in lines[21:]:
        line.close()


def test_who_is_logged_on_makes_no_room(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Then the new one is turned away, until one of them goes."""
    with running(tmp_path_factory.mktemp("floor"), door={"connections": 3}) as venue:
        members = [Member(venue, "M0-USD", name) for name in ("ALPHA", "BRAVO", "CHARLIE")]
        for member in members:
            member.logon(reset=True)
            member.settle()
        for number in range(5):
            end(idle(venue, f"127.0.0.{number + 1}"))
        for member in members:
            assert member.settle() == []
        assert venue.errors.count("turned away: 3 clients are logged on") == 1
        members[0].logout()
        fourth = Member(venue, "M0-USD", "ALPHA2")
        fourth.logon(reset=True)
        for member in [*members[1:], fourth]:
            member.settle()
            member.logout()


@pytest.mark.parametrize("size", [256, 512])
def test_the_bytes_before_the_logon_have_their_limit(
    tmp_path_factory: pytest.TempPathFactory, size: int
) -> None:
    """A Logon of that size comes in, one of a byte more does not; and as soon as that is clear."""
    with running(tmp_path_factory.mktemp("floor"), door={"logon_bytes": size}) as venue:
        for name in ("ALPHA", "CHARLIE"):
            member = Member(venue, "M0-USD", name)
            member.connect()
            usual = len(member.send_logon(reset=True, extra=[(553, "x" * 80)]))  # of three digits
            member.expect("A")
            member.logout()
            padding = "x" * (size - usual + 80)
            member.connect().send_logon(reset=True, extra=[(553, padding + "x")])
            assert member.expect_disconnect() == []
            member.connect()
            assert len(member.send_logon(reset=True, extra=[(553, padding)])) == size
            member.expect("A")
            member.logout()
            member.connect().send_bytes(b"8=FIX.4.4\x019=%d\x01" % size)
            assert member.expect_disconnect() == []
