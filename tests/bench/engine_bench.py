"""What the engine alone costs: refusal() and apply() of one command, in microseconds.

python -m tests.bench.engine_bench [COUNT]"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from random import Random
from time import perf_counter

from engine.commands import CancelOrder, ListInstrument, NewOrder, OpenAccount, ReplaceOrder
from engine.venue import Venue
from engine.words import BUY, DAY, LIMIT, SELL

MIDDLE = 10**6
CLIENTS = ("ALPHA", "BRAVO")


def venue() -> Venue:
    venue = Venue()
    venue.apply(1, ListInstrument(1, "BTC-USD", "BTC", "USD", "0.01", "0.0001", 10_000, 1, 10**6, 10**8))
    for sequence, client in enumerate(CLIENTS, start=2):
        venue.apply(sequence, OpenAccount(1, f"{client}-1", client, (("USD", 2**60), ("BTC", 2**60))))
    return venue


def order(number: int, side: str, quantity: int, price: int) -> NewOrder:
    client = CLIENTS[number % 2]
    name = f"order-{number}"
    return NewOrder(5, client, client, f"{client}-1", name, "BTC-USD", side, LIMIT, DAY, quantity, price)


def resting(count: int, spread: int) -> list[NewOrder]:
    """Orders that meet no one, each at one of `spread` prices of its side."""
    choose, orders = Random(1), []
    for number in range(count):
        side, away = choose.choice((BUY, SELL)), choose.randint(1, spread)
        price = MIDDLE - away if side == BUY else MIDDLE + away
        orders.append(order(number, side, choose.randint(1, 100), price))
    return orders


def cancels(orders: Sequence[NewOrder]) -> list[CancelOrder]:
    """In no order at all, as cancels come."""
    picked = Random(2).sample(orders, len(orders))
    return [
        CancelOrder(6, o.client, o.session, f"c-{o.cl_ord_id}", o.cl_ord_id, o.symbol, o.side) for o in picked
    ]


def replaces(orders: Sequence[NewOrder]) -> list[ReplaceOrder]:
    """To the next price away from the middle."""
    made = []
    for o in orders:
        name, price = f"r-{o.cl_ord_id}", o.price - 1 if o.side == BUY else o.price + 1
        request = (o.client, o.session, o.account, name, o.cl_ord_id, o.symbol, o.side, LIMIT)
        made.append(ReplaceOrder(6, *request, o.quantity, price))
    return made


def microseconds(venue: Venue, commands: Sequence[NewOrder | CancelOrder | ReplaceOrder]) -> float:
    sequence = venue.sequence
    start = perf_counter()
    for command in commands:
        sequence += 1
        if venue.refusal(command) is None:
            venue.apply(sequence, command)
    spent = perf_counter() - start
    assert venue.sequence == sequence, "the last command was refused"
    return spent / len(commands) * 1e6


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for spread in 50, 5_000, 100_000:
        one, orders = venue(), resting(count, spread)
        print(f"new order that rests, {spread:7,} prices a side   {microseconds(one, orders):6.2f}")
        changes = replaces(orders)
        print(f"replace at another price                      {microseconds(one, changes):6.2f}")
        one = venue()
        microseconds(one, orders)
        print(f"cancel of any order                           {microseconds(one, cancels(orders)):6.2f}")
    one = venue()
    microseconds(one, [order(number, SELL, 10, MIDDLE) for number in range(count)])
    takers = [order(count + number, BUY, 10, MIDDLE) for number in range(count)]
    print(f"new order that fills one other whole          {microseconds(one, takers):6.2f}")


if __name__ == "__main__":
    main()
