"""A store without room for all the orders that are to end: they end as far as it goes, the others wait and
end when there is room; nothing stops, nothing is lost. docs/market.md, 10.6."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from fixgw.admin.words import EndOfDay, Kill, MarketState
from fixgw.codec.times import utc_timestamp
from tests.raw import BUY
from tests.venue.calendar import Calendar, moving, next_weekday
from tests.venue.floor import CANCELED, DAY, Member
from tests.venue.operating import done, refused
from tests.venue.trading import GTD, cancel_many, in_one_write

pytestmark = pytest.mark.slow
SMALL = {"map_size_mib": 16, "reserve_mib": 1}
LARGE = {"map_size_mib": 128, "reserve_mib": 1}
NOON = next_weekday(0, "12:00", "UTC")
MARKET = "M0-USD"
SESSIONS = {"ALPHA2": {"cancel_on_disconnect": "loss"}}
FULL = "full: new orders are refused, cancels pass"
NO_ROOM = "no room is left: orders that are to end wait, and nothing else is taken"
TEXT = "The venue's store has no room left, not even for cancels"
RESTING = 50
"""orders of CHARLIE, to be canceled one by one"""


def fill(alpha: Member) -> int:
    """With orders "o0", "o1", ... until no more are taken: every other ends at one o'clock, the others with
    the day. Returns how many there are."""
    lasting: dict[str, Any] = {"time_in_force": DAY}
    ending: dict[str, Any] = {
        "time_in_force": GTD,
        "extra": [(126, utc_timestamp(int((NOON + timedelta(hours=1)).timestamp()) * 10**9))],
    }
    taken = refusals = 0
    while not refusals:
        with in_one_write(alpha):
            for number in range(taken, taken + 200):
                alpha.new(f"o{number}", BUY, "0.0001", "100", **(ending if number % 2 else lasting))
        refusals = sum(each[150] == "8" for each in alpha.settle())
        taken += 200 - refusals
        assert taken < 100_000, "it never filled up"
    return taken


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Its data, and how many orders ALPHA2 has."""
    directory = tmp_path_factory.mktemp("full")
    with moving(directory, SESSIONS, NOON, store=SMALL) as venue:
        charlie, alpha = Member(venue, MARKET, "CHARLIE"), Member(venue, MARKET, "ALPHA2")
        charlie.logon(reset=True)
        for number in range(RESTING):
            charlie.new(f"c{number}", BUY, "0.0001", "100")
        charlie.settle()
        charlie.logout()
        alpha.logon(reset=True, extra=[(8013, "N")])
        number = fill(alpha)
        alpha.logout()
    return venue.data, number


@pytest.fixture
def venue(full: tuple[Path, int], tmp_path: Path) -> Iterator[Calendar]:
    shutil.copytree(full[0], tmp_path / "data")
    with moving(tmp_path, SESSIONS, NOON, store=SMALL) as venue:
        yield venue


def come_back(venue: Calendar, session: str, **how: Any) -> Member:
    member = Member(venue, MARKET, session)
    numbers = venue.status()[f"session {session}"].split()
    member.next_outbound = int(numbers[numbers.index("in") + 1])
    member.logon(**how)
    return member


def ask_for_all(venue: Calendar) -> None:
    alpha = come_back(venue, "ALPHA2")
    cancel_many(alpha, "all")
    alpha.logout()


def lose(venue: Calendar) -> None:
    come_back(venue, "ALPHA2", extra=[(8013, "L")]).close(abort=True)


def kill(venue: Calendar) -> None:
    done(venue, Kill("client", "ALPHA"))


def expire(venue: Calendar) -> None:
    venue.move(3600)


def end_the_day(venue: Calendar) -> None:
    said = done(venue, EndOfDay(again=False))[0]
    assert re.fullmatch(r"day \S+ is ending: DAY orders expired: \d+, others wait for room", said)
    assert refused(venue, EndOfDay(again=False)) == f"day {NOON:%Y-%m-%d} is ending already"


def begin_another(venue: Calendar) -> None:
    venue.next_day()


def wait_for(condition: Callable[[], bool], venue: Calendar) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline and venue.process.poll() is None, venue.errors


def live(venue: Calendar, session: str) -> int:
    """How many orders its client has, by OrderMassStatusRequest."""
    member = come_back(venue, session, reset=True)
    member.settle()
    member.send("AF", [(584, member.id("s")), (585, "7")])
    number = int(member.expect("8", t584=member.id("s"))[911])
    member.close(abort=True)
    return number


@pytest.mark.parametrize("begin", [ask_for_all, lose, kill, expire, end_the_day, begin_another])
def test_orders_wait_for_room(
    venue: Calendar, full: tuple[Path, int], begin: Callable[[Calendar], None]
) -> None:
    """The operator is told once; after a kill -9 as well it goes on, and with a larger store to the end."""
    assert venue.status()["store"] == FULL
    before = venue.journaled()
    begin(venue)
    wait_for(lambda: venue.status().get("store") == NO_ROOM, venue)
    assert venue.errors.count("the store has no room left") == 1, venue.errors
    assert venue.journaled() > before + 1, "what there was room for was done"
    day = venue.trading_day()
    venue.kill9()
    venue.start()
    wait_for(lambda: venue.status().get("store") == NO_ROOM, venue)
    assert venue.trading_day() == day == f"{NOON:%Y-%m-%d}"
    charlie = come_back(venue, "CHARLIE")
    charlie.settle()
    charlie.cancel("x", "c0")
    charlie.request_refused("x", "c0", 99, t434="1", t58=TEXT)
    charlie.logout()
    assert venue.terminate() == 0
    settings = venue.config.read_text().replace("map_size_mib: 16", "map_size_mib: 128")
    venue.config.write_text(settings)
    venue.start()
    wait_for(lambda: "store" not in venue.status(), venue)
    if begin in (end_the_day, begin_another):
        venue.wait_for_day(f"{NOON + timedelta(days=1):%Y-%m-%d}")
    until_one = full[1] // 2
    left = {expire: full[1] - until_one, end_the_day: until_one}.get(begin, 0)
    assert live(venue, "ALPHA2") == left
    if begin is ask_for_all:
        alpha = come_back(venue, "ALPHA2", reset=True)
        reports = [each for each in alpha.settle() if each.msg_type == "r"]
        assert [each[533] for each in reports] == [str(full[1])]


def test_what_would_take_all_room_is_refused(venue: Calendar) -> None:
    """Markets that would close or trade on with all their orders; halting them takes no room, and cancels
    pass."""
    before = venue.journaled()
    for state, market in ("closed", MARKET), ("continuous", "ALL"):
        said = refused(venue, MarketState(state, "" if market == "ALL" else market))
        assert said == "the store has no room left for all the orders that could end"
    assert venue.journaled() == before
    done(venue, MarketState("halted", MARKET))
    done(venue, MarketState("cancel-only", MARKET))
    charlie = come_back(venue, "CHARLIE")
    charlie.settle()
    charlie.cancel("x", "c0")
    charlie.expect("8", t11=charlie.id("x"), t150=CANCELED)
    charlie.logout()
