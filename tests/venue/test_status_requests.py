"""What clients ask about their orders and about markets: OrderStatusRequest, OrderMassStatusRequest and
SecurityListRequest, in both versions. Features V1, 19, 52, 53; docs/market.md, 11.3 and 12."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from fixgw.admin.words import EndOfDay
from tests.raw import BUY, SELL, Received
from tests.venue.floor import (
    CANCELED,
    EXPIRED,
    FOK,
    GTC,
    IOC,
    MARKETS,
    NEW,
    REPLACED,
    STATUS,
    TRADE,
    Floor,
    Member,
    content,
    logged_on,
    running,
)
from tests.venue.operating import done, standing
from tests.venue.trading import (
    GTD,
    Tags,
    change,
    clear,
    enter,
    enter_many,
    in_one_write,
    rest,
)
from tests.venue.wiretap import wait_for

UNREAD = 2 << 20
"""bytes a client may leave unread here"""
STEP = {150, 41, 31, 32, 851, 58, 378, 790, 584, 911, 912, 103}
"""tags that are about the step a report is of, or the question it answers"""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with running(tmp_path_factory.mktemp("floor"), door={"unread_bytes": UNREAD}) as venue:
        yield venue


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def party(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[list[Member]]:
    """Two sessions of a client of each version, and another client; the client has no orders at the end."""
    with logged_on(floor, market, request.param, f"{request.param}2", "BRAVO") as members:
        yield members
        clear(members[0])
        for member in members:
            member.settle()


def ask(member: Member, name: str = "", side: str = BUY, **more: object) -> Received:
    """The answer to an OrderStatusRequest; `more`: t37, t790, t55."""
    fields: Tags = {11: member.id(name)} if name else {}
    fields |= {55: member.market, 54: side} | {int(tag[1:]): value for tag, value in more.items()}
    member.send("H", list(fields.items()))
    return member.expect("8", t150=STATUS, t790=more.get("t790"))


def unknown(member: Member, name: str = "", side: str = BUY, **more: object) -> Received:
    answer = ask(member, name, side, **more)
    shown = member.id(name) if name else f"OrderID {more['t37']}"
    assert (answer[39], answer[103], answer[37]) == ("8", "5", "NONE")
    assert answer[58] == f"There is no order {shown}"
    return answer


def state(report: Received) -> dict[int, str]:
    """What it says of the order itself."""
    return {tag: value for tag, value in content(report).items() if tag not in STEP}


def test_an_order_through_its_life(floor: Floor, party: list[Member]) -> None:
    """The answer has what the last report had, under the current ClOrdID, whichever of its ids is asked for
    and whichever session of the client asks; it is no event, and nothing is journaled for it."""
    own, second, bravo = party

    def same(last: Received, *names: str) -> None:
        before = floor.status()["journal"]
        for member in (own, second):
            for name in names:
                answer = ask(member, name, t790=f"ask-{name}")
                assert state(answer) == state(last), name
                assert answer[37] == last[37] and answer[17] != last[17]
                assert 31 not in answer and 32 not in answer and 41 not in answer
        assert floor.status()["journal"] == before

    own.new("a", BUY, "3", "100")
    same(own.told("a", NEW), "a")
    own.replace("b", "a", BUY, "4", "101")
    same(own.told("b", REPLACED), "a", "b")
    bravo.new("s", SELL, "1", "101", time_in_force=IOC)
    same(own.told("b", TRADE, t39="1"), "a", "b")
    bravo.told("s", NEW)
    bravo.told("s", TRADE)
    own.cancel("c", "b")
    own.told("c", CANCELED)
    ended = ask(own, "b")
    assert (ended[39], ended[14], ended[151]) == ("4", "1.0000", "0.0000")
    for name in ("a", "c"):
        assert state(ask(own, name)) == state(ended)
    assert {each[17] for each in own.received if 17 in each}
    own.new("f", BUY, "1", "100", time_in_force=FOK)
    own.told("f", NEW)
    same(own.told("f", CANCELED), "f")


def test_what_an_order_has_beside(party: list[Member]) -> None:
    own = party[0]
    shown = 111 if own.begin_string == "FIX.4.4" else 1138
    orders: dict[str, Tags] = {
        "stop": {40: "4", 99: "200", 44: "201", 38: "1"},
        "ice": {40: "2", 44: "100", 38: "3", shown: "1"},
        "gtd": {40: "2", 44: "100", 38: "1", 59: GTD, 126: "20990101-00:00:00.123456789"},
        "until": {40: "2", 44: "100", 38: "1", 59: GTD, 432: "20990101"},
        "post": {40: "2", 44: "100", 38: "1", 18: "6"},
        "close": {40: "1", 38: "1", 59: "7"},
    }
    for name, tags in orders.items():
        enter(own, name, BUY, dict(tags))
        assert state(own.told(name, NEW)) == state(ask(own, name)), name


def test_an_order_that_is_not_there(party: list[Member]) -> None:
    """Never sent, refused, of another client, or asked for as another than it is."""
    own, _, bravo = party
    own.new("a", BUY, "1", "100")
    number = own.told("a", NEW)[37]
    bravo.new("theirs", BUY, "1", "100")
    theirs = bravo.told("theirs", NEW)[37]
    own.new("refused", BUY, "1", "100.001")
    own.expect("8", t150="8")
    unknown(own, "never", t790="x")
    for name in ("a b", "x" * 600, "x" * 6000):
        unknown(own, name)
    unknown(own, "refused")
    unknown(own, "theirs")
    unknown(bravo, "a")
    unknown(own, "a", SELL)
    unknown(own, "a", t55="M99-USD")
    unknown(own, "a", t37=theirs)
    unknown(own, "never", t37=number)
    assert ask(own, "a", t37=number)[39] == NEW
    bravo.cancel("c", "theirs")
    bravo.told("c", CANCELED)
    unknown(own, "theirs")


def test_by_order_id_alone_in_the_newer_version(party: list[Member]) -> None:
    own, _, bravo = party
    bravo.new("theirs", BUY, "1", "100")
    theirs = bravo.told("theirs", NEW)[37]
    own.new("a", BUY, "1", "100")
    number = own.told("a", NEW)[37]
    if own.begin_string == "FIX.4.4":
        own.send("H", [(37, number), (55, own.market), (54, BUY)])
        own.expect("3", t371="11", t373="1")
        return
    assert ask(own, t37=number)[11] == own.id("a")
    for nothing in (theirs, "1", "0", "NONE", "9" * 30, str(int(number) + 1000)):
        unknown(own, t37=nothing)


def mass(member: Member, name: str, kind: str = "7", **tags: object) -> list[Received]:
    """All answers to an OrderMassStatusRequest, which tell how many they are."""
    fields = [(int(tag[1:]), value) for tag, value in tags.items()]
    member.send("AF", [(584, name), (585, kind), *fields])
    answers = [member.expect("8", t150=STATUS, t584=name)]
    while answers[-1][912] == "N":
        answers.append(member.expect("8", t150=STATUS, t584=name, t911=answers[0][911]))
    assert int(answers[0][911]) == (0 if answers[0][37] == "NONE" else len(answers))
    return answers


def names(answers: list[Received]) -> list[str]:
    return [each[11].rpartition(".")[2] for each in answers if 11 in each]


def test_all_live_orders_of_a_client(party: list[Member]) -> None:
    """In the order of OrderID, over all its sessions, as Symbol, Side and Account say; never those of
    others."""
    own, second, bravo = party
    assert mass(own, "none")[0][58] == "No order fits"
    rest(own, "a", BUY, "1", "90")
    rest(second, "b", SELL, "2", "110")
    own.new("p", BUY, "1", "1", "POOR")
    own.told("p", NEW)
    rest(bravo, "theirs", BUY, "1", "90")
    market, own.market = own.market, "M99-USD"
    rest(own, "far", BUY, "1", "90")
    own.market = market
    own.new("gone", BUY, "1", "90", time_in_force=FOK)
    own.told("gone", NEW)
    own.told("gone", CANCELED)
    for member in (own, second):
        assert names(mass(member, "all")) == ["a", "b", "p", "far"]
        assert names(mass(member, "m", "1", t55=market)) == ["a", "b", "p"]
        assert names(mass(member, "s", t54=SELL)) == ["b"]
        account = f"{own.client}-1"
        assert names(mass(member, "1", t1=account, t54=BUY)) == ["a", "far"]
        assert names(mass(member, "sa", "1", t55=market, t1=account)) == ["a", "b"]
    assert names(mass(bravo, "all", "1", t55=market)) == ["theirs"]
    own.send("AF", [(585, "7")])
    own.expect("3", t371="584", t373="1")
    own.received.pop()


PARTIES: Tags = {453: "1", 448: "OTHER", 447: "D", 452: "11"}
ASKED_WRONG: list[tuple[Tags, str, str]] = [
    ({585: "3"}, "11", "MassStatusReqType 3 is not supported, only 1 (of a Symbol) and 7 (all)"),
    ({585: "1"}, "99", "Symbol is missing"),
    ({585: "1", 55: "NO-SUCH"}, "1", "Symbol NO-SUCH is unknown"),
    ({585: "7", 55: "M99-USD"}, "11", "Symbol M99-USD is not supported with MassStatusReqType 7 (all)"),
    ({585: "7", 54: "5"}, "11", "Side 5 is not supported, only 1 (buy) and 2 (sell)"),
    ({585: "7", 1: "BRAVO-1"}, "15", "Account BRAVO-1 is not one of this client"),
    ({585: "7", 336: "2"}, "11", "TradingSessionID 2 is not supported, only 1"),
    ({585: "7", 167: "OPT"}, "11", "SecurityType OPT is not supported"),
    ({585: "7"} | PARTIES, "11", "NoPartyIDs 1 is not supported"),
]


def test_a_wrong_question_is_no_answer_about_orders(party: list[Member]) -> None:
    """It is refused in words, and never the same as having no orders: that alone has 103=5."""
    own = party[0]
    none = mass(own, "none")[0]
    assert (none[58], none[103]) == ("No order fits", "5")
    rest(own, "a", BUY, "1", "90")
    for tags, reason, text in ASKED_WRONG:
        own.send("AF", [(584, "wrong"), *tags.items()])
        answer = own.expect("8", t150=STATUS, t39="8", t37="NONE", t584="wrong", t911="0", t912="Y")
        assert (answer[103], answer[58]) == (reason, text)
    about: Tags = {11: own.id("a"), 55: own.market, 54: BUY}
    for more, reason, text in (
        ({1: "BRAVO-1"}, "99", f"Account BRAVO-1 is not the order's, which is {own.client}-1"),
        ({167: "OPT"}, "11", "SecurityType OPT is not supported, only FXSPOT"),
    ):
        own.send("H", [*about.items(), (790, "wrong"), *more.items()])
        answer = own.expect("8", t150=STATUS, t39="8", t37="NONE", t790="wrong")
        assert (answer[103], answer[58]) == (reason, text)
    own.send("H", [*about.items(), (1, f"{own.client}-1"), *PARTIES.items()])
    assert own.expect("8", t150=STATUS)[39] == NEW


def test_wrong_questions_for_markets(party: list[Member]) -> None:
    own = party[0]
    for tags, words in (
        ({559: "0"}, {"t380": "5", "t58": "Symbol is missing"}),
        ({559: "4", 55: own.market}, {"t58": f"Symbol {own.market} is not supported with "
                                      "SecurityListRequestType 4 (all)"}),
        ({559: "4", 336: "2"}, {"t58": "TradingSessionID 2 is not supported, only 1"}),
        ({559: "0", 55: own.market, 48: "X"}, {"t58": f"SecurityID X is not supported, only {own.market}"}),
        ({559: "4", 263: "1"}, {"t58": "SubscriptionRequestType 1 is not supported, only 0"}),
    ):  # fmt: skip
        own.send("x", [(320, "wrong"), *tags.items()])
        own.expect("j", t372="x", t379="wrong", **({"t380": "0"} | words))
    own.send("e", [(324, "wrong"), (55, own.market), (263, "0"), (167, "OPT")])
    own.expect("f", t324="wrong", t326="20", t58="SecurityType OPT is not supported, only FXSPOT")
    own.send("e", [(324, "right"), (55, own.market), (263, "0"), (336, "1")])
    own.expect("f", t324="right", t326="17")
    own.send("g", [(335, "wrong"), (263, "0"), (339, "1")])
    own.expect("h", t335="wrong", t340="6", t567="99", t58="TradSesMode 1 is not supported")


def test_many_orders_and_fills_in_between(party: list[Member]) -> None:
    """1,000 of them, while another client takes some: each answer says what the reports before it have
    said."""
    own, _, bravo = party
    enter_many(own, 1000, "m")
    with in_one_write(bravo):
        for number in range(400):
            bravo.new(f"s{number}", SELL, "0.0001", "100", time_in_force=IOC)
    own.send("AF", [(584, "all"), (585, "7")])
    filled: set[str] = set()
    answers: list[Received] = []
    between = 0
    while not answers or answers[-1][912] == "N":
        report = own.expect("8")
        if report[150] == TRADE:
            filled.add(report[11])
            between += bool(answers)
        else:
            answers.append(report)
            assert report[39] == ("2" if report[11] in filled else NEW), report
            assert Decimal(report[14]) == (Decimal("0.0001") if report[11] in filled else 0)
    assert between, "all fills came before or after"
    ids = [int(each[37]) for each in answers]
    assert ids == sorted(ids) and len(ids) == int(answers[0][911])


def test_questions_do_not_pile_up(floor: Floor, party: list[Member]) -> None:
    """Who does not read gets the answers when he does, and is not cut for them; who asks for more than a few
    lists at once is told to wait. Others are served meanwhile."""
    own, _, bravo = party
    enter_many(own, 2000, "m")
    with in_one_write(own):
        for number in range(20):
            own.send("AF", [(584, f"q{number}"), (585, "7")])
    wait_for(lambda: standing(floor, own.comp_id).unread_bytes > UNREAD // 2)
    rest(bravo, "b", BUY, "1", "1")
    assert standing(floor, own.comp_id).unread_bytes < UNREAD
    answered: dict[str, int] = {}
    turned_down = 0
    while len(answered) + turned_down < 20 or set(answered.values()) != {2000}:
        message = own.receive()
        if message.msg_type == "j":
            assert message[58] == "16 questions are waiting for their answers: ask again after them"
            turned_down += 1
        elif message.msg_type == "8":
            answered[message[584]] = answered.get(message[584], 0) + 1
    assert turned_down == 4
    assert names(mass(own, "again"))[0] == "m0"


def test_orders_that_are_forgotten_while_their_client_does_not_read(tmp_path: Path) -> None:
    """docs/market.md, 11.4: the answer goes on to its end, in words."""
    few = running(tmp_path, door={"unread_bytes": UNREAD}, store={"clordid_days": 1})
    with few as venue, logged_on(venue, "M1-USD", "ALPHA") as (own,):
        enter_many(own, 2000, "m")
        with in_one_write(own):
            for number in range(16):
                own.send("AF", [(584, f"q{number}"), (585, "7")])
        wait_for(lambda: standing(venue, own.comp_id).unread_bytes > UNREAD // 2)
        with logged_on(venue, "M1-USD", "ALPHA2") as (second,):
            with in_one_write(second):
                for number in range(2000):
                    second.cancel(f"c{number}", f"m{number}")
            second.settle()
            second.received.clear()
        for _ in range(3):
            done(venue, EndOfDay(True))
        answers: dict[str, list[Received]] = {f"q{number}": [] for number in range(16)}
        while not (last := answers["q15"]) or last[-1][912] == "N":
            if (message := own.receive()).get(150) == STATUS:
                answers[message[584]].append(message)
        for name, of_one in answers.items():
            total = int(of_one[0][911])
            assert total in (2000, 0) and len(of_one) == max(total, 1), name
            assert [each[912] for each in of_one] == ["N"] * (len(of_one) - 1) + ["Y"], name
        forgotten = [each for of_one in answers.values() for each in of_one if each[911] != "0"]
        forgotten = [each for each in forgotten if each[39] == "8"]
        assert 0 < len(forgotten) < 2000, "of the one answer that had begun"
        words = {each[58].split(" ", 2)[2] for each in forgotten}
        assert words == {"ended on a day that is not kept any more"}
        own.received.clear()


def test_answers_about_orders_do_not_come_again_after_a_reset(floor: Floor, market: str) -> None:
    """docs/market.md, 11.5: by resend they do, between the reports they came with."""
    with logged_on(floor, market, "ALPHA") as (own,):
        first = own.next_inbound
        rest(own, "a", BUY, "1", "1")
        ask(own, "a")
        own.send("2", [(7, first), (16, 0)])
        assert [each[150] for each in own.settle() if each.msg_type == "8"] == [NEW, STATUS]
        own.close(abort=True)
        own.received.clear()
        again = own.logon(reset=True)
        assert again[141] == "Y"
        reports = [(each[150], each[97]) for each in own.settle() if each.msg_type == "8"]
        assert reports == [(NEW, "Y")]
        clear(own)


def test_questions_without_what_they_ask_for(floor: Floor, market: str) -> None:
    """Rejected by the standard's dictionary, or by us where it does not ask."""
    with logged_on(floor, market, "ALPHA", "CHARLIE") as members:
        for member in members:
            for msg_type in ("AF", "x", "e", "g", "q"):
                member.send(msg_type, [(58, "?")])
                member.expect("3", t372=msg_type, t373="1")
            member.send("e", [(324, "s"), (263, "0")])
            member.expect("j", t372="e", t380="5", t58="Symbol is missing")
        members[1].send("H", [(55, market), (54, BUY)])
        members[1].expect("j", t372="H", t380="5", t58="ClOrdID is missing")


