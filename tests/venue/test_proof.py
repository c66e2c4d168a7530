"""What proves that a report has arrived, and what does not: a reset must lose none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.process import VenueProcess
from tests.raw import BUY, RawClient, new_order


@pytest.mark.parametrize("asks", [False, True])
def test_a_clean_logout_proves_nothing_about_what_an_earlier_connection_lost(
    tmp_path: Path, asks: bool
) -> None:
    """Feature 56: a client that minds no gap and leaves in good order still gets it after a reset."""
    with VenueProcess(tmp_path) as venue:
        client = RawClient(venue.host, venue.port, "ALPHA")
        client.logon()
        client.send(*new_order("lost", BUY, 1, "1.00"))
        client.close(abort=True)  # whatever came, it has not been read
        while "disconnected" not in venue.errors:
            pass
        client.logon()
        if asks:
            client.send("2", [(7, 2), (16, 0)])
            client.expect("8", t43="Y", t11="lost")
        client.logout()
        client.logon(reset=True)
        again = [message[11] for message in client.settle() if message.msg_type == "8"]
        assert again == ([] if asks else ["lost"])


def test_a_report_the_disk_has_changed_is_not_sent(tmp_path: Path) -> None:
    """A CheckSum(10) made anew would be right. The client is cut, the others and the log go on."""
    with VenueProcess(tmp_path) as venue:
        client = RawClient(venue.host, venue.port, "ALPHA")
        client.logon()
        client.send(*new_order("changed", BUY, 1, "12345.00"))
        client.expect("8", t150="0")
        client.logout()
        assert venue.terminate() == 0
        path = tmp_path / "venue.mdb"
        data = path.read_bytes()
        assert b"\x0144=12345.00\x01" in data
        path.write_bytes(data.replace(b"\x0144=12345.00\x01", b"\x0144=92345.00\x01"))
        venue.start()
        client.address = (venue.host, venue.port)
        client.logon()
        client.send("2", [(7, 2), (16, 0)])
        client.expect_disconnect()
        assert "outbox: report 2 of session ALPHA is damaged" in venue.errors
        assert not any("92345" in str(message) for message in client.received)
        client.logon(reset=True)
        client.logout()
