"""What all who want the same of one market are told. They share the work: what is told to one who has come as
far as another is made once."""

from typing import NamedTuple

from engine import words
from fixgw.codec.market_data import (
    BID,
    CHANGE,
    CLOSING,
    DELETE,
    IMBALANCE,
    MORE_BUYERS,
    MORE_SELLERS,
    NEW,
    NONE,
    OFFER,
    OPENING,
    TRADE,
    Entries,
    Form,
)
from fixgw.marketdata.book import BIDS, OFFERS, Clearing, Deal, Level, Missed, PublicBook
from fixgw.marketdata.reader import Reader

PIECE = 200
"""most entries of one X, and most trades of one W"""
SIDES = ((BIDS, BID), (OFFERS, OFFER))
ACTIONS = {words.TRADE: NEW, words.CORRECTED: CHANGE, words.BUSTED: DELETE}

Top = tuple[tuple[int, Level], ...]
Indications = dict[str, tuple[int, int, str]]
"""price, quantity and condition by type"""


class Wanted(NamedTuple):
    form: Form
    types: frozenset[str]
    """MDEntryType(269)"""
    depth: int
    """0: the whole book"""
    incremental: bool
    merged: bool
    """of all trades between two messages the last one is told, and the volume of all"""


class Update(NamedTuple):
    msg_type: str
    text: bytes
    entries: int


class Made(NamedTuple):
    updates: tuple[Update, ...]
    dealt: int
    """deals that have been told with it"""
    whole: bool
    """nothing is left to be told"""


