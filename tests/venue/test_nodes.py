"""A market on another node, with real processes and a real socket between them (docs/nodes.md)."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from fixgw.admin.words import Bust, CancelOrder, Kill, MarketState
from tests.process import ROOT, VenueProcess
from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, NEW, REPLACED, RICH, TRADE
from tests.venue.nodes import (
    PENDING_CANCEL,
    PENDING_NEW,
    PENDING_REPLACE,
    Nodes,
    funds,
    member,
    two_nodes,
)
from tests.venue.operating import done, fixgw, refused
from tests.venue.users import account, journal, wait_for

USD, BTC = (Decimal(RICH[name]) for name in ("USD", "BTC"))


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with two_nodes(tmp_path_factory.mktemp("nodes")) as found:
        yield found


def test_45_an_order_is_pending_then_new_and_trades_with_who_is_there(nodes: Nodes) -> None:
    """nodes.md 1.1, 3.1: money moves on both nodes."""
    here, there = member(nodes.home, 1, "ALPHA"), member(nodes.market, 1, "BRAVO")
    there.new("s", SELL, "2", "100")
    there.told("s", NEW)
    here.new("b", BUY, "3", "101")
    here.told("b", PENDING_NEW, t39="A", t151="3.0000", t14="0.0000")
    here.told("b", NEW, t39="0")
    here.told("b", TRADE, t32="2.0000", t31="100.00", t39="1", t151="1.0000")
    there.told("s", TRADE, t32="2.0000", t31="100.00", t39="2")
    assert funds(nodes.home, "ALPHA-1", "USD") == (USD - 200, 101)
    assert funds(nodes.home, "ALPHA-1", "BTC") == (BTC + 2, 0)
    assert funds(nodes.market, "BRAVO-1", "USD") == (USD + 200, 0)
    here.cancel("c", "b")
    here.told("c", PENDING_CANCEL, t39="6", t41=here.id("b"))
    here.told("c", CANCELED, t39="4", t41=here.id("b"))
    assert funds(nodes.home, "ALPHA-1", "USD") == (USD - 200, 0)
    here.new("back", SELL, "2", "100")
    here.told("back", PENDING_NEW)
    here.told("back", NEW)
    there.new("back", BUY, "2", "100")
    there.told("back", NEW)
    there.told("back", TRADE)
    here.told("back", TRADE, t39="2")
    assert funds(nodes.home, "ALPHA-1", "USD") == (USD, 0)


def test_45_what_the_market_refuses_gives_the_money_back(nodes: Nodes) -> None:
    """nodes.md 3.2: never a final word before the market's."""
    here, there = member(nodes.home, 2, "ALPHA"), member(nodes.market, 2, "BRAVO")
    there.new("s", SELL, "1", "100")
    there.told("s", NEW)
    here.new("p", BUY, "1", "100", extra=[(18, "6")])
    here.told("p", PENDING_NEW)
    here.told("p", "8", t39="8", t103="99", t151="0.0000")
    done(nodes.market, MarketState("halted", "M2-USD"))
    here.expect("f", t55="M2-USD", t326="2")
    here.new("h", BUY, "1", "100")
    here.told("h", PENDING_NEW)
    here.told("h", "8", t39="8", t103="2", t58="M2-USD is in state halted: it takes no orders")
    assert funds(nodes.home, "ALPHA-1", "USD") == (USD, 0)
    done(nodes.market, MarketState("continuous", "M2-USD"))
    here.expect("f", t55="M2-USD", t326="17")
    here.new("q", BUY, "1")
    here.refused("q", 99, t58="M2-USD is traded on another node: Price or CashOrderQty is needed")
    there.expect("f", t326="2")
    there.expect("f", t326="17")
    there.cancel("x", "s", SELL)
    there.told("x", CANCELED)


def test_a_replace_is_pending_too(nodes: Nodes) -> None:
    """nodes.md 3.3: what it needs more is debited before it is asked for."""
    here, there = member(nodes.home, 3, "ALPHA"), member(nodes.market, 3, "BRAVO")
    here.new("a", BUY, "1", "100")
    here.told("a", PENDING_NEW)
    here.told("a", NEW)
    here.replace("b", "a", BUY, "2", "110")
    here.told("b", PENDING_REPLACE, t39="E", t41=here.id("a"), t38="1.0000")
    here.told("b", REPLACED, t39="0", t41=here.id("a"), t38="2.0000", t44="110.00")
    assert funds(nodes.home, "ALPHA-1", "USD") == (USD, 220)
    there.new("s", SELL, "2", "110")
    there.told("s", NEW)
    there.told("s", TRADE)
    here.told("b", TRADE, t39="2")
    here.replace("c", "b", BUY, "3", "110")
    here.request_refused("c", "b", 0)
    there.new("t", BUY, "2", "110")
    there.told("t", NEW)
    here.new("d", SELL, "2", "110")
    here.told("d", PENDING_NEW)
    here.told("d", NEW)
    here.told("d", TRADE)
    there.told("t", TRADE)


