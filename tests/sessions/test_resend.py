"""Case 8: what was sent comes again as it was, and what has no value any more is gap-filled."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.process import VenueProcess
from tests.raw import SELL, Received, cancel
from tests.sessions.client import Client, content

APPLICATION = ("8", "9", "j")


def talk(client: Client) -> list[Received]:
    """Makes the venue send session and application messages in turn: after Logon and Heartbeat (1, 2) come
    8, 0, 0, 8, j, 9, 0 and 8. Returns all that it ever sent, by number."""
    client.order()
    client.expect("8", t150="0")
    for _ in range(2):
        client.settle()
    client.order()
    client.expect("8", t150="0")
    client.send("V", [(262, "x")])
    client.expect("j")
    client.send(*cancel("nothing", "at all"))
    client.expect("9")
    client.settle()
    client.refused_order()
    client.expect("8", t150="8")
    return first_sends(client)


def first_sends(client: Client) -> list[Received]:
    """Everything received since the last Logon but what came again, in order."""
    start = max(at for at, message in enumerate(client.received) if message.msg_type == "A")
    return [message for message in client.received[start:] if not message.possible_duplicate]


def replay(history: list[Received], first: int, last: int) -> list[tuple[str, int, int]]:
    """What the standard wants for a request: (MsgType, MsgSeqNum, number it goes on with) of each message."""
    wanted: list[tuple[str, int, int]] = []
    for message in history:
        number = message.sequence
        if not first <= number <= last:
            continue
        if message.msg_type in APPLICATION:
            wanted.append((message.msg_type, number, number + 1))
        elif wanted and wanted[-1][0] == "4":
            wanted[-1] = ("4", wanted[-1][1], number + 1)
        else:
            wanted.append(("4", number, number + 1))
    return wanted


def shape(message: Received) -> tuple[str, int, int]:
    number = message.sequence
    return message.msg_type, number, int(message[36]) if message.msg_type == "4" else number + 1


def check_again(message: Received, history: list[Received]) -> None:
    """Header and body of one message that comes again."""
    assert message[43] == "Y" and message[122] <= message[52]
    if message.msg_type == "4":
        assert message[123] == "Y"
        return
    original = next(each for each in history if each.sequence == message.sequence)
    assert message[122] == original[52] and 97 not in message
    assert content(message) == content(original)


RANGES: dict[str, Callable[[int], tuple[int, int]]] = {
    "everything": lambda end: (1, 0),
    "everything, from zero": lambda end: (0, 0),
    "everything, closed": lambda end: (1, end - 1),
    "one report": lambda end: (3, 3),
    "one session message": lambda end: (4, 4),
    "session messages only": lambda end: (4, 5),
    "reports only": lambda end: (6, 8),
    "a report and what follows it": lambda end: (3, 4),
    "a session message and a report": lambda end: (5, 6),
    "mixed, closed": lambda end: (2, 7),
    "mixed, open": lambda end: (5, 0),
    "the last one": lambda end: (end - 1, 0),
    "beyond the end": lambda end: (6, end + 1000),
    "far beyond the end": lambda end: (6, 2**64 - 1),
    "what is not sent yet": lambda end: (end, 0),
    "what is not sent for long": lambda end: (end + 50, 0),
    "nothing: the end before the beginning": lambda end: (6, 3),
}


@pytest.mark.parametrize("wanted", RANGES)
def test_a_range_comes_again(client: Client, wanted: str) -> None:
    """Case 8, feature 1: application messages as they were, with PossDupFlag and OrigSendingTime; each run of
    session messages as one SequenceReset-GapFill; nothing beyond what was asked for."""
    history = talk(client)
    first, last = RANGES[wanted](client.next_inbound)
    client.send("2", [(7, first), (16, last)])
    came = client.settle()
    history = first_sends(client)[:-1]  # with a TestRequest the venue may have sent before it was asked
    if wanted == "nothing: the end before the beginning":
        assert came == []
        return
    assert [shape(message) for message in came] == replay(history, max(first, 1), last or 10**9)
    for message in came:
        check_again(message, history)


def test_it_can_be_asked_for_any_number_of_times(client: Client) -> None:
    """Case 8: the second replay is that of the first, but for SendingTime; and live numbers go on."""
    history = talk(client)
    replays = []
    for _ in range(3):
        client.send("2", [(7, 1), (16, len(history))])
        replays.append([(shape(message), content(message)) for message in client.settle()])
    assert replays[0] == replays[1] == replays[2] != []
    expected = client.next_inbound
    client.order()
    client.expect("8", t34=expected, t43=None, t122=None)


def test_a_possible_resend_comes_again_as_one(client: Client) -> None:
    """Case 8 after a reset: PossResend stays, PossDupFlag is added."""
    client.order()
    report = client.expect("8", t150="0")
    client.close(abort=True)
    client.logon(reset=True)
    resent = client.expect("8", t97="Y", t43=None)
    client.send("2", [(7, resent.sequence), (16, resent.sequence)])
    again = client.expect("8", t97="Y", t43="Y", t34=resent.sequence, t122=resent[52])
    assert content(again) == content(report)
    client.logout()


def test_both_sides_ask_at_once(client: Client) -> None:
    """Case 20: while the venue waits for what it asked for, it answers a request; then it takes what was
    missing, and what came too early, in order and once."""
    history = talk(client)
    missing = client.next_outbound
    lost, early = client.order_fields(), client.order_fields()
    client.next_outbound += 1
    client.send("D", early)
    client.expect("2", t7=missing, t16="0")
    client.send("2", [(7, 3), (16, 3)])
    client.expect("8", t34=3, t43="Y", t11=history[2][11])
    client.send("D", lost, sequence=missing, possdup=True, original_sending_time=str(lost[4][1]))
    client.expect("8", t11=lost[0][1], t150="0")
    client.expect("8", t11=early[0][1], t150="0")
    client.send("D", early, sequence=missing + 1, possdup=True, original_sending_time=str(early[4][1]))
    client.fill_gap(missing + 2, missing + 3)
    assert client.settle() == []


def test_reports_born_while_the_client_is_away(venue: VenueProcess, client: Client) -> None:
    """Case 16, feature 56: they have their numbers when it comes back, so its Logon is followed by a gap, and
    what it asks for then is what it has never seen."""
    client.order(symbol="ETH-USD", price="3000.00")
    order = client.expect("8", t150="0")
    client.close(abort=True)
    first = client.next_inbound
    with Client(venue, "BRAVO") as other:
        other.begin()
        for _ in range(2):
            other.order(symbol="ETH-USD", price="3000.00", side=SELL, quantity="0.5")
            other.expect("8", t150="0")
            other.expect("8", t150="F")
        other.logout()
    logon = client.logon()
    assert logon.sequence == first + 2
    client.send("2", [(7, first), (16, 0)])
    half = client.expect("8", t34=first, t43="Y", t37=order[37], t150="F", t39="1")
    assert half[122] < logon[52]
    client.expect("8", t34=first + 1, t43="Y", t37=order[37], t150="F", t39="2")
    client.expect("4", t34=first + 2, t36=first + 3)
    assert client.settle() == []


def test_a_fill_while_the_owner_is_connected_is_sent_at_once(venue: VenueProcess, client: Client) -> None:
    """Feature 56: no request, no PossDupFlag."""
    client.order(symbol="ETH-USD", price="3000.00")
    order = client.expect("8", t150="0")
    with Client(venue, "BRAVO") as other:
        other.begin()
        other.order(symbol="ETH-USD", price="3000.00", side=SELL)
        client.expect("8", t37=order[37], t150="F", t43=None, t97=None)
        other.logout()


def test_what_had_no_number_to_give_is_not_sent(client: Client) -> None:
    """Case 8: a BeginSeqNo that is no number is rejected, and counts."""
    client.send("2", [(7, -1), (16, 0)])
    client.expect("3", t371="7", t373="6", t45=client.next_outbound - 1)
    client.send("2", [(7, 1)])
    client.expect("3", t371="16", t373="1", t45=client.next_outbound - 1)
    assert client.settle() == []
