"""Commands and events as lines for people, one line each, in the standard's names where it has them."""

from collections.abc import Iterator, Mapping

from msgspec.structs import asdict

from engine.commands import (
    CancelOrder,
    CancelSession,
    Command,
    EndDay,
    ListInstrument,
    NewOrder,
    OpenAccount,
    ReplaceOrder,
)
from engine.events import AccountOpened, DayEnded, Event, Execution, InstrumentListed
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.readable import shown
from fixgw.codec.readable_users import readable_of_user
from fixgw.codec.standard import LATEST, names
from fixgw.codec.times import exact_timestamp, utc_timestamp

Instruments = Mapping[str, InstrumentText]
NO_INSTRUMENTS: Instruments = {}
_PRICES = {"min_price", "reference_price", "price", "was_price"}
_QUANTITIES = {"quantity", "was_quantity", "surplus"}
"""fields of commands and events that are not about one client's order"""


def readable_command(sequence: int, command: Command, instruments: Instruments = NO_INSTRUMENTS) -> str:
    """A journal entry. Without the instrument, prices are in ticks and quantities in lots."""
    return f"{sequence} {utc_timestamp(command.time)} {_command(command, instruments)}"


def _command(command: Command, instruments: Instruments) -> str:
    match command:
        case NewOrder():
            order = f"{_order(command, instruments)} {_name('59', command.time_in_force)}"
            more = "".join(_conditions(command, instruments))
            return (
                f"NewOrder {order}{more} ClOrdID={command.cl_ord_id} Account={command.account} {_by(command)}"
            )
        case ReplaceOrder():
            order = f"{_order(command, instruments)}{''.join(_conditions(command, instruments))}"
            ids = f"ClOrdID={command.cl_ord_id} OrigClOrdID={command.orig_cl_ord_id}"
            return f"ReplaceOrder {order} {ids} Account={command.account} {_by(command)}"
        case CancelOrder():
            ids = f"ClOrdID={command.cl_ord_id} OrigClOrdID={command.orig_cl_ord_id}"
            return f"CancelOrder {_name('54', command.side)} {command.symbol} {ids} {_by(command)}"
        case ListInstrument():
            return f"ListInstrument {command.symbol} tick={command.tick} lot={command.lot}"
        case OpenAccount():
            return f"OpenAccount {_account(command)}"
        case CancelSession():
            which = "all" if command.good_till_cancel else "all but GTC"
            return f"CancelSession {command.session} {which} {_name('378', command.restatement)}"
        case EndDay():
            after = f" after the next {command.most}" if command.most else ""
            return f"EndDay {command.day} begins{after}"
        case _:
            return readable_of_user(command) or _fields(command, instruments)


def readable_event(sequence: int, event: Event, instruments: Instruments = NO_INSTRUMENTS) -> str:
    """An entry of the output log. Without the instrument, prices are in ticks and quantities in lots."""
    return f"{sequence} {utc_timestamp(event.time)} {_event(event, instruments)}"


def _event(event: Event, instruments: Instruments) -> str:
    match event:
        case Execution():
            return _execution(event, instruments)
        case InstrumentListed():
            return f"InstrumentListed {event.symbol} tick={event.tick} lot={event.lot}"
        case AccountOpened():
            return f"AccountOpened {_account(event)}"
        case DayEnded():
            return f"DayEnded {event.day} begins"
        case _:
            return readable_of_user(event) or _fields(event, instruments)


