"""A reset of the numbers with very many reports that may not have arrived: in pieces, in order, and kept over
a crash."""

from __future__ import annotations

from pathlib import Path

from fixgw.sessions.mailbox import CARRY
from tests.process import VenueProcess
from tests.raw import BUY, RawClient, new_order

ORDERS = 3 * CARRY + 7


def order_flood(client: RawClient) -> None:
    for number in range(ORDERS):
        client.send(*new_order(f"order-{number}", BUY, 1, "1.00"))
    for number in range(ORDERS):
        client.expect("8", t150="0", t11=f"order-{number}")


def test_all_reports_come_again_in_order_also_after_a_kill_in_the_middle(tmp_path: Path) -> None:
    """Feature 56: no reset loses a report, and live answers come after what is older."""
    with VenueProcess(tmp_path) as venue:
        client = RawClient(venue.host, venue.port, "ALPHA")
        client.logon()
        order_flood(client)
        client.close(abort=True)
        client.logon(reset=True)
        client.expect("8", t97="Y", t11="order-0")
        venue.kill9()

        venue.start()
        client.address = (venue.host, venue.port)
        client.connect()
        client.send_logon(reset=True)
        client.send(*new_order("live", BUY, 1, "1.00"))
        client.expect("A", t141="Y")
        seen: list[str] = []
        while not seen or seen[-1] != "live":
            message = client.receive()
            if message.msg_type == "8":
                assert (message.get(97) == "Y") is (message[11] != "live")
                seen.append(message[11])
        assert len(set(seen)) == ORDERS + 1, "each came, whatever the kill did"
        numbers = [message.sequence for message in client.received[-len(seen) :]]
        assert numbers == list(range(2, len(seen) + 2))
        client.logout()


def test_what_was_proven_by_a_logout_does_not_come_again_after_a_kill(tmp_path: Path) -> None:
    """Feature 56: the proof came when the session had let go of the connection already."""
    with VenueProcess(tmp_path) as venue:
        client = RawClient(venue.host, venue.port, "ALPHA")
        client.logon()
        client.send(*new_order("a", BUY, 1, "1.00"))
        client.expect("8", t150="0", t11="a")
        client.logout()
        with RawClient(venue.host, venue.port, "BRAVO") as other:
            other.logon()  # so the turn after the end of that connection is over
            venue.kill9()

        venue.start()
        client.address = (venue.host, venue.port)
        client.logon(reset=True)
        client.send(*new_order("b", BUY, 1, "1.00"))
        assert client.receive()[11] == "b"
        client.logout()
