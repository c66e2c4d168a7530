"""Who reads drop copies: one that stands still (feature 59), and one on QuickFIX that is strict."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.dropcopy.floor import CopyFloor, catch_up, copies, copying, executions
from tests.raw import BUY, new_order
from tests.venue.floor import CANCELED, NEW, logged_on
from tests.venue.test_quickfix_client import Strict
from tests.venue.trader import Trader
from tests.venue.users import wait_for

ORDERS = 40_000
"""more than the system holds for a socket"""


def flood(floor: CopyFloor, orders: int, reader: Trader) -> int:
    """The last ExecID. The reader keeps up."""
    trader = Trader(floor.host, floor.port, "ALPHA")
    trader.recover(floor.port)
    for number in range(orders):
        order = new_order(f"f{number}", BUY, "0.0001", "10.00", symbol="M1-USD", account="ALPHA-1")
        trader.trade(*order)
        if number % 500 == 499:
            trader.fence()
            reader.fence()
    trader.fence()
    trader.close()
    return max(int(each[17]) for each in trader.reports.values())


@pytest.mark.slow
def test_59_a_client_that_stands_still_is_cut_and_catches_up(tmp_path: Path) -> None:
    """Others get theirs meanwhile; what it has not read waits in the log and not in memory."""
    sessions = {"SLOW": {}, "QUICK": {}}
    with copying(tmp_path, {"sessions": sessions, "unread_seconds": 2}) as floor:
        slow = floor.reader("SLOW")
        quick = floor.reader("QUICK")
        last = flood(floor, ORDERS, quick)
        catch_up(quick, last)
        wait_for(lambda: "cut (session SLOW): it has read nothing for 2 s" in floor.errors, "the cut")
        slow = floor.reader("SLOW")
        catch_up(slow, last)
        for reader in slow, quick:
            reader.close()
    log = list(executions(floor.data))
    assert [int(each[17]) for each in copies(quick)] == log
    assert [int(each[17]) for each in copies(slow)] == log


@pytest.mark.parametrize("client", ["ALPHA", "CHARLIE"])
def test_57_a_client_on_quickfix_has_nothing_against_it(tmp_path: Path, client: str) -> None:
    """With the dictionaries of the standard; it asks for a replay as well."""
    version = "FIX.4.4" if client == "ALPHA" else "FIXT.1.1"
    sessions = {client: {"begin_string": version}}
    with copying(tmp_path, {"sessions": sessions}) as floor:
        with logged_on(floor, "M0-USD", client) as (member,):
            member.new("a", BUY, "1", "100")
            report = member.told("a", NEW)
            member.new("b", BUY, "1", "100", time_in_force="3")
            member.told("b", NEW)
            member.told("b", CANCELED)
        floor.port = floor.copy_port
        with Strict(floor, client) as strict:
            strict.wait(lambda: len(strict.heard) == 3)
            strict.send("U1", {17: report[17]})
            strict.wait(lambda: len(strict.heard) == 6)
            assert not strict.objections
            assert [each["17"] for each in strict.heard[:3]] == [each["17"] for each in strict.heard[3:]]
            assert {each["797"] for each in strict.heard} == {"Y"}
            assert (strict.heard[0]["628"], strict.heard[0]["630"]) == (client, str(report.sequence))
            assert "97" not in strict.heard[0] and strict.heard[3]["97"] == "Y"


def test_57_lag_is_shown(tmp_path: Path) -> None:
    """In events and seconds, while the drop copy stands still; and by session."""
    with copying(tmp_path, {"sessions": {"ALL": {}, "AWAY": {}}}) as floor:
        floor.reader("ALL").close()
        with logged_on(floor, "M0-USD", "ALPHA") as (member,):
            member.new("a", BUY, "1", "100")
            member.told("a", NEW)
            wait_for(lambda: "; 0 events behind; sessions: " in floor.status()["output"], "the lag")
            assert "AWAY " in floor.status()["output"]
            stop(floor, "STOP")
            for number in range(50):
                member.new(f"n{number}", BUY, "1", "100")
                member.told(f"n{number}", NEW)
            assert "; 50 events behind, " in floor.status()["output"]
            stop(floor, "CONT")
            wait_for(lambda: "; 0 events behind" in floor.status()["output"], "it to catch up")


def stop(floor: CopyFloor, name: str) -> None:
    pid = int((floor.data / "drop-copy" / "lock").read_text())
    os.kill(pid, getattr(signal, f"SIG{name}"))
    if name == "STOP":
        state = Path(f"/proc/{pid}/stat")
        while state.read_text().rpartition(")")[2].split()[0] != "T":
            time.sleep(0.001)