def _execution(event: Execution, instruments: Instruments) -> str:
    words = [
        f"Execution {_name('150', event.exec_type)} OrdStatus={_name('39', event.ord_status)}",
        f"OrderID={event.order_id} ClOrdID={event.cl_ord_id}",
        f"{_order(event, instruments)} {_name('59', event.time_in_force)}"
        f"{''.join(_conditions(event, instruments))}",
        f"CumQty={_quantity(event.cum_quantity, event.symbol, instruments)}",
        f"LeavesQty={_quantity(event.leaves_quantity, event.symbol, instruments)}",
    ]
    if event.last_quantity:
        words.append(f"LastQty={_quantity(event.last_quantity, event.symbol, instruments)}")
        words.append(
            f"LastPx={_price(event.last_price, event.symbol, instruments)} TrdMatchID={event.match_id}"
        )
    if event.fee:
        words.append(f"Commission={_cash(event.fee, event.symbol, instruments)}")
    if event.liquidity:
        words.append(f"LastLiquidityInd={_name('851', event.liquidity)}")
    words.append(f"Account={event.account} {_by(event)}")
    if event.ref_id:
        words.append(f"ExecRefID={event.ref_id}")
    if event.restatement:
        words.append(f"ExecRestatementReason={_name('378', event.restatement)}")
    if event.text:
        words.append(f"Text={shown(event.text)}")
    return " ".join(words)


def _order(order: NewOrder | ReplaceOrder | Execution, instruments: Instruments) -> str:
    """`BUY 2.0000 BTC-USD @ 50000.00`, or `... MARKET`."""
    price = (
        f"@ {_price(order.price, order.symbol, instruments)}" if order.price else _name("40", order.ord_type)
    )
    quantity = _quantity(order.quantity, order.symbol, instruments)
    return f"{_name('54', order.side)} {quantity} {order.symbol} {price}"


def _conditions(order: NewOrder | ReplaceOrder | Execution, instruments: Instruments) -> Iterator[str]:
    """What a plain order does not have, each with a blank before it."""
    symbol = order.symbol
    if order.stop_price:
        yield f" StopPx={_price(order.stop_price, symbol, instruments)}"
    if order.display:
        yield f" DisplayQty={_quantity(order.display, symbol, instruments)}"
    if order.expire_time:
        yield f" ExpireTime={exact_timestamp(order.expire_time)}"
    if order.expire_day:
        yield f" ExpireDate={order.expire_day}"
    if isinstance(order, ReplaceOrder):
        return
    if order.cash:
        yield f" CashOrderQty={_cash(order.cash, symbol, instruments)}"
    if order.min_quantity:
        yield f" MinQty={_quantity(order.min_quantity, symbol, instruments)}"
    if order.post_only:
        yield " post-only" if isinstance(order, Execution) else f" post-only={order.post_only}"
    if isinstance(order, NewOrder) and order.group:
        yield f" group={order.group} {_name('2964', order.self_trade)}"


def _fields(entry: Command | Event, instruments: Instruments) -> str:
    """All that is said, under the names of engine.commands and engine.events."""
    words = [type(entry).__name__]
    symbol = getattr(entry, "symbol", "")
    for name, value in asdict(entry).items():
        if name == "time" or value in ("", ()):
            continue
        if isinstance(value, Execution):
            symbol, value = value.symbol, value.order_id
        elif isinstance(value, tuple):
            value = ",".join(f"{each}={amount}" for each, amount in value)
        elif name in _PRICES:
            value = _price(value, symbol, instruments)
        elif name in _QUANTITIES:
            value = _quantity(value, symbol, instruments)
        words.append(f"{name}={shown(str(value))}")
    return " ".join(words)


def _quantity(lots: int, symbol: str, instruments: Instruments) -> str:
    if symbol not in instruments:
        return f"{lots} lots"
    return "-" * (lots < 0) + instruments[symbol].quantity.print(abs(lots))


def _price(ticks: int, symbol: str, instruments: Instruments) -> str:
    return instruments[symbol].price.print(ticks) if symbol in instruments else f"{ticks} ticks"


def _cash(units: int, symbol: str, instruments: Instruments) -> str:
    if symbol not in instruments:
        return f"{units} smallest units"
    return instruments[symbol].money.print(units)


def _account(opened: OpenAccount | AccountOpened) -> str:
    balances = " ".join(f"{name}={units}" for name, units in opened.balances)
    return f"{opened.account} client={opened.client} smallest units: {balances}"


def _by(order: NewOrder | CancelOrder | ReplaceOrder | Execution) -> str:
    return f"client={order.client} session={order.session}"


def _name(tag: str, value: str) -> str:
    return names(LATEST).values.get((tag, value), value)
