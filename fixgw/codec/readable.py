"""Lines for people: FIX messages, commands and events, one line each, in the standard's names."""

from collections.abc import Mapping

from engine.commands import (
    CancelOrder,
    CancelSession,
    Command,
    EndDay,
    ListInstrument,
    NewOrder,
    OpenAccount,
    ReplaceOrder,
    SetCancelOnly,
)
from engine.events import AccountOpened, CancelOnlySet, DayEnded, Event, Execution, InstrumentListed
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.standard import LAYERS, names
from fixgw.codec.times import utc_timestamp

SECRETS = {"96", "554", "925", "1400", "1401", "1402", "1403", "1404"}
"""RawData, passwords and what belongs to them: never shown"""
_FRAME = {"8", "9", "35", "49", "52", "56", "10"}
"""left out: the same in every message, or said elsewhere"""
_LATEST = "FIXT.1.1"

Instruments = Mapping[str, InstrumentText]
NO_INSTRUMENTS: Instruments = {}


def readable(text: str) -> str:
    """A FIX message: `NewOrderSingle(D) 34=2 ClOrdID=A1 Side=BUY ...`. Takes any text, also a broken one."""
    pairs = [pair.partition("=") for pair in text.rstrip("\x01").split("\x01")]
    found = {tag: value for tag, _, value in pairs}
    known = names(found["8"] if found.get("8") in LAYERS else _LATEST)
    msg_type = found.get("35", "?")
    words = [f"{known.messages.get(msg_type, 'Unknown')}({_shown(msg_type)})"]
    for tag, _, value in pairs:
        if tag == "34":
            words.append(f"34={_shown(value)}")
        elif tag not in _FRAME:
            meaning = "***" if tag in SECRETS else known.values.get((tag, value), value)
            words.append(f"{known.fields.get(tag, _shown(tag))}={_shown(meaning)}")
    return " ".join(words)


def printable(text: str) -> str:
    """Nothing in it moves the cursor or colours the terminal."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def _shown(value: str) -> str:
    """Printable, and in quotes where blanks would make it look like two."""
    value = printable(value)
    return f'"{value}"' if " " in value else value


def readable_command(sequence: int, command: Command, instruments: Instruments = NO_INSTRUMENTS) -> str:
    """A journal entry. Without the instrument, prices are in ticks and quantities in lots."""
    return f"{sequence} {utc_timestamp(command.time)} {_command(command, instruments)}"


def _command(command: Command, instruments: Instruments) -> str:
    match command:
        case NewOrder():
            order = f"{_order(command, instruments)} {_name('59', command.time_in_force)}"
            return f"NewOrder {order} ClOrdID={command.cl_ord_id} Account={command.account} {_by(command)}"
        case ReplaceOrder():
            order = _order(command, instruments)
            ids = f"ClOrdID={command.cl_ord_id} OrigClOrdID={command.orig_cl_ord_id}"
            return f"ReplaceOrder {order} {ids} Account={command.account} {_by(command)}"
        case CancelOrder():
            ids = f"ClOrdID={command.cl_ord_id} OrigClOrdID={command.orig_cl_ord_id}"
            return f"CancelOrder {_name('54', command.side)} {command.symbol} {ids} {_by(command)}"
        case ListInstrument():
            return f"ListInstrument {command.symbol} tick={command.tick} lot={command.lot}"
        case OpenAccount():
            return f"OpenAccount {_account(command)}"
        case SetCancelOnly():
            return f"SetCancelOnly {_switch(command)}"
        case CancelSession():
            which = "all" if command.good_till_cancel else "all but GTC"
            return f"CancelSession {command.session} {which} {_name('378', command.restatement)}"
        case EndDay():
            return f"EndDay {command.day} begins"


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
        case CancelOnlySet():
            return f"CancelOnlySet {_switch(event)}"
        case DayEnded():
            return f"DayEnded {event.day} begins"


def _execution(event: Execution, instruments: Instruments) -> str:
    words = [
        f"Execution {_name('150', event.exec_type)} OrdStatus={_name('39', event.ord_status)}",
        f"OrderID={event.order_id} ClOrdID={event.cl_ord_id}",
        f"{_order(event, instruments)} {_name('59', event.time_in_force)}",
        f"CumQty={_quantity(event.cum_quantity, event.symbol, instruments)}",
        f"LeavesQty={_quantity(event.leaves_quantity, event.symbol, instruments)}",
    ]
    if event.last_quantity:
        words.append(f"LastQty={_quantity(event.last_quantity, event.symbol, instruments)}")
        words.append(
            f"LastPx={_price(event.last_price, event.symbol, instruments)} TrdMatchID={event.match_id}"
        )
    words.append(f"Account={event.account} {_by(event)}")
    if event.restatement:
        words.append(f"ExecRestatementReason={_name('378', event.restatement)}")
    if event.text:
        words.append(f"Text={_shown(event.text)}")
    return " ".join(words)


def _order(order: NewOrder | ReplaceOrder | Execution, instruments: Instruments) -> str:
    """`BUY 2.0000 BTC-USD @ 50000.00`, or `... MARKET`."""
    price = (
        f"@ {_price(order.price, order.symbol, instruments)}" if order.price else _name("40", order.ord_type)
    )
    quantity = _quantity(order.quantity, order.symbol, instruments)
    return f"{_name('54', order.side)} {quantity} {order.symbol} {price}"


def _quantity(lots: int, symbol: str, instruments: Instruments) -> str:
    return instruments[symbol].quantity.print(lots) if symbol in instruments else f"{lots} lots"


def _price(ticks: int, symbol: str, instruments: Instruments) -> str:
    return instruments[symbol].price.print(ticks) if symbol in instruments else f"{ticks} ticks"


def _account(opened: OpenAccount | AccountOpened) -> str:
    balances = " ".join(f"{name}={units}" for name, units in opened.balances)
    return f"{opened.account} client={opened.client} smallest units: {balances}"


def _switch(command: SetCancelOnly | CancelOnlySet) -> str:
    return f"{command.symbol or 'the whole venue'} {'on' if command.on else 'off'}"


def _by(order: NewOrder | CancelOrder | ReplaceOrder | Execution) -> str:
    return f"client={order.client} session={order.session}"


def _name(tag: str, value: str) -> str:
    return names(_LATEST).values.get((tag, value), value)
