"""Shards that come and go and users who move between them while clients trade: features 39 to 43, 66 and 67,
users.md 4 and 5."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import count
from pathlib import Path

import pytest

from engine.routing import by_hash
from fixgw.admin.words import ChangeShard, PinUser, Shards
from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, IOC, NEW, REPLACED, TRADE, Floor, logged_on, running
from tests.venue.operating import audit, done, fixgw, refused
from tests.venue.users import (
    CLIENTS,
    MANY,
    MONEY,
    QUICK,
    account,
    events,
    held_record,
    money,
    shards,
    wait_for,
)

ALL = {name: Decimal(each * MANY * 3) for name, each in MONEY.items()}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """With two shards from the beginning."""
    users = QUICK | {"idle_seconds": 600, "wave": 7}
    with running(tmp_path_factory.mktemp("floor"), users=users, clients=CLIENTS) as venue:
        done(venue, ChangeShard("S2", joins=True))
        settled(venue, "S1", "S2")
        yield venue


@pytest.fixture(scope="module")
def next_account() -> Callable[[], str]:
    numbers = count(1)
    return lambda: str(next(numbers))


@pytest.fixture
def own(next_account: Callable[[], str]) -> str:
    return next_account()


def settled(venue: Floor, *names: str) -> None:
    """Returns once these are the shards, all active, and no one is on the move."""

    def are() -> bool:
        found = shards(venue)
        still = not any(line.startswith("moves") for line in done(venue, Shards()))
        return (
            still and sorted(found) == sorted(names) and {each.state for each in found.values()} == {"active"}
        )

    wait_for(are, f"shards {names}")


def where(venue: Floor, name: str) -> str:
    return account(venue, name).where


def other_than(shard: str) -> str:
    return {"S1": "S2", "S2": "S1"}[shard]


def is_on(venue: Floor, name: str, shard: str) -> None:
    wait_for(lambda: where(venue, name) in ("", shard) and not _moving(venue), f"{name} to be on {shard}")


def _moving(venue: Floor) -> bool:
    return any(line.startswith("moves") for line in done(venue, Shards()))


def test_39_everyone_is_on_the_shard_that_the_hash_says(floor: Floor, market: str) -> None:
    """users.md 4.2, 5.3"""
    with logged_on(floor, market, "ALPHA", "BRAVO") as (one, other):
        for number in range(20, MANY + 1):
            for member in one, other:
                member.new(f"a{number}", BUY, "1", "100", account=str(number), time_in_force=IOC)
                member.told(f"a{number}", NEW)
                member.told(f"a{number}", CANCELED)
        for client in ("ALPHA", "BRAVO"):
            for number in range(20, MANY + 1):
                name = f"{client}-{number}"
                assert where(floor, name) == by_hash(["S1", "S2"], name)


def test_66_a_pinned_account_moves_and_its_money_with_it(floor: Floor, market: str, own: str) -> None:
    """users.md 5.1, 5.2: at once when it is flat; its next order is taken by the new owner."""
    name = f"ALPHA-{own}"
    with logged_on(floor, market, "ALPHA", "BRAVO") as (one, other):
        for step in range(3):
            one.new(f"a{step}", BUY, "1", "100", account=own)
            one.told(f"a{step}", NEW)
            before = where(floor, name)
            after = other_than(before)
            said = done(floor, PinUser(name, after))
            assert said == [f"account {name} moves to shard {after} when it has no open order"]
            assert where(floor, name) == before
            one.new(f"b{step}", BUY, "1", "99", account=own)  # it trades where it is
            one.told(f"b{step}", NEW)
            one.cancel(f"cb{step}", f"b{step}")
            one.told(f"cb{step}", CANCELED)
            other.new(f"s{step}", SELL, "1", "100", account=own)
            other.told(f"s{step}", NEW)
            other.told(f"s{step}", TRADE)
            one.told(f"a{step}", TRADE)
            # Sent right away, while it is on its way.
            one.new(f"d{step}", BUY, "1", "98", account=own)
            one.replace(f"e{step}", f"d{step}", BUY, "2", "98", account=name)
            one.told(f"d{step}", NEW)
            one.told(f"e{step}", REPLACED)
            one.cancel(f"cd{step}", f"e{step}")
            one.told(f"cd{step}", CANCELED)
            assert where(floor, name) == after
            assert account(floor, name).balances["USD"] == (MONEY["USD"] - 100 * (step + 1), 0)
        assert f"pin      {name:<12} {after:<12} pinned" in done(floor, Shards())
        done(floor, PinUser(name, ""))
        is_on(floor, name, by_hash(["S1", "S2"], name))
        assert name not in "".join(done(floor, Shards()))


def test_66_orders_are_canceled_for_a_move_at_once(floor: Floor, market: str, own: str) -> None:
    """users.md 5.2"""
    name = f"ALPHA-{own}"
    with logged_on(floor, market, "ALPHA") as (one,):
        for order, side, price in (("a", BUY, "100"), ("b", SELL, "200")):
            one.new(order, side, "1", price, account=own)
            one.told(order, NEW)
        before = where(floor, name)
        said = fixgw("admin", "--data", floor.data, "pin", name, other_than(before), "--now")
        assert said.stdout == f"account {name} moves to shard {other_than(before)}\n"
        for order in "ab":
            one.told(order, CANCELED, t58="moved by the operator", t151="0.0000")
        is_on(floor, name, other_than(before))
        one.new("c", BUY, "1", "100", account=own)
        one.told("c", NEW)
        assert where(floor, name) == other_than(before)
        one.cancel("cc", "c")
        one.told("cc", CANCELED)
        notes = audit(floor.data)
        assert any(note.endswith(f"pin {name} {other_than(before)} now") for note in notes)


def test_40_two_who_are_to_be_alone_are_never_together(floor: Floor, next_account: Callable[[], str]) -> None:
    """users.md 4.4"""
    one, two = (f"ALPHA-{next_account()}" for _ in range(2))
    done(floor, PinUser(one, "S1", alone=True))
    assert (
        refused(floor, PinUser(two, "S1", alone=True))
        == "an account that is to be alone is on shard S1 already"
    )
    done(floor, PinUser(two, "S2", alone=True))
    is_on(floor, two, "S2")
    for name in one, two:
        done(floor, PinUser(name, ""))
    wait_for(lambda: not _moving(floor), "both to be where the hash says")


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (PinUser("ALPHA-1", "S9"), "there is no shard S9, or it is leaving"),
        (PinUser("NO-ONE", "S1"), "there is no account NO-ONE"),
        (ChangeShard("S1", joins=True), "shard S1 is active already"),
        (ChangeShard("S9", joins=False), "there is no shard S9"),
    ],
)
def test_what_cannot_be_done_is_said_in_words(floor: Floor, request_: object, said: str) -> None:
    assert refused(floor, request_) == said  # type: ignore[arg-type]


def test_42_an_order_that_finds_its_user_on_the_move_waits_for_it(
    floor: Floor, market: str, own: str
) -> None:
    """users.md 2.1, 4.3: with all that is said about it, however long the record takes."""
    name = f"ALPHA-{own}"
    with logged_on(floor, market, "ALPHA") as (one,):
        one.new("w", BUY, "1", "100", account=own, time_in_force=IOC)
        one.told("w", NEW)
        one.told("w", CANCELED)
        before = where(floor, name)
        with held_record(floor):
            done(floor, PinUser(name, other_than(before)))
            one.new("a", BUY, "1", "100", account=own)
            one.replace("b", "a", BUY, "2", "101", account=name)
            assert one.settle() == []
        one.told("a", NEW)
        one.told("b", REPLACED, t38="2.0000")
        one.cancel("c", "b")
        one.told("c", CANCELED)
        assert where(floor, name) == other_than(before)
        done(floor, PinUser(name, ""))
        is_on(floor, name, by_hash(["S1", "S2"], name))


def test_67_shards_come_and_go_while_clients_trade(tmp_path: Path) -> None:
    """users.md 5.3, 5.4: no one notices, money is conserved, and no user is on two shards at any time."""
    users = QUICK | {"idle_seconds": 2, "wave": 5, "resident": 30}
    ended = threading.Event()
    traded = [0]
    with running(tmp_path, users=users, clients=CLIENTS) as venue:
        with logged_on(venue, "M1-USD", "ALPHA", "BRAVO") as (one, other):

            def trade() -> None:
                for turn in count():
                    if ended.is_set():
                        return
                    number = turn % MANY + 1
                    one.new(f"a{turn}", BUY, "1", "100", account=str(number))
                    one.told(f"a{turn}", NEW)
                    other.new(f"b{turn}", SELL, "1", "100", account=str(number))
                    other.told(f"b{turn}", NEW)
                    other.told(f"b{turn}", TRADE)
                    one.told(f"a{turn}", TRADE)
                    if turn % 5 == 0:  # one that stays open over moves
                        one.new(f"k{turn}", BUY, "1", "50", account=str(number))
                        one.told(f"k{turn}", NEW)
                    if turn % 5 == 4 and turn > 20:
                        one.cancel(f"ck{turn}", f"k{turn - 24}")
                        one.told(f"ck{turn}", CANCELED)
                    traded[0] += 1

            trading = Failing(trade)
            trading.start()
            try:
                for step in ("S2", "S3"):
                    done(venue, ChangeShard(step, joins=True))
                    settled_or_held(venue, trading, step, there=True)
                after = traded[0]
                wait_for(lambda: traded[0] > after + 2 * MANY or trading.failed, "more trades")
                for step in ("S1", "S3"):
                    done(venue, ChangeShard(step, joins=False))
                    settled_or_held(venue, trading, step, there=False)
            finally:
                ended.set()
                trading.end()
        assert sorted(shards(venue)) == ["S2"]
        assert money(venue) == ALL
        single_residency(venue)


class Failing(threading.Thread):
    """A thread whose failure is the test's."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__()
        self._work = work
        self.failed: BaseException | None = None

    def run(self) -> None:
        try:
            self._work()
        except BaseException as failure:
            self.failed = failure

    def end(self) -> None:
        self.join()
        if self.failed is not None:
            raise self.failed


def settled_or_held(venue: Floor, trading: Failing, name: str, there: bool) -> None:
    """Returns once the shard is active, or is gone."""

    def is_so() -> bool:
        found = shards(venue)
        return trading.failed is not None or (
            (name in found and found[name].state == "active") if there else name not in found
        )

    wait_for(is_so, f"shard {name} to {'join' if there else 'leave'}: {done(venue, Shards())}")


def single_residency(venue: Floor) -> None:
    """Feature 43: by the output log, no one comes into memory who is there."""
    inside: dict[str, str] = {}
    for line in events(venue.data):
        what, name, *_ = line.split()
        if what in ("AccountOpened", "UserHydrated"):
            assert name not in inside, line
            inside[name] = line
        elif what == "UserLeft":
            del inside[name.removeprefix("user=")]
