"""OrderMassCancelRequest, in both versions: which orders it ends, how that is reported, and that nothing
keeps it from its end. Features V1, 19; docs/market.md, 10.2 and 12."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.raw import BUY, SELL
from tests.venue.floor import (
    CANCELED,
    DUPLICATE,
    FAMILIES,
    GTC,
    NEW,
    TRADE,
    Floor,
    Member,
    logged_on,
    running,
)
from tests.venue.operating import set_state
from tests.venue.test_log import log
from tests.venue.trading import (
    cancel_many,
    clear,
    enter,
    enter_many,
    in_one_write,
    many_canceled,
    many_refused,
)

SLOW = {"messages_per_second": 10, "transact_time_seconds": 31_536_000}
OTHER = "M99-USD"
"""another market than that of the test"""
CLIENTS = pytest.mark.parametrize("client", ["ALPHA", "CHARLIE"])


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """X4 may send ten messages a second."""
    slow = {
        f"{name}4": {"client": name, "begin_string": version} | SLOW for name, version in FAMILIES.items()
    }
    with running(tmp_path_factory.mktemp("floor"), sessions=slow) as venue:
        yield venue


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def party(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[list[Member]]:
    """Two sessions of a client of each version, and another client; no one has orders at the end."""
    with logged_on(floor, market, request.param, f"{request.param}2", "BRAVO") as members:
        yield members
        for member in (members[0], members[2]):
            clear(member)
        members[1].settle()


def enter_all(own: Member, second: Member, bravo: Member) -> None:
    """A buy and a sell order, one of the other account, one in another market; one of the second session, one
    of another client."""
    for member, name, side, account, symbol in (
        (own, "buy", BUY, "1", own.market),
        (second, "second", BUY, "1", own.market),
        (own, "sell", SELL, "1", own.market),
        (own, "poor", BUY, "POOR", own.market),
        (own, "other", BUY, "1", OTHER),
        (bravo, "bravo", BUY, "1", own.market),
    ):
        tags = {40: "2", 44: "1" if side == BUY else "9", 38: "1", 59: GTC, 55: symbol}
        fields = {11: member.id(name), 1: f"{member.client}-{account}", 54: side, 60: "20260101-00:00:00"}
        member.send("D", [*fields.items(), *tags.items()])
        member.expect("8", t11=member.id(name), t150=NEW, t55=symbol)


FITTING: dict[str, tuple[dict[str, str], list[str]]] = {
    "all": ({}, ["buy", "second", "sell", "poor", "other"]),
    "symbol": ({"t55": "M"}, ["buy", "second", "sell", "poor"]),
    "side": ({"t54": SELL}, ["sell"]),
    "account": ({"t1": "POOR"}, ["poor"]),
    "symbol and side": ({"t55": "M", "t54": BUY}, ["buy", "second", "poor"]),
    "side and account": ({"t54": BUY, "t1": "1"}, ["buy", "second", "other"]),
    "all of them": ({"t55": OTHER, "t54": BUY, "t1": "1"}, ["other"]),
    "nothing": ({"t55": OTHER, "t54": SELL}, []),
}


@pytest.mark.parametrize("which", FITTING)
def test_what_fits_is_canceled_in_its_order(party: list[Member], which: str) -> None:
    """One report for each, by OrderID, to the session that asked and to the one that owns it; then the one
    that counts."""
    own, second, bravo = party
    enter_all(own, second, bravo)
    filters, fitting = FITTING[which]
    symbol, account = filters.get("t55", "").replace("M99-USD", OTHER), filters.get("t1", "")
    tags = filters | ({"t55": own.market if symbol == "M" else symbol} if symbol else {})
    tags |= {"t1": f"{own.client}-{account}"} if account else {}
    kind = "1" if symbol else "7"
    cancel_many(own, "q", kind, **tags)
    echoed = {"t1": None, "t54": tags.get("t54"), "t55": tags.get("t55")}
    for name in fitting:
        report = own.expect("8", t11=own.id(name), t150=CANCELED, t39=CANCELED, t151="0.0000", t41=None)
        assert 378 not in report, "it was asked for"
    many_canceled(own, "q", len(fitting), kind, **echoed)
    if "second" in fitting:
        second.told("second", CANCELED, t151="0.0000")
    assert own.settle() == second.settle() == bravo.settle() == []
    numbers = [int(each[37]) for each in own.received if each.get(150) == CANCELED]
    assert numbers == sorted(numbers)


def test_what_is_refused(floor: Floor, party: list[Member]) -> None:
    """In words; the ClOrdID stays free, and all orders stay."""
    own, second, bravo = party
    enter_all(own, second, bravo)
    only = "MassCancelRequestType 3 is not supported, only 1 (of a Symbol) and 7 (all)"
    refusals: list[tuple[str, dict[str, str], int, str]] = [
        ("3", {}, 0, only),
        ("1", {}, 99, "Symbol is missing"),
        ("1", {"t55": "NO-SUCH"}, 1, "Symbol NO-SUCH is unknown"),
        ("7", {"t1": "BRAVO-1"}, 99, "Account BRAVO-1 is not one of this client"),
    ]
    for kind, tags, reason, text in refusals:
        cancel_many(own, "q", kind, **tags)
        echoed = {"t1": None, "t54": tags.get("t54"), "t55": tags.get("t55")}
        assert many_refused(own, "q", reason, text, t530=kind, **echoed)[37] == "NONE"
    cancel_many(own, "q", "7", t55=own.market)
    assert "Symbol" in own.expect("r", t531="0", t533="0")[58]
    own.send("q", [(11, "a b"), (530, "7"), (60, "20260101-00:00:00")])
    assert "ClOrdID must be" in own.expect("r", t11="a b", t531="0", t532="99")[58]
    own.send("q", [(11, own.id("q")), (60, "20260101-00:00:00")])
    own.expect("3", t371="530", t373="1")
    own.received.pop()
    cancel_many(own, "q", "1", t55=OTHER)
    own.expect("8", t11=own.id("other"), t150=CANCELED)
    many_canceled(own, "q", 1, "1", t55=OTHER)


NARROWER: list[tuple[str, list[tuple[int, object]], str, str]] = [
    ("7", [(336, "2")], "TradingSessionID 2 is not supported, only 1", "6"),
    ("7", [(625, "1")], "TradingSessionSubID 1 is not supported", "99"),
    ("7", [(167, "OPT")], "SecurityType OPT is not supported", "5"),
    ("7", [(461, "FXXXXX")], "CFICode FXXXXX is not supported", "4"),
    ("1", [(48, "XX"), (22, "8")], "SecurityID XX is not supported, only {market}", "99"),
    ("1", [(167, "OPT")], "SecurityType OPT is not supported, only FXSPOT", "5"),
    ("1", [(461, "FXXXXX")], "CFICode FXXXXX is not supported", "4"),
    ("1", [(200, "202701")], "MaturityMonthYear 202701 is not supported", "99"),
    ("1", [(207, "XNAS")], "SecurityExchange XNAS is not supported", "99"),
]
NARROWER_SINCE: list[tuple[str, list[tuple[int, object]], str, str]] = [
    ("7", [(1300, "SEG")], "MarketSegmentID SEG is not supported", "8"),
    ("7", [(1301, "XNAS")], "MarketID XNAS is not supported", "7"),
    ("7", [(453, 1), (448, "OTHER"), (447, "D"), (452, 11)], "NoPartyIDs 1 is not supported", "99"),
    ("7", [(1461, 1), (1462, "X"), (1463, "D"), (1464, 11)], "NoTargetPartyIDs 1 is not supported", "99"),
]


def test_what_would_cancel_less_is_refused(floor: Floor, party: list[Member]) -> None:
    """A field that narrows a mass cancel and is not supported is never ignored: nothing is canceled. Names of
    the same market, and references of the client's own, do no harm."""
    own = party[0]
    own.new("a", BUY, "1", "1")
    own.told("a", NEW)
    for kind, fields, text, reason in NARROWER + NARROWER_SINCE * (own.begin_string != "FIX.4.4"):
        symbol = [(55, own.market)] * (kind == "1")
        own.send("q", [(11, own.id("q")), (530, kind), *symbol, *fields, (60, "20260101-00:00:00")])
        many_refused(own, "q", int(reason), text.format(market=own.market), t530=kind)
    assert own.settle() == []
    harmless = [(526, "mine"), (336, "1"), (58, "away"), (55, own.market), (48, own.market)]
    own.send("q", [(11, own.id("q")), (530, "1"), *harmless, (60, "20260101-00:00:00")])
    own.told("a", CANCELED)
    many_canceled(own, "q", 1, "1", t55=own.market)


