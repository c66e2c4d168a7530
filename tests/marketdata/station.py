"""A market data station beside a venue, as processes of their own, and raw clients of it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from engine.events import Execution
from engine.market import Market
from engine.venue import Venue
from fixgw.store.follow import Follower
from tests.marketdata.client import ClientBook
from tests.marketdata.days import levels
from tests.process import ServerProcess
from tests.raw import BUY, SELL, RawClient, Received
from tests.venue.floor import Floor, Member, running

PATIENCE = 20.0
ALL = ("0", "1", "2", "4", "5", "A")
_READY = re.compile(r"market-data: ready \S+ \S+ (\S+):(\d+)")


@contextmanager
def floor(directory: Path, sessions: Mapping[str, Any], **sections: dict[str, Any]) -> Iterator[Floor]:
    """With a station that has these sessions."""
    with running(directory, market_data={"port": 0, "sessions": dict(sessions)}, **sections) as venue:
        yield venue


def station(venue: ServerProcess, starts: int = 1) -> tuple[str, int]:
    """Where it listens, once it has been started so many times."""
    wait(lambda: len(_READY.findall(venue.errors)) >= starts, lambda: venue.errors)
    host, port = _READY.findall(venue.errors)[starts - 1]
    return host, int(port)


def station_pid(venue: ServerProcess) -> int:
    """Of the child that publishes market data."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"market-data" in words and str(venue.pid).encode() in words:
            return int(path.parent.name)
    raise AssertionError("there is no station")


def wait(happened: Callable[[], object], what: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, what()
        time.sleep(0.01)


class Watcher(RawClient):
    """A market data session. Each subscription has a book of its own for each market."""

    def __init__(self, where: tuple[str, int], name: str, begin_string: str = "FIX.4.4") -> None:
        super().__init__(*where, name, begin_string=begin_string)
        self.books: dict[tuple[str, str], ClientBook] = {}
        """by MDReqID and symbol"""
        self.states: dict[str, str] = {}

    def ask(
        self,
        name: str,
        *symbols: str,
        kind: str = "1",
        depth: int = 0,
        update: str | None = "1",
        types: Sequence[str] = ALL,
        more: Sequence[tuple[int, object]] = (),
    ) -> None:
        """A MarketDataRequest, with a new book for each market."""
        fields: list[tuple[int, object]] = [(262, name), (263, kind), (264, depth)]
        fields += [(265, update)] if update is not None else []
        fields += [*more, (267, len(types)), *((269, each) for each in types)]
        fields += [(146, len(symbols)), *((55, each) for each in symbols)]
        for symbol in symbols:
            self.books[name, symbol] = ClientBook(
                symbol, depth, incremental=update == "1", numbered=self.begin_string == "FIXT.1.1"
            )
        self.send("V", fields)

    def end(self, name: str, symbol: str) -> None:
        self.send("V", [(262, name), (263, 2), (264, 0), (267, 1), (269, 0), (146, 1), (55, symbol)])

    def receive(self, timeout: float | None = None) -> Received:
        message = super().receive(timeout)
        if message.msg_type == "f":
            self.states[message[55]] = message[58]
        elif message.msg_type in ("W", "X"):
            fields = [pair for pair in message.fields if pair[0] not in FRAME]
            self.books[message[262], dict(message.fields)[55]].hear(message.msg_type, fields)
        elif message.msg_type == "1":
            self.send("0", [(112, message[112])])
        return message

    def read_until(self, happened: Callable[[], bool]) -> None:
        """Returns at once if it has; else it reads until it does."""
        deadline = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < deadline, self.received[-3:]
            self.receive()

    def begin(self) -> None:
        """All subscriptions have their first W."""
        self.read_until(lambda: all(book.begun for book in self.books.values()))


FRAME = {8, 9, 10, 34, 35, 43, 49, 52, 56, 97, 122}


class Truth:
    """The engine's own state beside the venue, and all trades there have been."""

    def __init__(self, data: Path) -> None:
        self.venue = Venue()
        self._follower = Follower(data)
        self._trades: dict[str, list[str]] = {}

    def catch_up(self, entries: int) -> None:
        """With a venue whose journal has so many."""

        def reached() -> bool:
            for sequence, entry in self._follower.entries(1000):
                self.venue.apply(sequence, entry.command)
                for event in entry.events:
                    if isinstance(event, Execution) and event.exec_type == "F" and event.side == "1":
                        self._trades.setdefault(event.symbol, []).append(str(event.match_id))
            return self.venue.sequence >= entries

        wait(reached, lambda: f"{self.venue.sequence} entries, not {entries}")

    def market(self, symbol: str) -> Market:
        return self.venue.markets[symbol]

    def trades(self, symbol: str) -> list[str]:
        return self._trades.get(symbol, [])

    def close(self) -> None:
        self._follower.close()


def same(book: ClientBook, truth: Truth, types: Sequence[str] = ALL) -> bool:
    expected = levels(truth.market(book.symbol))
    depth = book.depth or None
    return all(book.sides[side] == expected[side][:depth] for side in ("0", "1") if side in types)


def trades_fit(book: ClientBook, truth: Truth) -> bool:
    """Those since the first W are the last ones there have been, each once, in their order."""
    there = truth.trades(book.symbol)
    return book.order == there[len(there) - len(book.order) :]


class Traders:
    """Two clients who trade on one market by chance; what they are told is thrown away."""

    def __init__(self, venue: Floor, market: str, seed: int) -> None:
        self.members = [Member(venue, market, name) for name in ("ALPHA", "BRAVO")]
        self._chance = Random(seed)
        self._names: dict[Member, list[tuple[str, str]]] = {member: [] for member in self.members}
        self._count = 0

    def act(self, count: int) -> None:
        chance = self._chance
        for _ in range(count):
            member = chance.choice(self.members)
            names, self._count = self._names[member], self._count + 1
            name = f"{self._count}"
            if names and chance.random() < 0.3:
                before, side = names.pop(chance.randrange(len(names)))
                if chance.random() < 0.5:
                    member.cancel(name, before, side)
                else:
                    member.replace(name, before, side, chance.randint(1, 9), self._price(side))
                    names.append((name, side))
                continue
            side = chance.choice((BUY, SELL))
            more: dict[str, Any] = {"time_in_force": chance.choice("0113")}
            quantity = chance.randint(1, 9)
            if more["time_in_force"] != "3" and chance.random() < 0.2:
                more["extra"] = [(111, chance.randint(1, quantity))]
            member.new(name, side, quantity, self._price(side), **more)
            names.append((name, side))

    def settle(self) -> None:
        """All that was sent has been answered."""
        for member in self.members:
            member.settle()
            member.received.clear()

    def _price(self, side: str) -> Decimal:
        low = 95 if side == BUY else 99
        return Decimal(self._chance.randint(low, low + 7))


@contextmanager
def trading(venue: Floor, market: str, seed: int) -> Iterator[Traders]:
    traders = Traders(venue, market, seed)
    for member in traders.members:
        member.logon(reset=True)
    try:
        yield traders
        for member in traders.members:
            member.logout()
    finally:
        for member in traders.members:
            member.close()
