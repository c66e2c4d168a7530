"""What is wrong with an order in itself, whatever else there is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Context, Decimal
from typing import NamedTuple

from acceptance.reference import reports
from acceptance.reference.book import LIMIT, MARKET
from acceptance.reference.clock import seconds
from acceptance.reference.dictionary import is_timestamp
from acceptance.reference.faults import Fault, Faults
from acceptance.reference.session import Session
from acceptance.reference.settings import Instrument
from acceptance.wire import Message

_CHANGES_THE_MEANING = {
    18: "ExecInst", 99: "StopPx", 110: "MinQty", 111: "MaxFloor", 126: "ExpireTime", 128: "DeliverToCompID",
    129: "DeliverToSubID", 168: "EffectiveTime", 210: "MaxShow", 211: "PegOffsetValue", 388: "DiscretionInst",
    432: "ExpireDate", 1138: "DisplayQty",
}  # fmt: skip
"""fields of an order that the venue cannot honour"""


class Refusal(NamedTuple):
    new: int
    """OrdRejReason(103)"""
    request: int
    """CxlRejReason(102)"""
    text: str


class Terms:
    def __init__(self, instruments: Mapping[str, Instrument], faults: Faults) -> None:
        self._instruments = instruments
        self._faults = faults

    def judge(
        self, session: Session, message: Message, now: float
    ) -> tuple[Instrument, None] | tuple[None, Refusal]:
        """The instrument, or the first thing that is wrong."""
        faults = self._faults
        symbol, side = message.get(55), message.get(54)
        if symbol is None:
            return None, Refusal(99, 99, "Symbol is missing")
        if side not in ("1", "2") and not faults.on(Fault.ANY_SIDE_TAKEN):
            return None, Refusal(11, 99, f"Side {side} is not supported, only 1 (buy) and 2 (sell)")
        limit = session.settings.transact_time_seconds
        if not _fresh(message, now, limit) and not faults.on(Fault.OLD_ORDER_TAKEN):
            text = f"TransactTime {message.get(60)} is more than {limit} s from the venue's clock"
            return None, Refusal(99, 99, text)
        instrument = self._instruments.get(symbol)
        if instrument is None:
            return None, Refusal(1, 99, f"Symbol {symbol} is unknown")
        for tag, name in _CHANGES_THE_MEANING.items():
            if tag in message and not faults.on(Fault.UNSUPPORTED_FIELD_IGNORED):
                return None, Refusal(11, 99, f"{name} {message[tag]} is not supported")
        if message.get(21) == "3" and not faults.on(Fault.MANUAL_HANDLING_IGNORED):
            return None, Refusal(11, 99, "HandlInst 3 is not supported: no order is handled by hand")
        refusal = self._quantity(message, instrument) or self._price(session, message, instrument)
        return (instrument, None) if refusal is None else (None, refusal)

    def _quantity(self, message: Message, instrument: Instrument) -> Refusal | None:
        text = message.get(38)
        if text is None:
            return Refusal(99, 99, "OrderQty is missing")
        if not _is_positive(text):
            return Refusal(13, 99, f"OrderQty {text} is not a plain number above 0")
        if _off(Decimal(text), instrument.lot) and not self._faults.on(Fault.OFF_LOT_TAKEN):
            return Refusal(13, 99, f"OrderQty {text} is not a multiple of the lot {instrument.lot}")
        if Decimal(text) > instrument.max_quantity and not self._faults.on(Fault.ABOVE_MAXIMUM_TAKEN):
            most = reports.plain(instrument.max_quantity, instrument.lot)
            return Refusal(3, 99, f"OrderQty {text} is above the maximum {most}")
        return None

    def _price(self, session: Session, message: Message, instrument: Instrument) -> Refusal | None:
        ord_type, text = message.get(40), message.get(44)
        if ord_type == MARKET:
            if text is None or self._faults.on(Fault.PRICE_ON_MARKET_TAKEN):
                return None
            return Refusal(11, 99, f"Price {text} on a market order: leave Price out")
        if ord_type != LIMIT:
            return Refusal(11, 99, f"OrdType {ord_type} is not supported, only 1 (market) and 2 (limit)")
        if text is None:
            return Refusal(99, 99, "Price is missing")
        if not _is_positive(text):
            return Refusal(99, 99, f"Price {text} is not a plain number above 0")
        if _off(Decimal(text), instrument.tick) and not self._faults.on(Fault.OFF_TICK_TAKEN):
            reason = 99 if session.settings.begin_string == "FIX.4.4" else 18
            return Refusal(reason, reason, f"Price {text} is not a multiple of the tick {instrument.tick}")
        above = Decimal(text) > instrument.max_price
        if above and not self._faults.on(Fault.ABOVE_MAXIMUM_PRICE_TAKEN):
            most = reports.plain(instrument.max_price, instrument.tick)
            return Refusal(3, 99, f"Price {text} is above the maximum {most}")
        return None


def _fresh(message: Message, now: float, limit: int) -> bool:
    """TransactTime(60) is near the clock, to the second."""
    text = message.get(60) or ""
    return is_timestamp(text) and abs(seconds(text) - int(now)) <= limit


def _off(number: Decimal, step: Decimal) -> bool:
    """Whether it is no whole multiple of the step."""
    return Context(prec=100).remainder(number, step) != 0


def is_id(text: str) -> bool:
    """Whether the text can be a ClOrdID(11)."""
    return re.fullmatch("[!-~]{1,64}", text) is not None


def _is_positive(text: str) -> bool:
    return (
        re.fullmatch(r"\d*\.?\d*", text, re.ASCII) is not None and len(text) <= 40 and text.strip("0.") != ""
    )
