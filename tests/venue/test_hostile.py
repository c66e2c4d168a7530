"""Hostile input "never stops or slows another session": through every attack BRAVO goes on, and each of its
orders is answered while the attacker is still there."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count

import pytest

from tests.raw import BUY, NothingCame, encode, frame, new_order, utc_now
from tests.venue.floor import NEW, Floor, Member, logged_on, running
from tests.wire import Fields

DEADLINE = 2
CONNECTIONS = 12
MESSAGE_BYTES = 8192
_numbers = count()


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    door = {
        "logon_deadline_seconds": DEADLINE, "connections": CONNECTIONS, "message_bytes": MESSAGE_BYTES,
        "logon_bytes": 1024,
    }  # fmt: skip
    with running(tmp_path_factory.mktemp("floor"), door=door) as venue:
        yield venue


@pytest.fixture
def bravo(floor: Floor, market: str) -> Iterator[Member]:
    with logged_on(floor, market, "BRAVO") as (member,):
        yield member


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def attacker(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[Member]:
    """A client of each version that knows how to log on."""
    member = Member(floor, market, request.param)
    member.logon(reset=True)
    member.settle()
    yield member
    member.close()


def goes_on(bravo: Member) -> None:
    for _ in range(20):
        name = f"n{next(_numbers)}"
        bravo.new(name, BUY, "1", "100")
        bravo.told(name, NEW, timeout=2.0)


def stranger(venue: Floor, data: bytes = b"") -> socket.socket:
    line = socket.create_connection((venue.host, venue.port), timeout=10)
    line.sendall(data)
    return line


def is_open(line: socket.socket) -> bool:
    """Nothing came, not even the end."""
    return not select.select([line], [], [], 0)[0]


def ends_without_a_word(line: socket.socket) -> None:
    with line, suppress(ConnectionResetError):
        assert line.recv(100) == b""


def message(msg_type: str, fields: Fields, sender: str = "ALPHA", body_length: object = None) -> bytes:
    header: Fields = [(35, msg_type), (34, 1), (49, sender), (52, utc_now()), (56, "FIXGW")]
    return frame("FIX.4.4", encode([*header, *fields]), body_length)


LOGON = message("A", [(98, 0), (108, 30)])
STRANGERS = {
    "web browser": b"GET / HTTP/1.1\r\nHost: venue\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "zeros": bytes(100_000),
    "no FIX": b"8=FAX.4.4\x01",
    "no end": b"8=" + b"F" * 5000,
    "order first": message(*new_order("a", BUY, 1, 100)),
    "huge BodyLength": message("A", [(98, 0), (108, 30)], body_length=999_999_999),
    "large BodyLength": message("A", [(98, 0), (108, 30)], body_length=99_999),
    "negative BodyLength": message("A", [(98, 0), (108, 30)], body_length=-5),
    "short BodyLength": message("A", [(98, 0), (108, 30)], body_length=20),
    "wrong checksum": LOGON[:-4] + b"%03d\x01" % ((int(LOGON[-4:-1]) + 1) % 256),
    "long Logon": message("A", [(98, 0), (108, 30), (58, "x" * 2000)]),
    "not UTF-8": message("A", [(98, 0), (108, 30), (58, b"\xff\xfe")]),
    "NUL": message("A", [(98, 0), (108, 30), (58, b"a\0b")]),
    "SOH in a value": message("A", [(98, 0), (108, 30), (58, b"a\x01b")]),
    "a field twice": message("A", [(98, 0), (108, 30), (108, 31)]),
    "unknown identity": message("A", [(98, 0), (108, 30)], sender="MALLORY"),
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_a_stranger_is_closed_without_a_word(floor: Floor, bravo: Member, kind: str) -> None:
    """ "One complete bounded Logon": as soon as it cannot become one, and a client that was never in has
    spent no number of the session."""
    before = floor.status()["session ALPHA"]
    ends_without_a_word(stranger(floor, STRANGERS[kind]))
    goes_on(bravo)
    assert floor.status()["session ALPHA"] == before


def test_a_logon_never_finished_ends_at_the_deadline(floor: Floor, bravo: Member) -> None:
    """ "Within a deadline"; until then it keeps no one waiting, wherever it stops."""
    lines = [stranger(floor, LOGON[:length]) for length in (0, 1, 12, 15, 60, len(LOGON) - 1)]
    goes_on(bravo)
    assert all(is_open(line) for line in lines)
    for line in lines:
        ends_without_a_word(line)
    assert floor.errors.count(f"no Logon within {DEADLINE} s") >= len(lines)


def test_a_logon_byte_by_byte_is_a_logon(floor: Floor, bravo: Member) -> None:
    """And so are the messages that follow it."""
    member = Member(floor, bravo.market, "ALPHA4").connect()
    member.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for number, each in enumerate(
        (message("A", [(98, 0), (108, 30), (141, "Y")], "ALPHA4"), message("1", [(112, "x")], "ALPHA4"))
    ):
        whole = each.replace(b"\x0134=1\x01", b"\x0134=%d\x01" % (number + 1))
        whole = whole[:-7] + b"10=%03d\x01" % (sum(whole[:-7]) % 256)
        for byte in whole:
            member.send_bytes(bytes([byte]))
        goes_on(bravo)
        member.expect("A" if number == 0 else "0")
    member.next_outbound = 3
    member.logout()


def test_a_flood_of_connections_ends_at_the_limit(floor: Floor, bravo: Member) -> None:
    """Those who came first make room for those above the limit; who is inside trades on, and a client gets
    in at once."""
    lines = [stranger(floor) for _ in range(CONNECTIONS + 20)]
    inside = CONNECTIONS - 1
    for line in lines[:-inside]:
        ends_without_a_word(line)
    goes_on(bravo)
    assert all(is_open(line) for line in lines[-inside:])
    with logged_on(floor, bravo.market, "ALPHA"):
        goes_on(bravo)
    for line in lines[-inside:]:
        ends_without_a_word(line)


Attack = Callable[[Member, tuple[str, Fields]], object]
SAME: dict[str, Attack] = {
    "wrong checksum": lambda m, order: m.send(*order, checksum="999", sequence=m.next_outbound),
    "short checksum": lambda m, order: m.send(*order, checksum="9", sequence=m.next_outbound),
    "short BodyLength": lambda m, order: m.send(*order, body_length=20, sequence=m.next_outbound),
    "negative BodyLength": lambda m, order: m.send(*order, body_length=-20, sequence=m.next_outbound),
    "empty BodyLength": lambda m, order: m.send(*order, body_length="", sequence=m.next_outbound),
    "no MsgSeqNum": lambda m, order: m.send(*order, sequence="x"),  # type: ignore[arg-type]
    "MsgSeqNum too large": lambda m, order: m.send(*order, sequence=10**30),
    "SOH in a value": lambda m, order: m.send(
        order[0], [*order[1], (58, b"a\x01b")], sequence=m.next_outbound
    ),
    "absurd tag": lambda m, order: m.send(order[0], [*order[1], (10**20, 1)], sequence=m.next_outbound),
    "zeros between messages": lambda m, order: m.send_bytes(bytes(5000)),
}


@pytest.mark.parametrize("kind", SAME)
def test_a_garbled_message_is_ignored(floor: Floor, bravo: Member, attacker: Member, kind: str) -> None:
    """It spends neither its number nor its ClOrdID: the same order, right this time, is accepted."""
    account = f"{attacker.client}-1"
    order = new_order(attacker.id("a"), BUY, "1", "100", symbol=attacker.market, account=account)
    SAME[kind](attacker, order)
    goes_on(bravo)
    assert attacker.settle() == []
    attacker.send(*order)
    attacker.told("a", NEW)


CUT = {
    "huge BodyLength": b"8=FIX.4.4\x019=999999999\x0135=D\x01",
    "BodyLength above the limit": b"8=FIX.4.4\x019=%d\x0135=D\x01" % (MESSAGE_BYTES + 1),
    "a field without end": b"8=FIX.4.4\x019=100\x0158=" + b"x" * (MESSAGE_BYTES + 100),
    "no message at all": b"x\x01" * (MESSAGE_BYTES * 2),
    "fields without end": b"8=FIX.4.4\x019=100\x01" + b"58=x\x01" * MESSAGE_BYTES,
}


@pytest.mark.parametrize("kind", CUT)
def test_what_can_be_no_message_is_cut(floor: Floor, bravo: Member, attacker: Member, kind: str) -> None:
    """ "Bounded buffers": the connection ends; the session goes on with its numbers at the next logon."""
    with suppress(ConnectionError):
        attacker.send_bytes(CUT[kind])
    assert attacker.expect_disconnect() == []
    goes_on(bravo)
    attacker.logon()
    attacker.new("a", BUY, "1", "100")
    attacker.told("a", NEW)


def test_a_promise_of_more_bytes_is_kept_waiting_alone(bravo: Member, attacker: Member) -> None:
    """A BodyLength within the limit swallows what follows; then the gap is seen and asked for."""
    first = attacker.next_outbound
    attacker.send(*new_order(attacker.id("a"), BUY, "1", "100"), body_length=2000)
    goes_on(bravo)
    with pytest.raises(NothingCame):
        attacker.receive(0.0)
    for _ in range(50):
        attacker.send("0")
    attacker.expect("2", t7=first)
    goes_on(bravo)


@pytest.mark.parametrize("value", [b"\xff\xfe\x80", b"a\0b", b"\xed\xa0\x80", "Ω".encode()])
def test_bytes_that_are_no_text_are_refused_and_echoed(bravo: Member, attacker: Member, value: bytes) -> None:
    """Invalid UTF-8 and NUL: as a symbol no one trades, and as an id no one may have."""
    fields: Fields = [(1, f"{attacker.client}-1"), (54, BUY), (60, utc_now()), (38, 1), (40, 2), (44, 100)]
    attacker.send("D", [(11, attacker.id("a")), (55, value), *fields])
    assert b"\x0155=" + value + b"\x01" in attacker.expect("8", t150="8", t103=1).bytes
    attacker.send("D", [(11, value), (55, attacker.market), *fields])
    assert b"\x0111=" + value + b"\x01" in attacker.expect("8", t150="8", t103=99).bytes
    goes_on(bravo)


def test_a_reset_behind_a_logout_ends_one_connection(bravo: Member, attacker: Member) -> None:
    """QuickFIX throws an error for it, which must not leave the session."""
    for msg_type, fields in (("5", []), ("4", [(36, 1)]), ("4", [(123, "Y"), (36, 1)])):
        attacker.send(msg_type, fields)
    goes_on(bravo)
    attacker.expect("5")
    attacker.close()
    attacker.logon(reset=True)
    attacker.settle()
