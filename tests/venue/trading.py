"""Orders of every type, as tests need them, and trades on purpose."""

from __future__ import annotations

from decimal import Decimal
from itertools import count

from tests.raw import BUY, SELL, Received
from tests.venue.floor import IOC, NEW, TRADE, Member

NOW = "20260101-00:00:00.000"
OPENING, GTD, CLOSE = "2", "6", "7"
"""TimeInForce(59)"""
RESTATED, TRIGGERED, CORRECTED, BUSTED = "D", "L", "G", "H"
"""ExecType(150)"""
Tags = dict[int, object]
_hits = count()


def enter(member: Member, name: str, side: str, tags: Tags, account: str = "1") -> None:
    head: Tags = {11: member.id(name), 1: f"{member.client}-{account}", 55: member.market, 54: side, 60: NOW}
    member.send("D", [*head.items(), *tags.items()])


def change(member: Member, name: str, original: str, side: str, tags: Tags) -> None:
    head: Tags = {11: member.id(name), 41: member.id(original), 55: member.market, 54: side, 60: NOW}
    member.send("G", [*head.items(), *tags.items()])


def rest(member: Member, name: str, side: str, quantity: str, price: str) -> None:
    member.new(name, side, quantity, price)
    member.told(name, NEW)


def hit(member: Member, side: str, quantity: str, price: str) -> None:
    """Takes what rests at this price."""
    name = f"hit{next(_hits)}"
    member.new(name, side, quantity, price, time_in_force=IOC)
    member.told(name, NEW)
    left = Decimal(quantity)
    while left:
        left -= Decimal(member.told(name, TRADE)[32])


def print_at(bravo: Member, price: str) -> None:
    """A trade at this price, between orders of BRAVO."""
    name = f"last{next(_hits)}"
    rest(bravo, name, SELL, "1", price)
    hit_name = f"{name}x"
    bravo.new(hit_name, BUY, "1", price)
    for told in (NEW, TRADE):
        bravo.told(hit_name, told)
    bravo.told(name, TRADE)


def triggered(member: Member, name: str) -> Received:
    """150=L, for which FIX.4.4 has no word."""
    if member.begin_string == "FIX.4.4":
        return member.told(name, RESTATED, t378="99", t58="triggered")
    return member.told(name, TRIGGERED)
