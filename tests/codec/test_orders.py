"""Orders and requests become commands, exactly, or are refused with the reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import refusals
from engine.commands import CancelOrder, NewOrder, OrderCommand, ReplaceOrder
from engine.refusals import Refusal
from fixgw.codec import refusals as codec
from fixgw.codec.fields import fields
from fixgw.codec.meaning import CONDITIONS
from fixgw.codec.orders import decode
from fixgw.codec.times import SECOND, utc_timestamp
from tests.codec.venue import (
    BITCOIN,
    CANCEL,
    INSTRUMENTS,
    ORDER,
    REPLACE,
    TIME,
    TOLERANCE,
    terms_with,
)

PLAIN_TERMS = terms_with()


def decoded(message: dict[str, str]) -> OrderCommand | Refusal:
    return decode(message, PLAIN_TERMS, INSTRUMENTS, TIME)


def without(message: dict[str, str], tag: str) -> dict[str, str]:
    return {each: value for each, value in message.items() if each != tag}


def test_a_limit_order() -> None:
    assert decoded(ORDER) == NewOrder(
        time=TIME, client="ALPHA", session="ALPHA-2", account="ALPHA-1", cl_ord_id="A1", symbol="BTC-USD",
        side="1", ord_type="2", time_in_force="0", quantity=20_000, price=5_000_000,
        group="client:ALPHA", self_trade="0",
    )  # fmt: skip


def test_a_market_order_has_no_price() -> None:
    market = decoded(without(ORDER, "44") | {"40": "1", "59": "3"})
    assert isinstance(market, NewOrder)
    assert (market.ord_type, market.price, market.time_in_force) == ("1", 0, "3")


def test_a_cancel() -> None:
    expected = CancelOrder(
        TIME, "ALPHA", "ALPHA-2", cl_ord_id="A2", orig_cl_ord_id="A1", symbol="BTC-USD", side="1"
    )
    assert decoded(CANCEL) == expected
    assert decoded(CANCEL | {"110": "5", "38": "7"}) == expected, "nothing keeps a cancel from passing"


def test_a_replace() -> None:
    assert decoded(REPLACE | {"38": "3.5", "44": "49999.99"}) == ReplaceOrder(
        time=TIME, client="ALPHA", session="ALPHA-2", account="ALPHA-1", cl_ord_id="A3", orig_cl_ord_id="A1",
        symbol="BTC-USD", side="1", ord_type="2", quantity=35_000, price=4_999_999,
    )  # fmt: skip
    unnamed = decoded(without(REPLACE, "1"))
    assert isinstance(unnamed, ReplaceOrder)
    assert unnamed.account == ""


@pytest.mark.parametrize("time_in_force", ["", "0", "1", "2", "3", "4", "7"])
def test_the_time_in_force_of_a_replace_is_what_was_sent(time_in_force: str) -> None:
    """Left out it is not DAY, as in a new order: the engine compares what is there with the order's own."""
    request = decoded(REPLACE | {"59": time_in_force} if time_in_force else REPLACE)
    assert isinstance(request, ReplaceOrder)
    assert request.time_in_force == time_in_force


@given(
    quantity=st.integers(1, BITCOIN.max_quantity),
    price=st.integers(1, BITCOIN.max_price),
    time_in_force=st.sampled_from("012347"),
    side=st.sampled_from("12"),
    cl_ord_id=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=64),
)
def test_every_order_in_range_comes_back_as_written(
    quantity: int, price: int, time_in_force: str, side: str, cl_ord_id: str
) -> None:
    """feature 3"""
    written = ORDER | {
        "38": BITCOIN.quantity.print(quantity), "44": BITCOIN.price.print(price), "59": time_in_force,
        "54": side, "11": cl_ord_id,
    }  # fmt: skip
    order = decoded(fields("".join(f"{tag}={value}\x01" for tag, value in written.items())))
    assert isinstance(order, NewOrder)
    assert (order.quantity, order.price, order.cl_ord_id) == (quantity, price, cl_ord_id)
    assert (order.time_in_force, order.side) == (time_in_force, side)


ORD_TYPES = "1 (market), 2 (limit), 3 (stop) and 4 (stop-limit)"
TIMES_IN_FORCE = "0 (day), 1 (GTC), 2 (at the opening), 3 (IOC), 4 (FOK), 6 (GTD) and 7 (at the close)"

