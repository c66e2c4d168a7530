"""The market of one instrument: its book, its mode, who trades with whom and at what price."""

from collections.abc import Iterator

from engine.book import BookSide
from engine.commands import ListInstrument
from engine.order import Order
from engine.words import BUY, FILL_OR_KILL, SELL

MAX_AMOUNT = 2**62


class Market:
    """Price-time priority: the best price first, at one price the earliest; a trade is at the price of
    the order that was there before, the maker."""

    __slots__ = ("asks", "bids", "cancel_only", "instrument", "reserve_currency")

    def __init__(self, instrument: ListInstrument) -> None:
        assert min(instrument.base_per_lot, instrument.quote_per_tick_lot) >= 1, instrument
        assert min(instrument.max_quantity, instrument.max_price) >= 1, instrument
        quote_per_lot = instrument.max_price * instrument.quote_per_tick_lot
        assert instrument.max_quantity * max(quote_per_lot, instrument.base_per_lot) <= MAX_AMOUNT, instrument
        assert instrument.base != instrument.quote, instrument
        self.instrument = instrument
        self.bids = BookSide(-1)
        self.asks = BookSide(1)
        self.cancel_only = False
        self.reserve_currency = {BUY: instrument.quote, SELL: instrument.base}

    def reservation(self, side: str, quantity: int, price: int) -> int:
        """What `quantity` lots still to be filled hold of the side's reserve_currency. Nothing for a
        market order to buy (price 0): what remains of it can only end."""
        if side == BUY:
            return quantity * price * self.instrument.quote_per_tick_lot
        return quantity * self.instrument.base_per_lot

    def needed(self, side: str, quantity: int, price: int, time_in_force: str) -> int:
        """What a new order has to reserve: for a market order to buy the cost of what it will match."""
        if price or side == SELL:
            return self.reservation(side, quantity, price)
        matched, notional = self.sweep(side, quantity, price)
        if matched < quantity and time_in_force == FILL_OR_KILL:
            return 0
        return notional * self.instrument.quote_per_tick_lot

    def sweep(self, side: str, quantity: int, price: int) -> tuple[int, int]:
        """(lots, ticks times lots) of the trades that an order would make now; changes nothing."""
        opposite, limit = self._opposite(side, price)
        left, notional = quantity, 0
        for key, level in opposite.levels.items():
            if key > limit or not left:
                break
            taken = min(left, level.quantity)
            left -= taken
            notional += taken * abs(key)
        return quantity - left, notional

    def match(self, taker: Order) -> Iterator[tuple[Order, int]]:
        """Trades the order against the opposite side while prices cross. Yields (maker, quantity) of each
        trade once both orders have it, before the next is made."""
        opposite, limit = self._opposite(taker.side, taker.price)
        while taker.leaves_quantity and (level := opposite.best) is not None and level.key <= limit:
            assert level.first is not None
            quantity = min(taker.leaves_quantity, level.first.leaves_quantity)
            maker = opposite.fill_first(level, quantity)
            taker.fill(quantity, maker.price)
            yield maker, quantity

    def side(self, side: str) -> BookSide:
        return self.bids if side == BUY else self.asks

    def _opposite(self, side: str, price: int) -> tuple[BookSide, int]:
        """The side an order takes from, and the last key there that it accepts."""
        if side == BUY:
            return self.asks, price or self.instrument.max_price
        return self.bids, -price