class Feed:
    def __init__(self, book: PublicBook, wanted: Wanted, entries: Entries) -> None:
        self.book = book
        self.wanted = wanted
        self.readers: dict[Reader, None] = {}
        self._entries = entries
        self._sides = tuple((side, kind) for side, kind in SIDES if kind in wanted.types)
        self._indicates = not wanted.types.isdisjoint((OPENING, CLOSING, IMBALANCE))
        self._trades = TRADE in wanted.types
        self.queues = self._trades and not wanted.merged
        """every trade is told"""
        self._tops = self._find_tops()
        self._news = self._find_news()
        self._made: dict[tuple[int, int], Made] = {}
        """by the step and the deal that a reader has come to"""
        self._made_at = 0

    def advance(self) -> bool:
        """The book has moved, and its step ends: whether there is something to tell."""
        news, tops, changed = self._find_news(), self._tops, False
        if self.wanted.depth:
            self._tops = self._find_tops()
            changed = self._tops != tops
        elif any(side == own for side, _ in self.book.changed for own, _ in self._sides):
            changed = True
            if self.wanted.incremental:
                for reader in self.readers:
                    reader.miss(self.book.changed)
        changed |= news != self._news
        self._news = news
        return changed

    def tell(self, reader: Reader) -> tuple[Update, ...]:
        """What comes next for a reader. It has been told then, and is `behind` if there is more."""
        book, where = self.book, (reader.step, reader.dealt)
        if self._made_at != book.step:
            self._made.clear()
            self._made_at = book.step
        made = self._made.get(where)
        if made is None:
            made = self._made[where] = self._make(reader)
        reader.dealt, reader.behind = made.dealt, not made.whole
        if made.whole:
            reader.arrive(book, self._tops)
        return made.updates

    # -- what there is to tell -----------------------------------------------------------------------

    def _find_tops(self) -> tuple[Top, ...]:
        depth = self.wanted.depth
        return tuple(self.book.top(side, depth) for side, _ in self._sides) if depth else ()

    def _find_news(self) -> tuple[int, Clearing | None, int]:
        book = self.book
        return (
            book.dealt if self._trades else 0,
            book.clearing if self._indicates else None,
            book.state_time,
        )

    def _make(self, reader: Reader) -> Made:
        if not reader.begun:
            last = [self.book.last] if self._trades and self.book.last is not None else []
            return Made((self._snapshot(last, 0),), self.book.dealt, True)
        deals: list[Deal] = []
        volume = 0
        dealt = self.book.dealt
        if self.queues:
            deals = self.book.deals_from(reader.dealt, PIECE)
            dealt = reader.dealt + len(deals)
        elif self._trades and self.book.volume != reader.volume:
            volume = self.book.volume - reader.volume
            deals = [self.book.last] if self.book.last is not None else []
        whole = dealt == self.book.dealt
        if not self.wanted.incremental:
            trades = [deal for deal in deals if deal.exec_type == words.TRADE]
            return Made((self._snapshot(trades, volume),), dealt, whole)
        entries = [self._deal(ACTIONS[deal.exec_type], deal) for deal in deals]
        entries += [self._entries.volume(NEW, volume)] if volume else []
        if whole:
            entries += self._moves(reader) if self.wanted.depth else self._changes(reader.missed)
            entries += self._indications(reader.clearing)
        pieces = [entries[first : first + PIECE] for first in range(0, len(entries), PIECE)]
        updates = tuple(Update("X", self._entries.increment(piece), len(piece)) for piece in pieces)
        return Made(updates, dealt, whole)

    def _snapshot(self, deals: list[Deal], volume: int) -> Update:
        book, depth, level_text = self.book, self.wanted.depth, self._entries.level
        entries: list[str] = []
        for place, (side, kind) in enumerate(self._sides):
            levels = self._tops[place] if depth else book.sides[side].items()
            for position, (key, level) in enumerate(levels, 1):
                entries.append(level_text(NONE, kind, abs(key), *level, position if depth else 0))
        entries += [self._deal(NONE, deal) for deal in deals]
        entries += [self._entries.volume(NONE, volume)] if volume else []
        for kind, indication in self._indicated(book.clearing).items():
            entries.append(self._entries.indication(NONE, kind, *indication))
        return Update("W", self._entries.snapshot(book.time, entries), len(entries))

    def _deal(self, action: str, deal: Deal) -> str:
        return self._entries.trade(
            action, deal.match_id, deal.price, deal.quantity, deal.aggressor, deal.time
        )

    def _changes(self, missed: Missed) -> list[str]:
        """Of the whole book, where a level is known by its price."""
        gone: list[str] = []
        others: list[str] = []
        kinds, text = dict(self._sides), self._entries.level
        for (side, key), before in missed.items():
            kind, now = kinds.get(side), self.book.sides[side].get(key)
            if kind is None or now == before:
                continue
            if now is None:
                gone.append(text(DELETE, kind, abs(key), 0, 0))
            else:
                others.append(text(NEW if before is None else CHANGE, kind, abs(key), *now))
        return gone + others

    def _moves(self, reader: Reader) -> list[str]:
        """Of the best levels, where each has a position: those that go, the worst first, then those that come
        or change, the best first. So each entry has the position of the level once those before it are done,
        and there are never more levels than were asked for."""
        entries: list[str] = []
        text = self._entries.level
        for place, (_, kind) in enumerate(self._sides):
            had, now = reader.tops[place], self._tops[place]
            if had is now:
                continue
            before, after = dict(had), dict(now)
            for position in range(len(had), 0, -1):
                key = had[position - 1][0]
                if key not in after:
                    entries.append(text(DELETE, kind, abs(key), 0, 0, position))
            for position, (key, level) in enumerate(now, 1):
                if before.get(key) != level:
                    action = CHANGE if key in before else NEW
                    entries.append(text(action, kind, abs(key), *level, position))
        return entries

    def _indicated(self, clearing: Clearing | None) -> Indications:
        """Of the types that are wanted."""
        if clearing is None or not self._indicates:
            return {}
        surplus = clearing.surplus
        found: Indications = {
            CLOSING if clearing.closing else OPENING: (clearing.price, clearing.quantity, "")
        }
        if surplus:
            found[IMBALANCE] = (0, abs(surplus), MORE_BUYERS if surplus > 0 else MORE_SELLERS)
        return {kind: found[kind] for kind in found if kind in self.wanted.types}

    def _indications(self, before: Clearing | None) -> list[str]:
        """What was indicated and is no more, and what is indicated now."""
        had, now = self._indicated(before), self._indicated(self.book.clearing)
        text = self._entries.indication
        entries = [text(DELETE, kind, *had[kind]) for kind in had if kind not in now]
        for kind, indication in now.items():
            if had.get(kind) != indication:
                entries.append(text(CHANGE if kind in had else NEW, kind, *indication))
        return entries
