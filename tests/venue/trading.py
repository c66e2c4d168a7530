"""Orders of every type, as tests need them, and trades on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import count

from tests.raw import BUY, SELL, Received
from tests.venue.floor import GTC, IOC, NEW, TRADE, Member

NOW = "20260101-00:00:00.000"
OPENING, GTD, CLOSE = "2", "6", "7"
"""TimeInForce(59)"""
RESTATED, TRIGGERED = "D", "L"
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


def cancel_many(member: Member, name: str, kind: str = "7", **how: object) -> None:
    """OrderMassCancelRequest(q): all; or with `kind` "1" those of a Symbol, t55. More fields: t54, t1."""
    fields = [(int(tag[1:]), value) for tag, value in how.items() if tag != "possresend"]
    body = [(11, member.id(name)), (530, kind), *fields, (60, NOW)]
    member.send("q", body, possresend=bool(how.get("possresend")))


def many_canceled(member: Member, name: str, count: int, kind: str = "7", **tags: object) -> Received:
    """The next message must be the OrderMassCancelReport(r) of the request."""
    report = member.expect("r", t11=member.id(name), t530=kind, t531=kind, t532=None, t533=count, **tags)
    assert int(report[37]) > 0 and report[60]
    assert (1369 in report) == (member.begin_string != "FIX.4.4")
    return report


def many_refused(member: Member, name: str, reason: int, text: str, **tags: object) -> Received:
    """... must refuse the request with this MassCancelRejectReason(532)."""
    return member.expect("r", t11=member.id(name), t531="0", t532=reason, t533="0", t58=text, **tags)


def clear(member: Member) -> None:
    """Its client has no live orders after this."""
    cancel_many(member, "clear")
    while member.receive().get(11) != member.id("clear"):
        pass


@contextmanager
def in_one_write(member: Member) -> Iterator[None]:
    """What the member sends inside leaves together at the end."""
    pieces: list[bytes] = []
    send = member.send_bytes
    member.send_bytes = pieces.append  # type: ignore[method-assign]
    try:
        yield
    finally:
        member.send_bytes = send  # type: ignore[method-assign]
    send(b"".join(pieces))


def enter_many(member: Member, count: int, prefix: str, price: str = "100") -> None:
    """So many buy orders of 0.0001: PREFIX0, PREFIX1, ..."""
    for first in range(0, count, 250):
        with in_one_write(member):
            for number in range(first, min(first + 250, count)):
                member.new(f"{prefix}{number}", BUY, "0.0001", price, time_in_force=GTC)
        for number in range(first, min(first + 250, count)):
            member.told(f"{prefix}{number}", NEW)
