"""Reports hold the full standard content, are exact, and pass the standard's own dictionaries."""

from collections.abc import Callable
from decimal import Decimal

import pytest
import quickfix
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import refusals
from engine.events import Execution
from engine.refusals import Refusal
from fixgw.codec import refusals as codec
from fixgw.codec.fields import fields
from fixgw.codec.frame import Frame
from fixgw.codec.reports import NO_ORDER, Report, cancel_reject, execution_report, order_reject
from fixgw.codec.standard import FOLDER
from fixgw.codec.times import utc_timestamp
from tests.codec.venue import BITCOIN, CANCEL, INSTRUMENTS, ORDER, REPLACE, TIME, execution

NOW = utc_timestamp(TIME)
VERSIONS = ["FIX.4.4", "FIXT.1.1"]
Validate = Callable[[Report, str], dict[str, str]]


@pytest.fixture(scope="module")
def validate() -> Validate:
    """Lets QuickFIX check a report with the full standard dictionaries, and returns its fields."""
    session = {
        "FIX.4.4": quickfix.DataDictionary(str(FOLDER / "FIX44.xml")),
        "FIXT.1.1": quickfix.DataDictionary(str(FOLDER / "FIXT11.xml")),
    }
    latest = quickfix.DataDictionary(str(FOLDER / "FIX50SP2.xml"))

    def check(report: Report, begin_string: str) -> dict[str, str]:
        msg_type, body = report
        record = f"{msg_type}\x0120231114-22:13:20.123\x01".encode() + body
        text = Frame(begin_string, "FIXGW", "ALPHA").first_send(3, record).decode()
        transport = session[begin_string]
        application = transport if begin_string == "FIX.4.4" else latest
        message = quickfix.Message(text, transport, application, True)
        quickfix.DataDictionary.validate(message, transport, application)
        return fields(text)

    return check


FILL = execution(
    exec_type="F", ord_status="1", cum_quantity=5_000, leaves_quantity=15_000, notional=5_000 * 4_999_950,
    last_quantity=5_000, last_price=4_999_950, match_id=77, liquidity="2",
)  # fmt: skip
COSTS = replace(FILL, fee_rate=2_500, fee=6_249_937_500)
IN_AUCTION = replace(COSTS, liquidity="4")
REPLACED = execution(exec_type="5", ord_status="0", cl_ord_id="A3", orig_cl_ord_id="A1")
CANCELED = execution(exec_type="4", ord_status="4", cl_ord_id="A2", orig_cl_ord_id="A1", leaves_quantity=0)
EXPIRED = execution(exec_type="C", ord_status="C", leaves_quantity=0, text="end of the day")
MARKET = execution(ord_type="1", price=0, time_in_force="3")
STOP = execution(ord_type="3", price=0, stop_price=5_100_000, time_in_force="1")
TRIGGERED = execution(exec_type="L", ord_type="4", stop_price=5_100_000, display=10_000)
GTD = execution(time_in_force="6", expire_time=TIME, post_only=True, display=10_000)
DATED = execution(time_in_force="6", expire_day="2023-11-15", min_quantity=1)
CASH = execution(ord_type="1", price=0, cash=10_000_000_000)
DECREMENTED = execution(exec_type="D", quantity=15_000, leaves_quantity=15_000, restatement="5")
PREVENTED = execution(
    exec_type="4", ord_status="4", leaves_quantity=0, restatement="99", text="self-trade prevention"
)
BUSTED = execution(exec_type="H", quantity=15_000, leaves_quantity=15_000, ref_id=8, text="a mistake")
CORRECTED = execution(
    exec_type="G", ord_status="1", cum_quantity=4_000, leaves_quantity=16_000, notional=4_000 * 4_999_950,
    last_quantity=4_000, last_price=4_999_950, match_id=77, ref_id=8,
)  # fmt: skip
EVENTS = [
    execution(), FILL, COSTS, IN_AUCTION,
    REPLACED, CANCELED, EXPIRED, MARKET, STOP, TRIGGERED, GTD, DATED, CASH, DECREMENTED,
    PREVENTED, BUSTED, CORRECTED,
]  # fmt: skip


@pytest.mark.parametrize("begin_string", VERSIONS)
@pytest.mark.parametrize("event", EVENTS)
def test_the_standard_dictionary_takes_every_report(
    validate: Validate, event: Execution, begin_string: str
) -> None:
    found = validate(execution_report(event, 9, BITCOIN, begin_string), begin_string)
    assert {"6", "11", "14", "17", "37", "38", "39", "54", "55", "59", "60", "150", "151"} <= found.keys()
    assert ("44" in found) == (event.ord_type in "24")
    assert ("41" in found) == bool(event.orig_cl_ord_id)
    assert ("31" in found) == ("32" in found) == bool(event.last_quantity)
    if event.leaves_quantity:
        assert Decimal(found["38"]) == Decimal(found["14"]) + Decimal(found["151"])