def test_its_id_is_spent_as_that_of_an_order(party: list[Member]) -> None:
    """A duplicate is refused, a possible resend of it is passed over, and it names no order."""
    own, _, _ = party
    cancel_many(own, "q")
    many_canceled(own, "q", 0)
    own.new("b", BUY, "1", "100")
    own.told("b", NEW)
    cancel_many(own, "q")
    many_refused(own, "q", 99, DUPLICATE)
    cancel_many(own, "b")
    many_refused(own, "b", 99, DUPLICATE)
    cancel_many(own, "q", possresend=True)
    own.new("q", BUY, "1", "100")
    own.refused("q", 6, t58=DUPLICATE)
    own.cancel("c", "q")
    own.request_refused("c", "q", 1, t37="NONE", t39="8")
    own.send("H", [(11, own.id("q")), (55, own.market), (54, BUY)])
    own.expect("8", t150="I", t39="8", t37="NONE")
    assert own.settle() == []
    cancel_many(own, "new", possresend=True)
    own.told("b", CANCELED)
    many_canceled(own, "new", 1)


def test_a_halted_market_keeps_its_orders(floor: Floor, party: list[Member]) -> None:
    """market.md 7.1, 10.2: one alone is refused, of all the others go."""
    own, second, bravo = party
    enter_all(own, second, bravo)
    set_state(floor, "halted", own.market, *party)
    cancel_many(own, "q", "1", t55=own.market)
    many_refused(own, "q", 99, f"{own.market} is in state halted: it takes no cancels", t55=own.market)
    cancel_many(own, "q")
    own.expect("8", t11=own.id("other"), t150=CANCELED)
    many_canceled(own, "q", 1)
    set_state(floor, "closed", own.market, *party)
    cancel_many(own, "q2", t54=SELL)
    own.told("sell", CANCELED)
    many_canceled(own, "q2", 1, t54=SELL)
    set_state(floor, "continuous", own.market, *party)


