"""Market data sessions as clients meet them: a venue, a station beside it, raw sockets (features 58, 60)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixgw.admin.words import Bust, Correct, MarketState
from tests.marketdata.client import BID, OFFER
from tests.marketdata.station import Truth, Watcher, floor, same, station, trades_fit, trading
from tests.raw import BUY, SELL
from tests.venue.floor import Floor, logged_on
from tests.venue.operating import done

SESSIONS = {
    "OLD": {},
    "NEW": {"begin_string": "FIXT.1.1"},
    "SLOW": {"conflation": "interval", "interval_ms": 50},
    "SMALL": {"depth": 5, "full_book": "no", "subscriptions": 3, "messages_per_second": 10},
}
VERSIONS = {"OLD": "FIX.4.4", "NEW": "FIXT.1.1", "SLOW": "FIX.4.4", "SMALL": "FIX.4.4"}


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with floor(tmp_path_factory.mktemp("floor"), SESSIONS) as running:
        yield running


@pytest.fixture
def truth(venue: Floor) -> Iterator[Truth]:
    found = Truth(venue.data)
    yield found
    found.close()


class Watchers:
    """Those of one test."""

    def __init__(self, venue: Floor) -> None:
        self._venue = venue
        self._all: list[Watcher] = []

    def __call__(self, name: str) -> Watcher:
        client = Watcher(station(self._venue), name, VERSIONS[name])
        client.logon(reset=True)
        self._all.append(client)
        return client

    def close(self, in_order: bool) -> None:
        for client in self._all:
            if in_order:
                client.logout()
            client.close()


@pytest.fixture
def watcher(venue: Floor, request: pytest.FixtureRequest) -> Iterator[Watchers]:
    watchers, failed = Watchers(venue), request.session.testsfailed
    yield watchers
    watchers.close(request.session.testsfailed == failed)


@pytest.mark.parametrize("name", ["OLD", "NEW", "SLOW"])
def test_every_kind_of_book_is_the_engines_at_rest(
    venue: Floor, watcher: Watchers, truth: Truth, name: str
) -> None:
    market = {"OLD": "M1-USD", "NEW": "M2-USD", "SLOW": "M3-USD"}[name]
    with trading(venue, market, 7) as traders:
        traders.act(60)
        client = watcher(name)
        client.ask("full", market, "M0-USD")
        client.ask("top", market, depth=1)
        client.ask("three", market, depth=3)
        client.ask("again", market, depth=3, update="0")
        client.begin()
        for _ in range(6):
            traders.act(50)
            traders.settle()
            truth.catch_up(venue.journaled())
            client.read_until(lambda: all(same(book, truth) for book in client.books.values()))
    if name != "SLOW":
        for each in "full", "top", "three":
            book = client.books[each, market]
            client.read_until(lambda book=book: book.order[-1:] == truth.trades(market)[-1:])  # type: ignore[misc]
            assert trades_fit(book, truth) and len(book.order) > 20


def test_a_snapshot_comes_once(venue: Floor, watcher: Watchers) -> None:
    with logged_on(venue, "M4-USD", "ALPHA", "BRAVO") as (alpha, _):
        client = watcher("OLD")
        alpha.new("a", BUY, 2, 100)
        alpha.told("a", "0")
        alpha.new("b", BUY, 1, 99)
        alpha.told("b", "0")
        client.ask("up", "M4-USD")
        client.read_until(lambda: len(client.books["up", "M4-USD"].sides[BID]) == 2)
        client.ask("once", "M4-USD", kind="0", update=None, depth=1, types="01")
        message = client.expect("W", t262="once", t55="M4-USD", t268=1, t269=0, t290=1, t346=1)
        assert (message[270], message[271]) == ("100.00", "2.0000")
        alpha.cancel("c", "a")
        alpha.told("c", "4")
        assert client.expect("X")[262] == "up"
        # Its id is free again, and the subscription of that symbol goes on.
        client.ask("once", "M4-USD", kind="0", depth=1, types="01")
        client.expect("W", t262="once", t268=1, t270="99.00")
        alpha.cancel("d", "b")
        alpha.told("d", "4")
        client.expect("X", t262="up", t279=2, t269=0, t270="99.00")
        assert client.settle() == []


def test_after_the_end_of_a_subscription_nothing_comes(venue: Floor, watcher: Watchers) -> None:
    with logged_on(venue, "M5-USD", "ALPHA") as (alpha,):
        client = watcher("NEW")
        client.ask("R", "M5-USD")
        client.begin()
        client.end("R", "M5-USD")
        client.settle()
        alpha.new("a", BUY, 2, 100)
        alpha.told("a", "0")
        client.ask("R", "M5-USD")
        client.expect("f", t55="M5-USD")
        client.expect("W", t262="R")
        client.read_until(lambda: len(client.books["R", "M5-USD"].sides[BID]) == 1)
        client.end("R", "M5-USD")
        client.end("R", "M5-USD")
        client.expect("Y", t262="R", t281=None, t58="there is no subscription R")


def test_trades_have_an_id_a_time_and_a_side(venue: Floor, watcher: Watchers) -> None:
    with logged_on(venue, "M6-USD", "ALPHA", "BRAVO") as (alpha, bravo):
        old, new = watcher("OLD"), watcher("NEW")
        for client in old, new:
            client.ask("R", "M6-USD", types="2")
            client.begin()
        alpha.new("a", BUY, 3, 100)
        alpha.told("a", "0")
        bravo.new("b", SELL, 2, 100)
        bravo.told("b", "0")
        fill = bravo.told("b", "F")
        trade = new.expect("X", t268=1, t279=0, t269=2, t55="M6-USD", t270="100.00", t271="2.0000")
        assert trade[2446] == SELL and f"{trade[272]}-{trade[273]}" == fill[60]
        other = old.expect("X", t268=1, t279=0, t269=2, t278=trade[278], t2446=None, t83=None)
        done(venue, Correct(int(fill[17]), "1", "100.00", "wrong"))
        for client in old, new:
            client.expect("X", t279=1, t269=2, t278=other[278], t270="100.00", t271="1.0000")
        done(venue, Bust(int(fill[17]), "wrong"))
        for client in old, new:
            client.expect("X", t279=2, t269=2, t278=other[278])


def test_states_are_told_and_what_an_auction_would_give(venue: Floor, watcher: Watchers) -> None:
    market = "M7-USD"
    with logged_on(venue, market, "ALPHA", "BRAVO") as (alpha, bravo):
        client = watcher("NEW")
        client.ask("R", market)
        client.expect("f", t55=market, t326=17, t58="continuous")
        client.expect("W", t268=0)
        done(venue, MarketState("opening-auction", market))
        client.expect("f", t55=market, t326=22, t58="opening-auction")
        alpha.new("a", BUY, 3, 101)
        bravo.new("b", SELL, 2, 99)
        book = client.books["R", market]
        client.read_until(lambda: len(book.indications) == 2)
        assert [str(each) for each in book.indications["4"][:2]] == ["101.00", "2.0000"]
        assert [str(each) for each in book.indications["A"][1:]] == ["1.0000", "P"]
        done(venue, MarketState("continuous", market))
        client.read_until(lambda: client.states[market] == "continuous")
        client.read_until(lambda: len(book.order) == 1 and not book.sides[OFFER] and not book.indications)
        assert [str(each) for each in book.sides[BID][0][:2]] == ["101.00", "1.0000"]


def test_icebergs_show_their_part_and_stops_nothing(venue: Floor, watcher: Watchers) -> None:
    with logged_on(venue, "M8-USD", "ALPHA") as (alpha,):
        client = watcher("OLD")
        client.ask("R", "M8-USD")
        client.begin()
        alpha.new("a", BUY, 10, 100, extra=[(111, 2)])
        alpha.told("a", "0")
        client.expect("X", t268=1, t279=0, t271="2.0000", t346=1)
        alpha.send(
            "D",
            [
                *((11, alpha.id("s")), (1, "ALPHA-1"), (55, "M8-USD"), (54, 1), (60, alpha.received[-1][52])),
                *((38, 1), (40, 3), (99, 200)),
            ],
        )
        alpha.told("s", "0")
        alpha.new("b", BUY, 1, 100)
        alpha.told("b", "0")
        client.expect("X", t268=1, t279=1, t271="3.0000", t346=2)


REJECTS = [
    ({"kind": "7"}, "4", "SubscriptionRequestType 7 is not offered"),
    ({"update": "5"}, "6", "MDUpdateType 5 must be 0 (full) or 1 (incremental)"),
    ({"update": None}, "6", "MDUpdateType is missing: it must be"),
    ({"depth": 101}, "5", "MarketDepth 101 is more than 100; 0 is the full book"),
    ({"depth": -1}, "5", "MarketDepth -1 must be"),
    ({"depth": 99999999999999999999}, "5", "MarketDepth"),
    ({"types": ("0", "6")}, "8", "MDEntryType 6 is not offered"),
    ({"more": [(266, "N")]}, "7", "AggregatedBook N is not offered"),
    ({"more": [(547, "Y")]}, "C", "MDImplicitDelete Y is not offered"),
    ({"more": [(546, "1")]}, "A", "Scope 1 is not supported"),
    ({"more": [(286, "0")]}, "B", "OpenCloseSettlFlag 0 is not supported"),
    ({"more": [(815, "1")]}, None, "ApplQueueAction 1 is not supported"),
]


@pytest.mark.parametrize("name", ["OLD", "NEW"])
def test_what_is_not_offered_is_refused_in_words(venue: Floor, watcher: Watchers, name: str) -> None:
    client = watcher(name)
    for number, (wrong, reason, text) in enumerate(REJECTS):
        client.ask(f"R{number}", "M0-USD", **wrong)  # type: ignore[arg-type]
        if wrong.get("depth", 0) > 2**63:
            assert client.receive().msg_type in ("3", "Y")
            continue
        answer = client.expect("Y", t262=f"R{number}", t281=reason)
        assert text in answer[58], answer
    client.ask("S", "M0-USD", "NONE-USD")
    client.expect("Y", t262="S", t281=0, t58="Symbol NONE-USD is unknown")
    client.ask("R", "M0-USD")
    client.expect("f")
    client.expect("W")
    client.ask("R", "M1-USD")
    client.expect("Y", t262="R", t281=1, t58="MDReqID R is in use: end it, or take another one")
    client.ask("x" * 65, "M0-USD")
    client.expect("Y", t281=None, t58="MDReqID has 65 characters; at most 64 are taken")
    assert client.settle() == []


def test_limits_of_a_session(venue: Floor, watcher: Watchers) -> None:
    client = watcher("SMALL")
    client.ask("A", "M0-USD")
    client.expect("Y", t281=5, t58="MarketDepth 0 (full book) is not offered, only 1 to 5")
    client.ask("B", "M0-USD", "M1-USD", depth=5, types="0")
    client.ask("C", "M0-USD", "M1-USD", depth=5)
    client.read_until(lambda: client.received[-1].get(281) == "2")
    reject = client.received[-1]
    assert (reject[262], reject[58]) == ("C", "2 markets are subscribed to already, and 3 is the limit")
    for number in range(10):
        client.ask(f"D{number}", "M0-USD", kind="0", depth=1)
    client.read_until(lambda: client.received[-1].get(58) == "more than 10 messages per second")


def test_an_order_is_not_taken(venue: Floor, watcher: Watchers) -> None:
    client = watcher("OLD")
    client.send("D", [(11, "a"), (55, "M0-USD"), (54, 1), (60, client.received[-1][52]), (38, 1), (40, 1)])
    client.expect("j", t372="D", t380=3)


def test_a_gap_is_filled_and_not_sent_again(venue: Floor, watcher: Watchers) -> None:
    """Feature 60: numbers go on over a reconnect, and who comes back subscribes again."""
    with logged_on(venue, "M9-USD", "ALPHA") as (alpha,):
        client = watcher("OLD")
        client.ask("R", "M9-USD")
        client.begin()
        alpha.new("a", BUY, 3, 100)
        alpha.told("a", "0")
        client.expect("X")
        client.send("2", [(7, 2), (16, 0)])
        fill = client.expect("4", t34=2, t123="Y", t43="Y")
        assert int(fill[36]) == client.next_inbound
        client.close()
        alpha.cancel("b", "a")
        alpha.told("b", "4")
        answer = client.logon()
        assert answer.sequence == client.next_inbound - 1
        assert client.settle() == []
        client.ask("R", "M9-USD")
        client.expect("f")
        client.expect("W", t262="R")
        client.read_until(lambda: not client.books["R", "M9-USD"].sides[BID])