def test_an_acceptance_says_everything() -> None:
    msg_type, body = execution_report(execution(), 9, BITCOIN, "FIX.4.4")
    assert msg_type == "8"
    assert fields(body.decode()) == {
        "37": "7", "17": "9", "11": "A1", "150": "0", "39": "0", "1": "ALPHA-1", "55": "BTC-USD", "54": "1",
        "38": "2.0000", "40": "2", "44": "50000.00", "59": "0", "151": "2.0000", "14": "0.0000", "6": "0",
        "60": "20231114-22:13:20.123",
    }  # fmt: skip


def test_a_fill_says_how_much_and_at_what_price() -> None:
    found = fields(execution_report(FILL, 9, BITCOIN, "FIXT.1.1")[1].decode())
    assert (found["32"], found["31"], found["6"]) == ("0.5000", "49999.50", "49999.50")
    assert (found["14"], found["151"], found["38"]) == ("0.5000", "1.5000", "2.0000")
    assert found["880"] == "77"
    assert "880" not in fields(execution_report(FILL, 9, BITCOIN, "FIX.4.4")[1].decode())


@pytest.mark.parametrize("begin_string", VERSIONS)
def test_a_fill_says_what_it_cost(begin_string: str) -> None:
    """users.md 8.7: a quarter of a percent of 24999.75, of this fill alone; nothing is said of no fee."""
    found = fields(execution_report(COSTS, 9, BITCOIN, begin_string)[1].decode())
    assert (found["12"], found["13"]) == ("62.49937500", "3")
    free = fields(execution_report(FILL, 9, BITCOIN, begin_string)[1].decode())
    assert not {"12", "13"} & free.keys()


@pytest.mark.parametrize("begin_string", VERSIONS)
def test_a_fill_says_what_it_did_to_liquidity(begin_string: str) -> None:
    """users.md 8.7: FIX.4.4 has no word for an auction."""
    for liquidity, said in (("1", "1"), ("2", "2"), ("4", "4" if begin_string == "FIXT.1.1" else None)):
        event = replace(FILL, liquidity=liquidity)
        found = fields(execution_report(event, 9, BITCOIN, begin_string)[1].decode())
        assert found.get("851") == said
    assert "851" not in fields(execution_report(execution(), 9, BITCOIN, begin_string)[1].decode())


# fmt: off
SAID = [
    (STOP, {"40": "3", "99": "51000.00", "59": "1"}),
    (GTD, {"18": "6", "126": "20231114-22:13:20.123456789", "59": "6"}),
    (DATED, {"432": "20231115", "110": "0.0001"}),
    (CASH, {"152": "100.00000000", "38": "2.0000"}),
    (DECREMENTED, {"150": "D", "378": "5", "38": "1.5000", "151": "1.5000"}),
    (PREVENTED, {"150": "4", "378": "99", "58": "self-trade prevention"}),
    (BUSTED, {"150": "H", "19": "8", "17": "9", "58": "a mistake"}),
    (CORRECTED, {"150": "G", "19": "8", "17": "9", "32": "0.4000", "31": "49999.50", "14": "0.4000"}),
]
# fmt: on


@pytest.mark.parametrize("begin_string", VERSIONS)
@pytest.mark.parametrize(("event", "said"), SAID)
def test_what_a_plain_order_does_not_have_is_said(
    event: Execution, said: dict[str, str], begin_string: str
) -> None:
    """feature V1"""
    found = fields(execution_report(event, 9, BITCOIN, begin_string)[1].decode())
    assert said.items() <= found.items()
    conditions = {"18", "19", "99", "110", "111", "126", "152", "432", "1138"}
    shown = {"1138" if begin_string == "FIXT.1.1" else "111"} if event.display else set()
    assert found.keys() & conditions == (said.keys() & conditions) | shown


def test_what_the_older_version_has_no_word_for() -> None:
    """150=L, and ExecRestatementReason(378) above 10, would be refused by the client's own dictionary."""
    found = fields(execution_report(TRIGGERED, 9, BITCOIN, "FIX.4.4")[1].decode())
    assert (found["150"], found["378"], found["58"], found["111"]) == ("D", "99", "triggered", "1.0000")
    found = fields(execution_report(TRIGGERED, 9, BITCOIN, "FIXT.1.1")[1].decode())
    assert (found["150"], "378" in found, "58" in found, found["1138"]) == ("L", False, False, "1.0000")
    lost = execution(exec_type="4", ord_status="4", leaves_quantity=0, restatement="12")
    assert fields(execution_report(lost, 9, BITCOIN, "FIX.4.4")[1].decode())["378"] == "99"
    assert fields(execution_report(lost, 9, BITCOIN, "FIXT.1.1")[1].decode())["378"] == "12"


