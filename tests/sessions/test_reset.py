"""ResetSeqNumFlag(141)=Y: numbers begin again, and no report is lost with the old ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.process import VenueProcess
from tests.raw import SELL, Received
from tests.sessions.client import Client, content


def undelivered(client: Client, count: int = 3) -> list[Received]:
    """Reports of which the venue cannot know that they arrived: the client dies."""
    orders = [client.order() for _ in range(count)]
    return [client.expect("8", t11=order, t150="0") for order in orders]


def check_resent(came: list[Received], reports: list[Received]) -> None:
    """The same reports, in order, as new messages with PossResend=Y."""
    assert [content(message) for message in came] == [content(report) for report in reports]
    for number, message in enumerate(came, came[0].sequence):
        assert (message[97], message.get(43), message.get(122)) == ("Y", None, None)
        assert message.sequence == number and message.bytes.count(b"\x0197=Y\x01") == 1
        assert message[52] >= max(report[52] for report in reports)


def test_both_numbers_begin_at_one(client: Client) -> None:
    """The answer is number 1 with ResetSeqNumFlag=Y, and number 2 is expected."""
    client.logout()
    answer = client.logon(reset=True)
    assert (answer[34], answer[141]) == ("1", "Y")
    assert client.settle() == []
    client.order()
    client.expect("8", t34=3)


def test_reports_that_may_be_missing_come_again(client: Client) -> None:
    """Feature 56: under new numbers, right after the Logon, with PossResend=Y."""
    reports = undelivered(client)
    client.close(abort=True)
    assert client.logon(reset=True).sequence == 1
    came = client.settle()
    assert came[0].sequence == 2
    check_resent(came, reports)


def test_they_come_until_they_have_arrived(client: Client) -> None:
    """Feature 56: reset after reset, and those born meanwhile with them, in order."""
    reports = undelivered(client)
    for _ in range(3):
        client.close(abort=True)
        client.logon(reset=True)
        check_resent(client.settle(), reports)
        reports += undelivered(client, 1)
    client.close(abort=True)
    client.logon(reset=True)
    check_resent(client.settle(), reports)
    client.logout()
    client.logon(reset=True)
    assert client.settle() == []


def ask_for_what_comes_next(client: Client) -> None:
    client.close(abort=True)
    client.logon()
    client.send("2", [(7, client.next_inbound), (16, 0)])
    assert client.settle() == []


def answer_a_probe(client: Client) -> None:
    """The venue asks by itself, within a heartbeat interval, whether its reports have arrived."""
    client.logout()
    client.logon(heartbeat=1)
    undelivered(client)
    while not client.probes:
        client.send("0")
        try:
            client.receive(0.3)
        except AssertionError:
            continue
    client.send("0", [(112, client.probes[-1][112])])
    client.settle()
    client.close(abort=True)


def expect_what_comes_next(client: Client) -> None:
    client.close(abort=True)
    client.logon(extra=[(789, client.next_inbound)])


PROOFS: dict[str, Callable[[Client], object]] = {
    "a clean logout": lambda client: client.logout(),
    "a request for what comes next": ask_for_what_comes_next,
    "NextExpectedMsgSeqNum": expect_what_comes_next,
    "an answered probe": answer_a_probe,
}


@pytest.mark.parametrize("proof", PROOFS)
def test_what_has_arrived_does_not_come_again(client: Client, proof: str) -> None:
    """Once the client has shown that it has them."""
    undelivered(client)
    PROOFS[proof](client)
    client.close(abort=True)
    client.logon(reset=True)
    assert client.settle() == []


@pytest.mark.parametrize("answer", ["fixgw-0-9999", "fixgw-9999-4", "fixgw-x", "TEST"])
def test_a_made_up_answer_proves_nothing(client: Client, answer: str) -> None:
    """A Heartbeat with another TestReqID than the venue's."""
    reports = undelivered(client)
    client.send("0", [(112, answer)])
    client.settle()
    client.close(abort=True)
    client.logon(reset=True)
    check_resent(client.settle(), reports)


def test_a_reset_inside_of_a_session(client: Client) -> None:
    """The same without a new connection; old numbers are forgotten, and new ones go on."""
    reports = undelivered(client)
    client.send_logon(reset=True)
    client.expect("A", t34=1, t141="Y")
    check_resent(client.settle(), reports)
    client.send("2", [(7, 1), (16, 0)])
    came = client.settle()
    assert [message.msg_type for message in came] == ["4", "8", "8", "8", "4"]
    assert all(message[43] == message[97] == "Y" for message in came[1:4])


def test_orders_around_a_reset_in_one_segment(client: Client) -> None:
    """The order before it is reported under the old numbers, and again under the new ones; then the one
    behind it, under new ones only."""
    sent: list[bytes] = []
    client.send_bytes = sent.append  # type: ignore[method-assign]
    number = client.next_inbound
    before = client.order()
    client.send_logon(reset=True)
    after = client.order()
    del client.send_bytes  # type: ignore[attr-defined]
    client.send_bytes(b"".join(sent))
    client.expect("8", t11=before, t34=number, t97=None)
    client.expect("A", t34=1, t141="Y")
    client.expect("8", t11=before, t34=2, t97="Y")
    client.expect("8", t11=after, t34=3, t97=None)
    assert client.settle() == []


def test_a_refused_reset_inside_of_a_session_is_one_all_the_same(client: Client) -> None:
    """SendingTime out of range: Reject and Logout stand under new numbers, and no report is lost or written
    under a number used before."""
    reports = undelivered(client)
    fields = [*client.session_fields(), (108, 30), (141, "Y")]
    client.send("A", fields, sequence=1, sending_time="20200101-00:00:00")
    client.expect("3", t34=1, t45=1, t373="10")
    client.expect("5", t34=2)
    client.send("5", sequence=1)
    assert [message[97] for message in client.expect_disconnect()] == ["Y"] * 3
    client.logon(reset=True)
    check_resent(client.settle(), reports)
    client.order()
    client.expect("8", t150="0", t97=None)


def test_a_reset_no_one_answers_is_one_all_the_same(client: Client) -> None:
    """A Logon with ResetSeqNumFlag that is a possible duplicate below number 1: QuickFIX resets and says
    nothing. Numbers begin again, and the reports come again."""
    reports = undelivered(client)
    fields = [*client.session_fields(), (108, 30), (141, "Y")]
    original = reports[0][52]
    client.send("A", fields, sequence=0, possdup=True, original_sending_time=original)
    client.next_outbound = 1
    came = client.settle()
    assert came[0].sequence == 1
    check_resent(came, reports)
    client.order()
    client.expect("8", t150="0", t97=None)


def test_a_fill_while_the_client_is_away(venue: VenueProcess, client: Client) -> None:
    """Feature 56: also what was never sent comes with PossResend=Y."""
    client.order(symbol="ETH-USD", price="3000.00")
    order = client.expect("8", t150="0")
    client.logout()
    with Client(venue, "BRAVO") as other:
        other.begin()
        other.order(symbol="ETH-USD", price="3000.00", side=SELL)
        other.expect("8", t150="0")
        other.expect("8", t150="F")
        other.logout()
    client.logon(reset=True)
    client.expect("8", t34=2, t97="Y", t150="F", t37=order[37])
    assert client.settle() == []
