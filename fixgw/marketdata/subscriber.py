"""One session: what it has subscribed to, and what of it is due. Time is passed in: seconds of a clock that
never goes back."""

from typing import NamedTuple

from fixgw.codec.market_data import Form, request_reject
from fixgw.codec.reports import Report
from fixgw.codec.statuses import security_status
from fixgw.codec.subscriptions import (
    BAD_DEPTH,
    DUPLICATE,
    OTHER,
    SNAPSHOT,
    TOO_MANY,
    UNKNOWN_SYMBOL,
    UNSUBSCRIBE,
    Request,
    Unanswerable,
    read_request,
    shown,
)
from fixgw.codec.times import utc_timestamp
from fixgw.marketdata.feed import Wanted
from fixgw.marketdata.feeds import Feeds
from fixgw.marketdata.reader import Reader


class Limits(NamedTuple):
    """What one session may have, and how it is told: settings of the same names (config/reference.yaml)."""

    interval: float = 0.0
    """seconds between two messages about one market, with trades merged; 0: as fast as it reads"""
    depth: int = 100
    full_book: bool = True
    subscriptions: int = 1000
    unread_trades: int = 10_000
    stalled: float = 30.0
    """seconds"""
    most_levels: int = 100_000
    """a full book with more is too large for one message"""


class Subscriber:
    def __init__(self, feeds: Feeds, form: Form, limits: Limits) -> None:
        self.limits = limits
        self.too_slow = ""
        """why it has to go; empty: it keeps up"""
        self._feeds = feeds
        self._form = form
        self._readers: dict[str, list[Reader]] = {}
        """by MDReqID(262)"""
        self._count = 0
        self._ready: dict[Reader, None] = {}
        """those to be told something now"""
        self._stirred: dict[Reader, None] = {}
        """those to be told something when the next interval begins"""
        self._next = 0.0
        """when that is"""
        self._since = 0.0
        """since when something is due and nothing was taken"""

    # -- what it asks --------------------------------------------------------------------------------

    def request(self, text: str, now: float) -> list[Report]:
        """A MarketDataRequest. What is refused is answered at once, everything else when it is served."""
        try:
            request = read_request(text)
            self._take(request, now)
        except Unanswerable as problem:
            found = dict(pair.split("=", 1) for pair in text[:-1].split("\x01"))
            return [request_reject(found["262"], problem.reason, str(problem))]
        return []

    def leave(self) -> None:
        """Its client is gone, and with it all that it has asked for."""
        for request_id in list(self._readers):
            self._end(request_id)

    def _take(self, request: Request, now: float) -> None:
        known = request.request_id in self._readers
        if request.kind == UNSUBSCRIBE:
            if not known:
                raise Unanswerable(OTHER, f"there is no subscription {shown(request.request_id)}")
            self._end(request.request_id)
            return
        if known:
            raise Unanswerable(
                DUPLICATE, f"MDReqID {shown(request.request_id)} is in use: end it, or take another one"
            )
        self._check(request)
        merged = self.limits.interval > 0
        wanted = Wanted(self._form, request.types, request.depth, request.incremental, merged)
        once = request.kind == SNAPSHOT
        if not self._ready:
            self._since = now
        readers = self._readers[request.request_id] = []
        for symbol in request.symbols:
            feed = self._feeds.feed(symbol, wanted)
            reader = Reader(self, feed, request.request_id, once)
            feed.readers[reader] = self._ready[reader] = None
            readers.append(reader)
        self._count += len(readers)

    def _check(self, request: Request) -> None:
        books, limits, depth = self._feeds.books, self.limits, request.depth
        for symbol in request.symbols:
            book = books.get(symbol)
            if book is None:
                where = "is traded on another node: ask there" if books.distant(symbol) else "is unknown"
                raise Unanswerable(UNKNOWN_SYMBOL, f"Symbol {shown(symbol)} {where}")
            levels = sum(map(len, book.sides))
            if not depth and levels > limits.most_levels:
                raise Unanswerable(
                    BAD_DEPTH, f"the book of {symbol} has {levels} levels, too many for one message"
                )
        full = "; 0 is the full book" if limits.full_book else ""
        if depth > limits.depth:
            raise Unanswerable(BAD_DEPTH, f"MarketDepth {depth} is more than {limits.depth}{full}")
        if not depth and not limits.full_book:
            raise Unanswerable(
                BAD_DEPTH, f"MarketDepth 0 (full book) is not offered, only 1 to {limits.depth}"
            )
        if self._count + len(request.symbols) > limits.subscriptions:
            text = f"{self._count} markets are subscribed to already, and {limits.subscriptions} is the limit"
            raise Unanswerable(TOO_MANY, text)

    def _end(self, request_id: str) -> None:
        readers = self._readers.pop(request_id)
        self._count -= len(readers)
        for reader in readers:
            self._forget(reader)

    def _forget(self, reader: Reader) -> None:
        self._ready.pop(reader, None)
        self._stirred.pop(reader, None)
        self._feeds.leave(reader)

    # -- what it is told -----------------------------------------------------------------------------

    def stir(self, reader: Reader, now: float) -> None:
        """There is something new for the reader."""
        if not (self._ready or self._stirred):
            self._since = max(now, self._next)
        if reader not in self._ready:
            self._stirred[reader] = None
        waiting = reader.feed.book.dealt - reader.dealt
        if reader.feed.queues and reader.begun and waiting > self.limits.unread_trades:
            limit = self.limits.unread_trades
            self.too_slow = f"{waiting} trades of {reader.feed.book.symbol} unread, the limit is {limit}"

    def due(self, now: float) -> bool:
        return bool(self._ready) or (bool(self._stirred) and now >= self._next)

    def look(self, now: float) -> None:
        """Whether it takes what is due at all."""
        if self.due(now) and now - self._since > self.limits.stalled:
            self.too_slow = f"it has read nothing for {self.limits.stalled:g} s"

    def serve(self, now: float) -> list[Report]:
        """The next messages for a client that reads: what one market has for it."""
        self._since = now
        if not self._ready:
            self._ready, self._stirred = self._stirred, {}
            self._next = now + self.limits.interval
        reader = next(iter(self._ready))
        feed, reports = reader.feed, []
        book = feed.book
        if not reader.once and reader.state_time != book.state_time:
            reader.state_time = book.state_time
            reports.append(security_status(book.symbol, book.state, self._time(book.state_time)))
        reports += [reader.report(update) for update in feed.tell(reader)]
        if reader.once:
            self._readers[reader.request_id].remove(reader)
            if not self._readers[reader.request_id]:
                del self._readers[reader.request_id]
            self._count -= 1
            self._forget(reader)
        elif not reader.behind:
            del self._ready[reader]
        elif self.limits.interval:
            assert not feed.queues
        return reports

    def _time(self, time: int) -> str:
        return utc_timestamp(time, self._form.decimals)
