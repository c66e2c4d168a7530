"""The feeds that somebody reads."""

from collections.abc import Iterator

from fixgw.codec.market_data import Entries, Form
from fixgw.marketdata.book import PublicBook
from fixgw.marketdata.books import Books
from fixgw.marketdata.feed import Feed, Wanted
from fixgw.marketdata.reader import Reader


class Feeds:
    def __init__(self, books: Books) -> None:
        self.books = books
        self._feeds: dict[PublicBook, dict[Wanted, Feed]] = {}
        self._entries: dict[tuple[str, Form], Entries] = {}

    def feed(self, symbol: str, wanted: Wanted) -> Feed:
        """Of a market that there is."""
        book = self.books.books[symbol]
        feeds = self._feeds.setdefault(book, {})
        feed = feeds.get(wanted)
        if feed is None:
            feed = feeds[wanted] = Feed(book, wanted, self._entries_of(book, wanted.form))
        return feed

    def leave(self, reader: Reader) -> None:
        """A feed without readers is no more."""
        feed = reader.feed
        feed.readers.pop(reader, None)
        feeds = self._feeds.get(feed.book, {})
        if not feed.readers and feeds.get(feed.wanted) is feed:
            del feeds[feed.wanted]

    def advance(self) -> Iterator[Reader]:
        """A step of every book that has moved: those for whom that is something new."""
        for book in self.books.take_moved():
            feeds = self._feeds.get(book, {}).values()
            stirred = [feed for feed in feeds if feed.advance()]
            book.rest()
            if book.long:
                told = (each.dealt for feed in feeds if feed.queues for each in feed.readers if each.begun)
                book.drop(min(told, default=book.dealt))
            for feed in stirred:
                yield from list(feed.readers)

    def _entries_of(self, book: PublicBook, form: Form) -> Entries:
        entries = self._entries.get((book.symbol, form))
        if entries is None:
            entries = Entries(book.market.instrument, form)
            self._entries[book.symbol, form] = entries
        return entries
