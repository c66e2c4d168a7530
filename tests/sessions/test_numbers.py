"""Cases 2a to 2g, 10, 11, 13: what MsgSeqNum(34) says, and what a client may say about it."""

from __future__ import annotations

import pytest

from tests.process import VenueProcess
from tests.raw import utc_now
from tests.sessions.client import Client
from tests.wire import Fields

AHEAD = "20991231-00:00:00.000"


def test_the_number_expected(client: Client) -> None:
    """Case 2a: accepted, and the next one is expected."""
    for _ in range(3):
        order = client.order()
        client.expect("8", t11=order, t150="0")


def test_a_higher_number_makes_the_venue_ask(client: Client) -> None:
    """Case 2b: one ResendRequest for all that is missing, however much comes above the gap; then what was
    missing and what came early are taken in order, each once."""
    missing = client.next_outbound
    lost = client.order_fields()
    client.next_outbound += 1
    early = [client.order() for _ in range(3)]
    client.expect("2", t7=missing, t16="0")
    client.send("D", lost, sequence=missing, possdup=True, original_sending_time=utc_now())
    for order in [lost[0][1], *early]:
        client.expect("8", t11=order, t150="0")
    assert client.settle() == []


@pytest.mark.parametrize("msg_type", ["0", "1", "4", "D", "3"])
def test_a_higher_number_of_any_message_makes_it_ask(client: Client, msg_type: str) -> None:
    """Cases 2b, 10: also a session message; it counts once the gap is filled."""
    fields: dict[str, Fields] = {"1": [(112, "late")], "D": client.order_fields(), "3": [(45, 1)]}
    fields["4"] = [(123, "Y"), (36, client.next_outbound + 3)]
    missing = client.next_outbound
    client.next_outbound += 2
    client.send(msg_type, fields.get(msg_type, []))
    if msg_type == "3":
        client.send("0")  # a Reject is taken at once; the gap shows with the next message
    client.expect("2", t7=missing, t16="0")
    client.fill_gap(missing, missing + (3 if msg_type == "3" else 2))
    if msg_type == "1":
        client.expect("0", t112="late")
    if msg_type == "D":
        client.expect("8", t150="0")
    assert client.settle() == []


@pytest.mark.parametrize("msg_type", ["0", "1", "4", "D", "ZZ"])
def test_a_lower_number_ends_the_session(client: Client, msg_type: str) -> None:
    """Case 2c: without PossDupFlag it is serious: a Logout says what was expected, then the venue closes."""
    fields: dict[str, Fields] = {"1": [(112, "x")], "D": client.order_fields()}
    fields["4"] = [(123, "Y"), (36, 99)]
    client.send(msg_type, fields.get(msg_type, []), sequence=1)
    if msg_type == "ZZ":  # what no one understands is rejected before it is counted
        client.expect("3", t45="1", t373="11")
        return
    text = f"MsgSeqNum too low, expecting {client.next_outbound} but received 1"
    client.expect("5", t58=text)
    assert client.expect_disconnect() == []
    client.logon()
    assert client.settle() == []


def test_a_possible_duplicate_that_was_received_is_ignored(client: Client) -> None:
    """Case 2e: an order sent again under its number is neither executed nor refused as a duplicate."""
    fields = client.order_fields()
    sent = utc_now()
    client.send("D", fields, sending_time=sent)
    number = client.next_outbound - 1
    client.expect("8", t11=fields[0][1], t150="0")
    for _ in range(3):
        client.send("D", fields, sequence=number, possdup=True, original_sending_time=sent)
    assert client.settle() == []


def test_a_possible_duplicate_that_was_not_received_is_taken(client: Client) -> None:
    """Case 2e: at the number expected it is the first of its kind."""
    fields = client.order_fields()
    client.send("D", fields, possdup=True, original_sending_time=utc_now())
    client.expect("8", t11=fields[0][1], t150="0")


@pytest.mark.parametrize("received", [False, True])
@pytest.mark.parametrize("msg_type", ["D", "1"])
def test_a_duplicate_from_the_future_is_rejected(client: Client, msg_type: str, received: bool) -> None:
    """Case 2f: OrigSendingTime after SendingTime: SendingTime accuracy problem, whatever the number; below
    the number expected the venue also logs out."""
    fields: Fields = client.order_fields() if msg_type == "D" else [(112, "x")]
    number = 1 if received else client.next_outbound
    client.send(msg_type, fields, sequence=number, possdup=True, original_sending_time=AHEAD)
    reject = client.expect("3", t45=number, t372=msg_type, t373="10")
    assert "SendingTime" in reject[58]
    if received:
        assert "SendingTime" in client.expect("5")[58]
    else:
        client.next_outbound += 1
        assert client.settle() == []


