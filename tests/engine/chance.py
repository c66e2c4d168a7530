"""Commands made by chance, the same ones for the same seed."""

from __future__ import annotations

from random import Random

from engine.commands import (
    CancelOrder,
    CancelSession,
    Command,
    EndDay,
    ListInstrument,
    NewOrder,
    OpenAccount,
    ReplaceOrder,
    SetCancelOnly,
)
from engine.venue import Venue

SYMBOLS = ("BTC-USD", "ETH-BTC")
CLIENTS = ("A", "B")
ACCOUNTS = ("A-1", "A-2", "B-1")
OPENING: tuple[Command, ...] = (
    ListInstrument(1, "BTC-USD", "BTC", "USD", "0.01", "0.1", 3, 2, 9, 7),
    ListInstrument(2, "ETH-BTC", "ETH", "BTC", "0.5", "1", 1, 1, 9, 7),
    OpenAccount(3, "A-1", "A", (("USD", 500), ("BTC", 150))),
    OpenAccount(4, "A-2", "A", (("ETH", 60), ("BTC", 150))),
    OpenAccount(5, "B-1", "B", (("USD", 600), ("BTC", 200), ("ETH", 60))),
)


def make(choose: Random, venue: Venue) -> Command:
    """Some command, mostly a sensible one. Everything is small, so that everything collides."""
    kind = choose.choices("DFGmdc", (250, 30, 60, 12, 1, 1))[0]
    time = venue.sequence * 10
    client = choose.choice(CLIENTS)
    own = [account for account in ACCOUNTS if account.startswith(client)]
    account = choose.choice(own if choose.random() < 0.97 else ("B-1", "C-1"))
    symbol = choose.choice(SYMBOLS if choose.random() < 0.98 else ("XRP-USD",))
    side = choose.choice("12")
    session = f"{client}{choose.randint(1, 2)}"
    name = f"{choose.randint(1, 400)}"
    quantity = choose.randint(1, 9)
    price = choose.randint(1, 5) if side == "1" else choose.randint(3, 7)
    if kind == "m":
        return SetCancelOnly(time, choose.choice(("", *SYMBOLS, "XRP-USD")), choose.random() < 0.1)
    if kind == "c":
        return CancelSession(
            time, session, choose.choice(("12", "13")), choose.random() < 0.5, choose.randint(1, 9)
        )
    if kind == "d":
        return EndDay(time, f"day {venue.sequence:09}")
    if kind == "D":
        ord_type = choose.choices("12", (1, 4))[0]
        time_in_force = choose.choices("0134", (5, 3, 1, 1))[0]
        price = price if ord_type == "2" else 0
        return NewOrder(
            time, client, session, account, name, symbol, side, ord_type, time_in_force, quantity, price
        )
    live = list(venue.orders.get(client, {}).values())
    orig = "none"
    if live and choose.random() < 0.95:
        order = choose.choice(live)
        orig = order.cl_ord_id
        if choose.random() < 0.95:
            account, symbol, side = order.account, order.symbol, order.side
        if choose.random() < 0.5:
            price = order.price
    if kind == "F":
        return CancelOrder(time, client, session, name, orig, symbol, side)
    account = choose.choices((account, ""), (8, 2))[0]
    sent = (client, session, account, name, orig, symbol, side, "2", quantity, price)
    return ReplaceOrder(time, *sent, choose.choices(("", "0", "1"), (8, 1, 1))[0])
