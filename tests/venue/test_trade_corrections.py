"""What the operator does to single orders and trades: cancel, bust, correct; what both sides are told of it,
and where money and goods are then. Features V1, 19; docs/market.md, 10.4 and 10.5."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from fixgw.admin.words import Bust, CancelOrder, Correct, EndOfDay, MarketState
from tests.raw import BUY, SELL, Received
from tests.venue.floor import (
    BUSTED,
    CANCELED,
    CORRECTED,
    GTC,
    NEW,
    STATUS,
    TRADE,
    Floor,
    Member,
    logged_on,
    running,
)
from tests.venue.operating import audit, done, fixgw, refused, set_state, told_state
from tests.venue.test_log import log

ACCOUNTS = 40
CLIENTS = ["ALPHA", "CHARLIE"]
_probes = count()

Pair = tuple[Member, Member]


def poor(name: str) -> dict[str, dict[str, int]]:
    """Accounts with 100 USD and 1 BTC each, so that each test has fresh ones."""
    return {f"{name}-{number}": {"USD": 100, "BTC": 1} for number in range(ACCOUNTS)}


WITH_ACCOUNTS = {name: {"accounts": poor(name)} for name in (*CLIENTS, "BRAVO")}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with running(tmp_path_factory.mktemp("floor"), clients=WITH_ACCOUNTS) as venue:
        yield venue


@pytest.fixture(params=CLIENTS)
def pair(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[Pair]:
    with logged_on(floor, market, request.param, "BRAVO") as (trader, bravo):
        yield trader, bravo


def account_of(member: Member) -> str:
    """The account of this market's number."""
    return member.market[1:-4]


def enter(member: Member, name: str, side: str, quantity: str, price: str, **how: str) -> Received:
    member.new(name, side, quantity, price, account_of(member), **how)
    return member.told(name, NEW)


def trade(buyer: Member, seller: Member, bid: str, offer: str, price: str) -> tuple[str, str]:
    """The offer "s" is met by the bid "b" at its price; the ExecIDs of buyer and seller."""
    enter(seller, "s", SELL, offer, price)
    enter(buyer, "b", BUY, bid, price)
    return buyer.told("b", TRADE)[17], seller.told("s", TRADE)[17]


def spare(member: Member) -> tuple[str, str]:
    """USD and BTC that the account can spare, as refusals of orders for too much say it."""
    found = []
    for side in (BUY, SELL):
        name = f"probe{next(_probes)}"
        member.new(name, side, "1000", "1000000", account_of(member))
        told = member.told(name, "8", t103=3)[58]
        said = re.fullmatch(r"Insufficient funds: \S+ \w+ needed, (\d+\.\d\d)0{6} \w+ available", told)
        assert said is not None, told
        found.append(said[1])
    return found[0], found[1]


def check(pair: Pair, trader: tuple[str, str], bravo: tuple[str, str]) -> None:
    assert (spare(pair[0]), spare(pair[1])) == (trader, bravo)


BEFORE = ("100.00", "1.00")


def test_a_correction_that_changes_nothing_or_goes_too_low_is_refused(floor: Floor, pair: Pair) -> None:
    """market.md 10.5: no one is told anything again."""
    trader, bravo = pair
    bought, _ = trade(trader, bravo, "0.5", "0.5", "100")
    same = f"trade {bought} has this price and quantity already"
    for nothing in Correct(int(bought), price="100"), Correct(int(bought), quantity="0.5"):
        assert refused(floor, nothing) == same
    done(floor, Correct(int(bought), price="99"))
    trader.told("b", CORRECTED, t31="99.00")
    bravo.told("s", CORRECTED, t31="99.00")
    assert refused(floor, Correct(int(bought), price="99", quantity="0.5")) == same
    assert trader.settle() == bravo.settle() == []


def test_a_price_below_the_lowest_of_the_market(tmp_path: Path) -> None:
    """market.md 10.5; another quantity at a price that was good then is."""
    market = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001", "min_price": "10"}
    market |= {"max_quantity": "1000", "max_price": "1000000"}
    low = running(tmp_path, instruments={"M1-USD": market}, clients=WITH_ACCOUNTS)
    with low as venue, logged_on(venue, "M1-USD", "ALPHA", "BRAVO") as (trader, bravo):
        bought, _ = trade(trader, bravo, "0.5", "0.5", "100")
        said = "price 9.99 is below the lowest of the market, 10.00"
        assert refused(venue, Correct(int(bought), price="9.99")) == said
        done(venue, Correct(int(bought), price="10"))
        trader.told("b", CORRECTED, t31="10.00")
        bravo.told("s", CORRECTED, t31="10.00")


