"""A fill that is born in the very cycle in which its owner logs out."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.process import VenueProcess
from tests.raw import BUY, SELL, NothingCame, RawClient, Received, new_order


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("first", ["ALPHA", "BRAVO"])
def test_it_is_not_sent_behind_the_logout_and_comes_with_the_next_logon(
    tmp_path: Path, first: str, reset: bool
) -> None:
    """Feature 56: neither a gap nor a reset loses it. `first` logs on first, and has its turn first."""
    with VenueProcess(tmp_path) as venue:
        alpha, bravo = (RawClient(venue.host, venue.port, name) for name in ("ALPHA", "BRAVO"))
        for client in (alpha, bravo) if first == "ALPHA" else (bravo, alpha):
            client.logon()
        bravo.send(*new_order("rests", BUY, 1, "100.00", account="BRAVO-1"))
        bravo.expect("8", t150="0")
        os.kill(venue.pid, signal.SIGSTOP)  # both messages are there when it goes on
        bravo.send("5")
        alpha.send(*new_order("crosses", SELL, 1, "100.00"))
        os.kill(venue.pid, signal.SIGCONT)
        told: list[Received] = []
        while not told or told[-1].msg_type != "5":
            told.append(bravo.receive())
        alpha.expect("8", t150="0")
        alpha.expect("8", t150="F")
        with pytest.raises(NothingCame):  # behind a Logout, in a cycle of which ALPHA has everything
            bravo.receive(timeout=0)
        bravo.close()

        if any(message.get(150) == "F" for message in told):
            return  # it was born before the Logout was answered
        bravo.connect()
        bravo.send_logon(reset=reset)
        logon = bravo.expect("A")
        if not reset:
            assert logon.sequence == bravo.next_inbound + 1, "the gap shows"
            bravo.send("2", [(7, bravo.next_inbound), (16, 0)])
        fill = bravo.expect("8", t150="F", t11="rests")
        assert fill.get(97) == ("Y" if reset else None)
