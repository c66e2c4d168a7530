"""Every type of order over a real socket, in both versions: what the client sends, and what it is told."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from fixgw.codec.times import utc_timestamp
from tests.raw import BUY, SELL
from tests.venue.floor import (
    CANCELED,
    EXPIRED,
    GTC,
    IOC,
    NEW,
    REPLACED,
    TRADE,
    Floor,
    Member,
    logged_on,
    running,
)
from tests.venue.trading import (
    CLOSE,
    GTD,
    OPENING,
    RESTATED,
    Tags,
    change,
    enter,
    hit,
    print_at,
    rest,
    triggered,
)

SLIDES, PREVENTS, BY_ACCOUNT = "2", "3", "4"
"""what comes after a client's name in the sessions that have other settings"""
OPTIONS = {
    SLIDES: {"post_only": "slide"},
    PREVENTS: {"self_trade": "taker"},
    BY_ACCOUNT: {"self_trade": "maker", "self_trade_by": "account"},
}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    versions = {"ALPHA": "FIX.4.4", "CHARLIE": "FIXT.1.1"}
    free = {"messages_per_second": 1_000_000, "transact_time_seconds": 31_536_000}
    sessions = {
        name + suffix: {"client": name, "begin_string": version} | free | settings
        for name, version in versions.items()
        for suffix, settings in OPTIONS.items()
    }
    with running(tmp_path_factory.mktemp("floor"), sessions=sessions) as venue:
        yield venue


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def pair(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[tuple[Member, Member]]:
    """A member of each version, and BRAVO on the other side."""
    with logged_on(floor, market, request.param, "BRAVO") as (trader, bravo):
        yield trader, bravo


def shown(member: Member) -> int:
    """MaxFloor(111) was DisplayQty(1138)."""
    return 111 if member.begin_string == "FIX.4.4" else 1138


def test_a_stop_waits_and_becomes_a_market_order(pair: tuple[Member, Member]) -> None:
    """Feature V1; market.md 2.1, 2.4"""
    trader, bravo = pair
    print_at(bravo, "100")
    rest(bravo, "s", SELL, "1", "103")
    enter(trader, "stop", BUY, {40: "3", 99: "101", 38: "2", 59: GTC})
    trader.told("stop", NEW, t40="3", t99="101.00", t44=None, t151="2.0000")
    print_at(bravo, "102")
    triggered(trader, "stop")
    trader.told("stop", TRADE, t31="103.00", t32="1.0000", t40="3", t99="101.00")
    trader.told("stop", CANCELED, t58="no liquidity", t151="0.0000")
    bravo.told("s", TRADE)


def test_a_stop_limit_rests_at_its_price(pair: tuple[Member, Member]) -> None:
    trader, bravo = pair
    print_at(bravo, "100")
    enter(trader, "stop", SELL, {40: "4", 99: "99", 44: "98.5", 38: "2"})
    trader.told("stop", NEW, t99="99.00", t44="98.50")
    change(trader, "moved", "stop", SELL, {40: "4", 99: "98", 44: "97.5", 38: "1"})
    trader.told("moved", REPLACED, t99="98.00", t44="97.50", t38="1.0000")
    print_at(bravo, "98")
    triggered(trader, "moved")
    hit(bravo, BUY, "1", "97.5")
    trader.told("moved", TRADE, t31="97.50", t39="2")


def test_a_stop_that_is_touched_already_is_triggered_at_once(pair: tuple[Member, Member]) -> None:
    """market.md 2.3"""
    trader, bravo = pair
    print_at(bravo, "100")
    enter(trader, "stop", BUY, {40: "4", 99: "100", 44: "100", 38: "1"})
    trader.told("stop", NEW)
    triggered(trader, "stop")
    change(trader, "r", "stop", BUY, {40: "4", 99: "101", 44: "100", 38: "1"})
    trader.request_refused("r", "stop", 99, t58="StopPx 101.00 is not the order's, which is 100.00")


@pytest.mark.parametrize("client", ["ALPHA", "CHARLIE"])
def test_an_iceberg_shows_its_parts_one_after_the_other(floor: Floor, market: str, client: str) -> None:
    """Feature V1; market.md 3.2: the next part goes to the back"""
    with logged_on(floor, market, client, "BRAVO", "BRAVO4") as (trader, bravo, rival):
        tag = shown(trader)
        enter(trader, "ice", BUY, {40: "2", 44: "100", 38: "3", tag: "1"})
        assert trader.told("ice", NEW, t151="3.0000")[tag] == "1.0000"
        rest(rival, "r", BUY, "1", "100")
        hit(bravo, SELL, "1.5", "100")
        assert trader.told("ice", TRADE, t32="1.0000", t151="2.0000")[tag] == "1.0000"
        rival.told("r", TRADE, t32="0.5000")
        hit(bravo, SELL, "1", "100")
        rival.told("r", TRADE, t32="0.5000", t39="2")
        trader.told("ice", TRADE, t32="0.5000", t151="1.5000")
        change(trader, "plain", "ice", BUY, {40: "2", 44: "100", 38: "3"})
        assert tag not in trader.told("plain", REPLACED, t151="1.5000")


def test_max_floor_is_taken_in_the_newer_version_too(floor: Floor, market: str) -> None:
    with logged_on(floor, market, "CHARLIE") as (member,):
        enter(member, "ice", BUY, {40: "2", 44: "100", 38: "3", 111: "1"})
        member.told("ice", NEW, t1138="1.0000", t111=None)


def test_a_post_only_order_is_refused_or_rests(pair: tuple[Member, Member]) -> None:
    """Feature V1; market.md 1.7"""
    trader, bravo = pair
    rest(bravo, "s", SELL, "1", "101")
    enter(trader, "p", BUY, {40: "2", 44: "101", 38: "1", 18: "6"})
    trader.refused(
        "p", 99, t58="Post-only: Price 101.00 would trade at once, the best price opposite is 101.00"
    )
    enter(trader, "p", BUY, {40: "2", 44: "100.99", 38: "1", 18: "6"})
    trader.told("p", NEW, t18="6", t44="100.99")
    change(trader, "r", "p", BUY, {40: "2", 44: "102", 38: "1", 18: "6"})
    trader.request_refused("r", "p", 99)
    change(trader, "r", "p", BUY, {40: "2", 44: "100.98", 38: "1", 18: "6"})
    trader.told("r", REPLACED, t18="6", t44="100.98")


@pytest.mark.parametrize("client", ["ALPHA", "CHARLIE"])
def test_a_post_only_order_slides_where_the_session_says_so(floor: Floor, market: str, client: str) -> None:
    with logged_on(floor, market, client + SLIDES, "BRAVO") as (trader, bravo):
        rest(bravo, "s", SELL, "1", "101")
        enter(trader, "p", BUY, {40: "2", 44: "105", 38: "1", 18: "6"})
        trader.told("p", NEW, t18="6", t44="100.99")


def test_an_order_until_a_time(pair: tuple[Member, Member], floor: Floor) -> None:
    """Feature V1; market.md 10.1. The report has the time to the nanosecond, as it was sent."""
    trader, _ = pair
    past = "20200101-00:00:00"
    enter(trader, "g", BUY, {40: "2", 44: "100", 38: "1", 59: GTD, 126: past})
    text = trader.refused("g", 99)[58]
    assert text.startswith(f"ExpireTime {past}.000 has passed: it is 20")
    enter(trader, "g", BUY, {40: "2", 44: "100", 38: "1", 59: GTD, 126: "20990101-00:00:00.123456789"})
    trader.told("g", NEW, t59=GTD, t126="20990101-00:00:00.123456789")
    change(trader, "r", "g", BUY, {40: "2", 44: "101", 38: "1"})
    trader.request_refused("r", "g", 99, t58="ExpireTime or ExpireDate is missing")
    change(trader, "r0", "g", BUY, {40: "2", 44: "100", 38: "1", 126: "20990101-00:00:00"})
    trader.told("r0", REPLACED, t59=GTD, t126="20990101-00:00:00.000")
    soon = utc_timestamp(time.time_ns() + 500_000_000)
    change(trader, "r", "r0", BUY, {40: "2", 44: "101", 38: "1", 59: GTD, 126: soon})
    trader.told("r", REPLACED, t126=soon)
    trader.told("r", EXPIRED, t151="0.0000", t39="C")


def test_an_order_until_a_day(pair: tuple[Member, Member]) -> None:
    trader, _ = pair
    enter(trader, "g", BUY, {40: "2", 44: "100", 38: "1", 59: GTD, 432: "20200229"})
    assert trader.refused("g", 99)[58].startswith("ExpireDate 20200229 has passed: it is 20")
    enter(trader, "g", BUY, {40: "2", 44: "100", 38: "1", 59: GTD, 432: "20990101"})
    trader.told("g", NEW, t432="20990101", t126=None)
    change(trader, "r", "g", BUY, {40: "2", 44: "100", 38: "1", 59: GTD, 432: "20990102"})
    trader.told("r", REPLACED, t432="20990102")


def test_a_replace_leaves_the_time_in_force_as_it_is(pair: tuple[Member, Member]) -> None:
    """market.md 4.1: left out, it is the order's; an end means GTD."""
    trader, _ = pair
    for name, tags in ("d", {59: "0"}), ("c", {59: "1"}):
        enter(trader, name, BUY, {40: "2", 44: "100", 38: "1", **tags})
        trader.told(name, NEW)
        change(trader, f"{name}1", name, BUY, {40: "2", 44: "100", 38: "2"})
        trader.told(f"{name}1", REPLACED, t59=tags[59])
        change(trader, f"{name}2", f"{name}1", BUY, {40: "2", 44: "100", 38: "2", 432: "20990101"})
        text = f"TimeInForce 6 is not the order's, which is {tags[59]}"
        trader.request_refused(f"{name}2", f"{name}1", 99, t58=text)


def test_a_least_quantity(pair: tuple[Member, Member]) -> None:
    """Feature V1; market.md 1.5"""
    trader, bravo = pair
    rest(bravo, "s", SELL, "1", "100")
    enter(trader, "m", BUY, {40: "2", 44: "100", 38: "3", 110: "1.5"})
    trader.told("m", NEW, t110="1.5000")
    trader.told("m", CANCELED, t58="not enough liquidity for MinQty", t14="0.0000")
    enter(trader, "n", BUY, {40: "2", 44: "100", 38: "3", 110: "1"})
    trader.told("n", NEW)
    trader.told("n", TRADE, t32="1.0000", t151="2.0000", t110="1.0000")
    change(trader, "r", "n", BUY, {40: "2", 44: "100", 38: "3", 110: "2"})
    trader.request_refused("r", "n", 99, t58="MinQty 2.0000 is not the order's, which is 1.0000")
    change(trader, "r", "n", BUY, {40: "2", 44: "99", 38: "3", 110: "1"})
    trader.told("r", REPLACED, t110="1.0000")


def test_a_quantity_in_money(pair: tuple[Member, Member]) -> None:
    """Feature V1; market.md 1.6: 150 USD buy 1 at 100, and 0.4950 at 101"""
    trader, bravo = pair
    rest(bravo, "s1", SELL, "1", "100")
    rest(bravo, "s2", SELL, "1", "101")
    enter(trader, "m", BUY, {40: "1", 152: "150"})
    trader.told("m", NEW, t38="1.4950", t152="150.00000000", t151="1.4950")
    trader.told("m", TRADE, t31="100.00", t32="1.0000")
    trader.told("m", TRADE, t31="101.00", t32="0.4950", t39="2", t151="0.0000")
    enter(trader, "n", BUY, {40: "1", 152: "0.01"})
    trader.refused("n", 13, t152="0.01", t58="CashOrderQty 0.01000000 comes to less than one lot")


def test_orders_for_an_auction(pair: tuple[Member, Member]) -> None:
    """Feature V1; market.md 7.2, 7.3"""
    trader, bravo = pair
    enter(trader, "o", BUY, {40: "2", 44: "100", 38: "1", 59: OPENING})
    trader.refused("o", 11, t58=f"{trader.market} is in state continuous: it takes no TimeInForce 2")
    enter(trader, "c", BUY, {40: "1", 38: "1", 59: CLOSE})
    trader.told("c", NEW, t59=CLOSE, t40="1")
    bravo.new("s", SELL, "1", "1", time_in_force=IOC)
    bravo.told("s", NEW)
    bravo.told("s", CANCELED, t58="no liquidity")
    trader.cancel("x", "c")
    trader.told("x", CANCELED)


PREVENTED = {"t58": "self-trade prevention", "t378": "99", "t151": "0.0000"}

# SelfMatchPreventionInstruction(2964), and what is told when a taker of 3 meets a maker of 1.
MODES: dict[str, list[tuple[str, str, dict[str, str]]]] = {
    "0": [("taker", TRADE, {"t151": "2.0000"}), ("maker", TRADE, {"t39": "2"})],
    "1": [("taker", CANCELED, PREVENTED)],
    "2": [("maker", CANCELED, PREVENTED)],
    "3": [("taker", CANCELED, PREVENTED), ("maker", CANCELED, PREVENTED)],
    "4": [
        ("taker", RESTATED, {"t378": "5", "t38": "2.0000", "t151": "2.0000"}),
        ("maker", CANCELED, PREVENTED | {"t38": "1.0000"}),
    ],
}


def meet(member: Member, maker: Tags, taker: Tags, account: str = "1") -> None:
    """A buy of 3 meets a sell of 1; both are told that they are new."""
    enter(member, "maker", SELL, {40: "2", 44: "100", 38: "1"} | maker)
    member.told("maker", NEW)
    enter(member, "taker", BUY, {40: "1", 38: "3", 59: IOC} | taker, account)
    member.told("taker", NEW, t38="3.0000")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("group", [{}, {2362: "desk"}])
def test_who_does_not_trade_with_himself(pair: tuple[Member, Member], mode: str, group: Tags) -> None:
    """Feature V3; market.md 5.1, 5.2: the group is the client, or what 2362 names"""
    trader, _ = pair
    meet(trader, group, {2964: mode} | group)
    for name, exec_type, tags in MODES[mode]:
        trader.told(name, exec_type, **tags)


def test_orders_of_other_groups_trade(pair: tuple[Member, Member]) -> None:
    """Feature V3: two desks; and BRAVO, whose desk of the same name is another one"""
    trader, bravo = pair
    meet(trader, {2362: "east"}, {2362: "west", 2964: "3"})
    trader.told("taker", TRADE, t32="1.0000")
    trader.told("maker", TRADE, t39="2")
    trader.told("taker", CANCELED, t58="no liquidity")
    enter(bravo, "s", SELL, {40: "2", 44: "100", 38: "1", 2362: "west"})
    bravo.told("s", NEW)
    enter(trader, "b", BUY, {40: "2", 44: "100", 38: "1", 2362: "west", 2964: "3"})
    trader.told("b", NEW)
    trader.told("b", TRADE, t39="2")


@pytest.mark.parametrize("client", ["ALPHA", "CHARLIE"])
def test_the_session_says_who_is_canceled(floor: Floor, market: str, client: str) -> None:
    """Feature V3: without 2964 the session's mode holds, also with a group of the order's own"""
    with logged_on(floor, market, client + PREVENTS) as (member,):
        meet(member, {}, {})
        member.told("taker", CANCELED, **PREVENTED)
        enter(member, "b", BUY, {40: "2", 44: "100", 38: "1", 2964: "0"})
        for name, told in (("b", NEW), ("b", TRADE), ("maker", TRADE)):
            member.told(name, told)
        enter(member, "s", SELL, {40: "2", 44: "100", 38: "1", 2362: "desk"})
        member.told("s", NEW)
        enter(member, "b2", BUY, {40: "2", 44: "100", 38: "1", 2362: "desk"})
        member.told("b2", NEW)
        member.told("b2", CANCELED, **PREVENTED)


@pytest.mark.parametrize("client", ["ALPHA", "CHARLIE"])
def test_the_group_may_be_the_account(floor: Floor, market: str, client: str) -> None:
    """Feature V3: two accounts of one client trade with each other"""
    with logged_on(floor, market, client + BY_ACCOUNT) as (member,):
        enter(member, "other", BUY, {40: "2", 44: "50", 38: "1"}, account="POOR")
        member.told("other", NEW)
        enter(member, "s", SELL, {40: "2", 44: "50", 38: "1"})
        for name, told in (("s", NEW), ("s", TRADE), ("other", TRADE)):
            member.told(name, told)
        meet(member, {}, {})
        member.told("maker", CANCELED, **PREVENTED)
        member.told("taker", CANCELED, t58="no liquidity")
        change(member, "x", "none", BUY, {40: "2", 44: "50", 38: "1", 2362: "desk"})
        member.request_refused("x", "none", 1)


def test_a_replace_keeps_the_group(pair: tuple[Member, Member]) -> None:
    """What it says of the order must be so; what it leaves out stays."""
    trader, _ = pair
    enter(trader, "b", BUY, {40: "2", 44: "100", 38: "1", 2362: "desk", 2964: "1"})
    trader.told("b", NEW)
    for tags, text in (
        ({2362: "other"}, "SelfMatchPreventionID other is not the order's, which is desk"),
        ({2964: "2"}, "SelfMatchPreventionInstruction 2 is not the order's, which is 1"),
        ({18: "6"}, "ExecInst 6 is not the order's, which is none"),
        ({110: "1"}, "MinQty 1.0000 is not the order's, which is none"),
    ):
        change(trader, "r", "b", BUY, {40: "2", 44: "101", 38: "1"} | tags)
        trader.request_refused("r", "b", 99, t58=text)
    change(trader, "r", "b", BUY, {40: "2", 44: "101", 38: "1", 2362: "desk", 2964: "1"})
    trader.told("r", REPLACED)
