"""Lines for people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.commands import (
    CancelOrder,
    EndDay,
    ListInstrument,
    NewOrder,
    OpenAccount,
    ReplaceOrder,
    SetCancelOnly,
)
from engine.events import AccountOpened, CancelOnlySet, DayEnded, InstrumentListed
from fixgw.codec.readable import SECRETS, readable, readable_command, readable_event
from tests.codec.venue import INSTRUMENTS, TIME, execution


def message(*pairs: str) -> str:
    return "".join(f"{pair}\x01" for pair in pairs)


def test_a_message_in_the_standards_names() -> None:
    text = message(
        "8=FIX.4.4", "9=99", "35=8", "34=7", "49=FIXGW", "52=20231114-22:13:20", "56=ALPHA", "11=A1",
        "54=1", "150=F", "39=1", "58=a note", "5001=x", "10=000",
    )  # fmt: skip
    assert readable(text) == (
        "ExecutionReport(8) 34=7 ClOrdID=A1 Side=BUY ExecType=TRADE OrdStatus=PARTIALLY_FILLED "
        'Text="a note" 5001=x'
    )


def test_names_are_those_of_the_version() -> None:
    assert readable(message("8=FIXT.1.1", "35=D", "1138=5")) == "NewOrderSingle(D) DisplayQty=5"
    assert readable(message("8=FIX.4.4", "35=D", "1138=5")) == "NewOrderSingle(D) 1138=5"


@pytest.mark.parametrize("tag", sorted(SECRETS))
def test_secrets_are_never_shown(tag: str) -> None:
    line = readable(message("8=FIXT.1.1", "35=A", "553=alpha", f"{tag}=opensesame"))
    assert "opensesame" not in line
    assert "=***" in line
    assert "Username=alpha" in line


@given(
    text=st.text(max_size=80)
    | st.binary(max_size=80).map(lambda data: data.decode("utf-8", "surrogateescape"))
)
def test_any_text_is_one_printable_line(text: str) -> None:
    assert readable(text).isprintable()


ORDER = NewOrder(TIME, "ALPHA", "ALPHA-2", "ALPHA-1", "A1", "BTC-USD", "1", "2", "0", 20_000, 5_000_000)
COMMANDS = [
    (ORDER,
     "NewOrder BUY 2.0000 BTC-USD @ 50000.00 DAY ClOrdID=A1 Account=ALPHA-1 client=ALPHA session=ALPHA-2"),
    (NewOrder(TIME, "ALPHA", "ALPHA", "ALPHA-1", "A1", "BTC-USD", "2", "1", "3", 1, 0),
     "NewOrder SELL 0.0001 BTC-USD MARKET IMMEDIATE_OR_CANCEL ClOrdID=A1 Account=ALPHA-1 client=ALPHA "
     "session=ALPHA"),
    (CancelOrder(TIME, "ALPHA", "ALPHA", "A2", "A1", "BTC-USD", "1"),
     "CancelOrder BUY BTC-USD ClOrdID=A2 OrigClOrdID=A1 client=ALPHA session=ALPHA"),
    (ReplaceOrder(TIME, "ALPHA", "ALPHA", "ALPHA-1", "A3", "A1", "BTC-USD", "1", "2", 10_000, 5_000_001),
     "ReplaceOrder BUY 1.0000 BTC-USD @ 50000.01 ClOrdID=A3 OrigClOrdID=A1 Account=ALPHA-1 client=ALPHA "
     "session=ALPHA"),
    (ListInstrument(TIME, "BTC-USD", "BTC", "USD", "0.01", "0.0001", 1, 1, 1, 1),
     "ListInstrument BTC-USD tick=0.01 lot=0.0001"),
    (OpenAccount(TIME, "ALPHA-1", "ALPHA", (("USD", 100), ("BTC", 5))),
     "OpenAccount ALPHA-1 client=ALPHA smallest units: USD=100 BTC=5"),
    (SetCancelOnly(TIME, "BTC-USD", True), "SetCancelOnly BTC-USD on"),
    (SetCancelOnly(TIME, "", False), "SetCancelOnly the whole venue off"),
    (EndDay(TIME, "2023-11-15"), "EndDay 2023-11-15 begins"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "line"), COMMANDS)
def test_a_journal_entry_is_one_line(command: NewOrder, line: str) -> None:
    assert readable_command(12, command, INSTRUMENTS) == f"12 20231114-22:13:20.123 {line}"


def test_without_the_instrument_units_are_named() -> None:
    assert "BUY 20000 lots BTC-USD @ 5000000 ticks DAY" in readable_command(12, ORDER)


FILL = execution(
    exec_type="F", ord_status="1", cum_quantity=5_000, leaves_quantity=15_000, notional=5_000 * 4_999_950,
    last_quantity=5_000, last_price=4_999_950, match_id=77,
)  # fmt: skip
EVENTS = [
    (execution(text="a note"),
     "Execution NEW OrdStatus=NEW OrderID=7 ClOrdID=A1 BUY 2.0000 BTC-USD @ 50000.00 DAY CumQty=0.0000 "
     'LeavesQty=2.0000 Account=ALPHA-1 client=ALPHA session=ALPHA Text="a note"'),
    (FILL,
     "Execution TRADE OrdStatus=PARTIALLY_FILLED OrderID=7 ClOrdID=A1 BUY 2.0000 BTC-USD @ 50000.00 DAY "
     "CumQty=0.5000 LeavesQty=1.5000 LastQty=0.5000 LastPx=49999.50 TrdMatchID=77 Account=ALPHA-1 "
     "client=ALPHA session=ALPHA"),
    (InstrumentListed(TIME, "BTC-USD", "BTC", "USD", "0.01", "0.0001"),
     "InstrumentListed BTC-USD tick=0.01 lot=0.0001"),
    (AccountOpened(TIME, "ALPHA-1", "ALPHA", (("USD", 100),)),
     "AccountOpened ALPHA-1 client=ALPHA smallest units: USD=100"),
    (CancelOnlySet(TIME, "", True), "CancelOnlySet the whole venue on"),
    (DayEnded(TIME, "2023-11-15"), "DayEnded 2023-11-15 begins"),
]  # fmt: skip


@pytest.mark.parametrize(("event", "line"), EVENTS)
def test_an_event_is_one_line(event: DayEnded, line: str) -> None:
    assert readable_event(12, event, INSTRUMENTS) == f"12 20231114-22:13:20.123 {line}"
