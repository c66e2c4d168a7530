"""The words of `fixgw order` to FIX: `BUY 2 BTC-USD @ 50000.00`."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

GRAMMAR = """\
  BUY|SELL QUANTITY SYMBOL [@ PRICE]             a limit order, or a market order without a price
  CANCEL CLORDID BUY|SELL SYMBOL                 cancels the order with that ClOrdID
  REPLACE CLORDID BUY|SELL QUANTITY SYMBOL @ PRICE   new total quantity and new price"""

SIDES = {"BUY": "1", "SELL": "2"}
TIMES_IN_FORCE = {"DAY": "0", "GTC": "1", "IOC": "3", "FOK": "4"}

_NUMBER = re.compile(r"-?\d{1,20}(\.\d{1,18})?\Z", re.ASCII)
_NAME = re.compile(r"[!-~]{1,64}\Z")


class Misspelled(Exception):
    """One line for people: which word is wrong, and what would be right."""


@dataclass(frozen=True)
class Request:
    """One application message, without account, TimeInForce and ClOrdID of its own."""

    msg_type: str
    side: str
    symbol: str
    quantity: str = ""
    price: str = ""
    original: str = ""
    """OrigClOrdID(41)"""

    def body(self, cl_ord_id: str, account: str, time_in_force: str) -> str:
        """The message's fields. `time_in_force` is DAY, GTC, IOC or FOK; a cancel has no use for it."""
        pairs = [("11", cl_ord_id)]
        if self.original:
            pairs += [("41", self.original)]
        pairs += [("1", account), ("55", self.symbol), ("54", self.side)]
        pairs += [("60", datetime.now(UTC).strftime("%Y%m%d-%H:%M:%S.%f")[:-3])]
        if self.quantity:
            pairs += [("38", self.quantity), ("40", "2" if self.price else "1")]
        if self.price:
            pairs += [("44", self.price)]
        if self.msg_type == "D":
            pairs += [("59", TIMES_IN_FORCE[time_in_force])]
        return "".join(f"{tag}={value}\x01" for tag, value in pairs)


def new_cl_ord_id() -> str:
    """Unique for one person at one keyboard: the time in microseconds."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")


def parse(words: list[str]) -> Request:
    """Raises Misspelled."""
    match [words[0].upper(), *words[1:]]:
        case ["BUY" | "SELL" as side, quantity, symbol]:
            return Request("D", SIDES[side], check_name(symbol), _number(quantity))
        case ["BUY" | "SELL" as side, quantity, symbol, "@", price]:
            return Request("D", SIDES[side], check_name(symbol), _number(quantity), _number(price))
        case ["CANCEL", original, side, symbol]:
            return Request("F", _side(side), check_name(symbol), original=check_name(original))
        case ["REPLACE", original, side, quantity, symbol, "@", price]:
            return Request(
                "G", _side(side), check_name(symbol), _number(quantity), _number(price), check_name(original)
            )
    raise Misspelled(f"cannot read {' '.join(words)!r}; an order is one of\n{GRAMMAR}")


def _side(word: str) -> str:
    if word.upper() not in SIDES:
        raise Misspelled(f"side {word!r}: BUY or SELL")
    return SIDES[word.upper()]


def _number(word: str) -> str:
    if not _NUMBER.match(word):
        raise Misspelled(f"{word!r} is not a decimal number such as 2 or 50000.00")
    return word


def check_name(word: str) -> str:
    """`word`, fit for a FIX field that names something; raises Misspelled."""
    if not _NAME.match(word):
        raise Misspelled(f"{word!r}: 1 to 64 printable ASCII characters without blanks")
    return word
