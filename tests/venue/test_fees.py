"""Fees from outside: what both sides are told and have, what the venue has taken, over a change of rates, a
kill -9 and a bust (docs/users.md, 8)."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from fixgw.admin.words import Bust, Correct, MarketState, Reload
from tests.raw import BUY, SELL
from tests.venue.floor import BUSTED, CORRECTED, NEW, RICH, TRADE, Floor, Member, logged_on, write_config
from tests.venue.operating import done, set_state, told_state
from tests.venue.test_log import log
from tests.venue.users import account

MARKET = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001"}
MARKET |= {"max_quantity": "1000", "max_price": "1000000"}
USD = Decimal(RICH["USD"])


def with_fees(directory: Path, maker: str, taker: str) -> None:
    fees = {"maker_fee": maker, "taker_fee": taker}
    write_config(directory, instruments={"M1-USD": MARKET | fees})


def usd(venue: Floor, name: str) -> tuple[Decimal, Decimal]:
    """What it has more or less than at first, and what of all is reserved."""
    total, reserved = account(venue, f"{name}-1").balances["USD"]
    return total - USD, reserved


def taken(venue: Floor) -> Decimal:
    """By the venue; it is what the others have lost."""
    amount = Decimal(venue.status()["fees"].removeprefix("USD "))
    assert sum(usd(venue, name)[0] for name in ("ALPHA", "BRAVO", "CHARLIE")) == -amount
    return amount


def enter(member: Member, name: str, side: str, quantity: str, price: str) -> None:
    member.new(name, side, quantity, price)
    member.told(name, NEW)


def back(venue: Floor, name: str) -> Member:
    """Logged on again, with orders of before."""
    member = Member(venue, "M1-USD", name)
    member.logon(reset=True)
    member.settle()
    return member


def test_44_what_trades_cost_is_told_and_kept_and_given_back(tmp_path: Path) -> None:
    """Feature 44, users.md 8.1 to 8.7"""
    with Floor(tmp_path, instruments={"M1-USD": MARKET | {"maker_fee": "0.1", "taker_fee": "0.25"}}) as venue:
        assert "fees" not in venue.status()
        with logged_on(venue, "M1-USD", "CHARLIE", "BRAVO") as (charlie, bravo):
            enter(bravo, "s", SELL, "3", "100")
            enter(charlie, "b1", BUY, "1", "101")
            first = charlie.told("b1", TRADE, t851="2", t12="0.25000000", t13="3")[17]
            bravo.told("s", TRADE, t851="1", t12="0.10000000", t13="3")
            assert usd(venue, "CHARLIE") == (Decimal("-100.25"), Decimal(0))
            assert usd(venue, "BRAVO") == (Decimal("99.90"), Decimal(0))
            assert taken(venue) == Decimal("0.35")
            enter(charlie, "rests", BUY, "1", "99.99")
            assert usd(venue, "CHARLIE")[1] == Decimal("100.239975")
            with_fees(tmp_path, "0", "2.0001")
            assert done(venue, Reload()) == ["~ instrument M1-USD: taker_fee 2.0001"]
            assert usd(venue, "CHARLIE")[1] == Decimal("100.239975")
        venue.kill9()
        venue.start()
        assert taken(venue) == Decimal("0.35")
        charlie, bravo = back(venue, "CHARLIE"), back(venue, "BRAVO")
        enter(charlie, "b2", BUY, "1", "100")
        charlie.told("b2", TRADE, t851="2", t12="2.00010000", t13="3")
        bravo.told("s", TRADE, t851="1", t12="0.10000000")
        assert taken(venue) == Decimal("2.4501")
        done(venue, Bust(int(first)))
        charlie.told("b1", BUSTED, t19=first, t12="0.25000000", t13="3", t851=None)
        bravo.told("s", BUSTED, t12="0.10000000", t851=None)
        assert usd(venue, "CHARLIE")[0] == Decimal("-102.0001")
        assert usd(venue, "BRAVO") == (Decimal("99.90"), Decimal(0))
        assert taken(venue) == Decimal("2.1001")
        bravo.new("s2", SELL, "1", "99.99")
        bravo.told("s2", NEW)
        bravo.told("s2", TRADE, t851="2", t12="1.99989999")
        second = charlie.told("rests", TRADE, t851="1", t12="0.09999000")[17]
        done(venue, Correct(int(second), "", "50", "a mistake"))
        charlie.told("rests", CORRECTED, t31="50.00", t12="0.05000000")
        bravo.told("s2", CORRECTED, t31="50.00", t12="1.00005000")
        assert taken(venue) == Decimal("3.15015")
        assert venue.terminate() == 0, venue.errors
        venue.start()
        assert taken(venue) == Decimal("3.15015")
        assert venue.terminate() == 0, venue.errors
        lines = [line for line in log(venue.data, "events") if " TRADE " in line]
        assert "Commission=0.25000000 LastLiquidityInd=REMOVED_LIQUIDITY" in lines[0]


def test_in_an_auction_both_sides_pay_the_takers_fee(tmp_path: Path) -> None:
    """users.md 8.2, 8.7: FIX.4.4 has no word for it; no fee is not told."""
    with Floor(tmp_path, instruments={"M1-USD": MARKET | {"maker_fee": "0", "taker_fee": "1"}}) as venue:
        with logged_on(venue, "M1-USD", "CHARLIE", "BRAVO") as (charlie, bravo):
            set_state(venue, "pre-open", "M1-USD", charlie, bravo)
            enter(charlie, "b", BUY, "1", "100")
            enter(bravo, "s", SELL, "1", "100")
            done(venue, MarketState("continuous", "M1-USD"))
            charlie.told("b", TRADE, t851="4", t12="1.00000000", t13="3")
            bravo.told("s", TRADE, t851=None, t12="1.00000000", t13="3")
            for member in charlie, bravo:
                told_state(member, "continuous")
            enter(charlie, "b2", BUY, "1", "100")
            enter(bravo, "s2", SELL, "1", "100")
            charlie.told("b2", TRADE, t851="1", t12=None, t13=None)
            bravo.told("s2", TRADE, t851="2", t12="1.00000000")
        assert taken(venue) == 3
