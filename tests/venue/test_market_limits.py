"""Limits of markets and accounts, as the settings say them: "price bands, tick and lot, max qty and
notional"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fixgw.admin.command import ask
from fixgw.admin.words import Bust, Reload
from tests.raw import BUY, SELL
from tests.venue.floor import (
    BUSTED,
    CANCELED,
    FREE,
    IOC,
    NEW,
    POOR,
    REPLACED,
    RICH,
    TRADE,
    Floor,
    Member,
    logged_on,
    running,
    write_config,
)
from tests.venue.operating import done

MARKET = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001"}
MARKET |= {"max_quantity": "1000", "max_price": "1000000"}
RULES = {
    "LOWEST": {"min_price": "10"},
    "VALUE": {"max_notional": "1000"},
    "BAND": {"band": "10", "reference_price": "100"},
    "COLLAR": {"collar": "0.25"},
    "DYNAMIC": {"dynamic_band": "5"},
    "FREE": {},
}
CLIENTS = ["ALPHA", "CHARLIE"]


def with_limits(**limits: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        name: {"accounts": {f"{name}-1": RICH, f"{name}-POOR": POOR}}
        | ({"limits": {f"{name}-POOR": limits["poor"]}} if limits else {})
        for name in CLIENTS
    }


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    markets = {f"{kind}-{client}": MARKET | rules for kind, rules in RULES.items() for client in CLIENTS}
    accounts = with_limits(poor={"max_open_orders": "2", "max_notional": {"USD": "50.5"}})
    with running(tmp_path_factory.mktemp("floor"), instruments=markets, clients=accounts) as venue:
        yield venue


@pytest.fixture(params=CLIENTS)
def trader(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def reason(member: Member, older: int, newer: int) -> int:
    return older if member.begin_string == "FIX.4.4" else newer


def stop(member: Member, name: str, stop_price: str) -> None:
    fields = [(11, member.id(name)), (1, f"{member.client}-1"), (55, member.market), (54, BUY), (40, "3")]
    member.send("D", [*fields, (38, "1"), (99, stop_price), (60, "20260101-00:00:00")])


def test_the_lowest_price(floor: Floor, trader: str) -> None:
    """Feature V4; market.md 6.1"""
    with logged_on(floor, f"LOWEST-{trader}", trader) as (member,):
        member.new("a", BUY, "1", "9.99")
        member.refused("a", 3, t58="Price 9.99 is below the minimum 10.00")
        stop(member, "s", "9.99")
        member.refused("s", 3, t58="StopPx 9.99 is below the minimum 10.00")
        member.new("a", BUY, "1", "10")
        member.told("a", NEW)
        member.replace("r", "a", BUY, "1", "9")
        member.request_refused("r", "a", 99, t58="Price 9.00 is below the minimum 10.00")


def test_the_highest_value(floor: Floor, trader: str) -> None:
    """Feature V4; market.md 6.1"""
    with logged_on(floor, f"VALUE-{trader}", trader) as (member,):
        text = "The order's value {} USD is above the maximum 1000.00000000 USD of the market"
        member.new("a", BUY, "10.0001", "100")
        member.refused("a", 3, t58=text.format("1000.01000000"))
        member.new("a", BUY, "10", "100")
        member.told("a", NEW)
        member.replace("r", "a", BUY, "10", "100.01")
        member.request_refused("r", "a", 99, t58=text.format("1000.10000000"))


def test_a_stop_without_a_collar_is_told_at_what_price_it_is_counted(floor: Floor, trader: str) -> None:
    """market.md 6.4: as far as it may trade, which is the highest price of the market here."""
    with logged_on(floor, f"VALUE-{trader}", trader) as (member,):
        stop(member, "s", "100")
        text = (
            "The order's value 1000000.00000000 USD is above the maximum 1000.00000000 USD of the market; "
            "it is counted at 1000000.00, as far as a stop order may trade"
        )
        member.refused("s", 3, t58=text)


def test_the_band_around_the_reference_price(floor: Floor, trader: str) -> None:
    """Feature V4; market.md 6.2, 6.3: it follows the last trade"""
    with logged_on(floor, f"BAND-{trader}", trader) as (member,):
        band = reason(member, 3, 16)
        member.new("a", BUY, "1", "110.01")
        member.refused("a", band, t58="Price 110.01 is above the band: at most 110.00")
        member.new("a", SELL, "1", "89.99")
        member.refused("a", band, t58="Price 89.99 is below the band: at least 90.00")
        stop(member, "s", "110.01")
        member.refused("s", band, t58="StopPx 110.01 is above the band: at most 110.00")
        member.new("a", SELL, "1", "110")
        member.told("a", NEW)
        member.replace("r", "a", SELL, "1", "150")
        member.request_refused(
            "r", "a", reason(member, 99, 8), t58="Price 150.00 is above the band: at most 110.00"
        )
        member.new("b", BUY, "1", "110")
        for name, told in (("b", NEW), ("b", TRADE), ("a", TRADE)):
            member.told(name, told)
        member.new("c", BUY, "1", "121")
        member.told("c", NEW)
        member.new("d", BUY, "1", "98.99")
        member.refused("d", band, t58="Price 98.99 is below the band: at least 99.00")


def test_a_market_order_goes_as_far_as_the_collar(floor: Floor, trader: str) -> None:
    """Feature V4; market.md 6.4: 0.25 % from 100"""
    with logged_on(floor, f"COLLAR-{trader}", trader) as (member,):
        for name, price in (("s1", "100"), ("s2", "100.25"), ("s3", "100.26")):
            member.new(name, SELL, "1", price)
            member.told(name, NEW)
        member.new("m", BUY, "3")
        member.told("m", NEW)
        for maker, price in (("s1", "100.00"), ("s2", "100.25")):
            member.told("m", TRADE, t31=price)
            member.told(maker, TRADE)
        member.told("m", CANCELED, t58="no liquidity", t14="2.0000")


def test_a_trade_too_far_from_the_last_one_halts_the_market(floor: Floor, trader: str) -> None:
    """Feature 64; market.md 9.1, 9.2"""
    with logged_on(floor, f"DYNAMIC-{trader}", trader) as (member,):
        for name, price in (("s1", "100"), ("s2", "105.01")):
            member.new(name, SELL, "1", price)
            member.told(name, NEW)
        member.new("b1", BUY, "1", "100")
        for name, told in (("b1", NEW), ("b1", TRADE), ("s1", TRADE)):
            member.told(name, told)
        member.new("b2", BUY, "1", "106")
        member.told("b2", NEW)
        member.expect("f", t55=member.market, t58="volatility-auction")
        member.new("b3", BUY, "1", "106", time_in_force=IOC)
        member.refused(
            "b3", 11, t58=f"{member.market} is in state volatility-auction: it takes no TimeInForce 3"
        )


def test_an_account_has_limits_of_its_own(floor: Floor, trader: str) -> None:
    """Feature V4; market.md 6.5"""
    with logged_on(floor, f"FREE-{trader}", trader) as (member,):
        member.new("a", BUY, "1", "50.51", "POOR")
        text = "The order's value 50.51000000 USD is above the maximum 50.50000000 USD of the account"
        member.refused("a", 3, t58=text)
        for name in ("a", "b"):
            member.new(name, BUY, "1", "10", "POOR")
            member.told(name, NEW)
        member.new("c", BUY, "1", "10", "POOR")
        member.refused("c", 3, t58="The account has 2 open orders, and may have 2")
        member.replace("r", "a", BUY, "2", "10", account=f"{trader}-POOR")
        member.told("r", REPLACED)
        member.cancel("x", "b")
        member.told("x", CANCELED)
        member.new("c", BUY, "1", "10", "POOR")
        member.told("c", NEW)


def limited(directory: Path, rules: dict[str, str], **limits: dict[str, Any]) -> None:
    write_config(directory, instruments={"M1-USD": MARKET | rules}, clients=with_limits(**limits))


def check_limits(venue: Floor) -> None:
    with logged_on(venue, "M1-USD", "ALPHA") as (member,):
        member.new("a", BUY, "1", "110.01")
        member.refused("a", 3, t58="Price 110.01 is above the band: at most 110.00")
        member.new("b", BUY, "1", "95", "POOR")
        assert "above the maximum 90.00000000 USD of the account" in member.refused("b", 3)[58]


def test_limits_change_while_the_venue_runs_and_are_kept(tmp_path: Path) -> None:
    """They are commands of the journal: a restart has them without a word, and a file that says the same adds
    nothing to it. What is left out of the file is lifted."""
    with Floor(tmp_path) as venue:
        limited(tmp_path, {"band": "10", "reference_price": "100"}, poor={"max_notional": {"USD": "90"}})
        entries = venue.journaled()
        assert done(venue, Reload()) == [
            "~ instrument M1-USD: band 10, reference_price 100",
            "~ account ALPHA-POOR: max_notional 90 USD",
            "~ account CHARLIE-POOR: max_notional 90 USD",
        ]
        assert venue.journaled() == entries + 3
        check_limits(venue)
        assert done(venue, Reload()) == ["nothing has changed"]
        venue.kill9()
        venue.start()
        check_limits(venue)
        assert venue.terminate() == 0
        limited(tmp_path, {"band": "10"})
        venue.start()
        with logged_on(venue, "M1-USD", "ALPHA") as (member,):
            member.new("a", BUY, "1", "110.01")
            member.told("a", NEW)
            member.new("b", BUY, "1", "95", "POOR")
            member.told("b", NEW)
        limited(tmp_path, {})
        assert done(venue, Reload()) == ["~ instrument M1-USD: no limits"]
        limited(tmp_path, {"max_price": "2000000", "reference_price": "1500000"})
        answer = ask(venue.data, Reload())
        assert answer.lines == [
            f"{venue.config}: instruments.M1-USD.reference_price: must be at most the max_price this data "
            "directory trades it with, 1000000.00",
            "nothing has changed",
        ]
        assert venue.terminate() == 0


@pytest.mark.parametrize("client", CLIENTS)
def test_the_reference_price_after_a_bust(tmp_path: Path, client: str) -> None:
    """market.md 6.3, 10.5: the busted price stays the reference until the operator sets another, and that one
    counts until the next trade, also over a restart."""
    with Floor(tmp_path) as venue:
        limited(tmp_path, {"band": "10", "reference_price": "100"})
        done(venue, Reload())
        with logged_on(venue, "M1-USD", client, "BRAVO") as (member, bravo):
            bravo.new("s", SELL, "1", "110")
            bravo.told("s", NEW)
            member.new("b", BUY, "1", "110")
            member.told("b", NEW)
            trade = member.told("b", TRADE)[17]
            done(venue, Bust(int(trade)))
            member.told("b", BUSTED)
            for told in TRADE, BUSTED:
                bravo.told("s", told)
            band = reason(member, 3, 16)
            member.new("c", BUY, "1", "98")
            member.refused("c", band, t58="Price 98.00 is below the band: at least 99.00")
            limited(tmp_path, {"band": "10", "reference_price": "101"})
            assert done(venue, Reload()) == ["~ instrument M1-USD: band 10, reference_price 101"]
        venue.kill9()
        venue.start()
        with logged_on(venue, "M1-USD", client) as (member,):
            member.new("c", BUY, "1", "112")
            member.refused("c", band, t58="Price 112.00 is above the band: at most 111.10")
            member.new("c", BUY, "1", "98")
            member.told("c", NEW)


@pytest.mark.parametrize("client", CLIENTS)
def test_limits_that_are_lowered_leave_orders_that_are_there_alone(tmp_path: Path, client: str) -> None:
    """Feature V4; market.md 6.6. They trade, and end; a replace is measured anew."""
    with Floor(tmp_path) as venue, logged_on(venue, "M1-USD", client, "BRAVO") as (member, bravo):
        for name in ("a", "b", "c"):
            member.new(name, BUY, "1", "50", "POOR")
        for name in ("a", "b"):
            member.told(name, NEW)
        member.refused("c", 3)  # insufficient funds
        limits = {"max_open_orders": "1", "max_notional": {"USD": "10"}}
        limited(tmp_path, {"min_price": "60", "band": "1", "reference_price": "90"}, poor=limits)
        done(venue, Reload())
        assert member.settle() == []
        member.new("d", BUY, "0.1", "90", "POOR")
        member.refused("d", 3)
        poor = {"account": f"{client}-POOR"}
        member.replace("r", "a", BUY, "1", "50", **poor)
        text = "Price 50.00 is below the minimum 60.00"
        member.request_refused("r", "a", 99, t58=text)
        limited(tmp_path, {}, poor=limits)
        done(venue, Reload())
        bravo.new("s", SELL, "1", "50")
        for told in (NEW, TRADE):
            bravo.told("s", told)
        member.told("a", TRADE, t39="2")
        text = "The order's value 50.00000000 USD is above the maximum 10.00000000 USD of the account"
        member.replace("r", "b", BUY, "1", "50", **poor)
        member.request_refused("r", "b", 99, t58=text)
        member.replace("r", "b", BUY, "0.2", "50", **poor)
        member.told("r", REPLACED)
        member.cancel("x", "r")
        member.told("x", CANCELED)


def test_options_of_a_session_hold_from_the_reload_on(tmp_path: Path) -> None:
    """Feature V3: whoever is logged on does not notice."""
    with Floor(tmp_path) as venue, logged_on(venue, "M1-USD", "ALPHA") as (member,):
        member.new("s", SELL, "1", "100")
        member.told("s", NEW)
        session = {"client": "ALPHA", "begin_string": "FIX.4.4"} | FREE
        write_config(tmp_path, sessions={"ALPHA": session | {"self_trade": "taker", "post_only": "slide"}})
        assert done(venue, Reload()) == [
            "~ session ALPHA: post_only refuse -> slide, self_trade none -> taker"
        ]
        member.new("b", BUY, "1", "100", extra=[(18, "6")])
        member.told("b", NEW, t44="99.99")
        member.new("c", BUY, "1", "100")
        member.told("c", NEW)
        member.told("c", CANCELED, t58="self-trade prevention", t378="99")
