"""The market of one instrument: its book and what waits outside of it, its state, its limits."""

from collections import OrderedDict

from engine.book import BookSide
from engine.commands import ListInstrument, SetRules
from engine.order import BOOK, NOWHERE, PARKED, STOPS, TOUCHED, Order
from engine.stops import Stops, touches
from engine.words import BUY, CALL_PHASES, CONTINUOUS, OF_AUCTIONS, SELL

MAX_AMOUNT = 2**62
WHOLE = 10_000
"""hundredths of a percent"""


class Market:
    __slots__ = (
        "asks",
        "bids",
        "dynamic_reference",
        "fees",
        "highest_fee",
        "instrument",
        "last_price",
        "parked",
        "passing",
        "reason",
        "reserve_currency",
        "rules",
        "state",
        "stops",
        "touched",
    )

    def __init__(self, instrument: ListInstrument) -> None:
        assert min(instrument.base_per_lot, instrument.quote_per_tick_lot) >= 1, instrument
        assert min(instrument.max_quantity, instrument.max_price) >= 1, instrument
        quote_per_lot = instrument.max_price * instrument.quote_per_tick_lot
        assert instrument.max_quantity * max(quote_per_lot, instrument.base_per_lot) <= MAX_AMOUNT, instrument
        assert instrument.base != instrument.quote, instrument
        self.instrument = instrument
        self.rules = SetRules(0, instrument.symbol)
        self.fees = 0, 0
        """rates of a maker and of a taker for an order that comes now"""
        self.highest_fee = 0
        """what a trade of an order that comes now may cost at most, as maker or as taker"""
        self.state = CONTINUOUS
        self.reason = ""
        """why: RESTART, VOLATILITY, or "" for the operator's will"""
        self.bids = BookSide(-1)
        self.asks = BookSide(1)
        self.stops = Stops()
        self.touched: OrderedDict[int, Order] = OrderedDict()
        """stops that a trade has touched, by OrderID, the next to be triggered first; a dict would look for
        its first past all that have left it"""
        self.parked: dict[int, Order] = {}
        """at-the-close orders that wait for the closing auction, by OrderID"""
        self.passing: dict[int, Order] = {}
        """orders in the book that end with the auction, by OrderID: market, at the opening, at the close"""
        self.last_price = 0
        """of the last trade, or what the operator says in its place (docs/market.md, 6.3), in ticks; 0 before
        the first trade"""
        self.dynamic_reference = 0
        """docs/market.md, 9.1; 0 if there is none"""
        self.reserve_currency = {BUY: instrument.quote, SELL: instrument.base}

    @property
    def in_call_phase(self) -> bool:
        return self.state in CALL_PHASES

    @property
    def unfinished(self) -> bool:
        """Touched stops are still to be triggered, before anything else happens here."""
        return bool(self.touched) and self.state == CONTINUOUS

    @property
    def reference_price(self) -> int:
        """docs/market.md, 6.3; 0 if there is none"""
        return self.last_price or self.rules.reference_price

    def follow(self, rules: SetRules) -> None:
        """From here on these hold."""
        if self.last_price and rules.reference_price not in (0, self.rules.reference_price):
            self.last_price = self.dynamic_reference = rules.reference_price
        self.rules = rules
        self.fees = rules.maker_fee, rules.taker_fee
        self.highest_fee = max(self.fees)

    # -- prices --------------------------------------------------------------------------------------

    @property
    def bounds(self) -> tuple[int, int]:
        """Lowest and highest price of the market, without a band."""
        return self.rules.min_price or 1, self.instrument.max_price

    def around(self, price: int, width: int) -> tuple[int, int]:
        """The ends of a band of `width` hundredths of a percent around a price, within the bounds."""
        lowest, highest = self.bounds
        low, high = _ends(price, width)
        return max(low, lowest), min(high, highest)

    @property
    def band(self) -> tuple[int, int]:
        """Lowest and highest price that the band takes; the bounds without one."""
        reference = self.reference_price if self.rules.band else 0
        return self.around(reference, self.rules.band) if reference else self.bounds

    def collar(self, side: str, base: int) -> int:
        """The limit of an order without a Price: so far from `base`; without a collar or a base, the end of
        the band (docs/market.md, 6.4)."""
        collared = base != 0 and self.rules.collar != 0
        low, high = self.around(base, self.rules.collar) if collared else self.band
        return high if side == BUY else low

    def best_opposite(self, side: str) -> int:
        """The price, 0 if there is none."""
        best = self.opposite(side).best
        return 0 if best is None else abs(best.key)

    @property
    def dynamic_band(self) -> tuple[int, int]:
        """Lowest and highest price at which there can be a trade without a halt (docs/market.md, 9.1)."""
        reference = self.dynamic_reference if self.rules.dynamic_band else 0
        return _ends(reference, self.rules.dynamic_band) if reference else (0, MAX_AMOUNT)

    # -- orders --------------------------------------------------------------------------------------

    def side(self, side: str) -> BookSide:
        return self.bids if side == BUY else self.asks

    def opposite(self, side: str) -> BookSide:
        return self.asks if side == BUY else self.bids

    def rest(self, order: Order) -> None:
        """Puts the order into the book."""
        side = self.bids if order.side == BUY else self.asks
        side.add(order)
        if not order.price or order.time_in_force in OF_AUCTIONS:
            self.passing[order.order_id] = order

    def park(self, order: Order) -> None:
        self.parked[order.order_id] = order
        order.where = PARKED

    def wait(self, order: Order) -> None:
        """A stop waits, or is touched already by the last trade."""
        if touches(order, self.last_price):
            self.touch(order)
        else:
            self.stops.add(order)

    def touch(self, order: Order) -> None:
        self.touched[order.order_id] = order
        order.where = TOUCHED

    def traded(self, first: int, last: int) -> None:
        """There were trades from the price `first` to `last`."""
        self.last_price = last
        if self.stops:
            for order in self.stops.touch(min(first, last), max(first, last)):
                self.touch(order)

    def take_out(self, order: Order) -> None:
        """From wherever it is."""
        if order.where == BOOK:
            side = self.bids if order.side == BUY else self.asks
            side.remove(order)
            if self.passing:
                self.passing.pop(order.order_id, None)
        elif order.where == STOPS:
            self.stops.remove(order)
        elif order.where == TOUCHED:
            del self.touched[order.order_id]
        else:
            assert order.where == PARKED, order
            del self.parked[order.order_id]
        order.where = NOWHERE


def _ends(price: int, width: int) -> tuple[int, int]:
    """Rounded inside."""
    return -(-price * (WHOLE - width) // WHOLE), price * (WHOLE + width) // WHOLE
