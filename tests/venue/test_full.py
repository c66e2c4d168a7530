"""A store nearly full: "new orders are then refused in plain words, cancels still pass", and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from tests.raw import BUY
from tests.venue.floor import CANCELED, NEW, Floor, Member, logged_on, running
from tests.venue.trading import cancel_many, enter_many, many_canceled, many_refused

SMALL = {"map_size_mib": 16, "reserve_mib": 8}
TEXT = "The venue's store is full: new orders are refused, cancels pass"
MARKET = "M0-USD"
OTHER = "M1-USD"
_numbers = count()


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """Full of ALPHA's orders "a0", "a1", ...; 700 "o0", ... are in another market."""
    with running(tmp_path_factory.mktemp("floor"), store=SMALL) as venue:
        with logged_on(venue, OTHER, "ALPHA2") as (alpha,):
            enter_many(alpha, 700, "o")
        with logged_on(venue, MARKET, "ALPHA") as (alpha,):
            refused = 0
            for hundred in count():
                for number in range(100 * hundred, 100 * hundred + 100):
                    alpha.new(f"a{number}", BUY, "1", "100")
                answers = alpha.settle()
                refused = sum(answer[150] == "8" for answer in answers)
                if refused:
                    break
                assert hundred < 1000, "it never filled up"
        yield venue


@pytest.fixture(params=["ALPHA2", "CHARLIE"])
def member(request: pytest.FixtureRequest, floor: Floor) -> Iterator[Member]:
    with logged_on(floor, MARKET, request.param) as (member,):
        yield member


def cancel_one(alpha: Member) -> None:
    number = next(_numbers)
    alpha.cancel(f"c{number}", f"a{number}")
    alpha.told(f"c{number}", CANCELED)


def test_new_orders_are_refused_in_words(floor: Floor, member: Member) -> None:
    """The id stays free and the journal as it is, again and again."""
    before = floor.status()["journal"]
    for _ in range(3):
        member.new("n", BUY, "1", "100")
        member.refused("n", 99, t37="NONE", t58=TEXT)
    member.new("n", BUY, "1", "100.001")
    assert member.expect("8", t150="8")[58].startswith("Price 100.001")
    assert floor.status()["journal"] == before


def test_replaces_are_refused_and_cancels_pass(floor: Floor) -> None:
    with logged_on(floor, MARKET, "ALPHA3") as (alpha,):
        for _ in range(50):
            cancel_one(alpha)
        alpha.replace("r", "a5000", BUY, "0.5", "100")
        alpha.request_refused("r", "a5000", 99, t434="2", t39="0", t58=TEXT)
        alpha.cancel("r", "never")
        alpha.request_refused("r", "never", 1)


def test_a_mass_cancel_passes(floor: Floor) -> None:
    """With a report for each order and one that counts; one that is refused is told so."""
    with logged_on(floor, OTHER, "ALPHA2") as (alpha,):
        cancel_many(alpha, "q", "1", t55="NO-SUCH")
        many_refused(alpha, "q", 1, "Symbol NO-SUCH is unknown")
        cancel_many(alpha, "q", "1", t55=OTHER)
        for number in range(700):
            alpha.told(f"o{number}", CANCELED)
        many_canceled(alpha, "q", 700, "1")


def test_questions_are_answered(floor: Floor, member: Member) -> None:
    member.send("H", [(11, member.id("none")), (55, MARKET), (54, BUY)])
    member.expect("8", t150="I", t39="8")
    member.send("e", [(324, "s"), (55, MARKET), (263, "0")])
    member.expect("f", t326="17")


def test_refusals_do_not_take_the_last_room(floor: Floor, member: Member) -> None:
    """Fat ones, several times what there is, of every kind; a cancel still passes, and another session lives.
    Refused orders are sent but not kept: asked for again, they are a gap."""
    first = member.next_inbound
    for _ in range(30):
        for _ in range(100):
            member.new("x" * 6000, BUY, "1", "100")
        member.cancel("f", "never")
        member.send("AE", [(571, "x"), (570, "N")])
        answers = member.settle()
        assert sorted(answer.msg_type for answer in answers) == ["8"] * 100 + ["9", "j"]
    with logged_on(floor, MARKET, "ALPHA3") as (alpha,):
        cancel_one(alpha)
    member.send("2", [(7, first), (16, 0)])
    assert [answer.msg_type for answer in member.settle()] == ["4"]


def test_reports_from_before_are_all_there(floor: Floor) -> None:
    """What was kept before it was full, and the cancels since, come by resend."""
    alpha = Member(floor, MARKET, "ALPHA")
    alpha.next_outbound = int(floor.status()["session ALPHA"].split()[-3])
    alpha.logon()
    alpha.send("2", [(7, 1), (16, 0)])
    accepted = {message[11] for message in alpha.settle() if message.get(150) == NEW}
    assert {alpha.id(f"a{number}") for number in range(5000)} <= accepted
    alpha.logout()


def test_a_restart_is_possible_and_room_can_be_made(floor: Floor) -> None:
    """Full as it is, it comes back to the same state after a kill -9; with a larger map it trades again, and
    the ids that were refused are free."""
    state = floor.status()["state"]
    floor.kill9()
    floor.start()
    assert floor.status()["state"] == state
    with logged_on(floor, MARKET, "ALPHA3") as (alpha,):
        alpha.new("n", BUY, "1", "100")
        alpha.refused("n", 99, t58=TEXT)
        cancel_one(alpha)
    assert floor.terminate() == 0
    settings = floor.config.read_text()
    floor.config.write_text(settings.replace("map_size_mib: 16", "map_size_mib: 64"))
    floor.start()
    with logged_on(floor, MARKET, "ALPHA3") as (alpha,):
        alpha.new("n", BUY, "1", "100")
        alpha.told("n", NEW)
    assert floor.terminate() == 0
    floor.config.write_text(settings)
    floor.start()
    with logged_on(floor, MARKET, "ALPHA3") as (alpha,):
        alpha.new("n2", BUY, "1", "100")
        alpha.refused("n2", 99, t58=TEXT)
        cancel_one(alpha)
