"""The pure part of the station without sockets: a venue with random days, subscribers who read when they are
told to, and a client's book for each of their subscriptions."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from engine.commands import Command
from engine.events import Execution, Indicative
from engine.venue import Venue
from fixgw.codec.market_data import Form
from fixgw.marketdata.books import Books
from fixgw.marketdata.feeds import Feeds
from fixgw.marketdata.subscriber import Limits, Subscriber
from tests.engine.themes import OPENING, SYMBOLS
from tests.marketdata.client import BID, OFFER, ClientBook, Fields
from tests.marketdata.days import indicated, levels

ALL = "0 1 2 4 5 A"


class Kind(NamedTuple):
    """What a listener is and wants."""

    newer: bool
    depth: int = 0
    incremental: bool = True
    interval: float = 0.0
    types: str = ALL


class Truth(NamedTuple):
    """A trade, as it is now."""

    price: Decimal
    quantity: Decimal


class Hall:
    def __init__(self, commands: Sequence[Command]) -> None:
        self.venue = Venue()
        self.books = Books(self.venue, 0)
        self.feeds = Feeds(self.books)
        self.now = 0.0
        self.listeners: list[Listener] = []
        self.trades: dict[str, dict[str, Truth | None]] = {symbol: {} for symbol in SYMBOLS}
        """by symbol and MatchID, in their order; None: busted"""
        self.volume = dict.fromkeys(SYMBOLS, Decimal(0))
        """of all trades, busted or not"""
        self.told: dict[str, bool] = {}
        """of markets in a call phase: whether what it indicates now has been told"""
        self._commands = [*OPENING, *commands]
        self.go(len(OPENING))

    @property
    def over(self) -> bool:
        return self.venue.sequence == len(self._commands)

    def go(self, count: int) -> None:
        """So many more commands."""
        for command in self._commands[self.venue.sequence :][:count]:
            events = self.venue.apply(self.venue.sequence + 1, command)
            self.books.hear(events)
            for event in events:
                if isinstance(event, Execution) and event.match_id:
                    instrument = self.venue.markets[event.symbol].instrument
                    truth = Truth(
                        event.last_price * Decimal(instrument.tick),
                        event.last_quantity * Decimal(instrument.lot),
                    )
                    busted = event.exec_type == "H"
                    if event.exec_type == "F" and event.side == "1":
                        self.volume[event.symbol] += truth.quantity
                    self.trades[event.symbol][str(event.match_id)] = None if busted else truth
            self.told = dict.fromkeys(self.told, False) if events else self.told
            for event in events:
                if isinstance(event, Indicative):
                    self.told[event.symbol] = True

    def look(self) -> None:
        for reader in self.feeds.advance():
            reader.subscriber.stir(reader, self.now)
        for listener in self.listeners:
            if listener.subscriber is not None:
                listener.subscriber.look(self.now)

    def settle(self) -> None:
        """All that is due is read, in time."""
        self.look()
        for _ in range(3):
            self.now += 1.0
            for listener in self.listeners:
                listener.read(1_000_000)


class Listener:
    """One session. Its books are those of this connection."""

    def __init__(self, hall: Hall, kind: Kind, **limits: float) -> None:
        self.hall, self.kind = hall, kind
        self.limits = Limits(interval=kind.interval, **limits)  # type: ignore[arg-type]
        self.subscriber: Subscriber | None = None
        self.books: dict[tuple[str, str], ClientBook] = {}
        """by MDReqID and symbol"""
        self.since: dict[tuple[str, str], tuple[int, Decimal]] = {}
        """trades that there had been at the first W, and their volume"""
        self.states: dict[str, str] = {}
        self.rejects: list[dict[int, str]] = []
        self.sizes: list[int] = []
        """bytes of messages"""
        hall.listeners.append(self)

    def connect(self) -> None:
        self.subscriber = Subscriber(self.hall.feeds, self.form, self.limits)

    @property
    def form(self) -> Form:
        return Form("FIXT.1.1" if self.kind.newer else "FIX.4.4", 3)

    def drop(self) -> None:
        """The connection is lost, and all that was on it."""
        if self.subscriber is not None:
            self.subscriber.leave()
        self.subscriber = None
        self.books.clear()
        self.since.clear()

    def ask(self, text: str) -> None:
        assert self.subscriber is not None
        message = f"8={self.form.begin_string}|9=1|35=V|34=2|{text}10=000|".replace("|", "\x01")
        for report in self.subscriber.request(message, self.hall.now):
            self._hear(report)

    def subscribe(self, name: str = "R", symbols: Sequence[str] = SYMBOLS, kind: str = "1") -> None:
        """`kind`: SubscriptionRequestType(263)"""
        wanted = self.kind
        types = "".join(f"269={each}|" for each in wanted.types.split())
        count = len(wanted.types.split())
        some = "".join(f"55={symbol}|" for symbol in symbols)
        self.ask(
            f"262={name}|263={kind}|264={wanted.depth}|265={int(wanted.incremental)}|267={count}|{types}"
            f"146={len(symbols)}|{some}"
        )
        for symbol in symbols:
            self.books[name, symbol] = ClientBook(
                symbol, wanted.depth, incremental=wanted.incremental, numbered=wanted.newer
            )

    def unsubscribe(self, name: str = "R") -> None:
        self.ask(f"262={name}|263=2|264=0|267=1|269=0|146=1|55=BTC-USD|")
        for key in [key for key in self.books if key[0] == name]:
            del self.books[key]
            self.since.pop(key, None)

    def read(self, most: int) -> int:
        """At most so many pieces; how many there were."""
        count = 0
        while self.subscriber is not None and count < most and self.subscriber.due(self.hall.now):
            for report in self.subscriber.serve(self.hall.now):
                self._hear(report)
            count += 1
        return count

    def _hear(self, report: tuple[str, bytes]) -> None:
        msg_type, body = report
        assert body.endswith(b"\x01")
        self.sizes.append(len(body))
        fields: Fields = []
        for pair in body[:-1].decode().split("\x01"):
            tag, _, value = pair.partition("=")
            fields.append((int(tag), value))
        found = dict(fields)
        if msg_type == "Y":
            self.rejects.append(found)
        elif msg_type == "f":
            self.states[found[55]] = found[58]
        else:
            assert msg_type in "WX", report
            key = found[262], found[55]
            if not self.books[key].begun:
                self.since[key] = len(self.hall.trades[key[1]]), self.hall.volume[key[1]]
            self.books[key].hear(msg_type, fields)

    # -- what must hold at rest ----------------------------------------------------------------------

    def check(self) -> None:
        for (name, symbol), book in self.books.items():
            market = self.hall.venue.markets[symbol]
            depth = self.kind.depth or None
            expected = levels(market)
            for side in BID, OFFER:
                wanted = expected[side][:depth] if side in self.kind.types else []
                assert book.sides[side] == wanted, (name, symbol, side)
            if self.hall.told.get(symbol):
                wanted_now = {kind: v for kind, v in indicated(market).items() if kind in self.kind.types}
                assert book.indications == wanted_now
            if market.state == "continuous":
                assert not book.indications
            assert self.states[symbol] == market.state
            if "2" in self.kind.types:
                self._check_trades(book, (name, symbol))

    def _check_trades(self, book: ClientBook, key: tuple[str, str]) -> None:
        truth = self.hall.trades[key[1]]
        count, volume = self.since[key]
        since = list(truth)[count:]
        if self.kind.interval:
            assert book.volume == self.hall.volume[key[1]] - volume
        if not self.kind.interval and (self.kind.incremental or self.kind.newer):
            assert book.order == since, "not every trade once"
        if not self.kind.interval and self.kind.incremental:
            assert book.trades == {name: truth[name] for name in since if truth[name] is not None}
