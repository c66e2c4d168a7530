"""Cases 2q, 2r, 4b, 5, 7, 15, 19: what the venue makes of the messages it understands, and of the others."""

from __future__ import annotations

import pytest

from tests.raw import SELL, cancel, encode, frame, replace, utc_now
from tests.sessions.client import Client
from tests.wire import Fields


@pytest.mark.parametrize("msg_type", ["ZZ", "d1", "%", "8D", "é"])
def test_a_type_of_no_standard_is_invalid(client: Client, msg_type: str) -> None:
    """Case 2q: Reject 373=11; the number counts."""
    number = client.next_outbound
    client.send(msg_type, [(58, "x")])
    client.expect("3", t45=number, t372=msg_type, t373="11", t380=None)
    assert client.settle() == []


@pytest.mark.parametrize("msg_type", ["V", "B", "AE", "R", "s", "8", "9", "U1", "UX"])
def test_a_type_the_venue_does_not_take_is_unsupported(client: Client, msg_type: str) -> None:
    """Case 2r: BusinessMessageReject 380=3, for the standard's other types and for user-defined ones. It is
    an application message: it can be asked for again, and comes again after a reset."""
    number = client.next_outbound
    client.send(msg_type, [(58, "x")])
    refusal = client.expect("j", t45=number, t372=msg_type, t380="3")
    assert msg_type in refusal[58]
    client.send("2", [(7, refusal.sequence), (16, refusal.sequence)])
    client.expect("j", t34=refusal.sequence, t43="Y", t45=number, t372=msg_type)
    client.close(abort=True)
    client.logon(reset=True)
    client.expect("j", t34=2, t97="Y", t43=None, t45=number, t372=msg_type)
    client.logout()


def test_a_test_request_is_answered(client: Client) -> None:
    """Case 4/b: a Heartbeat with its TestReqID, byte by byte."""
    for label in ("a", "x" * 1000, "with blanks", "=8=FIX", "é"):
        client.send("1", [(112, label)])
        client.expect("0", t112=label)


def test_heartbeats_and_rejects_are_taken(client: Client) -> None:
    """Cases 5, 7: no answer; the numbers count."""
    client.send("0")
    client.send("0", [(112, "no one asked")])
    client.send("3", [(45, 1), (58, "I do not understand your Logon")])
    client.send("j", [(45, 1), (372, "8"), (380, 0)])
    assert client.settle() == []


def test_fields_of_the_body_may_come_in_any_order(client: Client) -> None:
    """Case 15, in header and body."""
    fields = client.order_fields()
    client.send("D", reversed(fields))
    client.expect("8", t11=fields[0][1], t150="0")
    fields = client.order_fields()
    header: Fields = [(56, client.target), (52, utc_now()), (34, client.next_outbound), (49, client.comp_id)]
    client.next_outbound += 1
    client.send_bytes(frame(client.begin_string, encode([(35, "D"), *header, *fields])))
    client.expect("8", t11=fields[0][1], t150="0")


def test_a_possible_resend_that_was_seen_is_ignored(client: Client) -> None:
    """Case 19/a, for D, F and G: no report, no second order, no refusal."""
    fields = client.order_fields()
    first, second, third = (str(fields[0][1]) + suffix for suffix in ("", "r", "c"))
    account = f"{client.comp_id}-1"
    requests = [
        ("D", fields),
        replace(second, first, quantity=2, price="100.00", account=account),
        cancel(third, second),
    ]
    for (msg_type, body), outcome in zip(requests, ("0", "5", "4"), strict=True):
        client.send(msg_type, body)
        client.expect("8", t150=outcome)
    for msg_type, body in requests:
        client.send(msg_type, body, possresend=True)
    assert client.settle() == []


def test_a_possible_resend_that_was_not_seen_is_taken(client: Client) -> None:
    """Case 19/b, for D, F and G: as any other, also for a refusal."""
    fields = client.order_fields()
    first, second, third = (str(fields[0][1]) + suffix for suffix in ("", "r", "c"))
    account = f"{client.comp_id}-1"
    client.send("D", fields, possresend=True)
    client.expect("8", t11=first, t150="0", t97=None)
    client.send(*replace(second, first, quantity=2, price="100.00", account=account), possresend=True)
    client.expect("8", t11=second, t41=first, t150="5")
    client.send(*cancel(third, second), possresend=True)
    client.expect("8", t11=third, t41=second, t150="4")
    client.send(*cancel("never", "was", side=SELL), possresend=True)
    client.expect("9", t11="never", t102="1")
