"""Cases 4a, 6, 12: silence in either direction. Both versions live through each test side by side."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.process import VenueProcess
from tests.raw import NothingCame, Received
from tests.sessions.client import VERSIONS, Client

HEARTBEAT = 1
"""seconds; the shortest there is"""
TICK = 1.0
"""seconds a timer may be late: QuickFIX counts whole seconds"""
GRACE = 0.5
"""seconds for a busy machine"""
LONG = 4.0
"""seconds, enough for three intervals"""

Heard = list[tuple[float, Received]]


@pytest.fixture
def clients(venue: VenueProcess) -> Iterator[list[Client]]:
    opened = [Client(venue, name) for name in VERSIONS]
    for client in opened:
        client.begin(heartbeat=HEARTBEAT)
    yield opened
    for client in opened:
        client.close()


def listen(clients: list[Client], seconds: float, speak_every: float = 3600.0) -> list[Heard]:
    """What each client hears, with the seconds since the beginning; it sends a Heartbeat that often."""
    began = time.monotonic()
    heard: list[Heard] = [[] for _ in clients]
    spoken = 1
    while (now := time.monotonic() - began) < seconds:
        speaks = now >= spoken * speak_every
        spoken += speaks
        for client, messages in zip(clients, heard, strict=True):
            if speaks:
                client.send("0")
            try:
                message = client.receive(timeout=0.02)
            except NothingCame:
                continue
            messages.append((time.monotonic() - began, message))
    return heard


def test_the_venue_is_heard_in_every_interval(clients: list[Client]) -> None:
    """Case 4a: while it has nothing to say, a Heartbeat without TestReqID in each HeartBtInt, and no
    TestRequest to a client that is heard itself."""
    for heard in listen(clients, LONG, speak_every=HEARTBEAT / 2):
        assert [message.msg_type for _, message in heard] == ["0"] * len(heard)
        assert all(112 not in message for _, message in heard)
        times = [0.0, *(at for at, _ in heard), LONG]
        gaps = [later - at for at, later in pairwise(times)]
        assert len(heard) <= LONG / HEARTBEAT + 1, times
        assert max(gaps) <= HEARTBEAT + TICK + GRACE, times


def test_who_answers_a_test_request_stays(clients: list[Client]) -> None:
    """Case 6: a client that is not heard for more than an interval is asked; a Heartbeat with the same
    TestReqID is all it takes."""
    asked = {client.comp_id: 0 for client in clients}
    deadline = time.monotonic() + 2 * (2 * HEARTBEAT + TICK) + 2 * GRACE
    while min(asked.values()) < 2:
        assert time.monotonic() < deadline, asked
        for client, messages in zip(clients, listen(clients, 0.1), strict=True):
            for _, message in messages:
                if message.msg_type == "1":
                    asked[client.comp_id] += 1
                    client.send("0", [(112, message[112])])
    for client in clients:
        assert all(message.msg_type == "0" for message in client.settle())


def test_who_is_silent_is_asked_and_then_disconnected(venue: VenueProcess, clients: list[Client]) -> None:
    """Case 6: TestRequest after 1.2 intervals, the end after 2.4; the venue's own messages meanwhile do not
    count. The numbers are as they were when it comes back."""
    for client in clients:
        began = time.monotonic()
        asked = client.expect("1", timeout=1.2 * HEARTBEAT + TICK + GRACE)
        assert asked[112]
        assert time.monotonic() - began > HEARTBEAT - 0.2 or client is not clients[0]
        before = client.expect_disconnect(timeout=1.2 * HEARTBEAT + TICK + GRACE)
        assert all(message.msg_type in "01" for message in before)
    for client in clients:
        assert f"session {client.comp_id}: disconnected: nothing was heard in time" in venue.errors
        assert client.logon().sequence == client.next_inbound - 1
        assert client.settle() == []


def test_orders_keep_a_session_alive(clients: list[Client]) -> None:
    """Case 6: anything that is heard counts, not only a Heartbeat."""
    for client in clients:
        client.order()
        client.expect("8", t150="0")
    for _ in range(7):
        for client in clients:
            client.refused_order()
            client.expect("8", t150="8", timeout=HEARTBEAT / 2)
        heard = listen(clients, HEARTBEAT / 2)
        assert all(message.msg_type == "0" for messages in heard for _, message in messages)


def test_the_venue_asks_whether_its_reports_have_arrived(clients: list[Client]) -> None:
    """Its TestRequest names the last number sent before; unanswered, it comes again in the next interval, and
    does no harm to a client that is heard."""
    reported = {}
    for client in clients:
        client.order()
        reported[client.comp_id] = client.expect("8", t150="0").sequence
    deadline = time.monotonic() + 2 * (HEARTBEAT + TICK) + 2 * GRACE
    while any(len(client.probes) < 2 for client in clients):
        assert time.monotonic() < deadline, [client.probes for client in clients]
        for messages in listen(clients, HEARTBEAT / 2):
            assert all(message.msg_type == "0" for _, message in messages)
        for client in clients:
            client.send("0")
    for client in clients:
        named = [int(probe[112].rpartition("-")[2]) for probe in client.probes]
        assert named == sorted(named) and named[0] >= reported[client.comp_id]
        client.send("0", [(112, client.probes[-1][112])])
        client.settle()
        client.probes.clear()
    listen(clients, HEARTBEAT + TICK, speak_every=HEARTBEAT / 2)
    assert not any(client.probes for client in clients), "all has arrived"