def test_a_trade_is_taken_back(floor: Floor, pair: Pair) -> None:
    """Both orders were filled: they are canceled from then on, and money and goods are where they were."""
    trader, bravo = pair
    bought, sold = trade(trader, bravo, "0.5", "0.5", "100")
    check(pair, ("50.00", "1.50"), ("150.00", "0.50"))
    said = f"trade {bought} of {trader.market} is busted"
    assert done(floor, Bust(int(bought), "wrong price")) == [said]
    tags = {
        "t39": CANCELED,
        "t38": "0.5000",
        "t14": "0.0000",
        "t151": "0.0000",
        "t6": "0",
        "t58": "wrong price",
    }
    tags |= {"t31": "100.00", "t32": "0.5000", "t41": None}
    trader.told("b", BUSTED, t19=bought, **tags)
    bravo.told("s", BUSTED, t19=sold, **tags)
    check(pair, BEFORE, BEFORE)
    for exec_id in bought, sold:
        assert refused(floor, Bust(int(exec_id))) == f"trade {exec_id} is busted already"
        assert refused(floor, Correct(int(exec_id), price="99")) == f"trade {exec_id} is busted already"
    assert trader.settle() == bravo.settle() == []
    trader.send("H", [(11, trader.id("b")), (55, trader.market), (54, BUY)])
    trader.told("b", STATUS, t39=CANCELED, t14="0.0000", t38="0.5000", t19=None, t31=None)


def test_of_orders_that_live(floor: Floor, pair: Pair) -> None:
    """The busted quantity does not come back to the book: OrderQty goes down with CumQty, and what is left
    trades on, for what it holds."""
    trader, bravo = pair
    enter(bravo, "s", SELL, "0.75", "40")
    enter(trader, "b", BUY, "0.5", "40")
    bought, sold = trader.told("b", TRADE)[17], bravo.told("s", TRADE, t39="1")[17]
    done(floor, Bust(int(sold)))
    text = {"t58": "busted by the operator"}
    trader.told("b", BUSTED, t39=CANCELED, t151="0.0000", t19=bought, **text)
    left = {"t38": "0.2500", "t14": "0.0000", "t151": "0.2500", "t39": NEW}
    bravo.told("s", BUSTED, t19=sold, t32="0.5000", t31="40.00", **left, **text)
    check(pair, BEFORE, ("100.00", "0.75"))
    enter(trader, "b2", BUY, "0.25", "40")
    trader.told("b2", TRADE, t32="0.2500")
    bravo.told("s", TRADE, t32="0.2500", t39="2", t38="0.2500", t14="0.2500")
    check(pair, ("90.00", "1.25"), ("110.00", "0.75"))


def test_one_of_several_fills(floor: Floor, pair: Pair) -> None:
    trader, bravo = pair
    enter(bravo, "s", SELL, "0.75", "40")
    execs = []
    for name in ("b1", "b2", "b3"):
        enter(trader, name, BUY, "0.25", "40")
        execs.append(trader.told(name, TRADE)[17])
        bravo.told("s", TRADE)
    done(floor, Bust(int(execs[1])))
    trader.told("b2", BUSTED, t19=execs[1])
    bravo.told("s", BUSTED, t39=CANCELED, t14="0.5000", t38="0.7500", t6="40.00")
    done(floor, Bust(int(execs[0])))
    trader.told("b1", BUSTED)
    bravo.told("s", BUSTED, t39=CANCELED, t14="0.2500")
    check(pair, ("90.00", "1.25"), ("110.00", "0.75"))


def test_a_trade_gets_another_price_and_quantity(floor: Floor, pair: Pair) -> None:
    """The difference moves, in either direction; what was corrected can be corrected again, and busted."""
    trader, bravo = pair
    bought, sold = trade(trader, bravo, "0.5", "0.5", "100")
    number = int(bought)
    said = f"trade {bought} of {trader.market} is corrected to 0.5000 @ 90.00"
    assert done(floor, Correct(number, price="90")) == [said]
    tags = {"t39": "2", "t14": "0.5000", "t31": "90.00", "t32": "0.5000", "t6": "90.00"}
    tags |= {"t58": "corrected by the operator"}
    trader.told("b", CORRECTED, t19=bought, **tags)
    bravo.told("s", CORRECTED, t19=sold, **tags)
    check(pair, ("55.00", "1.50"), ("145.00", "0.50"))
    done(floor, Correct(int(sold), quantity="0.25", price="120", text="both"))
    tags = {"t39": CANCELED, "t14": "0.2500", "t38": "0.5000", "t6": "120.00", "t58": "both"}
    trader.told("b", CORRECTED, t31="120.00", t32="0.2500", t19=bought, **tags)
    bravo.told("s", CORRECTED, t31="120.00", t32="0.2500", t19=sold, **tags)
    check(pair, ("70.00", "1.25"), ("130.00", "0.75"))
    most = "a trade can be corrected to a positive price and quantity, at most 0.2500 @ 1000000.00"
    for wrong, text in (
        (Correct(number, quantity="0.5"), most),
        (Correct(number, price="0"), most),
        (Correct(number, price="1000000.01"), most),
        (Correct(number, price="1.001"), "price 1.001 is not a plain number in steps of 0.01"),
        (Correct(number, price="-1"), "price -1 is not a plain number in steps of 0.01"),
        (Correct(number, quantity="x"), "quantity x is not a plain number in steps of 0.0001"),
        (Correct(number, quantity="0"), f"a trade of 0 is none: `fixgw admin bust {number}` takes it back"),
    ):
        assert refused(floor, wrong) == text
    done(floor, Bust(number))
    for member, name in ((trader, "b"), (bravo, "s")):
        member.told(name, BUSTED, t31="120.00", t32="0.2500", t14="0.0000", t6="0")
    check(pair, BEFORE, BEFORE)


