"""A replay longer than the client's socket holds: the session goes on behind it, and no other one notices."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.process import VenueProcess
from tests.raw import SELL, Received
from tests.sessions.client import VERSIONS, Client, content

REPORTS = 2000
REPLAYS = 15
"""8 MB together, of which the system holds a part"""
WINDOW = 1 << 17
"""bytes the client's system takes before the client reads them"""


@pytest.fixture(params=VERSIONS)
def reader(request: pytest.FixtureRequest, venue: VenueProcess) -> Iterator[Client]:
    """A client with many reports behind it."""
    with Client(venue, request.param, timeout=30) as client:
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, WINDOW)
        client.begin()
        for _ in range(REPORTS):
            client.refused_order()
        for _ in range(REPORTS):
            client.expect("8", t150="8")
        client.received.clear()
        yield client


@pytest.fixture
def other(venue: VenueProcess) -> Iterator[Client]:
    with Client(venue, "BRAVO") as client:
        client.begin()
        yield client
        client.logout()


def ask_for_much(client: Client) -> int:
    """Does not read any more, and asks: each request begins before the one that waits, so that none is part
    of another. Returns the number of messages that come again."""
    firsts = range(3 + REPLAYS - 1, 2, -1)
    end = client.next_inbound
    for first in firsts:
        client.send("2", [(7, first), (16, end - 1)])
    return sum(end - first for first in firsts)


def again(messages: list[Received]) -> list[Received]:
    return [message for message in messages if message.possible_duplicate]


def test_a_fill_in_the_middle_of_a_replay(reader: Client, other: Client) -> None:
    """Feature 56: the counterparty hears of it at once, the owner after the replay that is under way, under
    the next number and as what it is: new."""
    reader.order(symbol="ETH-USD", price="3000.00")
    resting = reader.expect("8", t150="0")
    count = ask_for_much(reader)
    other.order(symbol="ETH-USD", price="3000.00", side=SELL, quantity="0.5")
    other.expect("8", t150="0")
    other.expect("8", t150="F")
    expected = reader.next_inbound
    came = reader.settle()
    (fill,) = [message for message in came if not message.possible_duplicate]
    assert (fill[37], fill[150], fill.sequence) == (resting[37], "F", expected)
    assert len(again(came)) == count and came.index(fill) > REPORTS - REPLAYS
    reader.send("2", [(7, expected), (16, expected)])
    repeated = reader.expect("8", t43="Y", t34=expected)
    assert content(repeated) == content(fill)
    other.order(symbol="ETH-USD", price="3000.00", side=SELL, quantity="0.5")
    other.expect("8", t150="0")
    other.expect("8", t150="F")
    reader.expect("8", t150="F", t39="2", t43=None)


def test_session_messages_and_orders_in_the_middle_of_a_replay(reader: Client) -> None:
    """Cases 4b, 8, 14: they are answered behind it, in the order of their numbers."""
    count = ask_for_much(reader)
    expected = reader.next_inbound
    reader.send("1", [(112, "first")])
    order = reader.order()
    reader.send("V", [(262, "x")])
    reader.send("D", reader.order_fields(extra=[(4999, "x")]))
    came = reader.settle()
    live = came[count:]
    assert again(came) == came[:count]
    assert [message.sequence for message in live] == list(range(expected, expected + len(live)))
    assert sorted(message.msg_type for message in live) == ["0", "3", "8", "j"]
    assert next(message for message in live if message.msg_type == "8")[11] == order


def test_a_logout_in_the_middle_of_a_replay(reader: Client) -> None:
    """Case 13b: it is answered; what the replay still had to bring can be asked for next time."""
    ask_for_much(reader)
    expected = reader.next_inbound
    reader.send("5")
    while (message := reader.receive()).msg_type != "5":
        assert message.possible_duplicate
    assert message.sequence == expected
    reader.close()
    reader.logon()
    reader.send("2", [(7, 3), (16, 2 + REPORTS)])
    assert len(again(reader.settle())) == REPORTS


def test_a_fill_that_waits_behind_a_replay_outlives_a_logout(reader: Client, other: Client) -> None:
    """Feature 56: it has not been sent, so the Logout does not prove that it has arrived."""
    reader.order(symbol="ETH-USD", price="3000.00")
    resting = reader.expect("8", t150="0")
    ask_for_much(reader)
    other.order(symbol="ETH-USD", price="3000.00", side=SELL)
    other.expect("8", t150="0")
    other.expect("8", t150="F")
    reader.send("5")
    while reader.receive().msg_type != "5":
        pass
    reader.close()
    reader.logon(reset=True)
    last = reader.settle()[-1]
    assert (last[97], last[150], last[37]) == ("Y", "F", resting[37])
    reader.logout()


def test_a_reset_in_the_middle_of_a_replay(reader: Client, other: Client) -> None:
    """What is still to come of the old numbers does not come; a fill that waited behind it comes again as a
    possible resend, and so does all that was not proven to have arrived."""
    reader.order(symbol="ETH-USD", price="3000.00")
    reader.expect("8", t150="0")
    ask_for_much(reader)
    other.order(symbol="ETH-USD", price="3000.00", side=SELL)
    other.expect("8", t150="0")
    other.expect("8", t150="F")
    reader.send_logon(reset=True)
    while (message := reader.receive()).msg_type != "A":
        assert message.possible_duplicate
    assert message.sequence == 1
    came = reader.settle()
    assert all(message[97] == "Y" for message in came)
    assert [message.sequence for message in came] == list(range(2, 2 + len(came)))
    assert (came[-2][150], came[-1][150]) == ("0", "F")
    reader.logout()


def test_too_many_replays_at_once_end_the_connection(reader: Client) -> None:
    """A limit: a client that asks and asks and does not read is cut; it finds everything as it was."""
    end = reader.next_inbound
    with suppress(ConnectionError):
        for first in range(300, 3, -1):
            reader.send("2", [(7, first), (16, end - 1)])
    assert all(message.possible_duplicate for message in reader.expect_disconnect())
    assert reader.logon().sequence >= end
    reader.send("2", [(7, 5), (16, 5)])
    while (message := reader.receive()).msg_type != "8":
        assert message.msg_type == "2", "what it asked for last may not have been read"
    assert (message.sequence, message[43]) == (5, "Y")
