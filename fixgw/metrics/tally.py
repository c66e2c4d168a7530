"""What the log says in numbers, from its first entry on. It is kept in a file with the entry it goes up to,
so that a process that starts again counts every entry once."""

import os
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from engine import words
from engine.commands import ListInstrument
from engine.events import DayEnded, Execution, InstrumentListed, RequestDenied, StateSet
from engine.user_events import UserHydrated, UserLeft
from engine.words import CONTINUOUS, TRADE
from fixgw.codec.refusals import REASONS
from fixgw.store.directory import private
from fixgw.store.follow import Follower
from fixgw.store.journal import Entry, fingerprint_of

FILE = "tally.json"
EXEC_TYPES = {
    words.NEW: "NEW",
    words.CANCELED: "CANCELED",
    words.REPLACED: "REPLACED",
    words.PENDING_CANCEL: "PENDING_CANCEL",
    words.REJECTED: "REJECTED",
    words.PENDING_NEW: "PENDING_NEW",
    words.EXPIRED: "EXPIRED",
    words.RESTATED: "RESTATED",
    words.PENDING_REPLACE: "PENDING_REPLACE",
    words.TRADE: "TRADE",
    words.CORRECTED: "TRADE_CORRECT",
    words.BUSTED: "TRADE_CANCEL",
    words.TRIGGERED: "TRIGGERED_OR_ACTIVATED_BY_SYSTEM",
}
"""names of ExecType(150), which the dictionary has as well, in much more memory"""


class Grid(Struct, frozen=True, array_like=True):
    """Texts of an instrument as it was listed."""

    base: str
    quote: str
    tick: str
    lot: str


class Tally(Struct):
    """Counts by name. `release` guards their meaning."""

    release: int = 1
    owner: str = ""
    """the store whose log it is, hexadecimal"""
    sequence: int = 0
    """journal entry up to which all is counted, and its fingerprint"""
    mark: str = ""
    event: int = 0
    time: int = 0
    """logged time of that entry"""
    day: str = ""
    commands: dict[str, int] = {}
    events: dict[str, int] = {}
    executions: dict[str, dict[str, int]] = {}
    """by symbol, then by ExecType(150)"""
    trades: dict[str, int] = {}
    lots: dict[str, int] = {}
    value: dict[str, int] = {}
    """by symbol; value in ticks times lots"""
    denied: dict[str, int] = {}
    """by reason: what markets on other nodes have refused"""
    hydrated: dict[str, int] = {}
    left: dict[str, int] = {}
    """by shard"""
    grids: dict[str, Grid] = {}
    states: dict[str, str] = {}
    """of markets"""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Tally).decode


def count(tally: Tally, sequence: int, entry: Entry) -> None:
    """The next journal entry."""
    command = entry.command
    _add(tally.commands, type(command).__name__)
    if type(command) is ListInstrument and not command.peer:
        tally.states[command.symbol] = CONTINUOUS
    matches: set[int] = set()
    for event in entry.events:
        _add(tally.events, type(event).__name__)
        if type(event) is Execution:
            _add(tally.executions.setdefault(event.symbol, {}), event.exec_type)
            if event.exec_type == TRADE and event.match_id not in matches:  # one event for each side
                matches.add(event.match_id)
                _add(tally.trades, event.symbol)
                _add(tally.lots, event.symbol, event.last_quantity)
                _add(tally.value, event.symbol, event.last_quantity * event.last_price)
        else:
            _count_other(tally, event)
    tally.sequence, tally.time = sequence, command.time
    tally.event += len(entry.events)


def _count_other(tally: Tally, event: object) -> None:
    match event:
        case StateSet():
            tally.states[event.symbol] = event.state
        case InstrumentListed():
            tally.grids[event.symbol] = Grid(event.base, event.quote, event.tick, event.lot)
        case DayEnded():
            tally.day = event.day
        case UserHydrated():
            _add(tally.hydrated, event.shard)
        case UserLeft():
            _add(tally.left, event.shard)
        case RequestDenied():
            reason = event.refusal.reason  # the other node may be of another release
            _add(tally.denied, reason if reason in REASONS else "other")


def _add(counts: dict[str, int], name: str, amount: int = 1) -> None:
    counts[name] = counts.get(name, 0) + amount


def load(directory: Path, follower: Follower) -> Tally:
    """The one that was saved there, if it is of this log; else an empty one, for the whole log."""
    owner = follower.owner.hex()
    with suppress(OSError, msgspec.DecodeError):
        found = _decode((directory / FILE).read_bytes())
        known = follower.fingerprint(found.sequence).hex() if found.sequence else ""
        if (found.release, found.owner, found.mark) == (Tally().release, owner, known) and known:
            return found
    return Tally(owner=owner)


def save(directory: Path, tally: Tally, last: Entry) -> None:
    """`last`: the entry that it goes up to. A disk without room is no matter."""
    tally.mark = fingerprint_of(tally.sequence, last).hex()
    new = directory / f"{FILE}.new"
    with suppress(OSError):
        with open(new, "wb", opener=private) as file:
            file.write(_encode(tally))
        os.replace(new, directory / FILE)
