"""What markets go through by themselves: after an unclean stop cancel-only, an auction and continuous
trading; and a volatility auction with its end. Features 63, 64; docs/market.md, 7.8 and 9. Nothing here waits
for a time: what happens is told."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fixgw.admin.words import MarketState
from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, FOK, GTC, IOC, NEW, TRADE, Floor, Member, logged_on
from tests.venue.operating import done, fixgw, set_state, told_state, told_state_of_all
from tests.venue.test_log import log
from tests.venue.trading import enter, print_at, rest, triggered
from tests.venue.wiretap import wait_for

MARKET = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001"}
MARKET |= {"max_quantity": "1000", "max_price": "1000000"}
MARKETS = {"OPEN": MARKET, "HALTED": MARKET, "CALL": MARKET, "LIVELY": MARKET | {"dynamic_band": "5"}}
LONG = 3600
"""seconds that no test waits for"""
NO_ORDERS = "{} is in state cancel-only: it takes no orders"
WAY = ["cancel-only reason=restart", "opening-auction reason=restart", "continuous"]


class Few(Floor):
    """A venue with few markets."""

    def __init__(self, directory: Path, **restart: int) -> None:
        super().__init__(directory)
        self.lasting(**restart)

    def lasting(self, **restart: int) -> None:
        """The settings of phases, from the next start on."""
        settings = yaml.safe_load(self.config.read_text())
        settings["instruments"] = MARKETS
        settings["restart"] = {"cancel_only_seconds": 0, "auction_seconds": 0, "volatility_seconds": 0}
        settings["restart"] |= restart
        self.config.write_text(yaml.safe_dump(settings, default_flow_style=None))

    def again(self, clean: bool) -> None:
        if clean:
            assert self.terminate() == 0
        else:
            self.kill9()
        self.start()

    def phases(self, market: str = "OPEN") -> list[str]:
        """Its states by the output log, with their reasons."""
        begin = f" StateSet symbol={market} state="
        return [line.partition(begin)[2] for line in log(self.data, "events") if begin in line]


def book(venue: Few, market: str = "OPEN") -> None:
    with logged_on(venue, market, "ALPHA") as (alpha,):
        for name in ("a", "b"):
            alpha.new(name, BUY, "1", "100", time_in_force=GTC)
            alpha.told(name, NEW)


def check_cancels_only(venue: Few, live: str) -> None:
    with logged_on(venue, "OPEN", "ALPHA", "CHARLIE") as members:
        for member in members:
            member.new("n", BUY, "1", "100")
            member.refused("n", 0, t58=NO_ORDERS.format("OPEN"))
        members[0].cancel(f"c{live}", live)
        members[0].told(f"c{live}", CANCELED)


def test_markets_come_back_step_by_step(tmp_path: Path) -> None:
    """Each step is a command of the journal, and told to who is logged on; what the operator has set
    stays."""
    with Few(tmp_path, cancel_only_seconds=1, auction_seconds=2) as venue:
        book(venue)
        set_state(venue, "halted", "HALTED")
        set_state(venue, "opening-auction", "CALL")
        venue.kill9()
        venue.start()
        with logged_on(venue, "OPEN", "BRAVO", "CHARLIE") as members:
            for member in members:
                told: list[tuple[str, str]] = []
                while told[-1:] != [("OPEN", "continuous")]:
                    change = member.expect("f")
                    told.append((change[55], change[58]))
                of_ours = [state for symbol, state in told if symbol == "OPEN"]
                assert of_ours == ["cancel-only", "opening-auction", "continuous"][-len(of_ours) :]
                assert {symbol for symbol, _ in told} <= {"OPEN", "LIVELY"}
                member.settle()
            rest(members[0], "n", BUY, "1", "100")
        for market in ("OPEN", "LIVELY"):
            assert venue.phases(market) == WAY
        journal = [line.split(" ", 2)[2] for line in log(venue.data, "journal")]
        assert [line for line in journal if line.startswith("SetState symbol=OPEN")] == [
            f"SetState symbol=OPEN state={step}" for step in WAY
        ]
        assert venue.phases("HALTED") == ["halted"] and venue.phases("CALL") == ["opening-auction"]
        assert venue.status()["market CALL"] == "opening-auction"
        venue.again(clean=True)
        assert venue.phases() == WAY, "a clean stop is no reason"


def test_cancels_pass_on_the_way_back_and_any_stop_begins_it_anew(tmp_path: Path) -> None:
    with Few(tmp_path, cancel_only_seconds=LONG) as venue:
        book(venue)
        venue.again(clean=False)
        assert venue.status()["market OPEN"] == "cancel-only (restart)"
        shown = fixgw("admin", "--data", venue.data, "status").stdout
        assert "market   OPEN         cancel-only (restart)\n" in shown
        check_cancels_only(venue, "a")
        for clean in (True, False):
            venue.again(clean)
            assert venue.status()["market OPEN"] == "cancel-only (restart)"
        check_cancels_only(venue, "b")
        venue.lasting(auction_seconds=LONG)
        venue.again(clean=True)
        assert venue.status()["market OPEN"] == "opening-auction (restart)"
        venue.lasting()
        venue.again(clean=True)
        assert venue.status()["market OPEN"] == "continuous"
        assert venue.phases() == WAY


@pytest.mark.parametrize("clean", [True, False])
def test_the_auction_on_the_way_back_trades(tmp_path: Path, clean: bool) -> None:
    """What is entered in it is crossed when it ends, here by a restart that shortens it."""
    with Few(tmp_path, auction_seconds=LONG) as venue:
        venue.again(clean=False)
        with logged_on(venue, "OPEN", "ALPHA", "CHARLIE") as (alpha, charlie):
            rest(alpha, "b", BUY, "2", "101")
            rest(charlie, "s", SELL, "1", "99")
            charlie.new("n", SELL, "1", "99", time_in_force=IOC)
            charlie.refused("n", 11, t58="OPEN is in state opening-auction: it takes no TimeInForce 3")
        venue.lasting(auction_seconds=1)
        venue.again(clean)
        with logged_on(venue, "OPEN", "ALPHA") as (alpha,):
            wait_for(lambda: venue.phases()[-1] == "continuous")
            alpha.settle()
            alpha.received.clear()
            alpha.new("hit", SELL, "1", "101")
            for told in (NEW, TRADE):
                alpha.told("hit", told)
            alpha.told("b", TRADE, t14="2.0000", t39="2", t6="101.00")
            alpha.received.clear()  # its life began before


def test_the_operator_decides_on_the_way_back(tmp_path: Path) -> None:
    """He ends it, or says something else that then holds over the next stop."""
    with Few(tmp_path, cancel_only_seconds=LONG) as venue:
        venue.again(clean=False)
        with logged_on(venue, "OPEN", "ALPHA", "CHARLIE") as members:
            set_state(venue, "continuous", "OPEN", *members)
            set_state(venue, "halted", "LIVELY", *members)
            done(venue, MarketState("cancel-only", "HALTED"))
            for member in members:
                told_state(member, "cancel-only", "HALTED")  # now by his will
                rest(member, "n", BUY, "1", "100")
        for clean in (True, False):
            venue.again(clean)
            status = venue.status()
            assert (status["market HALTED"], status["market LIVELY"]) == ("cancel-only", "halted")
            assert status["market OPEN"] == ("continuous" if clean else "cancel-only (restart)")


def halt(trader: Member, bravo: Member, how: str | None = None) -> None:
    """The trader's order "b" for 2 could trade 1 at 104 and then only at 110: too far from 100."""
    print_at(bravo, "100")
    rest(bravo, "near", SELL, "1", "104")
    rest(bravo, "far", SELL, "2", "110")
    trader.new("b", BUY, "2", "110", time_in_force=how)
    trader.told("b", NEW)


