"""One price for all that an auction trades (docs/market.md, 8)."""

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from engine.book import BookSide
from engine.ending import forget
from engine.events import Event
from engine.market import Market
from engine.state import State
from engine.words import AUCTION


class Outcome(NamedTuple):
    price: int
    """ticks; 0 if nothing trades"""
    quantity: int
    surplus: int
    """lots left over at that price: of bids above 0, of offers below"""


NOTHING = Outcome(0, 0, 0)


def outcome(market: Market) -> Outcome:
    """What an auction now gives. Walks the levels of the book, and no orders."""
    considered = _considered(market)
    if considered is None:
        return NOTHING
    best, tied = (0, 0), list[tuple[int, int]]()
    for price, bid, offered in _demand_and_supply(market, *considered):
        volume = min(bid, offered)
        rank = (volume, -abs(bid - offered))
        if volume and (not tied or rank > best):
            best, tied = rank, []
        if volume and rank == best:
            tied.append((price, bid - offered))
    if not tied:
        return NOTHING
    price = _decide(tied, market.reference_price)
    surplus = next(over for (at, over), (end, _) in pairwise([*tied, (price + 1, 0)]) if at <= price < end)
    return Outcome(price, best[0], surplus)


def _decide(tied: list[tuple[int, int]], reference: int) -> int:
    """Of the prices from the first to the last, which are all as good, by pressure and then by reference."""
    lowest, highest = tied[0][0], tied[-1][0]
    if all(surplus > 0 for _, surplus in tied):
        return highest
    if all(surplus < 0 for _, surplus in tied):
        return lowest
    return min(max(reference, lowest), highest)


def _considered(market: Market) -> tuple[int, int] | None:
    """Lowest and highest price that may be the one: of limit orders, or else the reference price."""
    sides = market.bids, market.asks
    prices = [price for side in sides for keys in _both_ways(side) if (price := _first_price(side, keys))]
    if not prices and (reference := market.reference_price):
        prices = [reference]
    return (min(prices), max(prices)) if prices else None


def _both_ways(side: BookSide) -> tuple[Iterable[int], Iterable[int]]:
    return side.levels, reversed(side.levels)


def _first_price(side: BookSide, keys: Iterable[int]) -> int:
    """The first of them at which not all are market orders; 0 if there is none."""
    return next((abs(key) for key in keys if (last := side.levels[key].last) and last.price), 0)


def _demand_and_supply(market: Market, low: int, high: int) -> list[tuple[int, int, int]]:
    """(price, lots bid there, lots offered there), upwards, for both ends of every run of prices at which
    they are the same."""
    bids = {-key: level.quantity for key, level in market.bids.levels.items()}
    offers = {key: level.quantity for key, level in market.asks.levels.items()}
    ends = low, high, *bids, *(price + 1 for price in bids), *offers, *(price - 1 for price in offers)
    bid, offered = sum(bids.values()), 0
    found, before = [], 0
    for price in sorted(dict.fromkeys(ends)):
        bid -= bids.get(before, 0)
        offered += offers.get(price, 0)
        before = price
        if low <= price <= high:
            found.append((price, bid, offered))
    return found


def uncross(state: State, logged_time: int, market: Market, events: list[Event]) -> None:
    """Holds the auction: all trades at its price."""
    price, left, _ = outcome(market)
    if not left:
        return
    while left:
        best_bid, best_ask = market.bids.best, market.asks.best
        assert best_bid is not None and best_bid.first is not None
        assert best_ask is not None and best_ask.first is not None
        quantity = min(left, best_bid.first.shown, best_ask.first.shown)
        left -= quantity
        buyer = market.bids.fill_first(best_bid, quantity, price)
        seller = market.asks.fill_first(best_ask, quantity, price)
        state.match_id = match_id = state.match_id + 1
        value = quantity * price * market.instrument.quote_per_tick_lot
        for order in buyer, seller:
            events.append(
                order.trade(logged_time, quantity, price, match_id, AUCTION, order.taker_fee, value)
            )
            if not order.leaves_quantity:
                market.passing.pop(order.order_id, None)
                forget(state, order)
    market.traded(price, price)
    market.dynamic_reference = price