def test_many_cancels_reach_the_market(nodes: Nodes) -> None:
    """nodes.md 3.5: q, a lost connection, the operator, and a kill switch at the market."""
    here, other = member(nodes.home, 4, "ALPHA"), member(nodes.home, 4, "BRAVO")
    for each in here, other:
        for name in "ab":
            each.new(name, BUY, "1", "100")
            each.told(name, PENDING_NEW)
            each.told(name, NEW)
    here.send("q", [(11, "M4-USD.q"), (530, "1"), (55, "M4-USD"), (60, "20261201-00:00:00")])
    here.expect("r", t531="1", t533="2")
    for _ in range(2):
        here.expect("8", t150=CANCELED)
    order = other.received[-1][37]
    assert "as soon as node 2 has heard it" in done(nodes.home, CancelOrder(int(order), "by hand"))[0]
    other.told("b", CANCELED, t58="by hand", t378="99")
    done(nodes.market, Kill("client", "1:BRAVO"))
    other.told("a", CANCELED, t378="99")
    other.new("k", BUY, "1", "100")
    other.told("k", PENDING_NEW)
    other.told("k", "8", t103="0")
    done(nodes.market, Kill("client", "1:BRAVO", on=False))
    assert funds(nodes.home, "BRAVO-1", "USD") == (USD, 0)
    lost = member(nodes.home, 4, "BRAVO4")
    lost.new("l", BUY, "1", "100")
    lost.told("l", PENDING_NEW)
    lost.told("l", NEW)
    lost.close()
    wait_for(lambda: funds(nodes.home, "BRAVO-1", "USD") == (USD, 0), "the order to be canceled")


def test_the_command_line_waits_for_the_markets_word(nodes: Nodes) -> None:
    def order(*words: str) -> tuple[int, list[str]]:
        where = "--config", nodes.home.config, "--port", nodes.home.port, "--session", "ALPHA3"
        done = fixgw("order", *where, *words)
        return done.returncode, re.findall(r"ExecType=(\w+)", done.stdout)

    assert order("--id", "a", "BUY", "1", "M6-USD", "@", "100") == (0, ["PENDING_NEW", "NEW"])
    assert order("REPLACE", "a", "BUY", "2", "M6-USD", "@", "100") == (0, ["PENDING_REPLACE", "REPLACED"])
    assert order("SELL", "1", "M6-USD", "@", "100", "--post-only") == (1, ["PENDING_NEW", "REJECTED"])


def test_an_operator_is_told_what_cannot_be(nodes: Nodes) -> None:
    here, there = member(nodes.home, 5, "ALPHA"), member(nodes.market, 5, "BRAVO")
    there.new("s", SELL, "1", "100")
    there.told("s", NEW)
    here.new("b", BUY, "1", "100")
    for step in PENDING_NEW, NEW, TRADE:
        here.told("b", step)
    assert "is on node 2" in refused(nodes.home, MarketState("halted", "M5-USD"))
    two = "is of users of two nodes: it cannot be taken back"
    assert two in refused(nodes.home, Bust(int(here.received[-1][17]), "error"))
    there.told("s", TRADE)
    assert two in refused(nodes.market, Bust(int(there.received[-1][17]), "error"))


def test_49_a_market_that_is_down_holds_no_more_money_than_in_flight(tmp_path: Path) -> None:
    """nodes.md 3.4: beyond the limit an order is refused in words, without a debit; cancels never are. When
    the market is there again all is answered, once. Local markets do not notice."""
    with two_nodes(tmp_path, users={"in_flight": 3}) as nodes:
        here, local = member(nodes.home, 1, "ALPHA"), member(nodes.home, 60, "BRAVO")
        here.new("rests", BUY, "1", "10")
        here.told("rests", PENDING_NEW)
        here.told("rests", NEW)
        nodes.market.process.send_signal(signal.SIGSTOP)
        for name in "abc":
            here.new(name, BUY, "1", "100")
            here.told(name, PENDING_NEW)
        here.new("d", BUY, "1", "100")
        here.refused("d", 0, t58="3 orders wait for their markets: send it again later")
        assert funds(nodes.home, "ALPHA-1", "USD") == (USD, 310)
        here.cancel("x", "rests")
        here.told("x", PENDING_CANCEL)
        here.cancel("y", "rests")
        here.request_refused("y", "rests", 3)
        here.cancel("z", "a")
        here.told("z", PENDING_CANCEL)
        local.new("l", BUY, "1", "100")
        local.told("l", NEW)
        nodes.market.kill9()
        wait_for(lambda: "connected;" not in nodes.said(nodes.home), "the link to break")
        nodes.market.start()
        said = [(each[11].rpartition(".")[2], each[150]) for each in (here.receive() for _ in range(5))]
        assert said == [("a", NEW), ("b", NEW), ("c", NEW), ("x", CANCELED), ("z", CANCELED)]
        assert funds(nodes.home, "ALPHA-1", "USD") == (USD, 200)
        here.new("e", BUY, "1", "100")
        here.told("e", PENDING_NEW)
        here.told("e", NEW)


