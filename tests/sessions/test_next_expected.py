"""NextExpectedMsgSeqNum(789) in the Logon: both sides say what they miss, and no one has to ask."""

from __future__ import annotations

from tests.sessions.client import Client, content


def test_nothing_is_missing(client: Client) -> None:
    """In step: the venue says in its answer what it expects next, the one after the Logon."""
    client.logout()
    answer = client.logon(extra=[(789, client.next_inbound)])
    assert answer[789] == str(client.next_outbound)
    assert client.settle() == []


def test_what_the_client_misses_comes_unasked(client: Client) -> None:
    """789 below the venue's next number: everything from there on is sent again, up to the Logon's own."""
    first = client.next_inbound
    orders = [client.order() for _ in range(3)]
    reports = [client.expect("8", t11=order, t150="0") for order in orders]
    client.close()
    client.next_inbound = first + 1  # as if the last two had not arrived
    logon = client.logon(extra=[(789, first + 1)])
    assert logon[789] == str(client.next_outbound)
    for report in reports[1:]:
        again = client.expect("8", t34=report.sequence, t43="Y", t122=report[52])
        assert content(again) == content(report)
    client.expect("4", t34=reports[-1].sequence + 1, t43="Y", t123="Y", t36=logon.sequence + 1)
    assert client.settle() == []


def test_all_of_a_day_can_be_missing(client: Client) -> None:
    """789=1: from the first message on."""
    order = client.order()
    report = client.expect("8", t11=order)
    client.close()
    logon = client.logon(extra=[(789, 1)])
    client.expect("4", t34=1, t43="Y", t123="Y", t36=report.sequence)
    client.expect("8", t34=report.sequence, t43="Y", t11=order)
    client.expect("4", t34=report.sequence + 1, t36=logon.sequence + 1)
    assert client.settle() == []


def test_what_the_venue_misses_its_logon_says(client: Client) -> None:
    """A Logon above a gap: an order was lost on its way. The venue names the first number it misses, which
    QuickFIX counts wrongly, and does not ask for a resend besides."""
    lost = client.next_outbound
    client.logout()
    client.next_outbound = lost + 3
    answer = client.logon(extra=[(789, client.next_inbound)])
    assert answer[789] == str(lost + 1) and answer[98] == "0" and answer[108] == "30"
    fields = client.order_fields()
    client.send("D", fields, sequence=lost + 1, possdup=True, original_sending_time=str(fields[4][1]))
    client.expect("8", t11=fields[0][1], t150="0")
    client.fill_gap(lost + 2, client.next_outbound)
    assert client.settle() == []


def test_both_may_miss_something(client: Client) -> None:
    """789 too low and MsgSeqNum too high: each sends the other what it misses, unasked."""
    first = client.next_inbound
    order = client.order()
    client.expect("8", t11=order)
    client.close()
    expected = client.next_outbound
    client.next_outbound += 5
    logon = client.logon(extra=[(789, first)])
    assert logon[789] == str(expected)
    client.expect("8", t34=first, t43="Y", t11=order)
    client.expect("4", t34=first + 1, t43="Y", t36=logon.sequence + 1)
    client.fill_gap(expected, client.next_outbound)
    assert client.settle() == []


def test_a_gap_that_is_not_filled_unasked_is_asked_for(client: Client) -> None:
    """By a client that does not do what it reads in 789, but goes on."""
    expected = client.next_outbound
    client.logout()
    client.next_outbound = expected + 4
    client.logon(extra=[(789, client.next_inbound)])
    order = client.order()
    client.send("1", [(112, "there?")])
    client.expect("2", t7=expected + 1)
    client.fill_gap(expected + 1, client.next_outbound - 2)
    client.expect("8", t11=order, t150="0")
    assert client.settle() == []


def test_who_does_not_speak_of_it_is_not_answered_with_it(client: Client) -> None:
    """Without 789 the client asks as ever, and the venue does."""
    order = client.order()
    report = client.expect("8", t11=order)
    client.close()
    assert 789 not in client.logon()
    assert client.settle() == []
    client.send("2", [(7, report.sequence), (16, report.sequence)])
    client.expect("8", t34=report.sequence, t43="Y")


def test_a_reset_begins_at_one(client: Client) -> None:
    """With ResetSeqNumFlag=Y both next numbers are those after the Logon."""
    client.logout()
    assert client.logon(reset=True, extra=[(789, 1)])[789] == "2"
    assert client.settle() == []


def test_what_it_proves_is_not_carried_over_a_reset(client: Client) -> None:
    """A client that says what it expects has everything before: nothing is sent again after a reset."""
    order = client.order()
    client.expect("8", t11=order)
    client.close(abort=True)
    client.logon(extra=[(789, client.next_inbound)])
    client.close(abort=True)
    client.logon(reset=True)
    assert client.settle() == []