def test_text_of_the_engine_is_passed_on() -> None:
    assert fields(execution_report(EXPIRED, 9, BITCOIN, "FIX.4.4")[1].decode())["58"] == "end of the day"


@given(filled=st.integers(1, BITCOIN.max_quantity), notional=st.integers(0, 2**62))
def test_the_average_price_is_right_to_its_last_digit(filled: int, notional: int) -> None:
    event = execution(quantity=filled, cum_quantity=filled, leaves_quantity=0, notional=notional)
    average = fields(execution_report(event, 9, BITCOIN, "FIX.4.4")[1].decode())["6"]
    exact = Decimal(notional) * Decimal("0.01") / filled
    assert abs(Decimal(average) - exact) <= Decimal("0.0000005000001")
    if notional % filled == 0:
        assert Decimal(average) == exact


@given(quantity=st.integers(1, 2**40), price=st.integers(1, 2**40))
def test_numbers_come_back_from_the_report(quantity: int, price: int) -> None:
    event = execution(quantity=quantity, price=price, leaves_quantity=quantity)
    found = fields(execution_report(event, 9, BITCOIN, "FIX.4.4")[1].decode())
    assert (BITCOIN.quantity.parse(found["38"]), BITCOIN.price.parse(found["44"])) == (quantity, price)


@pytest.mark.parametrize("begin_string", VERSIONS)
def test_a_refused_order_is_told_why(validate: Validate, begin_string: str) -> None:
    """feature 3"""
    refusal = Refusal(codec.OFF_TICK, "50000.005", "0.01", "Price")
    report = order_reject(ORDER | {"59": "1"}, refusal, "ALPHA-0-5", begin_string, NOW, INSTRUMENTS)
    found = validate(report, begin_string)
    assert {tag: found[tag] for tag in ("35", "37", "17", "150", "39", "14", "151", "6")} == {
        "35": "8", "37": "NONE", "17": "ALPHA-0-5", "150": "8", "39": "8", "14": "0", "151": "0", "6": "0",
    }  # fmt: skip
    assert found["103"] == ("99" if begin_string == "FIX.4.4" else "18")
    assert found["58"] == "Price 50000.005 is not a multiple of the tick 0.01"
    echo = {
        "11": "A1",
        "1": "ALPHA-1",
        "55": "BTC-USD",
        "54": "1",
        "38": "2",
        "40": "2",
        "44": "50000",
        "59": "1",
    }
    assert echo.items() <= found.items()


def test_a_duplicate_is_told_in_the_agreed_words() -> None:
    """features 10, 13"""
    report = order_reject(ORDER, Refusal(refusals.DUPLICATE), "1", "FIX.4.4", NOW, INSTRUMENTS)
    found = fields(report[1].decode())
    assert (found["150"], found["39"], found["103"], found["58"]) == ("8", "8", "6", "Duplicate ClOrdID")
    for request in (CANCEL, REPLACE):
        found = fields(
            cancel_reject(request, Refusal(refusals.DUPLICATE), "7", "0", "FIX.4.4", NOW, INSTRUMENTS)[
                1
            ].decode()
        )
        assert (found["102"], found["58"]) == ("6", "Duplicate ClOrdID")


def test_an_order_without_symbol_is_refused_with_one(validate: Validate) -> None:
    order = {tag: value for tag, value in ORDER.items() if tag != "55"}
    report = order_reject(order, Refusal(codec.MISSING, unit="Symbol"), "1", "FIX.4.4", NOW, INSTRUMENTS)
    assert validate(report, "FIX.4.4")["55"] == "[N/A]"


@pytest.mark.parametrize("begin_string", VERSIONS)
@pytest.mark.parametrize(("request_", "response_to"), [(CANCEL, "1"), (REPLACE, "2")])
def test_a_refused_request_is_told_why(
    validate: Validate, request_: dict[str, str], response_to: str, begin_string: str
) -> None:
    """feature 3"""
    refusal = Refusal(refusals.UNKNOWN_ORDER, "A1")
    report = cancel_reject(request_, refusal, NO_ORDER, "8", begin_string, NOW, INSTRUMENTS)
    found = validate(report, begin_string)
    assert {tag: found[tag] for tag in ("35", "37", "11", "41", "39", "434", "102", "58")} == {
        "35": "9", "37": "NONE", "11": request_["11"], "41": "A1", "39": "8", "434": response_to, "102": "1",
        "58": "There is no order with ClOrdID A1",
    }  # fmt: skip


def test_what_the_client_sent_is_echoed_byte_by_byte() -> None:
    strange = b"A\xff\xc3".decode("utf-8", "surrogateescape")
    order = ORDER | {"11": strange}
    _, body = order_reject(order, Refusal(codec.BAD_CL_ORD_ID, strange), "1", "FIX.4.4", NOW, INSTRUMENTS)
    assert b"\x0111=A\xff\xc3\x01" in body