def securities(message: Received) -> list[dict[int, str]]:
    found: list[dict[int, str]] = []
    for tag, value in message.fields:
        if tag == 55:
            found.append({})
        if found and tag != 10:
            found[-1][tag] = value
    return found


def test_the_list_of_instruments(floor: Floor, party: list[Member]) -> None:
    """Feature V1: 100 markets in two messages, each with lot and, where there is a field for it, tick."""
    own = party[0]
    own.send("x", [(320, "all"), (559, "4")])
    first = own.expect("y", t320="all", t560="0", t393=MARKETS, t893="N", t146="50")
    last = own.expect("y", t320="all", t560="0", t393=MARKETS, t893="Y", t146="50", t322=first[322])
    listed = [*securities(first), *securities(last)]
    assert sorted(each[55] for each in listed) == sorted(f"M{number}-USD" for number in range(MARKETS))
    for each in listed:
        assert (each[15], each[561], each[562]) == ("USD", "0.0001", "0.0001")
        if own.begin_string == "FIXT.1.1":
            assert (each[1208], each[1140]) == ("0.01", "1000.0000")
    own.send("x", [(320, "one"), (559, "0"), (55, own.market)])
    [one] = securities(own.expect("y", t320="one", t560="0", t393="1", t893="Y"))
    assert one[55] == own.market
    own.send("x", [(320, "none"), (559, "0"), (55, "NO-SUCH")])
    own.expect("y", t320="none", t560="2", t146=None)
    own.send("x", [(320, "kind"), (559, "1")])
    own.expect("y", t320="kind", t560="1", t146=None)
    own.send("x", [(559, "4")])
    own.expect("3", t371="320", t373="1")
    own.received.pop()


