"""Messages above a session's limit: refused with 35=j, the ClOrdID stays free, cancels pass, others do not
notice; a flood that goes on is logged out."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.raw import BUY, Disconnected, Received, cancel, new_order, replace
from tests.venue.floor import CANCELED, FAMILIES, NEW, Floor, Member, logged_on, running

RATE = 20
FLOOD_SECONDS = 2
SLOW = {"messages_per_second": RATE, "flood_seconds": FLOOD_SECONDS}
SESSIONS = {name: {"client": name, "begin_string": FAMILIES[name]} | SLOW for name in ("ALPHA", "CHARLIE")}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with running(tmp_path_factory.mktemp("floor"), sessions=SESSIONS) as venue:
        yield venue


@pytest.fixture(params=SESSIONS)
def member(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[Member]:
    with logged_on(floor, market, request.param) as (member,):
        yield member


def orders(member: Member, names: list[str]) -> None:
    """In one segment."""
    account = f"{member.client}-1"
    whole, send = b"", member.send_bytes
    member.send_bytes = lambda raw: None  # type: ignore[method-assign]
    for name in names:
        whole += member.send(
            *new_order(member.id(name), BUY, "1", "100", symbol=member.market, account=account)
        )
    member.send_bytes = send  # type: ignore[method-assign]
    member.send_bytes(whole)


def answers(member: Member, count: int) -> dict[str, list[Received]]:
    """By name, the answers to `count` messages."""
    found: dict[str, list[Received]] = {}
    for _ in range(count):
        message = member.receive()
        found.setdefault((message.get(11) or message[379]).rpartition(".")[2], []).append(message)
    return found


def test_too_many_orders_are_refused_and_their_ids_stay_free(floor: Floor, member: Member) -> None:
    names = [f"n{number}" for number in range(3 * RATE)]
    orders(member, names)
    found = answers(member, 3 * RATE)
    refused = [name for name in names if found[name][0].msg_type == "j"]
    assert names[: RATE - 2] == [name for name in names if name not in refused][: RATE - 2]
    assert 2 * RATE - 10 <= len(refused) <= 2 * RATE + 2
    for name in refused:
        (reject,) = found[name]
        assert (reject[380], reject[372]) == ("0", "D")
        assert f"More than {RATE} messages per second: retry after " in reject[58]
        assert 1 <= int(reject[58].split()[-2]) <= 1000
    assert f"m{refused[0]}" not in floor.errors
    wait(found[refused[-1]][0])  # under load some in between have passed
    orders(member, [refused[0]])
    member.told(refused[0], NEW)


def wait(reject: Received) -> None:
    """As long as it says."""
    time.sleep(int(reject[58].split()[-2]) / 1000)


def test_cancels_pass_and_replaces_do_not(member: Member) -> None:
    """ "Cancels are never throttled and never refused for load"."""
    live: list[str] = []
    while len(live) < RATE // 2:
        orders(member, [f"n{len(live)}-{number}" for number in range(RATE)])
        found = answers(member, RATE)
        live += [name for name, said in found.items() if said[-1].msg_type == "8"]
    sent = {"symbol": member.market}
    for name in live:
        member.send(*replace(member.id(f"r{name}"), member.id(name), BUY, "2", "100", **sent))  # type: ignore[arg-type]
        member.send(*cancel(member.id(f"c{name}"), member.id(name), BUY, **sent))  # type: ignore[arg-type]
    said = answers(member, 2 * len(live))
    throttled = [name for name in live if said[f"r{name}"][0].get(372) == "G"]
    assert throttled
    assert all(said[f"c{name}"][0].get(150) == CANCELED for name in throttled)
    assert not any(said[f"c{name}"][0].msg_type == "j" for name in live)


def test_other_sessions_do_not_notice(floor: Floor, member: Member) -> None:
    with logged_on(floor, member.market, "BRAVO") as (bravo,):
        for number in range(20):
            orders(member, [f"n{number}.{each}" for each in range(RATE)])
            bravo.new(f"b{number}", BUY, "1", "90")
            bravo.told(f"b{number}", NEW)
    answers(member, 20 * RATE)


@pytest.mark.parametrize("kind", ["orders", "TestRequests", "unknown messages"])
@pytest.mark.parametrize("session", SESSIONS)
def test_a_flood_that_goes_on_is_logged_out(floor: Floor, market: str, session: str, kind: str) -> None:
    """ "Only a persistent flood is cut"; the session goes on with its numbers at the next logon."""
    member = Member(floor, market, session)
    begun = time.monotonic()
    member.logon(reset=True)
    member.settle()
    number = 0
    last = None
    try:
        while True:
            if kind == "orders":
                orders(member, [f"n{number}.{each}" for each in range(RATE)])
            for _ in range(0 if kind == "orders" else RATE):
                member.send(*(("1", [(112, "x")]) if kind == "TestRequests" else ("AE", [(571, "x")])))
            number += 1
            while (last := member.receive()).msg_type != "5" and last.sequence < member.next_outbound - 1:
                pass
            if last.msg_type == "5":
                break
    except (Disconnected, ConnectionError):
        pass
    seen = time.monotonic() - begun
    assert any(message.msg_type == "5" for message in member.received), member.received[-1]
    farewell = next(message for message in member.received if message.msg_type == "5")
    assert farewell[58] == f"more than {RATE} messages per second for {FLOOD_SECONDS} s"
    assert seen >= FLOOD_SECONDS
    member.close()
    member.logon(reset=True)
    member.settle()
    member.logout()