# fmt: off
REFUSED = [
    ({"38": "2.00005"}, Refusal(codec.OFF_LOT, "2.00005", "0.0001", "OrderQty")),
    ({"38": "0"}, Refusal(codec.NOT_POSITIVE, "0", unit="OrderQty")),
    ({"38": "-2"}, Refusal(codec.NOT_POSITIVE, "-2", unit="OrderQty")),
    ({"38": "9" * 41}, Refusal(codec.NOT_POSITIVE, "9" * 41, unit="OrderQty")),
    ({"38": "1000.0001"}, Refusal(codec.ABOVE_MAX, "1000.0001", "1000.0000", "OrderQty")),
    ({"44": "50000.005"}, Refusal(codec.OFF_TICK, "50000.005", "0.01", "Price")),
    ({"44": "0.00"}, Refusal(codec.NOT_POSITIVE, "0.00", unit="Price")),
    ({"44": "-1"}, Refusal(codec.NOT_POSITIVE, "-1", unit="Price")),
    ({"44": "10000000.01"}, Refusal(codec.ABOVE_MAX, "10000000.01", "10000000.00", "Price")),
    ({"40": "P"}, Refusal(codec.UNSUPPORTED, "P", f", only {ORD_TYPES}", "OrdType")),
    ({"54": "5"}, Refusal(codec.UNSUPPORTED, "5", ", only 1 (buy) and 2 (sell)", "Side")),
    ({"59": ""}, Refusal(codec.UNSUPPORTED, "", f", only {TIMES_IN_FORCE}", "TimeInForce")),
    ({"59": "5"}, Refusal(codec.UNSUPPORTED, "5", f", only {TIMES_IN_FORCE}", "TimeInForce")),
    ({"55": "XBT-USD"}, Refusal(refusals.UNKNOWN_SYMBOL, "XBT-USD")),
    ({"15": "BTC"}, Refusal(codec.UNSUPPORTED, "BTC", ", only USD", "Currency")),
    ({"48": "ETH-USD"}, Refusal(codec.UNSUPPORTED, "ETH-USD", ", only BTC-USD", "SecurityID")),
    ({"21": "3"}, Refusal(codec.UNSUPPORTED, "3", ", only 1 and 2", "HandlInst")),
]
# fmt: on


@pytest.mark.parametrize(("changes", "refusal"), REFUSED)
def test_what_cannot_be_honoured_is_refused(changes: dict[str, str], refusal: Refusal) -> None:
    """feature 3"""
    assert decoded(ORDER | changes) == refusal
    assert decoded(REPLACE | changes) == refusal


@pytest.mark.parametrize(("tag", "name"), [("38", "OrderQty"), ("44", "Price"), ("55", "Symbol")])
def test_what_is_missing_is_named(tag: str, name: str) -> None:
    """feature 3"""
    assert decoded(without(ORDER, tag)) == Refusal(codec.MISSING, unit=name)


MEANING = {
    "18": ("G", "ExecInst"), "128": ("OTHER", "DeliverToCompID"),
    "168": ("20231115-00:00:00", "EffectiveTime"),
    "201": ("1", "PutOrCall"), "211": ("0.5", "PegOffsetValue"), "388": ("0", "DiscretionInst"),
    "386": ("1", "NoTradingSessions"), "847": ("1", "TargetStrategy"),
}  # fmt: skip


@pytest.mark.parametrize("tag", MEANING)
def test_a_field_that_changes_the_meaning_is_never_ignored(tag: str) -> None:
    """feature 3"""
    value, name = MEANING[tag]
    refusal = decoded(ORDER | {tag: value})
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.value, refusal.unit) == (codec.UNSUPPORTED, value, name)


def test_names_of_fields_are_those_of_the_version() -> None:
    """feature 3"""
    newer = ORDER | {"8": "FIXT.1.1", "1084": "4"}
    assert decoded(newer) == Refusal(codec.UNSUPPORTED, "4", "", "DisplayMethod")


PLAIN = [
    {"21": "1"}, {"15": "USD"}, {"48": "BTC-USD", "22": "8"}, {"63": "0"}, {"528": "P"},
    {"453": "1", "448": "X", "452": "3"}, {"58": "a note"}, {"97": "Y"}, {"526": "mine"},
    {"5001": "the venue's own"}, {"386": "0"},
]  # fmt: skip