def test_who_has_spent_it_cannot_give_it_back(floor: Floor, pair: Pair) -> None:
    """Nothing is done then, neither in the books nor in words; also if it is only promised to an order."""
    trader, bravo = pair
    bought, _ = trade(trader, bravo, "1", "1", "100")
    assert spare(trader) == ("0.00", "2.00")
    enter(trader, "on", SELL, "1.5", "60")
    text = "1.00000000 BTC would have to go back, and who has it can spare 0.50000000; nothing was done"
    assert refused(floor, Bust(int(bought))) == text
    enter(bravo, "spent", BUY, "1.5", "60")
    bravo.told("spent", TRADE)
    trader.told("on", TRADE, t39="2")
    assert refused(floor, Bust(int(bought))) == text
    done(floor, Correct(int(bought), price="50"))
    trader.told("b", CORRECTED)
    bravo.told("s", CORRECTED)
    check(pair, ("140.00", "0.50"), ("60.00", "1.50"))
    enter(bravo, "promised", BUY, "0.6", "100")
    text = "40.00000000 USD would have to go back, and who has it can spare 0.00000000; nothing was done"
    assert refused(floor, Correct(int(bought), price="10")) == text
    bravo.cancel("c", "promised")
    bravo.told("c", CANCELED)
    done(floor, Correct(int(bought), price="10"))
    trader.told("b", CORRECTED, t31="10.00")
    bravo.told("s", CORRECTED, t31="10.00")
    check(pair, ("180.00", "0.50"), ("20.00", "1.50"))


def test_what_is_no_trade(floor: Floor, pair: Pair) -> None:
    trader, _ = pair
    new = enter(trader, "b", BUY, "0.5", "10")[17]
    trader.cancel("c", "b")
    canceled = trader.told("c", CANCELED)[17]
    for exec_id in (new, canceled, "1", str(2**63 - 1)):
        assert refused(floor, Bust(int(exec_id))) == f"there is no trade with ExecID {exec_id}"
    assert trader.settle() == []


def test_a_client_that_trades_with_itself(floor: Floor, market: str) -> None:
    """Both reports are its own, and nothing moves."""
    with logged_on(floor, market, "CHARLIE") as (own,):
        enter(own, "s", SELL, "0.5", "100")
        enter(own, "b", BUY, "0.5", "100")
        number = own.told("b", TRADE)[17]
        own.told("s", TRADE)
        done(floor, Bust(int(number)))
        own.told("b", BUSTED)
        own.told("s", BUSTED)
        assert spare(own) == BEFORE


def test_who_is_not_there_is_told_at_his_next_logon(floor: Floor, pair: Pair) -> None:
    trader, bravo = pair
    bought, _ = trade(trader, bravo, "0.5", "0.5", "100")
    trader.logout()
    done(floor, Bust(int(bought)))
    bravo.told("s", BUSTED)
    missed = trader.next_inbound
    trader.logon()
    trader.send("2", [(7, missed), (16, 0)])
    trader.told("b", BUSTED, t43="Y", t19=bought)


def test_the_operator_cancels_an_order(floor: Floor, pair: Pair) -> None:
    """market.md 10.4, 7.7: in words of his own, once, and in every state of the market."""
    trader, bravo = pair
    number = enter(trader, "b", BUY, "0.5", "100")[37]
    other = enter(trader, "b2", BUY, "0.25", "100")[37]
    assert done(floor, CancelOrder(int(number), "by phone")) == [f"order {number} is canceled"]
    trader.told("b", CANCELED, t39=CANCELED, t378="99", t58="by phone", t151="0.0000", t41=None)
    assert refused(floor, CancelOrder(int(number))) == f"there is no live order {number}"
    assert refused(floor, CancelOrder(2**62)) == f"there is no live order {2**62}"
    set_state(floor, "halted", trader.market, trader, bravo)
    done(floor, CancelOrder(int(other)))
    trader.told("b2", CANCELED, t58="canceled by the operator")
    assert spare_later(floor, trader) == BEFORE
    bravo.expect("f", t58="continuous")


