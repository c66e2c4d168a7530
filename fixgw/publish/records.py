"""Events as plain records with names, for programs of others (docs/log.md). Amounts are decimal texts, so
that no one rounds them by accident; what is not said is None."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from engine.events import Event
from fixgw.codec.decimals import Step
from fixgw.codec.instruments import InstrumentText

Value = str | int | bool | None | dict[str, "Value"] | list["Value"]

PRICES = {"price", "last_price", "stop_price", "min_price", "reference_price"}
QUANTITIES = {
    "quantity",
    "cum_quantity",
    "leaves_quantity",
    "last_quantity",
    "display",
    "min_quantity",
    "surplus",
}
QUOTED = {"fee", "cash"}
"""amounts in the quote currency of the symbol"""
MONEY = {"amount", "total"}
"""amounts in the event's `currency`"""
ABSENT = {
    "price",
    "last_price",
    "last_quantity",
    "stop_price",
    "display",
    "min_quantity",
    "cash",
    "expire_time",
    "match_id",
    "ref_id",
    "fee",
}
"""fields of an execution of which 0 means that there is none"""


class Grids(NamedTuple):
    """What integers stand for."""

    instruments: Mapping[str, InstrumentText]
    currencies: Mapping[str, Step]


class Record(NamedTuple):
    sequence: int
    """of the event in the output log, from 1 on without a gap; ExecID(17) of an execution"""
    journal: int
    """sequence of the journal entry whose event it is"""
    time: int
    """the logged time; nanoseconds since the epoch, UTC"""
    kind: str
    """such as `execution`"""
    fields: dict[str, Value]


def kind_of(event: Event) -> str:
    return str(type(event).__struct_config__.tag)


def record(sequence: int, journal: int, event: Event, grids: Grids) -> Record:
    fields = asdict(event)
    time = fields.pop("time")
    symbol = fields.get("symbol")
    instrument = grids.instruments.get(symbol) if isinstance(symbol, str) else None
    kind = kind_of(event)
    execution = kind == "execution"
    if execution and instrument is not None:
        value = fields.pop("notional") * instrument.quote_per_tick_lot
        fields["value"] = _signed(instrument.money, value)
    plain: dict[str, Value] = {}
    for name, each in fields.items():
        if execution and name in ABSENT and not each:
            plain[name] = None
        else:
            plain[name] = _plain(name, each, instrument, fields.get("currency"), grids)
    return Record(sequence, journal, time, kind, plain)


def _plain(
    name: str, value: object, instrument: InstrumentText | None, currency: object, grids: Grids
) -> Value:
    if isinstance(value, int) and not isinstance(value, bool):
        grid = None
        if instrument is not None:
            if name in PRICES:
                grid = instrument.price
            elif name in QUANTITIES:
                grid = instrument.quantity
            elif name in QUOTED or name == "max_notional":
                grid = instrument.money
        if name in MONEY and isinstance(currency, str):
            grid = grids.currencies.get(currency)
        return value if grid is None else _signed(grid, value)
    if name in ("balances", "max_notional") and isinstance(value, tuple):
        return {each: _amount(grids, each, amount) for each, amount in value}
    return _named(value, grids)


def _named(value: object, grids: Grids) -> Value:
    """Whatever is inside of an event."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Struct):
        return {name: _plain(name, each, None, None, grids) for name, each in asdict(value).items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _named(each, grids) for name, each in value._asdict().items()}
    assert isinstance(value, tuple | list), value
    return [_named(each, grids) for each in value]


def _amount(grids: Grids, currency: str, amount: int) -> Value:
    grid = grids.currencies.get(currency)
    return amount if grid is None else _signed(grid, amount)


def _signed(grid: Step, steps: int) -> str:
    return f"-{grid.print(-steps)}" if steps < 0 else grid.print(steps)