@pytest.mark.parametrize("client", ["ALPHA", "CHARLIE"])
def test_what_is_known_after_a_restart_and_for_how_long(tmp_path: Path, client: str) -> None:
    """Live and ended orders as before the kill -9; those that ended as long as their day is kept."""
    with Floor(tmp_path, store={"clordid_days": 1}) as venue:
        with logged_on(venue, "M1-USD", client, "BRAVO") as (own, bravo):
            rest(bravo, "s", SELL, "1", "100")
            own.new("day", BUY, "2", "100")
            for told in (NEW, TRADE):
                own.told("day", told)
            own.new("gtc", BUY, "1", "90", time_in_force=GTC)
            own.told("gtc", NEW)
            own.new("ended", BUY, "1", "90")
            own.told("ended", NEW)
            own.cancel("c", "ended")
            own.told("c", CANCELED)
            change(own, "gtc2", "gtc", BUY, {40: "2", 44: "91", 38: "1", 59: GTC})
            own.told("gtc2", REPLACED)
            before = {name: state(ask(own, name)) for name in ("day", "gtc", "gtc2", "ended", "c")}
        venue.kill9()
        venue.start()
        with logged_on(venue, "M1-USD", client, "BRAVO") as (own, bravo):
            assert {name: state(ask(own, name)) for name in before} == before
            assert names(mass(own, "all")) == ["day", "gtc2"]
            unknown(bravo, "gtc2")
            done(venue, EndOfDay(False))
            own.expect("8", t11=own.id("day"), t150=EXPIRED)
            own.received.clear()  # its life began before
            expired = ask(own, "day")
            assert (expired[39], expired[14], expired[151]) == (EXPIRED, "1.0000", "0.0000")
            assert state(ask(own, "ended")) == before["ended"]
            assert state(ask(own, "gtc2")) == before["gtc2"]
            assert names(mass(own, "all")) == ["gtc2"]
            done(venue, EndOfDay(True))
            for name in ("ended", "c", "day"):
                unknown(own, name)
            assert state(ask(own, "gtc2")) == before["gtc2"]
            own.cancel("late", "gtc2")
            own.expect("8", t11=own.id("late"), t150=CANCELED)
            own.received.clear()
            done(venue, EndOfDay(True))
            for name in ("gtc2", "late"):
                assert ask(own, name)[39] == CANCELED, "it ended on a day that is kept"
            own.cancel("later", "gtc2")
            own.request_refused("later", "gtc2", 0, t39="4")
            done(venue, EndOfDay(True))
            unknown(own, "gtc2")
