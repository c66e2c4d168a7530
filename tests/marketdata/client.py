"""A client's own book of one market, built from W and X alone and from nothing of the code under test. It
minds an action that does not fit what it has, a position that is not the level's, a number left out."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

Fields = list[tuple[int, str]]
Level = tuple[Decimal, Decimal, int]
"""price, quantity, number of orders"""

BID, OFFER, TRADE, OPENING, CLOSING, IMBALANCE, VOLUME = "0", "1", "2", "4", "5", "A", "B"
NEW, CHANGE, DELETE = "0", "1", "2"
FIRST_OF_ENTRY = {"W": 269, "X": 279}


class Entry(dict[int, str]):
    """One of NoMDEntries."""

    @property
    def price(self) -> Decimal:
        return Decimal(self[270])

    @property
    def level(self) -> Level:
        assert Decimal(self[271]) > 0 and int(self[346]) > 0, self
        return self.price, Decimal(self[271]), int(self[346])


def entries_of(msg_type: str, fields: Fields) -> tuple[Entry, list[Entry]]:
    """What stands before the group, and its entries."""
    head, entries = Entry(), list[Entry]()
    for tag, value in fields:
        if tag == FIRST_OF_ENTRY[msg_type]:
            entries.append(Entry())
        into = entries[-1] if entries else head
        assert tag not in into, f"{tag} twice in {fields}"
        into[tag] = value
    assert int(head[268]) == len(entries), fields
    return head, entries


class ClientBook:
    def __init__(
        self, symbol: str, depth: int = 0, *, incremental: bool = True, numbered: bool = True
    ) -> None:
        """`numbered`: the version has RptSeq"""
        self.symbol, self.depth, self.incremental, self.numbered = symbol, depth, incremental, numbered
        self.begun = False
        self.sides: dict[str, list[Level]] = {BID: [], OFFER: []}
        """the best first"""
        self.trades: dict[str, tuple[Decimal, Decimal]] = {}
        """price and quantity by MDEntryID, of those since the first W"""
        self.order: list[str] = []
        """the same as they came"""
        self.before = ""
        """MDEntryID of the last trade before the first W, where the version has it"""
        self.last: tuple[Decimal, Decimal] | None = None
        self.volume = Decimal(0)
        """of merged trades"""
        self.indications: dict[str, tuple[Decimal, Decimal, str]] = {}
        """price (0 for an imbalance), quantity, condition by type"""
        self.number = 0
        self.messages = 0

    def hear(self, msg_type: str, fields: Fields) -> None:
        """`fields`: the body of a W or X."""
        head, entries = entries_of(msg_type, fields)
        self.messages += 1
        if msg_type == "W":
            assert head[55] == self.symbol, head
            assert not self.begun or not self.incremental, "a second W"
            assert (779 in head) == self.numbered, head
            self._number(entries, 1)
            self._replace(entries)
            self.begun = True
            return
        assert self.begun and self.incremental and entries, fields
        assert all(entry[55] == self.symbol for entry in entries), fields
        self._number(entries, len(entries))
        for entry in entries:
            self._apply(entry)

    def _number(self, entries: Iterable[Entry], count: int) -> None:
        first, single = self.number + 1, count == 1
        self.number += count
        for offset, entry in enumerate(entries):
            expected = str(first if single else first + offset) if self.numbered else None
            assert entry.get(83) == expected, (entry, expected)

    def _replace(self, entries: list[Entry]) -> None:
        self.indications.clear()
        for kind in BID, OFFER:
            own = [entry for entry in entries if entry[269] == kind]
            positions = [entry.get(290) for entry in own]
            assert positions == [str(n) if self.depth else None for n in range(1, len(own) + 1)], positions
            self.sides[kind] = [entry.level for entry in own]
            self._check(kind)
        for entry in entries:
            if entry[269] == TRADE:
                self._trade(entry)
            elif entry[269] == VOLUME:
                self.volume += Decimal(entry[271])
            elif entry[269] not in (BID, OFFER):
                self._indicate(entry)

    def _apply(self, entry: Entry) -> None:
        kind, action = entry[269], entry[279]
        if kind in (BID, OFFER):
            if self.depth:
                self._move(entry)
            else:
                self._change(entry)
            self._check(kind)
        elif kind == TRADE:
            if action == NEW:
                self._trade(entry)
            elif entry[278] in self.trades:  # not one from before
                if action == DELETE:
                    del self.trades[entry[278]]
                else:
                    self.trades[entry[278]] = entry.price, Decimal(entry[271])
        elif kind == VOLUME:
            assert action == NEW, entry
            self.volume += Decimal(entry[271])
        elif action == DELETE:
            del self.indications[kind]
        else:
            assert (action == CHANGE) == (kind in self.indications), entry
            before = self.indications.get(kind)
            self._indicate(entry)
            assert self.indications[kind] != before, entry

    def _move(self, entry: Entry) -> None:
        """Of the best levels: by position."""
        levels, place = self.sides[entry[269]], int(entry[290]) - 1
        match entry[279]:
            case "0":
                assert 0 <= place <= len(levels), (entry, levels)
                levels.insert(place, entry.level)
            case "1":
                before = levels[place]
                assert before[0] == entry.price and before != entry.level, (entry, levels)
                levels[place] = entry.level
            case "2":
                assert place >= 0 and levels.pop(place)[0] == entry.price, (entry, levels)

    def _change(self, entry: Entry) -> None:
        """Of the whole book: by price."""
        kind = entry[269]
        assert 290 not in entry, entry
        levels = {level[0]: level for level in self.sides[kind]}
        assert (entry[279] == NEW) == (entry.price not in levels), (entry, levels)
        if entry[279] == DELETE:
            del levels[entry.price]
        else:
            assert levels.get(entry.price) != entry.level, entry
            levels[entry.price] = entry.level
        self.sides[kind] = sorted(levels.values(), reverse=kind == BID)

    def _check(self, kind: str) -> None:
        prices = [level[0] for level in self.sides[kind]]
        assert prices == sorted(set(prices), reverse=kind == BID), prices
        assert not self.depth or len(prices) <= self.depth, prices

    def _trade(self, entry: Entry) -> None:
        assert len(entry[272]) == 8 and entry[273], entry
        self.last = entry.price, Decimal(entry[271])
        name = entry.get(278, "")
        if not self.begun:
            self.before = name
            return
        assert name not in self.trades and (name or not self.incremental), entry
        self.order.append(name)
        if name:
            self.trades[name] = self.last

    def _indicate(self, entry: Entry) -> None:
        kind = entry[269]
        if kind == IMBALANCE:
            assert entry[277] in ("P", "Q") and 270 not in entry, entry
            self.indications[kind] = Decimal(0), Decimal(entry[271]), entry[277]
        else:
            assert kind in (OPENING, CLOSING) and entry[286] == "5", entry
            self.indications[kind] = entry.price, Decimal(entry[271]), ""
