"""A client on QuickFIX with the dictionaries of the standard, which rejects what these do not have: it has
nothing against any message of the station, and its books are the engine's."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import quickfix

from fixgw.admin.words import Bust, MarketState
from tests.marketdata.client import ClientBook, Fields
from tests.marketdata.station import ALL, FRAME, Truth, floor, same, station, trades_fit, trading
from tests.raw import BUY, SELL
from tests.venue.floor import TRADE, Floor, logged_on
from tests.venue.operating import done
from tests.venue.test_quickfix_client import VERSIONS, Strict

SESSIONS = {name: {"begin_string": version} for name, version in VERSIONS.items()}


class Reader(Strict):
    def __init__(self, where: tuple[str, int], name: str) -> None:
        self.books: dict[tuple[str, str], ClientBook] = {}
        super().__init__(SimpleNamespace(host=where[0], port=where[1]), name)  # type: ignore[arg-type]

    def subscribe(self, name: str, symbol: str, depth: int, update: str) -> None:
        numbered = self.version == "FIXT.1.1"
        self.books[name, symbol] = ClientBook(symbol, depth, incremental=update == "1", numbered=numbered)
        message = quickfix.Message()
        message.getHeader().setField(quickfix.BeginString(self.version))
        message.getHeader().setField(quickfix.MsgType("V"))
        for tag, value in ((262, name), (263, "1"), (264, str(depth)), (265, update)):
            message.setField(tag, value)
        for counter, first, values in ((267, 269, ALL), (146, 55, [symbol])):
            for value in values:
                group = quickfix.Group(counter, first)
                group.setField(first, value)
                message.addGroup(group)
        assert quickfix.Session.lookupSession(self._session_id).send(message)

    def fromApp(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        super().fromApp(message, session_id)
        pairs = [pair.partition("=")[::2] for pair in message.toString()[:-1].split("\x01")]
        fields: Fields = [(int(tag), value) for tag, value in pairs]
        kind = dict(fields)[35]
        if kind in ("W", "X"):
            body = [pair for pair in in_order(kind, fields) if pair[0] not in FRAME]
            try:
                self.books[dict(body)[262], dict(body)[55]].hear(kind, body)
            except AssertionError as failure:  # an exception here would end the process
                self.objections.append(repr(failure))


def in_order(kind: str, fields: Fields) -> Fields:
    """QuickFIX prints what stands before a group behind it, if its tag is higher: 779."""
    first = next((n for n, pair in enumerate(fields) if pair[0] == 268), len(fields))
    late = [pair for pair in fields[first:] if kind == "W" and pair[0] == 779]
    return [*fields[:first], *late, *(pair for pair in fields[first:] if pair not in late)]


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with floor(tmp_path_factory.mktemp("floor"), SESSIONS) as running:
        yield running


@pytest.fixture(scope="module")
def readers(venue: Floor) -> Iterator[dict[str, Reader]]:
    where = station(venue)
    with Reader(where, "ALPHA") as alpha, Reader(where, "CHARLIE") as charlie:
        yield {"ALPHA": alpha, "CHARLIE": charlie}


@pytest.mark.parametrize("name", VERSIONS)
def test_its_books_are_the_engines(venue: Floor, readers: dict[str, Reader], name: str) -> None:
    market = {"ALPHA": "M1-USD", "CHARLIE": "M2-USD"}[name]
    truth = Truth(venue.data)
    client = readers[name]
    client.subscribe("full", market, 0, "1")
    client.subscribe("three", market, 3, "1")
    client.subscribe("refreshed", market, 2, "0")
    client.hear("f", t55=market, t326="17")
    client.wait(lambda: all(book.begun for book in client.books.values()))
    with trading(venue, market, 4) as traders:
        for _ in range(4):
            traders.act(60)
            traders.settle()
            truth.catch_up(venue.journaled())
            client.wait(lambda: all(same(book, truth) for book in client.books.values()))
    full = client.books["full", market]
    client.wait(lambda: full.order[-1:] == truth.trades(market)[-1:])
    assert trades_fit(full, truth) and full.order and client.objections == []
    truth.close()


@pytest.mark.parametrize("name", VERSIONS)
def test_it_takes_auctions_busts_and_refusals(venue: Floor, readers: dict[str, Reader], name: str) -> None:
    market = {"ALPHA": "M3-USD", "CHARLIE": "M4-USD"}[name]
    client = readers[name]
    with logged_on(venue, market, "ALPHA", "BRAVO") as (alpha, bravo):
        client.subscribe("R", market, 0, "1")
        client.subscribe("R2", market, 5, "0")
        client.hear("W")
        done(venue, MarketState("closing-auction", market))
        client.hear("f", t58="closing-auction")
        alpha.new("a", BUY, 3, 101)
        bravo.new("b", SELL, 2, 99)
        client.wait(lambda: {"5", "A"} <= client.books["R", market].indications.keys())
        done(venue, MarketState("continuous", market))
        while (fill := alpha.receive()).get(150) != TRADE:
            pass
        client.wait(lambda: len(client.books["R", market].trades) == 1)
        assert not client.books["R", market].indications
        done(venue, Bust(int(fill[17]), "wrong"))
        client.wait(lambda: len(client.books["R", market].trades) == 0)
        client.subscribe("R", market, 0, "1")
        client.hear("Y", t281="1")
        assert client.objections == []
