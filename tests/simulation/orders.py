"""What clients say, by chance: mostly sensible, and small, so that everything collides."""

from __future__ import annotations

from random import Random

from engine.commands import ListInstrument, SetRules
from engine.order import Order
from engine.venue import Venue
from fixgw.calendar.trading_day import TradingDay
from fixgw.codec.fields import fields
from fixgw.codec.times import exact_timestamp, utc_timestamp

INSTRUMENTS = (
    ListInstrument(1, "BTC-USD", "BTC", "USD", "1", "1", 100, 100, 12, 9),
    ListInstrument(1, "ETH-BTC", "ETH", "BTC", "1", "1", 1, 100, 12, 9),
)
RATES = (
    SetRules(1, "BTC-USD", maker_fee=12_345, taker_fee=77_777),
    SetRules(1, "ETH-BTC", maker_fee=33_333),
)
SYMBOLS = tuple(instrument.symbol for instrument in INSTRUMENTS)
DECIMALS = {"BTC": 2, "ETH": 0, "USD": 2}
SECOND = 1_000_000_000


def message(kind: str, **values: object) -> str:
    """FIX text; names of values are t and the tag."""
    pairs = {"8": "FIXT.1.1", "35": kind, "34": "1"} | {tag[1:]: text for tag, text in values.items()}
    return "".join(f"{tag}={text}\x01" for tag, text in pairs.items() if text != "")


def new_order(choose: Random, name: str, account: str, venue: Venue, time: int) -> str:
    symbol, side = choose.choice(SYMBOLS), choose.choice("12")
    kind = choose.choices("1234", (15, 70, 10, 5))[0]
    stop, limit = kind in "34", kind in "24"
    in_force = choose.choices("01346", (45, 20, 0 if stop else 10, 0 if stop else 8, 12))[0]
    quantity = choose.randint(1, 9)
    more: dict[str, object] = {}
    if stop:
        more["t99"] = choose.randint(1, 9)
    if limit:
        more["t44"] = price(choose, side)
    if in_force == "6":
        more |= expiry(choose, venue, time)
    rests = limit and in_force not in "34"
    if rests and choose.random() < 0.25:
        more["t1138"] = choose.randint(1, quantity)
    elif kind == "2" and rests and choose.random() < 0.1:
        more["t18"] = 6
    elif not stop and in_force in "03" and choose.random() < 0.1:
        more["t110"] = choose.randint(1, quantity)
    if choose.random() < 0.6:
        more |= {"t2362": choose.choice("ggh"), "t2964": choose.choice("0123444")}
    amount = {"t38": quantity}
    if kind == "1" and in_force in "03" and "t110" not in more and choose.random() < 0.3:
        amount = {"t152": choose.randint(1, 40)}
    return message(
        "D", t11=name, t1=account, t55=symbol, t54=side, t40=kind, t59=in_force,
        t60=utc_timestamp(time), **amount, **more,
    )  # fmt: skip


def price(choose: Random, side: str) -> int:
    return choose.randint(1, 7) if side == "1" else choose.randint(3, 9)


def expiry(choose: Random, venue: Venue, time: int) -> dict[str, object]:
    if choose.random() < 0.6:
        return {"t126": exact_timestamp(time + choose.randint(1, 9_000) * SECOND // 1000)}
    day = venue.day
    for _ in range(choose.randint(0, 2)):
        day = TradingDay.following(day)
    return {"t432": day.replace("-", "")}


def cancel(choose: Random, name: str, order: Order | None, origin: str) -> str:
    """Of that order, or of one that waits for its user and is known to its client only; by that name."""
    symbol, side = (order.symbol, order.side) if order else (choose.choice(SYMBOLS), choose.choice("12"))
    return message("F", t11=name, t41=origin, t55=symbol, t54=side)


def replace(choose: Random, name: str, order: Order, origin: str, venue: Venue, time: int) -> str:
    quantity = max(1, min(12, order.quantity + choose.choice((-2, -1, 0, 0, 1, 2))))
    new_price = order.price
    if new_price and choose.random() < 0.6:
        new_price = price(choose, order.side)
    more: dict[str, object] = {"t44": new_price} if new_price else {}
    if order.stop_price:
        fresh = not order.triggered and choose.random() < 0.3
        more["t99"] = choose.randint(1, 9) if fresh else order.stop_price
    if order.display:
        more["t1138"] = min(order.display, quantity)
    if order.time_in_force == "6":
        more |= expiry(choose, venue, time)
    return message(
        "G", t11=name, t41=origin, t1=order.account, t55=order.symbol, t54=order.side,
        t40=order.ord_type, t38=quantity, t60=utc_timestamp(time),
        t59="6" if order.time_in_force == "6" else "", **more,
    )  # fmt: skip


def replace_behind(choose: Random, name: str, order: str) -> str:
    """Of an order that was just sent, before it can have been answered: for as much, or more."""
    found = fields(order)
    tags = "1", "55", "54", "40", "44", "99", "1138", *(("59", "126", "432") if found["59"] == "6" else ())
    same: dict[str, object] = {f"t{tag}": found[tag] for tag in tags if tag in found}
    quantity = int(found.get("38", "1")) + choose.choice((0, 0, 1, 3))
    return message("G", t11=name, t41=found["11"], t38=quantity, t60=found["60"], **same)


def mass_cancel(choose: Random, name: str, account: str) -> str:
    one = choose.random() < 0.4
    return message(
        "q", t11=name, t530=1 if one else 7, t55=choose.choice(SYMBOLS) if one else "",
        t54=choose.choice(("", "", "1", "2")), t1=choose.choice(("", account)),
    )  # fmt: skip
