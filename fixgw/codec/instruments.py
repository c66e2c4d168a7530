"""An instrument as the codec needs it: the grids that turn its integers into text and back."""

from collections.abc import Mapping

from engine.commands import ListInstrument
from fixgw.codec.decimals import Step, currency


class InstrumentText:
    """Grids of one listed instrument. What it takes for them is in the journal, not only in the settings."""

    __slots__ = (
        "currencies",
        "max_cash",
        "max_price",
        "max_quantity",
        "money",
        "price",
        "quantity",
        "quote",
        "quote_per_tick_lot",
        "symbol",
    )

    def __init__(self, listed: ListInstrument) -> None:
        self.symbol = listed.symbol
        self.quote = listed.quote
        self.price = Step(listed.tick)
        """prices: steps are ticks"""
        self.quantity = Step(listed.lot)
        """quantities: steps are lots"""
        self.max_price = listed.max_price
        self.max_quantity = listed.max_quantity
        self.quote_per_tick_lot = listed.quote_per_tick_lot
        self.max_cash = listed.max_price * listed.max_quantity * listed.quote_per_tick_lot
        """what an order can come to at most, in smallest units of the quote currency"""
        tick, lot = self.price, self.quantity
        self.currencies: Mapping[str, Step] = {
            listed.base: _grid(listed.base_per_lot, lot.size, lot.places),
            listed.quote: _grid(listed.quote_per_tick_lot, tick.size * lot.size, tick.places + lot.places),
        }
        """money: steps are smallest units"""
        self.money = self.currencies[listed.quote]
        """the quote currency"""


def _grid(units: int, size: int, places: int) -> Step:
    """The grid of a currency of which size / 10**places is `units` smallest units."""
    power = units * 10**places // size
    decimals = len(str(power)) - 1
    assert power == 10**decimals, "smallest units are a power of ten"
    return currency(decimals)