def spare_later(floor: Floor, member: Member) -> tuple[str, str]:
    done(floor, MarketState("continuous", member.market))
    told_state(member, "continuous")
    return spare(member)


def test_the_shell_says_the_same(floor: Floor, pair: Pair) -> None:
    trader, bravo = pair

    def admin(*words: str) -> tuple[int, str, str]:
        made = fixgw("admin", "--data", floor.data, *words)
        return made.returncode, made.stdout.strip(), made.stderr.strip()

    bought, sold = trade(trader, bravo, "0.5", "0.75", "100")
    market = trader.market
    corrected = f"trade {bought} of {market} is corrected to 0.2500 @ 99.00"
    assert admin("correct", bought, "--price", "99", "--quantity", "0.25", "--text", "a b") == (
        0,
        corrected,
        "",
    )
    trader.told("b", CORRECTED, t58="a b")
    bravo.told("s", CORRECTED, t58="a b", t39="1", t38="0.5000", t151="0.2500")
    assert admin("bust", sold) == (0, f"trade {sold} of {market} is busted", "")
    trader.told("b", BUSTED)
    order = bravo.told("s", BUSTED, t39=NEW, t38="0.2500")[37]
    assert admin("bust", sold) == (1, "", f"trade {sold} is busted already")
    assert admin("cancel", order) == (0, f"order {order} is canceled", "")
    bravo.told("s", CANCELED)
    deeds = [line.partition(": ")[2] for line in audit(floor.data)]
    assert deeds[-3:] == [
        f"{corrected}: a b",
        f"trade {sold} of {market} is busted: busted by the operator",
        f"cancel {order}: canceled by the operator",
    ]
    lines = [line for line in log(floor.data, "events") if f" {market} " in line]
    for line, step, text in (
        (lines[-5], "CORRECT", '"a b"'),
        (lines[-3], "CANCEL", '"busted by the operator"'),
    ):
        assert f" Execution TRADE_{step} " in line and f" ExecRefID={bought} Text={text}" in line


@pytest.mark.parametrize("client", CLIENTS)
def test_after_a_restart(tmp_path: Path, client: str) -> None:
    """Trades from before can be taken back, once, as long as their days are kept; money is still there."""
    with Floor(tmp_path, clients=WITH_ACCOUNTS, store={"clordid_days": 1}) as venue:
        with logged_on(venue, "M1-USD", client, "BRAVO") as (trader, bravo):
            enter(bravo, "s", SELL, "0.75", "40", time_in_force=GTC)
            execs = []
            for name in ("b1", "b2", "b3"):
                enter(trader, name, BUY, "0.2", "40")
                execs.append(int(trader.told(name, TRADE)[17]))
                bravo.told("s", TRADE)
            done(venue, Bust(execs[0]))
            trader.told("b1", BUSTED)
            bravo.told("s", BUSTED, t38="0.5500", t14="0.4000", t151="0.1500")
        for stop in (venue.kill9, venue.terminate):
            stop()
            venue.start()
            assert refused(venue, Bust(execs[0])) == f"trade {execs[0]} is busted already"
            with logged_on(venue, "M1-USD", client, "BRAVO") as (trader, bravo):
                check((trader, bravo), ("84.00", "1.40"), ("116.00", "0.45"))
                trader.received.clear()
        with logged_on(venue, "M1-USD", client, "BRAVO") as (trader, bravo):
            done(venue, Correct(execs[1], price="30"))
            trader.expect("8", t150=CORRECTED, t19=str(execs[1]), t31="30.00")
            bravo.expect("8", t150=CORRECTED, t38="0.5500", t6="35.00")
            check((trader, bravo), ("86.00", "1.40"), ("114.00", "0.45"))
            done(venue, EndOfDay(False))
            done(venue, Bust(execs[1]))
            trader.expect("8", t150=BUSTED, t39=CANCELED)
            bravo.expect("8", t150=BUSTED, t38="0.3500", t151="0.1500")
            check((trader, bravo), ("92.00", "1.20"), ("108.00", "0.65"))
            done(venue, EndOfDay(True))
            done(venue, EndOfDay(True))
            assert "ended on a day that is not kept any more" in refused(venue, Bust(execs[2]))
            for member in (trader, bravo):
                member.settle()
                member.received.clear()
        assert venue.terminate() == 0
        venue.start()  # the journal gives the same events, and the state the same digest
