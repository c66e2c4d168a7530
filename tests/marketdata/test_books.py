"""The public book is what the orders in the engine's book show, after every journal entry (feature 58)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from engine.auction import outcome
from engine.events import Execution
from engine.venue import Venue
from engine.words import AT_THE_CLOSE
from fixgw.marketdata.book import SIGNS, PublicBook
from fixgw.marketdata.books import Books
from tests.engine.themes import OPENING, THEMES
from tests.marketdata.client import BID, OFFER, Level
from tests.marketdata.days import day, levels


def public(book: PublicBook) -> dict[str, list[Level]]:
    tick, lot = Decimal(book.market.instrument.tick), Decimal(book.market.instrument.lot)
    return {
        kind: [
            (sign * key * tick, level.quantity * lot, level.orders) for key, level in book.sides[side].items()
        ]
        for side, (kind, sign) in enumerate(zip((BID, OFFER), SIGNS, strict=True))
    }


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seed", range(2))
def test_it_is_the_engines_book_after_every_entry(theme: str, seed: int) -> None:
    venue, parked = Venue(), 0
    books = Books(venue, 0)
    for sequence, command in enumerate((*OPENING, *day(theme, seed)), 1):
        events = venue.apply(sequence, command)
        books.hear(events)
        parked += any(type(each) is Execution and each.time_in_force == AT_THE_CLOSE for each in events)
        for symbol, market in venue.markets.items():
            book = books.books[symbol]
            assert public(book) == levels(market), (sequence, command)
            assert book.state == market.state
    assert parked, "no order waits for the close: the day proves too little"


@pytest.mark.parametrize("theme", ["continuous", "auctions"])
def test_one_that_begins_in_the_middle_is_the_same(theme: str) -> None:
    """As it does from a snapshot."""
    venue = Venue()
    commands = (*OPENING, *day(theme, 5))
    for sequence, command in enumerate(commands[:200], 1):
        venue.apply(sequence, command)
    books = Books(venue, 0)
    for sequence, command in enumerate(commands[200:], 201):
        for symbol, market in venue.markets.items():
            assert public(books.books[symbol]) == levels(market)
        books.hear(venue.apply(sequence, command))


def test_one_that_begins_in_an_auction_knows_what_it_would_give() -> None:
    venue, found = Venue(), 0
    for sequence, command in enumerate((*OPENING, *day("auctions", 1)), 1):
        venue.apply(sequence, command)
        for symbol, market in venue.markets.items():
            if sequence % 10 or not market.in_call_phase:
                continue
            clearing = Books(venue, 0).books[symbol].clearing
            price, quantity, surplus = outcome(market)
            if market.state == "pre-open" or not price:
                assert clearing is None
                continue
            assert clearing == (market.state == "closing-auction", price, quantity, surplus)
            found += 1
    assert found > 3
