"""What reads bytes of strangers and clients, called directly: fast, and with nothing in between.

Each target takes bytes and returns if they were read or refused as documented. Anything else is a finding."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from engine import refusals
from engine.commands import CancelMany, CancelOrder, NewOrder, ReplaceOrder
from engine.events import ManyCanceled
from engine.refusals import Refusal
from engine.venue import Venue
from fixgw.codec import admin
from fixgw.codec.decimals import NotDecimal, OffStep, Step
from fixgw.codec.fields import fields
from fixgw.codec.frame import FirstMessage, Garbled, first_message
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.masses import decode_mass_cancel, mass_cancel_reject, mass_cancel_report
from fixgw.codec.orders import decode
from fixgw.codec.queries import no_orders, unknown_order
from fixgw.codec.readable import readable
from fixgw.codec.reports import cancel_reject, not_understood, order_reject
from fixgw.codec.securities import security_lists
from fixgw.codec.statuses import no_security, unknown_session
from fixgw.codec.terms import terms
from fixgw.codec.times import nanoseconds, utc_timestamp
from fixgw.door.guard import Flood, Guard
from fixgw.settings import Door, Session, list_instruments, load, open_accounts
from tests.process import CONFIG

LIMIT = 4096
TIME = 1_800_000_000_000_000_000
TERMS = terms("ALPHA", Session(client="ALPHA", transact_time_seconds=10**9))
"""seconds: any TransactTime will do"""

Target = Callable[[bytes], None]


def door(data: bytes) -> None:
    """The first message of a stranger. More bytes never change what was found, or that there is nothing."""
    whole = _first(data)
    for size in {0, 1, 15, len(data) // 3, len(data) // 2, len(data) - 1}:
        part = _first(data[: max(size, 0)])
        assert part is None or part == whole, (size, part, whole)
    if isinstance(whole, FirstMessage):
        assert 0 < whole.length <= min(LIMIT, len(data))
        assert list(whole.fields)[:3] == ["8", "9", "35"]


def _first(data: bytes) -> FirstMessage | str | None:
    try:
        return first_message(data, LIMIT)
    except Garbled as problem:
        return "garbled" if "limit" not in str(problem) else "too long"


def guard(data: bytes) -> None:
    """The stream of a client, whole and in pieces: what passes does not depend on the pieces, and is what was
    sent, but for a BodyLength that is no number."""
    whole, cut = _admitted(data, len(data) or 1), _admitted(data, len(data) // 12 + 1)
    assert whole.startswith(cut) or cut.startswith(whole)
    assert len(whole) <= len(data) + data.count(b"9=")
    assert not whole or whole.endswith(b"\x01")


def _admitted(data: bytes, size: int) -> bytes:
    inner, passed = Guard(Door(message_bytes=LIMIT)), b""
    with suppress(Flood):
        for start in range(0, len(data), size):
            passed += inner.admit(data[start : start + size])
    return passed


def questions(data: bytes) -> None:
    """What is looked for in the stream before QuickFIX sees it: a beginning of it, and never nothing."""
    part = admin.up_to_question(data)
    assert data.startswith(part) and (part or not data)
    admin.number(data)
    admin.is_logout(data)


def text(data: bytes) -> None:
    """What becomes of any text: lines for people, and numbers and times or their refusal."""
    shown = data.decode("utf-8", "surrogateescape")
    assert readable(shown).isprintable()
    not_understood(shown)
    for value in {piece.partition("=")[2] for piece in shown.split("\x01")}:
        with suppress(NotDecimal, OffStep):
            assert Step("0.01").parse(value) >= 0
        with suppress(ValueError):
            nanoseconds(value)
    with suppress(ValueError):
        fields(shown)


def session_message(data: bytes) -> None:
    """A session message that QuickFIX has let through: what the venue has against it can be sent."""
    found = _fields(data)
    if found is None or not {"35", "34", "52"} <= found.keys() or found["35"] not in "012345A":
        return
    shown = _whole(found)
    if _number(found["34"]) and (found["35"] != "4" or _number(found.get("36"))):
        record = admin.objection(shown, "20260101-00:00:00.000")
        assert record is None or record.count(b"\x01") > 2
    admin.answered_test_request(shown)


def _number(value: str | None) -> bool:
    """Whether QuickFIX takes it for a SeqNum."""
    return value is not None and value.isascii() and value.isdigit() and int(value[:25]) < 2**64


def order(data: bytes) -> None:
    """An order as it may come past QuickFIX: a command that the engine carries out or refuses, or a refusal
    that can be told."""
    found = _fields(data)
    if found is None or found.get("35") not in ("D", "F", "G"):
        return
    found["8"] = "FIX.4.4"
    command = decode(found, TERMS, _instruments(), TIME)
    if isinstance(command, NewOrder | CancelOrder | ReplaceOrder):
        venue = _venue()
        refusal = venue.refusal(command)
        if refusal is None:
            venue.apply(venue.sequence + 1, command)
            return
        if refusal.reason == refusals.NOT_RESIDENT:  # the record does not know it either
            refusal = Refusal(refusals.UNKNOWN_ACCOUNT, refusal.value)
    else:
        refusal = command
    _told(found, refusal)


def mass_cancel(data: bytes) -> None:
    """The same of an OrderMassCancelRequest."""
    found = _fields(data)
    if found is None or found.get("35") != "q":
        return
    command = decode_mass_cancel(found, _instruments(), "ALPHA", "ALPHA", TIME, 500)
    venue = _venue()
    refusal = venue.refusal(command) if isinstance(command, CancelMany) else command
    if isinstance(command, CancelMany) and refusal is None:
        *_, report = venue.apply(venue.sequence + 1, command)
        assert isinstance(report, ManyCanceled)
        mass_cancel_report(report, 1, "FIXT.1.1", 3)
        return
    assert refusal is not None
    for version in ("FIX.4.4", "FIXT.1.1"):
        now = utc_timestamp(TIME)
        _, body = mass_cancel_reject(found, refusal, "1", version, now, _instruments())
        assert body.endswith(b"\x01") and body.rpartition(b"\x0158=")[2].isascii()


def question(data: bytes) -> None:
    """What the venue does not know, or does not offer, can be said whatever was asked."""
    found = _fields(data)
    if found is None:
        return
    now = utc_timestamp(TIME)
    match found.get("35"):
        case "H":
            reports = [unknown_order(found, "1", now)]
        case "AF" if {"584", "585"} <= found.keys():
            reports = [no_orders(found, "1", now)]
        case "x" if {"320", "559"} <= found.keys():
            reports = list(security_lists(found, _instruments(), "1", "FIXT.1.1"))
        case "e" if {"324", "55"} <= found.keys():
            reports = [no_security(found["55"], now, found["324"], "unknown Symbol")]
        case "g" if {"335", "336"} <= found.keys():
            reports = [unknown_session(found["336"], found["335"])]
        case _:
            reports = []
    assert all(body.endswith(b"\x01") for _, body in reports)


def _told(found: dict[str, str], refusal: Refusal) -> None:
    for version in ("FIX.4.4", "FIXT.1.1"):
        if found["35"] == "D":
            _, body = order_reject(found, refusal, "1", version, utc_timestamp(TIME), _instruments())
        else:
            _, body = cancel_reject(found, refusal, "NONE", "8", version, utc_timestamp(TIME), _instruments())
        assert body.endswith(b"\x01") and body.rpartition(b"\x0158=")[2].isascii()


def _fields(data: bytes) -> dict[str, str] | None:
    """None for what QuickFIX would not parse: to it, tags are numbers."""
    try:
        found = fields(data.decode("utf-8", "surrogateescape"))
    except ValueError:
        return None
    return found if all(re.fullmatch(r"-?[0-9]{1,10}", tag) for tag in found) else None


def _whole(found: dict[str, str]) -> str:
    return "".join([f"{tag}={value}\x01" for tag, value in found.items()])


@cache
def _instruments() -> dict[str, InstrumentText]:
    return {each.symbol: InstrumentText(each) for each in list_instruments(load(CONFIG), TIME)}


@cache
def _venue() -> Venue:
    venue, settings = Venue(), load(CONFIG)
    for number, command in enumerate([*list_instruments(settings, TIME), *open_accounts(settings, TIME)], 1):
        assert venue.refusal(command) is None
        venue.apply(number, command)
    return venue


TARGETS: list[Target] = [door, guard, questions, text, session_message, order, mass_cancel, question]
