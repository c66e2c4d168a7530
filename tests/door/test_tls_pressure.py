"""Who reads or sends too much over TLS costs the venue no memory, and no other session time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.door.secure import Secure, TlsTrader, secure
from tests.venue.floor import Member, logged_on
from tests.venue.test_slow_reader import GROWTH_MIB, PAIRS, UNREAD_BYTES, check_answers, goes_on, order_pair

HEARTBEATS = 30_000


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Secure]:
    with secure(tmp_path, door={"unread_bytes": UNREAD_BYTES}, message_log={"on": "no"}) as found:
        yield found


@pytest.fixture
def bravo(place: Secure) -> Iterator[Member]:
    with logged_on(place.floor, "M1-USD", "BRAVO") as (member,):
        yield member


@pytest.fixture
def alpha(place: Secure) -> Iterator[TlsTrader]:
    trader = place.trader("ALPHA", place.context(place.authority.issue("anyone")))
    trader.recover(place.port)
    yield trader
    trader.close()


@pytest.mark.slow
def test_a_client_that_never_reads_is_cut_and_loses_nothing(
    place: Secure, bravo: Member, alpha: TlsTrader
) -> None:
    """Feature 59: the bound holds for what TLS keeps, too."""
    before = place.floor.memory_mib()["own_mib"]
    with pytest.raises(OSError):
        for _ in range(PAIRS):
            order_pair(alpha)
            goes_on(bravo)
    assert "cut (session ALPHA): " in place.floor.errors
    assert place.floor.memory_mib()["own_mib"] < before + GROWTH_MIB
    alpha.recover(place.port)
    check_answers(alpha)
    assert alpha.replayed > 10


@pytest.mark.slow
def test_a_long_replay_waits_for_its_reader(place: Secure, bravo: Member, alpha: TlsTrader) -> None:
    for number in range(PAIRS // 4):
        order_pair(alpha)
        if number % 20 == 0:
            alpha.fence()
    alpha.fence()
    assert sum(len(report.bytes) for report in alpha.reports.values()) > 10 * UNREAD_BYTES
    alpha.logout()
    alpha.recover(place.port)
    before = place.floor.memory_mib()["own_mib"]
    alpha.send("2", [(7, 1), (16, 0)])
    for _ in range(100):
        goes_on(bravo)
    assert place.floor.memory_mib()["own_mib"] < before + GROWTH_MIB
    alpha.fence()
    assert alpha.replayed == len(alpha.reports) == PAIRS // 2
    check_answers(alpha)


@pytest.mark.slow
def test_a_client_that_sends_more_than_is_taken_has_to_wait(
    place: Secure, bravo: Member, alpha: TlsTrader
) -> None:
    """Its bytes wait in its own socket, not in the venue."""
    messages: list[bytes] = []
    alpha.send_bytes = messages.append  # type: ignore[method-assign]
    for _ in range(HEARTBEATS):
        alpha.send("0", [(112, "x" * 1000)])
    del alpha.send_bytes
    most = before = place.floor.memory_mib()["own_mib"]
    sending = Thread(target=alpha.send_bytes, args=(b"".join(messages),))
    sending.start()
    while sending.is_alive():
        most = max(most, place.floor.memory_mib()["own_mib"])
    goes_on(bravo)
    assert most < before + GROWTH_MIB
    alpha.fence()
    assert place.floor.status()["session ALPHA"].split("next in ")[1].split()[0] == str(alpha.next_outbound)