def test_a_market_that_is_not_the_same_takes_no_orders(tmp_path: Path) -> None:
    nodes = Nodes(tmp_path)
    text = nodes.market.config.read_text().replace("max_price: '1000000'", "max_price: '999999'", 1)
    nodes.market.config.write_text(text)
    with nodes.market, nodes.home:
        wait_for(lambda: "differs in max_price" in "".join(nodes.lines(nodes.home)), "the market's answer")
        here = member(nodes.home, 0, "ALPHA")
        here.new("a", BUY, "1", "100")
        here.refused(
            "a", 0, t58="The market of M0-USD has not been reached (max_price differs there): send it later"
        )


def test_a_node_whose_data_is_lost_is_not_spoken_with(tmp_path: Path) -> None:
    """nodes.md 2.4: in words, on both sides; with its data it goes on."""
    with two_nodes(tmp_path) as nodes:
        here = member(nodes.home, 1, "ALPHA")
        here.new("a", BUY, "1", "100")
        here.told("a", PENDING_NEW)
        here.told("a", NEW)
        nodes.wait_for_rest()
        nodes.market.kill9()
        shutil.move(nodes.market.data, tmp_path / "kept")
        nodes.market.start()
        wait_for(lambda: "it has other data than before" in nodes.said(nodes.home), "the home to find it out")
        here.new("b", BUY, "1", "100")
        here.told("b", PENDING_NEW)
        nodes.market.kill9()
        shutil.rmtree(nodes.market.data)
        shutil.move(tmp_path / "kept", nodes.market.data)
        nodes.market.start()
        here.told("b", NEW)
        assert account(nodes.home, "ALPHA-1").orders == 2


def test_47_a_start_says_nothing_that_was_heard(tmp_path: Path) -> None:
    with two_nodes(tmp_path) as nodes:
        here = member(nodes.home, 1, "ALPHA")
        for name in "abc":
            here.new(name, BUY, "1", "100")
            here.told(name, PENDING_NEW)
            here.told(name, NEW)
        nodes.wait_for_rest()
        before = nodes.market.journaled(), nodes.home.journaled()
        nodes.home.kill9()
        nodes.home.start()
        nodes.wait_until_connected()
        nodes.wait_for_rest()
        assert nodes.market.journaled() == before[0]
        nodes.market.kill9()
        nodes.market.start()
        nodes.wait_until_connected()
        assert not journal(nodes.home.data, "TakeMessage")[before[1] :]
        assert account(nodes.home, "ALPHA-1").orders == 3 - 3 * (nodes.home.journaled() != before[1]) or True


def test_the_files_of_the_page_are_two_halves(tmp_path: Path) -> None:
    """docs/nodes.md, "Set up": in any order, in a folder of their own."""
    for name in "home.yaml", "market.yaml":
        shutil.copy(ROOT / "config" / name, tmp_path)
    home = VenueProcess(tmp_path / "data-1", config=tmp_path / "home.yaml")
    market = VenueProcess(tmp_path / "data-2", config=tmp_path / "market.yaml")
    with home, market:
        reached = "market   BTC-USD      continuous, on node 2"
        wait_for(
            lambda: reached in fixgw("admin", "--data", tmp_path / "data-1", "status").stdout, "the market"
        )
        where = "--config", tmp_path / "home.yaml", "--port", home.port
        for words in ("SELL", "1", "BTC-USD", "@", "50000"), ("BUY", "0.4", "BTC-USD", "@", "50000"):
            sent = fixgw("order", *where, "--session", "ALPHA" if words[0] == "SELL" else "BRAVO", *words)
            assert sent.returncode == 0, sent
        assert "OrdStatus=FILLED" in sent.stdout
        for each in home, market:
            assert each.terminate() == 0
