"""Orders whose session is not there, and orders that another session changes: every report comes to it,
once, whenever it comes back and however the venue stopped meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.raw import BUY, SELL, Received
from tests.venue.floor import CANCELED, IOC, NEW, REPLACED, TRADE, Floor, Member, content, logged_on

MARKET = "M1-USD"


def stay(venue: Floor) -> None:
    pass


def stop(venue: Floor) -> None:
    assert venue.terminate() == 0
    venue.start()


def kill(venue: Floor) -> None:
    venue.kill9()
    venue.start()


def leave_orders(venue: Floor, session: str) -> Member:
    """A member that logs out with two orders in the book; it keeps its numbers."""
    member = Member(venue, MARKET, session)
    member.logon()
    for name in ("a", "b"):
        member.new(name, BUY, "2", "100")
        member.told(name, NEW)
    member.logout()
    return member


def trade_on(venue: Floor, session: str) -> None:
    """BRAVO fills "a" in part, another session of the client replaces it and cancels "b"."""
    with logged_on(venue, MARKET, "BRAVO", f"{session}2") as (bravo, other):
        bravo.new("s", SELL, "0.5", "100", time_in_force=IOC)
        bravo.told("s", NEW)
        bravo.told("s", TRADE)
        other.replace("r", "a", BUY, "1", "100")
        other.told("r", REPLACED)
        other.cancel("c", "b")
        other.told("c", CANCELED)


def come_back(venue: Floor, member: Member) -> list[Received]:
    """Logs on with the numbers as they stand and asks for what is missing; returns what is replayed."""
    member.address = (venue.host, venue.port)
    before = member.next_inbound
    member.logon()
    member.send("2", [(7, before), (16, 0)])
    return [message for message in member.settle() if message.msg_type != "4"]


def check_missed(reports: list[Received]) -> None:
    told = [(report[11].rpartition(".")[2], report[150], report[14], report[151]) for report in reports]
    assert told == [
        ("a", TRADE, "0.5000", "1.5000"), ("r", REPLACED, "0.5000", "0.5000"),
        ("c", CANCELED, "0.0000", "0.0000"),
    ]  # fmt: skip


@pytest.mark.parametrize("restart", [stay, stop, kill])
@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_reports_born_meanwhile_come_through_the_gap(
    tmp_path: Path, session: str, restart: Callable[[Floor], None]
) -> None:
    """Feature 56. "Reports born while the client is away are delivered at its next logon through the gap",
    with PossDupFlag(43) and under the numbers they had, in order."""
    with Floor(tmp_path) as venue:
        member = leave_orders(venue, session)
        first = member.next_inbound
        trade_on(venue, session)
        restart(venue)
        missed = come_back(venue, member)
        check_missed(missed)
        assert [report.sequence for report in missed] == [first, first + 1, first + 2]
        assert all(report.possible_duplicate and report[122] for report in missed)
        member.logout()
        assert come_back(venue, member) == []


@pytest.mark.parametrize("restart", [stay, kill])
@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_a_reset_loses_none_of_them(tmp_path: Path, session: str, restart: Callable[[Floor], None]) -> None:
    """ "On a ResetSeqNumFlag=Y logon the undelivered ones come again with PossResend=Y": once, as new
    messages, after the Logon."""
    with Floor(tmp_path) as venue:
        member = leave_orders(venue, session)
        trade_on(venue, session)
        restart(venue)
        member.address = (venue.host, venue.port)
        member.logon(reset=True)
        missed = member.settle()
        check_missed(missed)
        assert [(report.sequence, report[97], report.get(43)) for report in missed] == [
            (2, "Y", None), (3, "Y", None), (4, "Y", None),
        ]  # fmt: skip
        member.logout()
        member.logon(reset=True)
        assert member.settle() == []
        member.cancel("gone", "r")
        member.told("gone", CANCELED, t97=None)


def test_next_expected_brings_them_unasked(tmp_path: Path) -> None:
    """ "Replay of a ResendRequest (and of a low NextExpectedMsgSeqNum)"."""
    with Floor(tmp_path) as venue:
        member = leave_orders(venue, "ALPHA")
        trade_on(venue, "ALPHA")
        member.logon(extra=[(789, member.next_inbound)])
        check_missed([message for message in member.settle() if message.msg_type == "8"])


def test_a_session_without_settings_gets_them_when_it_is_back(tmp_path: Path) -> None:
    """Its orders live on; what becomes of them waits until the session is configured again."""
    venue = Floor(tmp_path)
    settings = venue.config.read_text()
    without = "".join(line for line in settings.splitlines(True) if not line.startswith("  ALPHA: {begin"))
    with venue:
        member = leave_orders(venue, "ALPHA")
        venue.config.write_text(without)
        stop(venue)
        assert "session ALPHA" not in venue.status()
        trade_on(venue, "ALPHA")
        venue.config.write_text(settings)
        stop(venue)
        check_missed(come_back(venue, member))


def test_a_cancel_from_another_session_is_told_to_both(floor: Floor, market: str) -> None:
    """The report is the same, but for the session it goes to; a refused one goes to who asked."""
    with logged_on(floor, market, "CHARLIE", "CHARLIE2") as (owner, other):
        owner.new("b", BUY, "1", "100")
        order_id = owner.told("b", NEW)[37]
        other.cancel("c", "b")
        one, two = (member.told("c", CANCELED, t37=order_id) for member in (owner, other))
        assert content(one) == content(two)
        assert (one[17], one[60]) == (two[17], two[60])
        other.cancel("c2", "b")
        other.request_refused("c2", "b", 0, t37=order_id)
        assert owner.settle() == []