def test_orders_wherever_they_wait(party: list[Member]) -> None:
    """Stops, what is for the close, and the hidden part of an iceberg."""
    own, _, _ = party
    iceberg = 111 if own.begin_string == "FIX.4.4" else 1138
    orders = {
        "stop": {40: "3", 99: "200", 38: "1"},
        "close": {40: "1", 38: "1", 59: "7"},
        "ice": {40: "2", 44: "1", 38: "10", iceberg: "1"},
    }
    for name, tags in orders.items():
        enter(own, name, BUY, dict(tags))
        own.told(name, NEW)
    cancel_many(own, "q")
    for name in orders:
        own.told(name, CANCELED, t151="0.0000")
    many_canceled(own, "q", 3)


@CLIENTS
def test_it_is_never_throttled(floor: Floor, market: str, client: str) -> None:
    with logged_on(floor, market, f"{client}4") as (member,):
        with in_one_write(member):
            for number in range(30):
                member.new(f"n{number}", BUY, "1", "100")
            cancel_many(member, "q")
            cancel_many(member, "q2")
        answers = [member.receive() for _ in range(30)]
        live = [each[11] for each in answers if each.msg_type == "8"]
        assert [each.msg_type for each in answers].count("j") == 30 - len(live) > 0
        for name in live:
            member.expect("8", t11=name, t150=CANCELED)
        many_canceled(member, "q", len(live))
        many_canceled(member, "q2", 0)
        for _ in range(20):
            member.send("AF", [(584, "m"), (585, "7")])
        answers = [member.receive().msg_type for _ in range(20)]
        assert "j" in answers, "a question is throttled as an order is"