@pytest.mark.parametrize("client", ["ALPHA", "CHARLIE"])
def test_a_volatile_market_is_halted_and_trades_on_after_an_auction(tmp_path: Path, client: str) -> None:
    """market.md 9.1 to 9.3: what is left of the taker joins the call phase, and the auction trades it."""
    with Few(tmp_path, volatility_seconds=1) as venue:
        with logged_on(venue, "LIVELY", client, "BRAVO") as (trader, bravo):
            halt(trader, bravo)
            trader.told("b", TRADE, t31="104.00", t151="1.0000")
            bravo.told("near", TRADE, t39="2")
            for member in (trader, bravo):
                told_state(member, "volatility-auction")
            trader.told("b", TRADE, t31="110.00", t39="2")
            bravo.told("far", TRADE, t31="110.00", t151="1.0000")
            for member in (trader, bravo):
                told_state(member, "continuous")
            trader.new("c", BUY, "1", "110")
            for told in (NEW, TRADE):
                trader.told("c", told)
            bravo.told("far", TRADE, t39="2")
        assert venue.phases("LIVELY") == ["volatility-auction reason=volatility", "continuous"]
        assert venue.phases("OPEN") == []


@pytest.mark.parametrize("market", ["LIVELY", ""])
def test_in_a_volatility_auction(tmp_path: Path, market: str) -> None:
    """market.md 9.2: what cannot wait is canceled or refused, stops stay; FOK foresees it. It ends by the
    operator's hand, for this market or for all; here into another one: both changes are told, in order."""
    with Few(tmp_path) as venue, logged_on(venue, "LIVELY", "CHARLIE", "BRAVO") as (trader, bravo):
        enter(trader, "stop", BUY, {40: "3", 99: "104", 38: "1"})
        trader.told("stop", NEW)
        trader.new("fok", BUY, "3", "200", time_in_force=FOK)
        trader.told("fok", NEW)
        trader.told("fok", CANCELED)
        halt(trader, bravo, IOC)
        trader.told("b", TRADE, t31="104.00", t151="1.0000")
        trader.told("b", CANCELED, t58="volatility halt")
        bravo.told("near", TRADE, t39="2")
        for member in (trader, bravo):
            told_state(member, "volatility-auction")
        trader.new("ioc", BUY, "1", "110", time_in_force=IOC)
        text = "LIVELY is in state volatility-auction: it takes no TimeInForce 3"
        trader.refused("ioc", 11, t58=text)
        assert venue.status()["market LIVELY"] == "volatility-auction (volatility)"
        done(venue, MarketState("continuous", market))
        triggered(trader, "stop")
        trader.told("stop", CANCELED, t14="0.0000")  # 110 is too far once more
        for member in (trader, bravo):
            if market:
                told_state(member, "continuous")
            else:
                told_state_of_all(member, "continuous")
            told_state(member, "volatility-auction")
            assert member.settle() == []


@pytest.mark.parametrize("clean", [True, False])
def test_a_stop_in_a_volatility_auction(tmp_path: Path, clean: bool) -> None:
    """It goes on after a clean one, and ends; after another the market comes back step by step."""
    with Few(tmp_path, volatility_seconds=LONG) as venue:
        with logged_on(venue, "LIVELY", "ALPHA", "BRAVO") as (trader, bravo):
            halt(trader, bravo)
            trader.told("b", TRADE, t31="104.00")
            bravo.told("near", TRADE)
            for member in (trader, bravo):
                told_state(member, "volatility-auction")
        venue.lasting(auction_seconds=1, volatility_seconds=1)
        venue.again(clean)
        wait_for(lambda: venue.phases("LIVELY")[-1] == "continuous")
        between = [] if clean else ["opening-auction reason=restart"]
        assert venue.phases("LIVELY") == ["volatility-auction reason=volatility", *between, "continuous"]
        with logged_on(venue, "LIVELY", "ALPHA") as (alpha,):
            alpha.cancel("c", "b")
            alpha.request_refused("c", "b", 0, t39="2")
