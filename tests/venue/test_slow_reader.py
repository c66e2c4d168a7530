"""A client that does not read: cut at the bound, and given everything at its next logon. What it leaves
unread costs the venue no memory and another session no time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.raw import BUY, new_order, utc_now
from tests.venue.floor import FAMILIES, NEW, Floor, Member, logged_on, running
from tests.venue.trader import Trader

UNREAD_BYTES = 256 * 1024
FAT = "x" * 6000
"""no ClOrdID: refused and echoed, a report of that size"""
GROWTH_MIB = 3
PAIRS = 2000
_numbers = count()


@pytest.fixture
def venue(tmp_path: Path) -> Iterator[Floor]:
    # Without the message log, whose buffer is bounded apart.
    with running(tmp_path, door={"unread_bytes": UNREAD_BYTES}, message_log={"on": "no"}) as venue:
        yield venue


@pytest.fixture
def bravo(venue: Floor) -> Iterator[Member]:
    with logged_on(venue, "M1-USD", "BRAVO") as (member,):
        yield member


def goes_on(bravo: Member) -> None:
    name = f"n{next(_numbers)}"
    bravo.new(name, BUY, "1", "100")
    bravo.told(name, NEW, timeout=2.0)


def order_pair(trader: Trader) -> None:
    """An order that is accepted and one that is refused at length."""
    name = f"{trader.comp_id}-{trader.next_outbound}"
    trader.trade(*new_order(name, BUY, "1", "100", symbol="M2-USD", account=f"{trader.comp_id}-1"))
    trader.trade("D", [(11, FAT), (60, utc_now()), (1, "x"), (55, "M2-USD"), (54, "1"), (38, 1), (40, 1)])


def check_answers(trader: Trader) -> None:
    """Each order has its one answer, under one number."""
    sent = Counter(dict(fields)[11] for _, fields in trader.sent.values())
    answered = Counter(report[11] for report in trader.reports.values())
    assert answered == sent
    assert all((report[150] == "8") == (report[11] == FAT) for report in trader.reports.values())


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_a_client_that_never_reads_is_cut_and_loses_nothing(
    venue: Floor, bravo: Member, session: str
) -> None:
    """Feature 59: cut after the limit, everything comes by resend; BRAVO is answered all the while."""
    trader = Trader(venue.host, venue.port, session, FAMILIES[session])
    trader.recover(venue.port)
    before = venue.memory_mib()["own_mib"]
    with pytest.raises(ConnectionError):
        for _ in range(PAIRS):
            order_pair(trader)
            goes_on(bravo)
    assert f"cut (session {session}): " in venue.errors
    assert venue.memory_mib()["own_mib"] < before + GROWTH_MIB
    trader.recover(venue.port)
    check_answers(trader)
    assert trader.replayed > 10


def test_a_long_replay_waits_for_its_reader_alone(venue: Floor, bravo: Member) -> None:
    """ "Streamed and bounded": asked for many times what the bound lets a client leave unread, and not read,
    it costs no memory and no other session's time; it is whole once it is read."""
    trader = Trader(venue.host, venue.port, "ALPHA")
    trader.recover(venue.port)
    for number in range(PAIRS // 2):
        order_pair(trader)
        if number % 20 == 0:
            trader.fence()
    trader.fence()
    total = sum(len(report.bytes) for report in trader.reports.values())
    assert total > 20 * UNREAD_BYTES
    trader.logout()
    trader.recover(venue.port)  # a new connection, whose buffers are small yet
    before = venue.memory_mib()["own_mib"]
    trader.send("2", [(7, 1), (16, 0)])
    for _ in range(200):
        goes_on(bravo)
    assert venue.memory_mib()["own_mib"] < before + GROWTH_MIB
    trader.fence()
    assert trader.replayed == len(trader.reports) == PAIRS
    check_answers(trader)