def test_many_take_several_turns_and_others_are_served_in_between(party: list[Member]) -> None:
    """1,200 orders. A later order of the same client is none of them; one that is canceled meanwhile by a
    request of its own is not counted, nor reported twice."""
    own = party[0]
    enter_many(own, 1200, "m")
    with in_one_write(own):
        cancel_many(own, "q")
        own.new("later", BUY, "1", "100")
        own.cancel("c", "m1100")
    for number in range(500):
        own.told(f"m{number}", CANCELED)
    own.told("later", NEW)
    own.expect("8", t11=own.id("c"), t41=own.id("m1100"), t150=CANCELED)
    for number in range(500, 1200):
        if number != 1100:
            own.told(f"m{number}", CANCELED, t41=None)
    many_canceled(own, "q", 1199)
    own.new("still", SELL, "1", "100")
    for name, told in (("still", NEW), ("still", TRADE), ("later", TRADE)):
        own.told(name, told)


@CLIENTS
def test_a_flood_of_them_is_spread_over_turns(floor: Floor, market: str, client: str) -> None:
    """Each looks at 3,000 orders, of which none fits: so many in one turn would keep all others waiting. What
    is decided in one turn has one time."""
    with logged_on(floor, market, client) as (own,):
        enter_many(own, 3000, "m")
        with in_one_write(own):
            for number in range(60):
                cancel_many(own, f"q{number}", t54=SELL)
        for number in range(60):
            many_canceled(own, f"q{number}", 0, t54=SELL)
        lines = [line.split() for line in log(floor.data, "journal")]
        times = [
            line[1] for line in lines if line[2] == "CancelMany" and f"cl_ord_id={market}.q" in str(line)
        ]
        assert len(times) == 60 and len(set(times)) > 3
        clear(own)


@CLIENTS
def test_two_at_once_are_done_one_after_the_other(floor: Floor, market: str, client: str) -> None:
    """The second finds what the first has left: nothing, or what came between."""
    with logged_on(floor, market, client) as (own,):
        enter_many(own, 600, "m")
        with in_one_write(own):
            cancel_many(own, "q1")
            own.new("later", BUY, "1", "100")
            cancel_many(own, "q2")
        told = [own.receive() for _ in range(604)]
        ended = [each[11] for each in told if each.get(150) == CANCELED]
        assert sorted(ended) == sorted([*(own.id(f"m{number}") for number in range(600)), own.id("later")])
        counts = {each[11]: int(each[533]) for each in told if each.msg_type == "r"}
        assert set(counts) == {own.id("q1"), own.id("q2")} and sum(counts.values()) == 601
        assert own.settle() == []


@CLIENTS
def test_a_kill_9_in_the_middle_does_not_end_it(tmp_path: Path, client: str) -> None:
    """It goes on after the restart, before anything else: each order is reported once, and the number is that
    of all."""
    count = 6000
    with Floor(tmp_path, restart={"cancel_only_seconds": 3600}) as venue:
        own = Member(venue, "M1-USD", client)
        own.logon()
        enter_many(own, count, "m")
        cancel_many(own, "q")
        own.told("m0", CANCELED)
        venue.kill9()
        own.close()
        journal_before = own.next_inbound
        venue.start()
        own.address = (venue.host, venue.port)
        own.logon()
        own.send("2", [(7, journal_before), (16, 0)])
        while own.receive().get(533) is None:
            pass
        own.settle()
        reports = [each for each in own.received if each.get(150) == CANCELED]
        told = {each[17]: own_name(each) for each in reports}
        assert sorted(told.values()) == sorted(f"m{number}" for number in range(count))
        many = {each[60] + each[533] for each in own.received if each.msg_type == "r"}
        assert len(many) == 1 and many.pop().endswith(f"{count}")
        own.new("n", BUY, "1", "100")
        own.refused("n", 0)
        words = [line.split(" ", 2)[2] for line in log(venue.data, "journal")]
        pieces = [number for number, line in enumerate(words) if line.startswith("ContinueMany")]
        restart = words.index("SetState symbol=M1-USD state=cancel-only reason=restart")
        assert pieces[-1] > restart, "it was done before the kill"
        own.logout()
        assert venue.terminate() == 0
        venue.start()  # the journal gives the same events


def own_name(report: dict[int, str]) -> str:
    return report[11].rpartition(".")[2]
