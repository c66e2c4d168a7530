"""Exact decimal text to whole multiples of a step (a tick, a lot, a currency's smallest unit) and back."""

MAX_LENGTH = 40
"""characters of a decimal text; longer ones are refused unread"""


class NotDecimal(ValueError):
    """Not a plain decimal number: sign, exponent, blank, separator, empty or too long."""


class OffStep(ValueError):
    """A decimal number, but not a whole multiple of the step."""


class Step:
    """The grid of one instrument's prices or quantities, or of one currency: `Step("0.01")`.

    `text` is the step as a plain decimal above zero; anything else raises NotDecimal or OffStep."""

    __slots__ = ("_format", "_scale", "places", "size", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.places = len(text.partition(".")[2])
        """decimals of the step, and of every printed number"""
        self._scale: int = 10**self.places
        self._format = f"%d.%0{self.places}d" if self.places else "%d"
        self.size = 1
        self.size = self.parse(text)
        """the step in units of 10**-places"""
        if not self.size:
            raise OffStep(text)

    def parse(self, text: str) -> int:
        """How many steps `text` is; raises NotDecimal or OffStep, never rounds."""
        whole, _, fraction = text.partition(".")
        digits = whole + fraction
        if not (digits.isdigit() and digits.isascii()) or len(text) > MAX_LENGTH:
            raise NotDecimal(text)
        places = self.places
        if len(fraction) != places:
            if fraction[places:].strip("0"):
                raise OffStep(text)
            digits = whole + fraction[:places].ljust(places, "0")
        steps, rest = divmod(int(digits or "0"), self.size)
        if rest:
            raise OffStep(text)
        return steps

    def print(self, steps: int) -> str:
        """The plain decimal text of `steps` (0 or more): `Step("0.01").print(5000000)` is "50000.00"."""
        units = steps * self.size
        return self._format % (divmod(units, self._scale) if self.places else units)


def currency(decimals: int) -> Step:
    """The grid of a currency: its smallest unit is 10**-decimals."""
    return Step("0." + "1".zfill(decimals) if decimals else "1")
