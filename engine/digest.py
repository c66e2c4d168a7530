"""A fingerprint of the whole state: two venues with the same one go on in the same way."""

from collections.abc import Iterable
from hashlib import sha256
from operator import attrgetter

from msgspec import msgpack

from engine.market import Market
from engine.order import Order
from engine.shard import Account

_FIELDS = attrgetter(*Order.__struct_fields__[2:])
"""of an order: all but its neighbours"""


def digest(
    counters: tuple[int | str, ...],
    sets: tuple[object, ...],
    accounts: Iterable[Account],
    markets: Iterable[Market],
) -> str:
    """SHA-256, in hex, over the counters, the accounts by name and the markets by symbol, each with its
    orders in order of priority. Each part is one msgpack array, whose length tells what it is."""
    encode = msgpack.Encoder().encode
    state = sha256(encode(counters))
    state.update(encode(sets))
    for account in sorted(accounts, key=lambda account: account.account):
        balances = [(currency, b.total, b.reserved) for currency, b in sorted(account.balances.items())]
        state.update(encode((account.account, account.client, balances, account.limits, account.open_orders)))
    for market in sorted(markets, key=lambda market: market.instrument.symbol):
        prices = market.last_price, market.dynamic_reference
        state.update(encode((market.instrument, market.rules, market.state, market.reason, prices)))
        outside = market.stops, market.touched.values(), market.parked.values()
        for orders in market.bids, market.asks, *outside:
            for order in orders:
                state.update(encode(_FIELDS(order)))
            state.update(encode(None))
    return state.hexdigest()
