"""Times in what the venue sends have the precision the session is set to, those of QuickFIX's own messages
too; times that come in may have any."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.raw import Received, new_order, utc_now
from tests.venue.floor import BUY, FAMILIES, FREE, NEW, Floor, Member, running

DECIMALS = {"": ("milliseconds", 3), "2": ("microseconds", 6), "3": ("nanoseconds", 9)}
SESSIONS = {
    name + number: {"client": name, "begin_string": FAMILIES[name], "timestamps": words} | FREE
    for name in ("ALPHA", "CHARLIE")
    for number, (words, _) in DECIMALS.items()
}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with running(tmp_path_factory.mktemp("floor"), sessions=SESSIONS) as venue:
        yield venue


def check(messages: list[Received], decimals: int) -> None:
    form = re.compile(rf"\d{{8}}-\d\d:\d\d:\d\d\.\d{{{decimals}}}\Z")
    times = [(tag, value) for each in messages for tag, value in each.fields if tag in (52, 60, 122)]
    assert {tag for tag, _ in times} == {52, 60, 122}
    assert not [pair for pair in times if not form.match(pair[1])]


@pytest.mark.parametrize("number", DECIMALS)
@pytest.mark.parametrize("family", ["ALPHA", "CHARLIE"])
def test_every_time_sent_has_the_precision(floor: Floor, market: str, family: str, number: str) -> None:
    """Logon, Heartbeat, Reject, reports, refusals, replays with gap fills, PossResend and Logout."""
    member = Member(floor, market, family + number)
    member.logon(reset=True)
    member.settle()
    member.new("a", BUY, "1", "100")
    member.told("a", NEW)
    member.new("b", BUY, "1", "100.001")
    member.refused("b", 99 if family == "ALPHA" else 18)
    member.cancel("c", "x")
    member.request_refused("c", "x", 1)
    member.send("D", [(11, "q")])
    member.expect("3")
    member.send("V", [(262, "q")])
    member.expect("j")
    member.send("2", [(7, 1), (16, 0)])
    member.settle()
    member.close()
    member.logon(reset=True)
    assert any(each.get(97) == "Y" for each in member.settle())
    member.logout()
    check(member.received, DECIMALS[number][1])


@pytest.mark.parametrize("decimals", ["", ".1", ".123", ".123456", ".123456789"])
@pytest.mark.parametrize("session", ["ALPHA", "ALPHA3", "CHARLIE", "CHARLIE2"])
def test_times_that_come_in_may_have_any(floor: Floor, market: str, session: str, decimals: str) -> None:
    """SendingTime and TransactTime."""
    member = Member(floor, market, session)
    member.logon(reset=True)
    member.settle()
    now = utc_now()[:17] + decimals
    fields = new_order(member.id("a"), BUY, "1", "100", symbol=market, account=f"{member.client}-1")[1]
    member.send("D", [(tag, now if tag == 60 else value) for tag, value in fields], sending_time=now)
    member.told("a", NEW)
    member.logout()
