"""Journal and output log as lines for people."""

import pytest

from engine.commands import (
    CancelOrder,
    CorrectTrade,
    EndDay,
    LimitAccount,
    ListInstrument,
    NewOrder,
    OpenAccount,
    ReplaceOrder,
    SetRules,
    SetState,
    WithdrawOrder,
)
from engine.events import AccountOpened, DayEnded, Indicative, InstrumentListed, StateSet
from fixgw.codec.readable_journal import readable_command, readable_event
from tests.codec.venue import INSTRUMENTS, TIME, execution

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
    (NewOrder(TIME, "ALPHA", "ALPHA", "ALPHA-1", "A1", "BTC-USD", "1", "4", "6", 20_000, 5_000_000,
              stop_price=5_100_000, display=10_000, expire_day="2023-11-15", group="client:ALPHA",
              self_trade="1"),
     "NewOrder BUY 2.0000 BTC-USD @ 50000.00 GOOD_TILL_DATE StopPx=51000.00 DisplayQty=1.0000 "
     "ExpireDate=2023-11-15 group=client:ALPHA CANCEL_AGGRESSIVE ClOrdID=A1 Account=ALPHA-1 client=ALPHA "
     "session=ALPHA"),
    (NewOrder(TIME, "ALPHA", "ALPHA", "ALPHA-1", "A1", "BTC-USD", "1", "1", "0", 0, 0, cash=100,
              min_quantity=1, post_only="slide"),
     "NewOrder BUY 0.0000 BTC-USD MARKET DAY CashOrderQty=0.00000100 MinQty=0.0001 post-only=slide "
     "ClOrdID=A1 Account=ALPHA-1 client=ALPHA session=ALPHA"),
    (ReplaceOrder(TIME, "ALPHA", "ALPHA", "", "A3", "A1", "BTC-USD", "1", "3", 10_000, 0, stop_price=100,
                  expire_time=TIME),
     "ReplaceOrder BUY 1.0000 BTC-USD STOP StopPx=1.00 ExpireTime=20231114-22:13:20.123456789 ClOrdID=A3 "
     "OrigClOrdID=A1 Account= client=ALPHA session=ALPHA"),
    (SetRules(TIME, "BTC-USD", 100, 5, 250, 0, 0, 5_000_000),
     "SetRules symbol=BTC-USD min_price=1.00 max_notional=5 band=250 collar=0 dynamic_band=0 "
     "reference_price=50000.00 maker_fee=0 taker_fee=0"),
    (LimitAccount(TIME, "ALPHA-1", 5, (("JPY", 7), ("USD", 6))),
     "LimitAccount account=ALPHA-1 max_open_orders=5 max_notional=JPY=7,USD=6 max_orders_per_second=0"),
    (LimitAccount(TIME, "ALPHA-1", 5),
     "LimitAccount account=ALPHA-1 max_open_orders=5 max_orders_per_second=0"),
    (SetState(TIME, "", "halted"), "SetState state=halted"),
    (WithdrawOrder(TIME, 7, "a fault"), 'WithdrawOrder order_id=7 text="a fault"'),
    (CorrectTrade(TIME, execution(order_id=5), execution(order_id=6), 77, 8, 9, 5_000, 100, 4_000, 101, "so"),
     "CorrectTrade buy=5 sell=6 match_id=77 buy_exec_id=8 sell_exec_id=9 was_quantity=0.5000 was_price=1.00 "
     "quantity=0.4000 price=1.01 text=so buy_rate=0 sell_rate=0"),
    (EndDay(TIME, "2023-11-15"), "EndDay 2023-11-15 begins"),
    (EndDay(TIME, "2023-11-15", 7), "EndDay 2023-11-15 begins after the next 7"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "line"), COMMANDS)
def test_a_journal_entry_is_one_line(command: NewOrder, line: str) -> None:
    assert readable_command(12, command, INSTRUMENTS) == f"12 20231114-22:13:20.123 {line}"


def test_without_the_instrument_units_are_named() -> None:
    assert "BUY 20000 lots BTC-USD @ 5000000 ticks DAY" in readable_command(12, ORDER)


FILL = execution(
    exec_type="F", ord_status="1", cum_quantity=5_000, leaves_quantity=15_000, notional=5_000 * 4_999_950,
    last_quantity=5_000, last_price=4_999_950, match_id=77, liquidity="1", fee=6_249_937_500,
)  # fmt: skip
EVENTS = [
    (execution(text="a note"),
     "Execution NEW OrdStatus=NEW OrderID=7 ClOrdID=A1 BUY 2.0000 BTC-USD @ 50000.00 DAY CumQty=0.0000 "
     'LeavesQty=2.0000 Account=ALPHA-1 client=ALPHA session=ALPHA Text="a note"'),
    (FILL,
     "Execution TRADE OrdStatus=PARTIALLY_FILLED OrderID=7 ClOrdID=A1 BUY 2.0000 BTC-USD @ 50000.00 DAY "
     "CumQty=0.5000 LeavesQty=1.5000 LastQty=0.5000 LastPx=49999.50 TrdMatchID=77 "
     "Commission=62.49937500 LastLiquidityInd=ADDED_LIQUIDITY Account=ALPHA-1 client=ALPHA session=ALPHA"),
    (InstrumentListed(TIME, "BTC-USD", "BTC", "USD", "0.01", "0.0001"),
     "InstrumentListed BTC-USD tick=0.01 lot=0.0001"),
    (AccountOpened(TIME, "ALPHA-1", "ALPHA", (("USD", 100),)),
     "AccountOpened ALPHA-1 client=ALPHA smallest units: USD=100"),
    (StateSet(TIME, "BTC-USD", "volatility-auction", "volatility"),
     "StateSet symbol=BTC-USD state=volatility-auction reason=volatility"),
    (Indicative(TIME, "BTC-USD", 5_000_000, 10_000, -3),
     "Indicative symbol=BTC-USD price=50000.00 quantity=1.0000 surplus=-0.0003"),
    (execution(exec_type="H", post_only=True, ref_id=8, restatement="5"),
     "Execution TRADE_CANCEL OrdStatus=NEW OrderID=7 ClOrdID=A1 BUY 2.0000 BTC-USD @ 50000.00 DAY post-only "
     "CumQty=0.0000 LeavesQty=2.0000 Account=ALPHA-1 client=ALPHA session=ALPHA ExecRefID=8 "
     "ExecRestatementReason=PARTIAL_DECLINE_OF_ORDER_QTY"),
    (DayEnded(TIME, "2023-11-15"), "DayEnded 2023-11-15 begins"),
]  # fmt: skip


@pytest.mark.parametrize(("event", "line"), EVENTS)
def test_an_event_is_one_line(event: DayEnded, line: str) -> None:
    assert readable_event(12, event, INSTRUMENTS) == f"12 20231114-22:13:20.123 {line}"
