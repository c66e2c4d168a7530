"""Stops, icebergs, post-only, MinQty, CashOrderQty, GTD and self-trade prevention: taken exactly, or refused
in words that say what would be right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.commands import NewOrder, OrderCommand, ReplaceOrder
from engine.refusals import Refusal
from fixgw.codec import refusals as codec
from fixgw.codec.fields import fields
from fixgw.codec.orders import decode
from fixgw.codec.refusals import text
from fixgw.codec.reports import execution_report
from fixgw.codec.terms import Terms
from fixgw.codec.times import exact_timestamp
from tests.codec.venue import BITCOIN, INSTRUMENTS, ORDER, REPLACE, TIME, execution, terms_with

PLAIN_TERMS = terms_with()
MARKET = {tag: value for tag, value in ORDER.items() if tag != "44"} | {"40": "1"}
STOP = MARKET | {"40": "3", "99": "51000"}
STOP_LIMIT = ORDER | {"40": "4", "99": "51000"}
CASH = {tag: value for tag, value in MARKET.items() if tag != "38"} | {"152": "100"}


def decoded(message: dict[str, str], terms: Terms = PLAIN_TERMS) -> OrderCommand | Refusal:
    return decode(message, terms, INSTRUMENTS, TIME)


TAKEN = [
    (STOP, {"ord_type": "3", "price": 0, "stop_price": 5_100_000}),
    (STOP_LIMIT, {"ord_type": "4", "price": 5_000_000, "stop_price": 5_100_000}),
    (CASH | {"152": "100.00000001"}, {"cash": 10_000_000_001, "quantity": 0}),
    (CASH | {"59": "3"}, {"cash": 10_000_000_000, "time_in_force": "3"}),
    (ORDER | {"110": "2"}, {"min_quantity": 20_000}),
    (MARKET | {"110": "0.0001"}, {"min_quantity": 1}),
    (ORDER | {"111": "0.5"}, {"display": 5_000}),
    (ORDER | {"1138": "0.02"}, {"display": 200}),
    (ORDER | {"1138": "2"}, {"display": 20_000}),
    (STOP_LIMIT | {"1138": "1"}, {"display": 10_000, "stop_price": 5_100_000}),
    (ORDER | {"18": "6"}, {"post_only": "refuse"}),
    (ORDER | {"18": "6", "59": "1", "1138": "1"}, {"post_only": "refuse", "display": 10_000}),
    (ORDER | {"59": "6", "126": "20231115-00:00:00"}, {"expire_time": 1_700_006_400_000_000_000}),
    (ORDER | {"59": "6", "126": "20231115-00:00:00.000000001"}, {"expire_time": 1_700_006_400_000_000_001}),
    (STOP | {"59": "6", "432": "20231115"}, {"expire_day": "2023-11-15", "stop_price": 5_100_000}),
    (MARKET | {"59": "6", "432": "20240229"}, {"expire_day": "2024-02-29"}),
    (ORDER | {"59": "2"}, {"time_in_force": "2"}),
    (MARKET | {"59": "7"}, {"time_in_force": "7"}),
]


@pytest.mark.parametrize(("message", "wanted"), TAKEN)
def test_conditions_become_fields_of_the_order(message: dict[str, str], wanted: dict[str, object]) -> None:
    """feature V1"""
    order = decoded(message)
    assert isinstance(order, NewOrder), order
    none = {
        "stop_price": 0, "cash": 0, "min_quantity": 0, "display": 0, "post_only": "", "expire_time": 0,
        "expire_day": "",
    }  # fmt: skip
    assert {name: getattr(order, name) for name in none | wanted} == none | wanted


def test_a_replace_has_all_that_it_can_change() -> None:
    """feature V2"""
    request = decoded(REPLACE | {"40": "4", "99": "51000", "1138": "1", "59": "6", "432": "20231116"})
    assert isinstance(request, ReplaceOrder)
    assert (request.stop_price, request.display, request.price) == (5_100_000, 10_000, 5_000_000)
    assert (request.time_in_force, request.expire_day, request.expire_time) == ("6", "2023-11-16", 0)
    request = decoded(REPLACE | {"59": "6", "126": "20231116-00:00:00"})
    assert isinstance(request, ReplaceOrder)
    assert (request.expire_day, request.expire_time) == ("", 1_700_092_800_000_000_000)


# fmt: off
REFUSED = [
    # prices
    (MARKET | {"44": "1"}, 11, "Price 1 on a market order: leave Price out"),
    (STOP | {"44": "1"}, 11, "Price 1 on a stop order: leave Price out"),
    (STOP_LIMIT | {"99": "51000.001"}, 99, "StopPx 51000.001 is not a multiple of the tick 0.01"),
    (STOP | {"99": "10000000.01"}, 3, "StopPx 10000000.01 is above the maximum 10000000.00"),
    (STOP | {"99": "0"}, 99, "StopPx 0 is not a plain number above 0"),
    (ORDER | {"99": "51000"}, 11, "StopPx 51000 on an order that is no stop: OrdType 3 or 4 has it"),
    (MARKET | {"99": "51000"}, 11, "StopPx 51000 on an order that is no stop: OrdType 3 or 4 has it"),
    (MARKET | {"40": "3"}, 99, "StopPx is missing"),
    (ORDER | {"40": "4"}, 99, "StopPx is missing"),
    (MARKET | {"40": "4", "99": "1"}, 99, "Price is missing"),
    *[(STOP | {"59": each}, 11,
       f"TimeInForce {each} on a stop order: 0 (day), 1 (GTC) or 6 (GTD) would be right")
      for each in "2347"],
    # the quantity in money
    (CASH | {"38": "2"}, 11, "CashOrderQty 100 beside OrderQty 2: leave one of them out"),
    (CASH | {"40": "2", "44": "1"}, 11,
     "CashOrderQty 100 on an order that is no market order: give OrderQty"),
    (CASH | {"40": "3", "99": "1"}, 11,
     "CashOrderQty 100 on an order that is no market order: give OrderQty"),
    *[(CASH | {"59": each} | more, 11,
       f"TimeInForce {each} with CashOrderQty: 0 (day) or 3 (IOC) would be right")
      for each, more in (("1", {}), ("2", {}), ("4", {}), ("6", {"432": "20231115"}), ("7", {}))],
    (CASH | {"152": "0.000000001"}, 13,
     "CashOrderQty 0.000000001 is not a multiple of the smallest unit 0.00000001"),
    (CASH | {"152": "10000000000.00000001"}, 3,
     "CashOrderQty 10000000000.00000001 is above the maximum 10000000000.00000000"),
    (CASH | {"152": "-1"}, 13, "CashOrderQty -1 is not a plain number above 0"),
    (CASH | {"110": "1"}, 11, "MinQty 1 with CashOrderQty: give OrderQty, or leave MinQty out"),
    # at least so much
    (ORDER | {"110": "2.0001"}, 13, "MinQty 2.0001 is above OrderQty 2.0000"),
    (ORDER | {"110": "0.00001"}, 13, "MinQty 0.00001 is not a multiple of the lot 0.0001"),
    (ORDER | {"110": "0"}, 13, "MinQty 0 is not a plain number above 0"),
    (STOP | {"110": "1"}, 11, "MinQty 1 on a stop order: leave MinQty out"),
    (ORDER | {"110": "1", "59": "2"}, 11,
     "MinQty 1 with TimeInForce 2, which waits for an auction: leave MinQty out"),
    (ORDER | {"110": "1", "18": "6"}, 11,
     "MinQty 1 on a post-only order, which trades nothing at once: leave one of them out"),
    # shown in parts
    (ORDER | {"1138": "2.0001"}, 13, "DisplayQty 2.0001 is above OrderQty 2.0000"),
    (ORDER | {"111": "2.0001"}, 13, "MaxFloor 2.0001 is above OrderQty 2.0000"),
    (ORDER | {"1138": "0.0199"}, 13,
     "DisplayQty 0.0199 is below one hundredth of OrderQty 2.0000: at least 0.0200"),
    (ORDER | {"38": "2.0001", "1138": "0.02"}, 13,
     "DisplayQty 0.02 is below one hundredth of OrderQty 2.0001: at least 0.0201"),
    (ORDER | {"1138": "0"}, 13, "DisplayQty 0 is not a plain number above 0"),
    (MARKET | {"1138": "1"}, 11, "DisplayQty 1 on an order without a Price: leave DisplayQty out"),
    (STOP | {"111": "1"}, 11, "MaxFloor 1 on an order without a Price: leave MaxFloor out"),
    (ORDER | {"1138": "1", "59": "3"}, 11,
     "DisplayQty 1 with TimeInForce 3, which shows nothing: leave DisplayQty out"),
    (ORDER | {"111": "1", "59": "4"}, 11,
     "MaxFloor 1 with TimeInForce 4, which shows nothing: leave MaxFloor out"),
    (ORDER | {"111": "1", "1138": "1"}, 11, "DisplayQty 1 beside MaxFloor 1: leave one of them out"),
    # post-only
    (ORDER | {"18": "G"}, 11, "ExecInst G is not supported, only 6 (post-only)"),
    (ORDER | {"18": "6 G"}, 11, "ExecInst 6 G is not supported, only 6 (post-only)"),
    (MARKET | {"18": "6"}, 11,
     "ExecInst 6 (post-only) on an order that is no limit order: leave ExecInst out"),
    (STOP_LIMIT | {"18": "6"}, 11,
     "ExecInst 6 (post-only) on an order that is no limit order: leave ExecInst out"),
    (ORDER | {"18": "6", "59": "3"}, 11,
     "ExecInst 6 (post-only) with TimeInForce 3: 0 (day), 1 (GTC) or 6 (GTD) would be right"),
    (ORDER | {"18": "6", "59": "4"}, 11,
     "ExecInst 6 (post-only) with TimeInForce 4: 0 (day), 1 (GTC) or 6 (GTD) would be right"),
    # until when
    (ORDER | {"59": "6"}, 99, "ExpireTime or ExpireDate is missing"),
    (ORDER | {"59": "6", "126": "20231115-00:00:00", "432": "20231115"}, 11,
     "ExpireDate 20231115 beside ExpireTime 20231115-00:00:00: leave one of them out"),
    (ORDER | {"126": "20231115-00:00:00"}, 11,
     "ExpireTime 20231115-00:00:00 without TimeInForce 6 (GTD): send 59=6, or leave ExpireTime out"),
    (ORDER | {"59": "1", "432": "20231115"}, 11,
     "ExpireDate 20231115 without TimeInForce 6 (GTD): send 59=6, or leave ExpireDate out"),
    *[(ORDER | {"59": "6", "126": each}, 99,
       f"ExpireTime {each} is not a time YYYYMMDD-HH:MM:SS from 1970 to 2261")
      for each in ("", "soon", "20231115", "20231131-00:00:00", "22630101-00:00:00", "99991231-23:59:59",
                   "19700101-00:00:00", "00011231-00:00:00")],
    *[(ORDER | {"59": "6", "432": each}, 99, f"ExpireDate {each} is not a day YYYYMMDD")
      for each in ("", "2023111", "20231131", "2023-11-15", "soon", "202311 5", "00000101")],
    # with whom it does not trade
    (ORDER | {"2362": "a b"}, 99,
     "SelfMatchPreventionID a b is not 1 to 64 printable ASCII characters without blanks"),
    (ORDER | {"2362": ""}, 99,
     "SelfMatchPreventionID  is not 1 to 64 printable ASCII characters without blanks"),
    (ORDER | {"2964": "5"}, 11,
     "SelfMatchPreventionInstruction 5 is not supported, "
     "only 0 (none), 1 (taker), 2 (maker), 3 (both) and 4 (decrement)"),
]
# fmt: on


@pytest.mark.parametrize(("message", "reason", "words"), REFUSED)
def test_what_makes_no_sense_is_refused_in_words(message: dict[str, str], reason: int, words: str) -> None:
    """feature V1"""
    refusal = decoded(message)
    assert isinstance(refusal, Refusal), refusal
    assert text(refusal, BITCOIN) == words
    assert codec.ord_rej_reason(refusal, "FIX.4.4") == reason
    assert codec.cxl_rej_reason(refusal, "FIX.4.4") == 99


def test_a_replace_has_no_quantity_in_money() -> None:
    request = {tag: value for tag, value in REPLACE.items() if tag not in ("38", "44")} | {"40": "1"}
    assert decoded(request | {"152": "100"}) == Refusal(codec.MISSING, unit="OrderQty")
    refusal = decoded(request | {"152": "100", "38": "1"})
    assert isinstance(refusal, Refusal) and (refusal.reason, refusal.unit) == (
        codec.MISPLACED,
        "CashOrderQty",
    )


# fmt: off
GROUPS = [
    ({}, {}, "client:ALPHA", "0"),
    ({}, {"self_trade": "taker"}, "client:ALPHA", "1"),
    ({}, {"self_trade": "decrement", "self_trade_by": "account"}, "account:ALPHA-1", "4"),
    ({"2964": "2"}, {}, "client:ALPHA", "2"),
    ({"2964": "0"}, {"self_trade": "both"}, "client:ALPHA", "0"),
    ({"2362": "desk-7"}, {"self_trade": "maker"}, "ALPHA/desk-7", "2"),
    ({"2362": "desk-7", "2964": "3"}, {}, "ALPHA/desk-7", "3"),
    ({"2362": "client:ALPHA"}, {"self_trade_by": "account"}, "ALPHA/client:ALPHA", "0"),
    ({"18": "6"}, {"self_trade_by": "account", "self_trade": "both"}, "account:ALPHA-1", "3"),
]
# fmt: on


@pytest.mark.parametrize(("tags", "settings", "group", "mode"), GROUPS)
def test_whom_an_order_does_not_trade_with(
    tags: dict[str, str], settings: dict[str, str], group: str, mode: str
) -> None:
    """feature V3"""
    order = decoded(ORDER | tags, terms_with(**settings))
    assert isinstance(order, NewOrder)
    assert (order.group, order.self_trade) == (group, mode)


def test_the_session_says_what_a_post_only_order_does() -> None:
    order = decoded(ORDER | {"18": "6"}, terms_with(post_only="slide"))
    assert isinstance(order, NewOrder) and order.post_only == "slide"


lots = st.integers(1, BITCOIN.max_quantity)
ticks = st.integers(1, BITCOIN.max_price)


@given(
    quantity=lots,
    price=ticks,
    stop_price=ticks,
    part=st.integers(1, 100),
    expire_time=st.integers(1, 2**63 - 1),
    older=st.booleans(),
)
def test_numbers_come_back_as_they_were_sent(
    quantity: int, price: int, stop_price: int, part: int, expire_time: int, older: bool
) -> None:
    """A report says exactly what the order said, in both versions."""
    version, tag = ("FIX.4.4", "111") if older else ("FIXT.1.1", "1138")
    display = -(-quantity * part // 100)
    sent = {
        "38": BITCOIN.quantity.print(quantity), "44": BITCOIN.price.print(price),
        "99": BITCOIN.price.print(stop_price), tag: BITCOIN.quantity.print(display),
        "40": "4", "59": "6", "126": exact_timestamp(expire_time),
    }  # fmt: skip
    order = decoded(ORDER | {"8": version} | sent)
    assert isinstance(order, NewOrder)
    assert (order.quantity, order.price, order.stop_price) == (quantity, price, stop_price)
    assert (order.display, order.expire_time) == (display, expire_time)
    event = execution(
        quantity=order.quantity, price=order.price, leaves_quantity=order.quantity, ord_type=order.ord_type,
        stop_price=order.stop_price, display=order.display, expire_time=order.expire_time,
        time_in_force=order.time_in_force,
    )  # fmt: skip
    found = fields(execution_report(event, 9, BITCOIN, version)[1].decode())
    assert sent.items() <= found.items()


@given(cash=st.integers(1, BITCOIN.max_cash), least=lots, day=st.dates())
def test_money_and_days_come_back_as_they_were_sent(cash: int, least: int, day: object) -> None:
    money = BITCOIN.currencies["USD"]
    order = decoded(CASH | {"152": money.print(cash)})
    assert isinstance(order, NewOrder) and order.cash == cash
    sent = {"152": money.print(cash), "110": BITCOIN.quantity.print(least), "432": str(day).replace("-", "")}
    event = execution(cash=cash, min_quantity=least, expire_day=str(day), post_only=True)
    found = fields(execution_report(event, 9, BITCOIN, "FIX.4.4")[1].decode())
    assert (sent | {"18": "6"}).items() <= found.items()
    dated = decoded(ORDER | {"59": "6", "432": sent["432"]})
    assert isinstance(dated, NewOrder) and dated.expire_day == str(day)
