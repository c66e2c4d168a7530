"""Random days of the small venue, each made once; and what of its books everyone may see, summed up order by
order."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from functools import cache
from random import Random

from engine.auction import outcome
from engine.commands import Command
from engine.market import Market
from engine.words import CLOSING_AUCTION
from tests.engine.chance import make
from tests.engine.pair import Pair
from tests.engine.themes import OPENING, THEMES
from tests.marketdata.client import BID, OFFER, Level

LENGTH = 400


@cache
def day(theme: str, seed: int, length: int = LENGTH) -> tuple[Command, ...]:
    """Commands that the engine takes, one after the other, after those of OPENING."""
    choose, pair, commands = Random(seed), Pair(), list[Command]()
    for command in OPENING:
        pair.send(command)
    while len(commands) < length:
        command = make(choose, pair, THEMES[theme])
        before = pair.sequence
        pair.send(command)
        if pair.sequence > before:
            commands.append(command)
    return tuple(commands)


def levels(market: Market) -> dict[str, list[Level]]:
    """By side, the best first."""
    tick, lot = Decimal(market.instrument.tick), Decimal(market.instrument.lot)
    found: dict[str, list[Level]] = {}
    for kind, side in (BID, market.bids), (OFFER, market.asks):
        sums: dict[int, list[int]] = defaultdict(lambda: [0, 0])
        for order in side:
            sums[order.limit][0] += order.shown
            sums[order.limit][1] += 1
        prices = sorted(sums, reverse=kind == BID)
        found[kind] = [(price * tick, sums[price][0] * lot, sums[price][1]) for price in prices]
    return found


def indicated(market: Market) -> dict[str, tuple[Decimal, Decimal, str]]:
    """What an auction now would give, by type."""
    tick, lot = Decimal(market.instrument.tick), Decimal(market.instrument.lot)
    price, quantity, surplus = outcome(market)
    if not price:
        return {}
    kind = "5" if market.state == CLOSING_AUCTION else "4"
    found = {kind: (price * tick, quantity * lot, "")}
    if surplus:
        found["A"] = Decimal(0), abs(surplus) * lot, "P" if surplus > 0 else "Q"
    return found
