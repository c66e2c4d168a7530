"""Auctions through the door, in both versions: what is taken in a call phase rests, the indicative price is
in the output log, and all trades are at one price. docs/market.md, 7 and 8."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fixgw.admin.words import CancelOrder, MarketState
from tests.raw import BUY, SELL
from tests.venue.floor import (
    CANCELED,
    EXPIRED,
    GTC,
    NEW,
    REPLACED,
    TRADE,
    Floor,
    Member,
    logged_on,
)
from tests.venue.operating import done, set_state, told_state
from tests.venue.test_log import log
from tests.venue.trading import CLOSE, OPENING, enter, print_at, rest, triggered
from tests.venue.wiretap import wait_for

Pair = tuple[Member, Member]


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def pair(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[Pair]:
    """A member of each version, and BRAVO on the other side."""
    with logged_on(floor, market, request.param, "BRAVO") as (trader, bravo):
        yield trader, bravo


def indicatives(venue: Floor, market: str) -> list[str]:
    lines = log(venue.data, "events")
    return [line.partition("symbol=")[2] for line in lines if f" Indicative symbol={market} " in line]


def wait_for_indicative(venue: Floor, market: str, price: str, quantity: str, surplus: str) -> None:
    """It is told by itself, within a second or two."""
    last = [f"{market} price={price} quantity={quantity} surplus={surplus}"]
    wait_for(lambda: indicatives(venue, market)[-1:] == last)


def trade(buyer: Member, bid: str, seller: Member, offer: str, price: str, quantity: str, left: str) -> None:
    """Both sides are told of one trade; `left` of the bid."""
    ours = buyer.told(bid, TRADE, t31=price, t32=quantity, t151=left)
    theirs = seller.told(offer, TRADE, t31=price, t32=quantity)
    assert int(theirs[17]) == int(ours[17]) + 1, "the buy order's event is the first"


def test_a_day_opens_with_an_auction(pair: Pair, floor: Floor) -> None:
    """Feature 63, 64; market.md 8.1, third row: pressure of bids. Orders rest crossed, can be replaced and
    canceled, and nothing trades before; nothing is indicated in pre-open."""
    trader, bravo = pair
    market = trader.market
    set_state(floor, "pre-open", market, trader, bravo)
    rest(trader, "b", BUY, "30", "101")
    rest(bravo, "s", SELL, "8", "99")
    rest(bravo, "x", SELL, "5", "90")
    set_state(floor, "opening-auction", market, trader, bravo)
    wait_for_indicative(floor, market, "101.00", "13.0000", "17.0000")
    bravo.cancel("cx", "x", SELL)
    bravo.told("cx", CANCELED)
    trader.replace("r", "b", BUY, "20", "101")
    trader.told("r", REPLACED, t151="20.0000")
    wait_for_indicative(floor, market, "101.00", "8.0000", "12.0000")
    assert trader.settle() == bravo.settle() == []
    done(floor, MarketState("continuous", market))
    trade(trader, "r", bravo, "s", "101.00", "8.0000", "12.0000")
    for member in pair:
        told_state(member, "continuous")
    told = indicatives(floor, market)  # of the moment between the two requests as well, if it was met
    assert len(told) == len(set(told)) <= 3 and told[0].endswith("=17.0000"), "none twice, none for pre-open"
    bravo.new("hit", SELL, "12", "101")
    for told in (NEW, TRADE):
        bravo.told("hit", told)
    trader.told("r", TRADE, t39="2")


def test_the_other_rows_of_the_table(pair: Pair, floor: Floor) -> None:
    """market.md 8.1: nearest to the reference, least surplus, pressure of offers; 8.3 only market orders."""
    trader, bravo = pair
    market = trader.market
    print_at(bravo, "99")
    rows = [
        ("10 @ 101", "10 @ 100", "100.00", "10.0000", "0.0000"),
        ("10 @ 102", "8 @ 100", "102.00", "8.0000", "2.0000"),
        ("8 @ 101", "20 @ 99", "99.00", "8.0000", "-12.0000"),
        ("8", "5", "99.00", "5.0000", "3.0000"),
    ]
    for number, (bid, offer, price, quantity, surplus) in enumerate(rows):
        set_state(floor, "opening-auction", market, trader, bravo)
        for member, name, side, order in (trader, "b", BUY, bid), (bravo, "s", SELL, offer):
            size, _, limit = order.partition(" @ ")
            member.new(f"{name}{number}", side, size, limit or None)
            member.told(f"{name}{number}", NEW)
        wait_for_indicative(floor, market, price, quantity, surplus)
        done(floor, MarketState("continuous", market))
        buy, sell = f"b{number}", f"s{number}"
        left = bid.split()[0], offer.split()[0], quantity.partition(".")[0]
        bids, offers, traded = map(int, left)
        trade(trader, buy, bravo, sell, price, quantity, f"{bids - traded}.0000")
        if "@" not in bid:
            trader.told(buy, CANCELED, t58="no liquidity", t14=quantity)
        for member in pair:
            told_state(member, "continuous")
        if "@" in bid and bids > traded:
            trader.cancel(f"c{number}", buy)
            trader.told(f"c{number}", CANCELED)
        if offers > traded:
            bravo.cancel(f"c{number}", sell, SELL)
            bravo.told(f"c{number}", CANCELED)


def test_at_the_opening(pair: Pair, floor: Floor) -> None:
    """market.md 7.2, 7.5: an order for the opening ends with it; a market order comes first; what touches a
    stop triggers it after the auction."""
    trader, bravo = pair
    set_state(floor, "opening-auction", trader.market, trader, bravo)
    enter(trader, "limit", BUY, {40: "2", 44: "100", 38: "2"})
    enter(trader, "opening", BUY, {40: "2", 44: "100", 38: "3", 59: OPENING})
    enter(trader, "market", BUY, {40: "1", 38: "1"})
    enter(trader, "stop", BUY, {40: "3", 99: "100", 38: "1"})
    for name in ("limit", "opening", "market", "stop"):
        trader.told(name, NEW)
    rest(bravo, "s", SELL, "4", "100")
    done(floor, MarketState("continuous", trader.market))
    trade(trader, "market", bravo, "s", "100.00", "1.0000", "0.0000")
    trade(trader, "limit", bravo, "s", "100.00", "2.0000", "0.0000")
    trade(trader, "opening", bravo, "s", "100.00", "1.0000", "2.0000")
    trader.told("opening", EXPIRED, t58="end of the auction", t14="1.0000", t151="0.0000")
    triggered(trader, "stop")
    trader.told("stop", CANCELED, t58="no liquidity")
    for member in pair:
        told_state(member, "continuous")


def test_at_the_close(pair: Pair, floor: Floor) -> None:
    """market.md 7.3, 7.5, 7.6: what is for the close waits outside of the book; what then is left of market
    orders is canceled, what is for the day expires, GTC orders wait for the next day."""
    trader, bravo = pair
    enter(trader, "close", BUY, {40: "1", 38: "3", 59: CLOSE})
    trader.told("close", NEW)
    bravo.new("s", SELL, "1", "100", time_in_force=GTC)
    bravo.told("s", NEW)
    assert trader.settle() == bravo.settle() == []
    set_state(floor, "closing-auction", trader.market, trader, bravo)
    wait_for_indicative(floor, trader.market, "100.00", "1.0000", "2.0000")
    enter(trader, "late", BUY, {40: "2", 44: "100", 38: "1", 59: CLOSE})
    trader.told("late", NEW)
    bravo.new("s2", SELL, "1.5", "100", time_in_force=GTC)
    bravo.told("s2", NEW)
    trader.new("low", BUY, "1", "90", time_in_force=GTC)
    trader.told("low", NEW)
    done(floor, MarketState("closed", trader.market))
    trade(trader, "close", bravo, "s", "100.00", "1.0000", "2.0000")
    trade(trader, "close", bravo, "s2", "100.00", "1.5000", "0.5000")
    trader.told("close", CANCELED, t14="2.5000", t151="0.0000")
    trader.told("late", EXPIRED, t58="the market is closed")
    for member in pair:
        told_state(member, "closed")
    set_state(floor, "continuous", trader.market, trader, bravo)
    bravo.new("s3", SELL, "1", "90")
    for told in (NEW, TRADE):
        bravo.told("s3", told)
    trader.told("low", TRADE, t39="2")


def test_without_anyone_to_trade_there_is_nothing_to_indicate(pair: Pair, floor: Floor) -> None:
    """What was told and is not so any more is taken back with a zero."""
    trader, bravo = pair
    set_state(floor, "opening-auction", trader.market, trader, bravo)
    rest(trader, "b", BUY, "1", "100")
    rest(bravo, "s", SELL, "1", "100")
    wait_for_indicative(floor, trader.market, "100.00", "1.0000", "0.0000")
    number = trader.received[-1][37]
    assert done(floor, CancelOrder(int(number))) == [f"order {number} is canceled"]
    trader.told("b", CANCELED, t378="99", t58="canceled by the operator")
    wait_for_indicative(floor, trader.market, "0.00", "0.0000", "0.0000")
    bravo.cancel("c", "s", SELL)
    bravo.told("c", CANCELED)
    set_state(floor, "continuous", trader.market, trader, bravo)
    assert len(indicatives(floor, trader.market)) == 2


def test_an_auction_goes_on_after_a_kill_9(tmp_path: Path) -> None:
    """The operator's auction waits for the operator: crossed as it is, with each order in its place."""
    with Floor(tmp_path) as venue:
        set_state(venue, "opening-auction", "M1-USD")
        with logged_on(venue, "M1-USD", "ALPHA", "CHARLIE") as (alpha, charlie):
            rest(alpha, "b", BUY, "1", "101")
            rest(charlie, "b", BUY, "1", "101")
            enter(charlie, "s", SELL, {40: "1", 38: "1.5"})
            charlie.told("s", NEW)
            venue.kill9()
            for member in (alpha, charlie):
                member.close(abort=True)
        venue.start()
        assert venue.status()["market M1-USD"] == "opening-auction"
        with logged_on(venue, "M1-USD", "ALPHA", "CHARLIE") as (alpha, charlie):
            wait_for_indicative(venue, "M1-USD", "101.00", "1.5000", "0.5000")
            done(venue, MarketState("continuous", "M1-USD"))
            alpha.told("b", TRADE, t31="101.00", t32="1.0000", t39="2")
            charlie.told("s", TRADE, t32="1.0000")
            charlie.told("b", TRADE, t31="101.00", t32="0.5000", t151="0.5000")
            charlie.told("s", TRADE, t32="0.5000", t39="2")
            for member in (alpha, charlie):
                told_state(member, "continuous")
                member.received.clear()  # their lives began before
