"""Books and trades as entries of MarketDataSnapshotFullRefresh(W) and MarketDataIncrementalRefresh(X); and
MarketDataRequestReject(Y)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.commands import ListInstrument
from fixgw.codec.decimals import Step
from fixgw.codec.reports import Report
from fixgw.codec.times import utc_timestamp

BID: Final = "0"
OFFER: Final = "1"
TRADE: Final = "2"
OPENING: Final = "4"
CLOSING: Final = "5"
IMBALANCE: Final = "A"
VOLUME: Final = "B"
"""MDEntryType(269)"""

NEW: Final = "0"
CHANGE: Final = "1"
DELETE: Final = "2"
NONE: Final = ""
"""MDUpdateAction(279); an entry of a W has none"""

MORE_BUYERS, MORE_SELLERS = "P", "Q"
"""TradeCondition(277) of an imbalance"""
THEORETICAL = "5"
"""OpenCloseSettlFlag(286): the price that an auction would have, not one that it had"""


class Form(NamedTuple):
    """What of a session its messages depend on."""

    begin_string: str
    decimals: int
    """of the seconds in times: 3, 6 or 9"""

    @property
    def newer(self) -> bool:
        """FIX.4.4 has no RptSeq(83), AggressorSide(2446) and LastUpdateTime(779) there, and in a W no
        MDEntryID(278): its dictionary would refuse them."""
        return self.begin_string != "FIX.4.4"


class Entries:
    """Makes the entries of one market, in one form. In the newer one each has a place for its RptSeq(83),
    which `numbered` fills in: what is told to many is made once."""

    def __init__(self, instrument: ListInstrument, form: Form) -> None:
        self._price = Step(instrument.tick).print
        self._quantity = Step(instrument.lot).print
        self._symbol = instrument.symbol
        self._decimals = form.decimals
        self._newer = form.newer
        self._end = "83=%d\x01" if form.newer else ""

    def level(self, action: str, kind: str, price: int, quantity: int, orders: int, position: int = 0) -> str:
        """`position`: in a book of so many levels, from 1 on; 0: it is a whole one."""
        what = "" if action == DELETE else f"271={self._quantity(quantity)}\x01346={orders}\x01"
        place = f"290={position}\x01" if position else ""
        return f"{self._head(action, kind)}270={self._price(price)}\x01{what}{place}{self._end}"

    def trade(self, action: str, match_id: int, price: int, quantity: int, aggressor: str, time: int) -> str:
        """`aggressor`: Side(54), "" if there is none to tell."""
        name = f"278={match_id}\x01" if action or self._newer else ""
        side = f"2446={aggressor}\x01" if aggressor and self._newer else ""
        date, _, clock = utc_timestamp(time, self._decimals).partition("-")
        head = (
            f"279={action}\x01269={TRADE}\x01{name}55={self._symbol}\x01"
            if action
            else f"269={TRADE}\x01{name}"
        )
        return (
            f"{head}270={self._price(price)}\x01271={self._quantity(quantity)}\x01272={date}\x01273={clock}\x01"
            f"{side}{self._end}"
        )

    def volume(self, action: str, quantity: int) -> str:
        return f"{self._head(action, VOLUME)}271={self._quantity(quantity)}\x01{self._end}"

    def indication(self, action: str, kind: str, price: int, quantity: int, condition: str) -> str:
        """OPENING or CLOSING: the price of the auction; IMBALANCE: what would be left over, of no price."""
        what = f"270={self._price(price)}\x01" if price else ""
        what += "" if action == DELETE else f"271={self._quantity(quantity)}\x01"
        what += f"277={condition}\x01" if condition else f"286={THEORETICAL}\x01"
        return f"{self._head(action, kind)}{what}{self._end}"

    def snapshot(self, time: int, entries: Sequence[str]) -> bytes:
        """A W without its MDReqID(262). `time`: of the last change."""
        since = f"779={utc_timestamp(time, self._decimals)}\x01" if self._newer else ""
        return f"55={self._symbol}\x01{since}268={len(entries)}\x01{''.join(entries)}".encode("ascii")

    def increment(self, entries: Sequence[str]) -> bytes:
        """An X without its MDReqID(262)."""
        return f"268={len(entries)}\x01{''.join(entries)}".encode("ascii")

    def _head(self, action: str, kind: str) -> str:
        return f"279={action}\x01269={kind}\x0155={self._symbol}\x01" if action else f"269={kind}\x01"


def numbered(text: bytes, numbers: Sequence[int]) -> bytes:
    """With these RptSeq(83), one for each entry."""
    return text % tuple(numbers)


def named(request_id: str, text: bytes) -> bytes:
    """The body of a W or X of this subscription."""
    return b"262=%b\x01%b" % (request_id.encode("utf-8", "surrogateescape"), text)


def request_reject(request_id: str, reason: str, text: str) -> Report:
    """`reason`: MDReqRejReason(281), "" if none of the standard's fits."""
    why = f"281={reason}\x01" if reason else ""
    return "Y", f"262={request_id}\x01{why}58={text}\x01".encode("utf-8", "surrogateescape")