@pytest.mark.parametrize("received", [False, True])
def test_a_duplicate_without_its_first_time_is_rejected(client: Client, received: bool) -> None:
    """Case 2g: PossDupFlag asks for OrigSendingTime; without it, Reject 373=1. The order does not count, its
    number does."""
    fields = client.order_fields()
    number = 1 if received else client.next_outbound
    client.send("D", fields, sequence=number, possdup=True)
    client.expect("3", t45=number, t371="122", t372="D", t373="1")
    client.next_outbound += not received
    assert client.settle() == []
    client.send("D", fields)
    client.expect("8", t11=fields[0][1], t150="0")


def test_a_gap_fill_moves_on(client: Client) -> None:
    """Case 10/b: NewSeqNo is the number expected next."""
    client.send("4", [(123, "Y"), (36, 50)])
    client.next_outbound = 50
    order = client.order()
    client.expect("8", t11=order, t150="0")


def test_a_gap_fill_seen_before_is_ignored(client: Client) -> None:
    """Case 10/c: below the number expected, with PossDupFlag."""
    client.send("4", [(123, "Y"), (36, 50)], sequence=2, possdup=True)
    assert client.settle() == []


@pytest.mark.parametrize("distance", [0, -1])
def test_a_gap_fill_backwards_is_rejected(client: Client, distance: int) -> None:
    """Case 10/e: NewSeqNo not above its own MsgSeqNum: Reject 373=5, and nothing is lowered."""
    number = client.next_outbound
    client.send("4", [(123, "Y"), (36, number + distance)], sequence=number)
    client.expect("3", t45=number, t372="4", t373="5")
    assert client.settle() == []


@pytest.mark.parametrize("flag", [[(123, "N")], []])
@pytest.mark.parametrize("own", [1, 9999])
def test_a_reset_upwards_is_taken(client: Client, flag: Fields, own: int) -> None:
    """Case 11/a: SequenceReset-Reset to a higher number, whatever its own MsgSeqNum."""
    client.send("4", [*flag, (36, 5000)], sequence=own)
    client.next_outbound = 5000
    order = client.order()
    client.expect("8", t11=order, t150="0")


def test_a_reset_to_the_number_expected_changes_nothing(client: Client) -> None:
    """Case 11/b"""
    client.send("4", [(36, client.next_outbound)], sequence=1)
    assert client.settle() == []


def test_a_reset_downwards_is_rejected(client: Client) -> None:
    """Case 11/c: Reject 373=5; the number expected stays."""
    client.send("4", [(36, client.next_outbound - 1)], sequence=client.next_outbound)
    client.expect("3", t372="4", t373="5")
    assert client.settle() == []


@pytest.mark.parametrize("number", [2**64 - 1, 2**64, 2**70, "x", "-1"])
def test_an_absurd_reset_harms_only_who_sends_it(client: Client, number: object) -> None:
    """Case 11/a at its end: the largest number there is, and none at all."""
    client.send("4", [(36, number)], sequence=1)
    if number != 2**64 - 1:
        client.expect("3", t371="36", t373="6")
        assert client.settle() == []
    else:
        client.send("0", sequence=number)  # after it comes 0
    client.logout()
    client.logon(reset=True)
    assert client.settle() == []


def test_a_logout_is_answered(client: Client) -> None:
    """Case 13/b: unsolicited; the venue waits for the client to close."""
    client.send("5", [(58, "good night")])
    client.expect("5", t34=client.next_inbound)
    client.close()
    client.logon()
    assert client.settle() == []


def test_a_logout_above_a_gap_does_not_hide_it(client: Client) -> None:
    """Cases 13, 2b: an order was lost before the Logout; the venue asks for it at the next Logon."""
    missing = client.next_outbound
    lost = client.order_fields()
    client.next_outbound += 1
    client.logout()
    client.logon()
    client.expect("2", t7=missing, t16="0")
    client.send("D", lost, sequence=missing, possdup=True, original_sending_time=utc_now())
    client.expect("8", t11=lost[0][1], t150="0")
    client.fill_gap(missing + 1, client.next_outbound)
    assert client.settle() == []


def test_a_gap_that_stays_open_has_a_limit(venue: VenueProcess, client: Client) -> None:
    """Case 2b: a client that does not fill the gap it is asked for is cut before memory is; what it sent
    above the gap is not taken."""
    client.next_outbound += 1
    fields = client.order_fields(extra=[(58, "x" * 3000)])
    client.order()
    client.expect("2")
    try:
        for _ in range(4000):
            client.send("D", fields)
    except ConnectionError:
        pass
    else:
        client.expect_disconnect()
    assert f"session {client.comp_id}): " in venue.errors and "never the message expected" in venue.errors
    client.close()
    client.logon(reset=True)
    assert client.settle() == []
