"""The public books of all markets of this node, in step with the journal."""

from collections.abc import Iterable

from engine.events import Event, Execution, Indicative, InstrumentListed, StateSet
from engine.state import State
from fixgw.marketdata.book import PublicBook


class Books:
    def __init__(self, state: State, time: int) -> None:
        """Of the state as it is: from here on `hear` is given the events of every command. `time`: of the
        last one."""
        self._state = state
        self.books = {symbol: PublicBook(market, time) for symbol, market in state.markets.items()}
        self._moved: dict[PublicBook, None] = {}

    def get(self, symbol: str) -> PublicBook | None:
        return self.books.get(symbol)

    def distant(self, symbol: str) -> bool:
        """It is traded on another node."""
        return symbol in self._state.distant

    def hear(self, events: Iterable[Event]) -> None:
        """All events of the command that the state has just been given."""
        for event in events:
            if type(event) is Execution:
                book = self.books.get(event.symbol)
                if book is None:  # on another node
                    continue
                book.hear(event, self._state.live_order(event.session, event.order_id))
            elif isinstance(event, StateSet | Indicative):
                book = self.books.get(event.symbol)
                if book is None:
                    continue
                if isinstance(event, StateSet):
                    book.enter(event.time)
                else:
                    book.indicate(event)
            elif isinstance(event, InstrumentListed) and event.symbol in self._state.markets:
                book = self.books[event.symbol] = PublicBook(self._state.markets[event.symbol], event.time)
            else:
                continue
            self._moved[book] = None

    def take_moved(self) -> list[PublicBook]:
        """Those that something has happened to since they were asked for last."""
        moved, self._moved = self._moved, {}
        return [book for book in moved if book.moved]
