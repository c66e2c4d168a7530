"""A client that asks for the same again and again is served, in order, and slowed down; others are not."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.raw import Disconnected, Received
from tests.venue.floor import BUY, NEW, Floor, Member, logged_on, running

REPEATS = 2
REPORTS = 30


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    door = {"resend_repeats": REPEATS, "resend_pause_seconds": 1}
    with running(tmp_path_factory.mktemp("floor"), door=door) as venue:
        yield venue


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def member(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[Member]:
    member = Member(floor, market, request.param)
    member.logon(reset=True)
    member.settle()
    for number in range(REPORTS):
        member.new(f"n{number}", BUY, "0.001", "1")
    member.settle()
    yield member
    member.logout()


def ask_again(member: Member) -> float:
    """Asks for everything, receives it, and returns the seconds that took."""
    begun = time.monotonic()
    member.send("2", [(7, 1), (16, 0)])
    names = [each[11] for each in received(member) if each.msg_type == "8"]
    assert names == [member.id(f"n{number}") for number in range(REPORTS)]
    return time.monotonic() - begun


def received(member: Member) -> list[Received]:
    """What comes up to the end of a replay: its last message is the gap fill over the last Heartbeat."""
    found: list[Received] = []
    while not (found and found[-1].msg_type == "4" and int(found[-1][36]) >= member.next_inbound):
        found.append(member.receive())
    return found


def test_after_a_few_repetitions_each_waits(floor: Floor, member: Member) -> None:
    for _ in range(1 + REPEATS):
        ask_again(member)
    for _ in range(2):
        assert ask_again(member) >= 1.0
    assert member.settle() == []


def test_what_is_new_waits_behind_and_others_do_not(floor: Floor, member: Member) -> None:
    for _ in range(1 + REPEATS):
        ask_again(member)
    with logged_on(floor, member.market, "BRAVO") as (bravo,):
        member.send("2", [(7, 1), (16, 0)])
        member.new("late", BUY, "0.001", "1")
        for number in range(10):
            bravo.new(f"b{number}", BUY, "0.001", "1")
            bravo.told(f"b{number}", NEW)
    replayed = received(member)
    assert len([each for each in replayed if each.msg_type == "8"]) == REPORTS
    member.told("late", NEW)


def test_a_storm_costs_the_client_its_connection_and_nothing_else(floor: Floor, member: Member) -> None:
    """More requests than may wait; the next connection is as good as any."""
    for _ in range(1 + REPEATS):
        ask_again(member)
    with logged_on(floor, member.market, "BRAVO") as (bravo,):
        try:
            for number in range(100):
                first = REPORTS - number % REPORTS
                member.send("2", [(7, first), (16, 0)])
                bravo.new(f"b{number}", BUY, "0.001", "1")
                bravo.told(f"b{number}", NEW)
        except (Disconnected, ConnectionError):
            pass
    assert "resend requests waiting" in floor.errors
    member.close()
    member.logon(reset=True)
    member.settle()
    member.new("after", BUY, "0.001", "1")
    member.told("after", NEW)


def test_a_client_that_recovers_is_not_slowed(floor: Floor, market: str) -> None:
    """Each connection may ask once, and a few times more, at full speed."""
    member = Member(floor, market, "ALPHA2")
    member.logon(reset=True)
    member.settle()
    for number in range(REPORTS):
        member.new(f"n{number}", BUY, "0.001", "1")
    member.settle()
    begun = time.monotonic()
    for _ in range(2 * REPEATS):
        member.close(abort=True)
        member.logon()
        member.send("2", [(7, 1), (16, 0)])
        assert len([each for each in received(member) if each.msg_type == "8"]) == REPORTS
    assert time.monotonic() - begun < 60
    member.logout()
