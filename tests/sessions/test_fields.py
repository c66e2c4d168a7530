"""Cases 14, 17, 18, 21: a wrong field is named in a Reject, and the number counts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.raw import encode, frame, utc_now
from tests.sessions.client import Client
from tests.wire import Fields

Change = Callable[[Fields], Fields]


def plus(*fields: tuple[int, object]) -> Change:
    return lambda order: [*order, *fields]


def instead(tag: int, value: object) -> Change:
    return lambda order: [(tag, value) if each[0] == tag else each for each in order]


def without(tag: int) -> Change:
    return lambda order: [each for each in order if each[0] != tag]


WRONG: dict[str, tuple[Change, int, int]] = {
    "14a a tag of no standard": (plus((4999, "x")), 4999, 0),
    "14a a user-defined tag no one agreed on": (plus((5001, "x")), 5001, 0),
    "14a tag 0": (plus((0, "x")), 0, 0),
    "14a a negative tag": (plus((-7, "x")), -7, 0),
    "14b no ClOrdID": (without(11), 11, 1),
    "14b no Side": (without(54), 54, 1),
    "14b no OrdType": (without(40), 40, 1),
    "14b no TransactTime": (without(60), 60, 1),
    "14b no Account, which the venue asks for": (without(1), 1, 1),
    "14c a tag of another message of the venue": (plus((41, "x")), 41, 2),
    "14c a tag of a session message": (plus((112, "x")), 112, 2),
    "14c a tag of a message the venue does not speak": (plus((268, "1")), 268, 2),
    "14c another such tag": (plus((269, "0")), 269, 2),
    "14d no value": (plus((58, "")), 58, 4),
    "14d no value where one is required": (instead(11, ""), 11, 4),
    "14e a value that is not in the list": (instead(54, "Z"), 54, 5),
    "14e another one": (instead(40, "!"), 40, 5),
    "14f letters for a quantity": (instead(38, "many"), 38, 6),
    "14f two points in a price": (instead(44, "1.0.0"), 44, 6),
    "14f a day for a time": (instead(60, "20260101"), 60, 6),
    "14f a time that is none": (instead(60, "20261332-25:61:61"), 60, 6),
    "14f two characters for one": (instead(54, "11"), 54, 6),
    "14h a field of the header in the body": (plus((50, "x")), 50, 14),
    "14h a field of the body in the trailer": (plus((93, 1), (89, "x"), (58, "x")), 58, 14),
    "14i a tag twice": (plus((11, "again")), 11, 13),
    "14i a tag twice, apart": (lambda order: [(58, "x"), *order, (58, "y")], 58, 13),
    "14j a group with fewer entries": (plus((453, 2), (448, "x"), (447, "D"), (452, 1)), 453, 16),
    "14j a group with more entries": (
        plus((453, 1), (448, "x"), (447, "D"), (452, 1), (448, "y"), (447, "D"), (452, 1)),
        453,
        16,
    ),
    "14k a group that does not begin with its first field": (
        plus((453, 1), (447, "D"), (448, "x"), (452, 1)),
        453,
        16,
    ),
}


@pytest.mark.parametrize("why", WRONG)
def test_a_wrong_field_is_rejected(client: Client, why: str) -> None:
    """Cases 14a to 14k: Reject with the field, the reason, the message's number and type. The order does not
    exist: its ClOrdID is free, and the corrected one is taken."""
    change, tag, reason = WRONG[why]
    fields = client.order_fields()
    number = client.next_outbound
    client.send("D", change(fields))
    client.expect("3", t45=number, t371=tag, t372="D", t373=reason)
    assert client.settle() == []
    client.send("D", fields)
    client.expect("8", t11=fields[0][1], t150="0")


@pytest.mark.parametrize("tag", [49, 56])
def test_a_missing_name_is_rejected(client: Client, tag: int) -> None:
    """Case 14b, in the header: it is no matter of business."""
    number = client.next_outbound
    header: Fields = [(34, number), (49, client.comp_id), (52, utc_now()), (56, client.target)]
    for msg_type, fields in (("D", client.order_fields()), ("0", [])):
        client.next_outbound += 1
        content = [(35, msg_type), *(each for each in header if each[0] != tag), *fields]
        client.send_bytes(frame(client.begin_string, encode(content)))
        client.expect("3", t45=number, t371=tag, t372=msg_type, t373="1")
        number = client.next_outbound
        header[0] = (34, number)
    assert client.settle() == []


@pytest.mark.parametrize("tag", [34, 52])
def test_an_order_without_its_number_or_time_is_not_taken(client: Client, tag: int) -> None:
    """Case 14b. Without SendingTime: a Reject in FIX.4.4, the end of the connection in FIXT.1.1. Without
    MsgSeqNum: ignored in FIX.4.4, the end in FIXT.1.1. The order does not exist in any case."""
    fields = client.order_fields()
    header = [(34, client.next_outbound), (49, client.comp_id), (52, utc_now()), (56, client.target)]
    content = [(35, "D"), *(each for each in header if each[0] != tag), *fields]
    client.send_bytes(frame(client.begin_string, encode(content)))
    if client.begin_string == "FIXT.1.1":
        assert client.expect_disconnect() == []
        client.logon()
    elif tag == 52:
        client.expect("3", t45=client.next_outbound, t371=52, t372="D", t373="1")
        client.next_outbound += 1
    client.send("D", fields)
    client.expect("8", t11=fields[0][1], t150="0")
    assert client.settle() == []


@pytest.mark.parametrize(
    ("msg_type", "fields", "tag", "reason"),
    [
        ("1", [], 112, 1),
        ("1", [(112, "")], 112, 4),
        ("1", [(112, "x"), (55, "BTC-USD")], 55, 2),
        ("1", [(112, "x"), (4999, "x")], 4999, 0),
        ("2", [(7, "one"), (16, 0)], 7, 6),
        ("2", [(16, 0)], 7, 1),
        ("4", [(123, "Y")], 36, 1),
        ("4", [(123, "maybe"), (36, 99)], 123, 6),
        ("0", [(112, "x"), (112, "y")], 112, 13),
        ("3", [(58, "what?")], 45, 1),
    ],
)
def test_a_wrong_field_of_a_session_message_is_rejected(
    client: Client, msg_type: str, fields: Fields, tag: int, reason: int
) -> None:
    """Case 14 for session messages. Only a SequenceReset does not count: it never does."""
    number = client.next_outbound
    client.send(msg_type, fields)
    client.expect("3", t45=number, t371=tag, t372=msg_type, t373=reason)
    client.next_outbound -= msg_type == "4"
    assert client.settle() == []


@pytest.mark.parametrize(
    "fields",
    [
        [(453, 1), (448, "x"), (447, "D"), (452, 1)],
        [(453, 2), (448, "x"), (447, "D"), (452, 1), (448, "y"), (452, 3)],
        [(453, 0)],
        [(354, 3), (355, "abc"), (58, "free text: |=,é")],
    ],
)
def test_what_is_right_is_taken(client: Client, fields: Fields) -> None:
    """Cases 14g, 14l, 21: header, body and trailer in their order, groups of the right size (none is a size),
    data with its length."""
    order = client.order(extra=fields)
    client.expect("8", t11=order, t150="0")


def test_data_may_not_hold_a_field_delimiter(client: Client) -> None:
    """Case 14l, which the venue does not take: the message is garbled, so ignored, and asked for again."""
    number = client.next_outbound
    client.order(extra=[(354, 3), (355, b"a\x01b")])
    client.send("0")
    client.expect("2", t7=number, t16="0")
    client.fill_gap(number, client.next_outbound)
    assert client.settle() == []


def test_encryption_is_not_taken(client: Client) -> None:
    """Case 17: a Logon that asks for it is refused."""
    client.logout()
    client.connect().send("A", [(98, 2), (108, 30), *client.session_fields()[1:]])
    assert "98" in client.expect("5")[58]
    assert client.expect_disconnect() == []


@pytest.mark.parametrize("tag", [115, 128])
def test_third_parties_are_rejected(client: Client, tag: int) -> None:
    """Case 18: nobody else was agreed on, neither one for whom the client speaks nor one to deliver to."""
    client.send("D", client.order_fields(), header=[(tag, "OTHER")])
    client.expect("3", t371=tag, t373="9", t372="D")
    assert client.settle() == []


def test_a_part_of_a_third_party_is_refused_in_words(client: Client) -> None:
    """DeliverToSubID(129): said rather than ignored."""
    client.send("D", client.order_fields(), header=[(129, "OTHER")])
    assert "not supported" in client.expect("8", t150="8", t39="8")[58]


@pytest.mark.parametrize("version", ["7", "10"])
def test_one_application_version_is_spoken(client: Client, version: str) -> None:
    """Case 14e: ApplVerID(1128), which FIX.4.4 does not know; FIXT.1.1 sessions speak 9, FIX.5.0SP2."""
    tag, reason = ("1128", "5") if client.begin_string == "FIXT.1.1" else ("1128", "0")
    client.send("D", client.order_fields(), header=[(1128, version)])
    client.expect("3", t371=tag, t373=reason)
    assert client.settle() == []
