"""Prices, quantities and money of a message, in whole steps. What is not is refused, never rounded."""

from fixgw.codec.decimals import NotDecimal, OffStep, Step
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.refusals import ABOVE_MAX, NOT_POSITIVE, OFF_LOT, OFF_TICK, OFF_UNIT, Refused


def price(field: str, text: str, instrument: InstrumentText) -> int:
    """In ticks; raises Refused."""
    return _steps(field, text, instrument.price, instrument.max_price, OFF_TICK)


def quantity(field: str, text: str, instrument: InstrumentText) -> int:
    """In lots; raises Refused."""
    return _steps(field, text, instrument.quantity, instrument.max_quantity, OFF_LOT)


def cash(field: str, text: str, instrument: InstrumentText) -> int:
    """In smallest units of the quote currency; raises Refused."""
    return _steps(field, text, instrument.currencies[instrument.quote], instrument.max_cash, OFF_UNIT)


def _steps(field: str, text: str, grid: Step, most: int, off_grid: str) -> int:
    """A number above 0 in whole steps of its grid, at most `most`."""
    try:
        steps = grid.parse(text)
    except OffStep:
        raise Refused(off_grid, text, grid.text, field) from None
    except NotDecimal:
        raise Refused(NOT_POSITIVE, text, unit=field) from None
    if steps > most:
        raise Refused(ABOVE_MAX, text, grid.print(most), field)
    if not steps:
        raise Refused(NOT_POSITIVE, text, unit=field)
    return steps