@pytest.mark.parametrize("plain", PLAIN)
def test_what_changes_nothing_is_taken(plain: dict[str, str]) -> None:
    assert decoded(ORDER | plain) == decoded(ORDER)


@pytest.mark.parametrize("original", ["A 1", "", "A" * 65, "A" * 700, "\udcff"])
@pytest.mark.parametrize("message", [CANCEL, REPLACE])
def test_an_id_no_order_can_have_is_an_unknown_order(message: dict[str, str], original: str) -> None:
    """feature 3"""
    assert decoded(message | {"41": original}) == Refusal(refusals.UNKNOWN_ORDER, original)


BAD_IDS = ["", "A 1", "A\t1", "A\x00", "\x7f", "Ä1", "A" * 65, "\udcff", "A\u00a01"]


@pytest.mark.parametrize("cl_ord_id", BAD_IDS)
@pytest.mark.parametrize("message", [ORDER, CANCEL, REPLACE])
def test_a_bad_id_is_seen_before_anything_else(message: dict[str, str], cl_ord_id: str) -> None:
    """feature 3"""
    broken = message | {"11": cl_ord_id, "38": "-1", "55": "NONE", "54": "9"}
    assert decoded(broken) == Refusal(codec.BAD_CL_ORD_ID, cl_ord_id)


texts = st.text(st.characters(blacklist_characters="\x01"), min_size=1, max_size=70)
changes = st.dictionaries(
    st.sampled_from([*list(ORDER)[1:], "41", "59", "15", "5001", *sorted(CONDITIONS)]),
    texts | st.sampled_from(["1", "3", "4", "6", "0.5", "2", "20231115", "20231115-00:00:00"]),
    max_size=7,
)


@given(
    message=st.sampled_from([ORDER, CANCEL, REPLACE]),
    changes=changes,
    missing=st.sets(st.sampled_from([*ORDER, "41"]), max_size=3),
)
def test_no_message_breaks_the_decoder(
    message: dict[str, str], changes: dict[str, str], missing: set[str]
) -> None:
    """feature 3: whatever the fields hold and lack, the answer is a command in range or a refusal"""
    sent = {tag: value for tag, value in (message | changes).items() if tag not in missing - changes.keys()}
    result = decoded(sent | {"8": "FIX.4.4", "35": message["35"]})
    if isinstance(result, NewOrder | ReplaceOrder):
        assert 0 <= result.quantity <= BITCOIN.max_quantity
        assert bool(result.quantity) != (isinstance(result, NewOrder) and result.cash > 0)
        assert 0 <= result.price <= BITCOIN.max_price
        assert (result.price == 0) == (result.ord_type in "13")
        assert 0 <= result.stop_price <= BITCOIN.max_price
        assert (result.stop_price > 0) == (result.ord_type in "34")
        assert 0 <= result.display <= result.quantity <= 100 * (result.display or result.quantity)
        assert result.expire_time < 2**63
    else:
        assert isinstance(result, CancelOrder | Refusal)


@pytest.mark.parametrize("seconds", [-TOLERANCE, 0, TOLERANCE])
def test_a_transact_time_near_the_venues_clock_is_taken(seconds: int) -> None:
    second = TIME - TIME % SECOND + seconds * SECOND
    for decimals in "", ".1", ".123456789":
        assert isinstance(decoded(ORDER | {"60": utc_timestamp(second)[:17] + decimals}), NewOrder)


@pytest.mark.parametrize("text", ["", "20231114", "yesterday", "20239914-22:13:20", "\udcff"])
@pytest.mark.parametrize("message", [ORDER, REPLACE])
def test_a_transact_time_that_is_none_is_refused(message: dict[str, str], text: str) -> None:
    assert decoded(message | {"60": text}) == Refusal(codec.STALE, text, TOLERANCE)


@pytest.mark.parametrize("seconds", [-TOLERANCE - 1, TOLERANCE + 2, -(10**9)])
def test_an_order_from_another_time_is_refused_and_its_cancel_is_not(seconds: int) -> None:
    text = utc_timestamp(TIME + seconds * SECOND)
    assert decoded(ORDER | {"60": text}) == Refusal(codec.STALE, text, TOLERANCE)
    assert decoded(REPLACE | {"60": text}) == Refusal(codec.STALE, text, TOLERANCE)
    assert isinstance(decoded(CANCEL | {"60": text}), CancelOrder)
