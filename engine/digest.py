"""A fingerprint of the whole state: two venues with the same one go on in the same way."""

from collections.abc import Iterable
from hashlib import sha256

from msgspec import msgpack

from engine.market import Market
from engine.order import Order
from engine.shard import Account


def digest(
    counters: tuple[int | str | bool, ...], accounts: Iterable[Account], markets: Iterable[Market]
) -> str:
    """SHA-256, in hex, over the counters, the accounts by name and the markets by symbol, each with its
    orders in order of priority. Each part is one msgpack array, whose length tells what it is."""
    encode = msgpack.Encoder().encode
    state = sha256(encode(counters))
    for account in sorted(accounts, key=lambda account: account.account):
        balances = [(currency, b.total, b.reserved) for currency, b in sorted(account.balances.items())]
        state.update(encode((account.account, account.client, balances)))
    for market in sorted(markets, key=lambda market: market.instrument.symbol):
        state.update(encode((market.instrument, market.cancel_only)))
        for side in market.bids, market.asks:
            for order in side:
                state.update(encode(_fields(order)))
    return state.hexdigest()


def _fields(order: Order) -> tuple[int | str, ...]:
    return (
        order.order_id,
        order.client,
        order.session,
        order.account,
        order.symbol,
        order.cl_ord_id,
        order.side,
        order.ord_type,
        order.time_in_force,
        order.quantity,
        order.price,
        order.leaves_quantity,
        order.cum_quantity,
        order.notional,
    )
