"""The words of `fixgw order` to FIX: `BUY 2 BTC-USD @ 50000.00`."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

GRAMMAR = """\
  BUY|SELL QUANTITY SYMBOL [@ PRICE]             a limit order, or a market order without a price
  BUY|SELL VALUE AMOUNT SYMBOL                   a market order for so much money
  CANCEL CLORDID BUY|SELL SYMBOL                 cancels the order with that ClOrdID
  REPLACE CLORDID BUY|SELL QUANTITY SYMBOL [@ PRICE]
                                                 new total quantity and price; --stop of a stop, --show of an
                                                 iceberg and --until are to be said again, changed or not
  STATUS CLORDID BUY|SELL SYMBOL                 asks how an order stands
  CANCEL-ALL [SYMBOL]                            cancels all orders of the client, or those of one market"""

SIDES = {"BUY": "1", "SELL": "2"}
TIMES_IN_FORCE = {
    "DAY": "0",
    "GTC": "1",
    "OPENING": "2",
    "IOC": "3",
    "FOK": "4",
    "UNTIL": "6",
    "CLOSING": "7",
}
LIMIT, MARKET = "2", "1"
STOPS = {MARKET: "3", LIMIT: "4"}
"""OrdType(40), with a StopPx"""

_NUMBER = re.compile(r"-?\d{1,20}(\.\d{1,18})?\Z", re.ASCII)
_UNTIL = re.compile(r"\d{8}(-\d\d:\d\d:\d\d(\.\d{3})?)?\Z", re.ASCII)
_NAME = re.compile(r"[!-~]{1,64}\Z")


class Misspelled(Exception):
    """One line for people: which word is wrong, and what would be right."""


@dataclass(frozen=True)
class Conditions:
    """What an order may say beyond its words, as it is written on the command line; "": it does not."""

    time_in_force: str = ""
    """one of TIMES_IN_FORCE"""
    stop: str = ""
    show: str = ""
    least: str = ""
    until: str = ""
    """ExpireTime(126), or with 8 digits ExpireDate(432)"""
    post_only: bool = False

    def pairs(self, priced: bool) -> list[tuple[str, str]]:
        """OrdType(40) and the fields of all that is said."""
        kind = LIMIT if priced else MARKET
        said = [("40", STOPS[kind] if self.stop else kind), ("99", self.stop), ("111", self.show)]
        said += [("110", self.least), ("432" if len(self.until) == 8 else "126", self.until)]
        said += [("18", "6" if self.post_only else "")]
        in_force = self.time_in_force or ("UNTIL" if self.until else "")
        said += [("59", TIMES_IN_FORCE.get(in_force, ""))]
        return [(tag, value) for tag, value in said if value]


@dataclass(frozen=True)
class Request:
    """One application message, without account, conditions and ClOrdID of its own."""

    msg_type: str
    side: str
    symbol: str
    quantity: str = ""
    price: str = ""
    original: str = ""
    """OrigClOrdID(41), or of a status request the ClOrdID it is about"""
    value: str = ""
    """CashOrderQty(152)"""

    def body(self, cl_ord_id: str, account: str, conditions: Conditions) -> str:
        """The message's fields."""
        if self.msg_type == "H":
            pairs = [("11", self.original), ("55", self.symbol), ("54", self.side)]
        elif self.msg_type == "q":
            pairs = [("11", cl_ord_id), ("530", "1" if self.symbol else "7"), ("55", self.symbol)]
            pairs += [("60", _now())]
        else:
            pairs = [("11", cl_ord_id), ("41", self.original), ("1", account), ("55", self.symbol)]
            pairs += [("54", self.side), ("60", _now()), ("38", self.quantity), ("152", self.value)]
            pairs += [("44", self.price)]
            if self.msg_type != "F":
                pairs += conditions.pairs(bool(self.price))
        return "".join(f"{tag}={value}\x01" for tag, value in pairs if value)

    def is_about(self, cl_ord_id: str) -> str:
        """The ClOrdID by which its answers are known."""
        return self.original if self.msg_type == "H" else cl_ord_id


def _now() -> str:
    return datetime.now(UTC).strftime("%Y%m%d-%H:%M:%S.%f")[:-3]


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
        case ["BUY" | "SELL" as side, "VALUE", value, symbol]:
            return Request("D", SIDES[side], check_name(symbol), value=_number(value))
        case ["STATUS", original, side, symbol]:
            return Request("H", _side(side), check_name(symbol), original=check_name(original))
        case ["CANCEL-ALL"]:
            return Request("q", "", "")
        case ["CANCEL-ALL", symbol]:
            return Request("q", "", check_name(symbol))
        case ["CANCEL", original, side, symbol]:
            return Request("F", _side(side), check_name(symbol), original=check_name(original))
        case ["REPLACE", original, side, quantity, symbol]:
            own = check_name(original)
            return Request("G", _side(side), check_name(symbol), _number(quantity), original=own)
        case ["REPLACE", original, side, quantity, symbol, "@", price]:
            own = check_name(original)
            return Request("G", _side(side), check_name(symbol), _number(quantity), _number(price), own)
    raise Misspelled(f"cannot read {' '.join(words)!r}; an order is one of\n{GRAMMAR}")


def _side(word: str) -> str:
    if word.upper() not in SIDES:
        raise Misspelled(f"side {word!r}: BUY or SELL")
    return SIDES[word.upper()]


def _number(word: str) -> str:
    if not _NUMBER.match(word):
        raise Misspelled(f"{word!r} is not a decimal number such as 2 or 50000.00")
    return word


def conditions(
    time_in_force: str, stop: str, show: str, least: str, until: str, post_only: bool
) -> Conditions:
    """Raises Misspelled."""
    if until and not _UNTIL.match(until):
        raise Misspelled(f"--until {until!r}: YYYYMMDD, or YYYYMMDD-HH:MM:SS in UTC")
    for number in stop, show, least:
        if number:
            _number(number)
    return Conditions(time_in_force, stop, show, least, until, post_only)


def check_name(word: str) -> str:
    """`word`, fit for a FIX field that names something; raises Misspelled."""
    if not _NAME.match(word):
        raise Misspelled(f"{word!r}: 1 to 64 printable ASCII characters without blanks")
    return word
