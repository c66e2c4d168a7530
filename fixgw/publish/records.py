"""Events as plain records with names, for programs of others (docs/log.md). Amounts are decimal texts, so
that no one rounds them by accident; what is not said is None."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from engine.events import Event, Execution
from fixgw.codec.decimals import Step
from fixgw.codec.instruments import InstrumentText

Value = str | int | bool | None | dict[str, "Value"] | list["Value"]

PRICES = {"price", "min_price", "reference_price"}
QUANTITIES = {"quantity", "surplus"}
MONEY = {"amount", "total"}
"""amounts in the event's `currency`"""


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
    if type(event) is Execution:
        return Record(sequence, journal, event.time, "execution", _execution(event, grids))
    fields = asdict(event)
    time = fields.pop("time")
    symbol = fields.get("symbol")
    instrument = grids.instruments.get(symbol) if isinstance(symbol, str) else None
    plain = {
        name: _plain(name, each, instrument, fields.get("currency"), grids) for name, each in fields.items()
    }
    return Record(sequence, journal, time, kind_of(event), plain)


def _execution(event: Execution, grids: Grids) -> dict[str, Value]:
    """Most events are executions: these are told without looking at each field."""
    instrument = grids.instruments[event.symbol]
    price, quantity, money = instrument.price.print, instrument.quantity.print, instrument.money
    filled = event.last_quantity
    return {
        "exec_type": event.exec_type,
        "ord_status": event.ord_status,
        "order_id": event.order_id,
        "client": event.client,
        "session": event.session,
        "account": event.account,
        "symbol": event.symbol,
        "cl_ord_id": event.cl_ord_id,
        "orig_cl_ord_id": event.orig_cl_ord_id,
        "side": event.side,
        "ord_type": event.ord_type,
        "time_in_force": event.time_in_force,
        "quantity": quantity(event.quantity),
        "price": price(event.price) if event.price else None,
        "cum_quantity": quantity(event.cum_quantity),
        "leaves_quantity": quantity(event.leaves_quantity),
        "value": money.print(event.notional * instrument.quote_per_tick_lot),
        "last_quantity": quantity(filled) if filled else None,
        "last_price": price(event.last_price) if filled else None,
        "match_id": event.match_id or None,
        "requester": event.requester,
        "text": event.text,
        "restatement": event.restatement,
        "step": event.step,
        "liquidity": event.liquidity,
        "fee_rate": event.fee_rate,
        "fee": _signed(money, event.fee) if event.fee else None,
        "stop_price": price(event.stop_price) if event.stop_price else None,
        "cash": money.print(event.cash) if event.cash else None,
        "display": quantity(event.display) if event.display else None,
        "min_quantity": quantity(event.min_quantity) if event.min_quantity else None,
        "post_only": event.post_only,
        "expire_time": event.expire_time or None,
        "expire_day": event.expire_day,
        "ref_id": event.ref_id or None,
    }


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
            elif name == "max_notional":
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
