"""Users who go to another shard, and shards that come and go, users.md 4 and 5."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.words import ACTIVE, ALONE, BLOCKED, HELD, LEAVING, PINNED, RECEIVING
from tests.engine.users.desk import Desk

NAMES = [f"U{number}" for number in range(40)]


@pytest.fixture
def desk() -> Desk:
    """Two shards, forty users in memory."""
    desk = Desk()
    desk.know(*NAMES)
    desk.shard("S2", RECEIVING)
    desk.shard("S2", ACTIVE)
    desk.hydrate(*NAMES)
    return desk


def on(desk: Desk, shard: str) -> list[str]:
    return sorted(name for name in desk.resident if desk.user(name).shard.name == shard)


def drive(desk: Desk, most: int = 100) -> None:
    """Waves, until there is nothing left to look at."""
    while desk.venue.to_look_at or desk.writes:
        desk.wave(most)
        desk.write()


def test_66_a_user_moves_by_way_of_the_record(desk: Desk) -> None:
    """users.md 5.1, 5.2"""
    [name, *_] = on(desk, "S1")
    desk.deposit(name, "USD", 5, "d")
    assert desk.move((name, "S2", PINNED)) == [f"write {name} 1 -> 2"]
    assert desk.buy(name, "b", 1, 50) == [f"refused: not in memory {name}"]
    assert desk.hydrate(name) == [f"refused: in memory {name}"]
    assert desk.write() == [f"{name} left", "epoch 3"]
    desk.hydrate(name)
    assert desk.user(name).shard.name == "S2"
    assert desk.money(name, "USD") == (10_005, 0)


def test_66_who_has_an_order_trades_on_and_moves_when_it_has_none(desk: Desk) -> None:
    """users.md 5.2"""
    [name, *_] = on(desk, "S1")
    desk.buy(name, "b", 1, 50)
    assert desk.move((name, "S2", PINNED)) == []
    assert desk.buy(name, "c", 1, 50) == ["c new"]
    desk.cancel(name, "b")
    assert desk.cancel(name, "c") == ["c- canceled", f"write {name} 1 -> 2"]
    assert desk.write() == [f"{name} left", "epoch 3"]


def test_66_who_is_not_in_memory_moves_at_once(desk: Desk) -> None:
    desk.know("X")
    assert desk.move(("X", "S2", PINNED)) == ["epoch 3"]
    desk.hydrate("X")
    assert desk.user("X").shard.name == "S2"


def test_66_a_user_that_is_leaving_anyway_moves_with_that(desk: Desk) -> None:
    [name, *_] = on(desk, "S1")
    desk.now = 100
    desk.sweep(most=100)
    assert desk.move((name, "S2", PINNED)) == []
    said = desk.write()
    assert said[said.index(f"{name} left") + 1] == "epoch 3"


def test_67_moves_that_are_ready_together_go_with_one_epoch(desk: Desk) -> None:
    """users.md 5.2"""
    one, two, three, *_ = on(desk, "S1")
    desk.move((one, "S2", PINNED))
    desk.move((two, "S2", PINNED), (three, "S2", PINNED))
    assert desk.write() == [f"{one} left", f"{two} left", f"{three} left", "epoch 3"]


def test_42_no_one_is_read_between_leaving_and_the_new_epoch(desk: Desk) -> None:
    """users.md 5.1: or it could be on two shards."""
    one, two, *_ = on(desk, "S1")
    desk.move((one, "S2", PINNED), (two, "S2", PINNED))
    first, second = desk.take()
    desk.complete(first)
    assert desk.hydrate(one) == [f"refused: on the move {one}"]
    desk.complete(second)
    assert desk.hydrate(one) == ["UserHydrated"]


def test_40_two_who_are_to_be_alone_are_not_put_together(desk: Desk) -> None:
    """users.md 4.4"""
    one, two, *_ = on(desk, "S1")
    desk.move((one, "S2", ALONE))
    assert desk.move((two, "S2", ALONE)) == ["refused: not alone S2"]
    desk.write()
    assert desk.move((two, "S2", ALONE)) == ["refused: not alone S2"]
    assert desk.move((two, "S2", PINNED)) != ["refused: not alone S2"]


def test_a_user_goes_to_a_shard_that_there_is(desk: Desk) -> None:
    assert desk.move(("U1", "S9", PINNED)) == ["refused: unknown shard S9"]


@pytest.mark.parametrize("most", [1, 3, 100])
def test_67_a_shard_that_joins_gets_its_share_in_waves(desk: Desk, most: int) -> None:
    """users.md 5.3: none of them has an order."""
    desk.shard("S3", RECEIVING)
    share = sorted(name for name in NAMES if desk.venue.router.home(name) == "S3")
    assert share
    moved: list[str] = []
    while desk.venue.to_look_at:
        said = desk.wave(most)
        writing = [word.split()[1] for word in said if word.startswith("write")]
        assert len(writing) <= most
        desk.write()
        moved += writing
    assert sorted(moved) == share
    assert not set(desk.resident) & set(share)
    desk.hydrate(*share)
    assert on(desk, "S3") == share
    assert len(desk.venue.router.routing.pins) == len(share)
    desk.shard("S3", ACTIVE)
    assert desk.venue.router.routing.pins == ()
    drive(desk)
    assert on(desk, "S3") == share, "there was nothing left to do"


def test_67_while_a_shard_receives_no_one_new_goes_there(desk: Desk) -> None:
    """users.md 5.3"""
    desk.shard("S3", RECEIVING)
    others = [f"X{number}" for number in range(20)]
    desk.know(*others)
    desk.hydrate(*others)
    assert on(desk, "S3") == []
    desk.shard("S3", ACTIVE)
    drive(desk)
    desk.hydrate(*[name for name in others if name not in desk.resident])
    assert set(on(desk, "S3")) & set(others)


def test_67_who_has_an_order_when_a_shard_becomes_active_stays_until_it_has_none(desk: Desk) -> None:
    """users.md 5.3"""
    desk.shard("S3", RECEIVING)
    name = next(name for name in NAMES if desk.venue.router.home(name) == "S3")
    desk.buy(name, "b", 1, 50)
    desk.shard("S3", ACTIVE)
    assert (name, desk.user(name).shard.name, HELD) in desk.venue.router.routing.pins
    drive(desk)
    assert name in desk.resident and desk.buy(name, "c", 1, 50) == ["c new"]
    desk.cancel(name, "c")
    assert desk.cancel(name, "b")[-1].startswith("write")
    desk.write()
    assert desk.venue.router.routing.pins == ()
    desk.hydrate(name)
    assert desk.user(name).shard.name == "S3"


@pytest.mark.parametrize("why", [PINNED, ALONE])
def test_66_who_is_pinned_no_more_goes_where_the_hash_says(desk: Desk, why: str) -> None:
    """users.md 4.2"""
    [name, *_] = on(desk, "S1")
    for pin in (name, "S2", why), (name, "S1", HELD):
        desk.move(pin)
        desk.write()
        desk.hydrate(name)
        assert desk.user(name).shard.name == pin[1]
    assert desk.venue.router.routing.pins == ()


def test_67_a_shard_leaves_when_no_one_is_there_any_more(desk: Desk) -> None:
    """users.md 5.4"""
    name = on(desk, "S1")[0]
    desk.buy(name, "b", 1, 50)
    desk.shard("S1", LEAVING)
    drive(desk)
    assert on(desk, "S1") == [name]
    desk.cancel(name, "b")
    desk.write()
    assert desk.venue.router.routing.members == (("S2", ACTIVE),)
    assert list(desk.venue.shards) == ["S2"]


def test_67_a_shard_without_users_leaves_at_once(desk: Desk) -> None:
    desk.shard("S3", RECEIVING)
    desk.shard("S3", LEAVING)
    assert list(desk.venue.shards) == ["S1", "S2"]


@pytest.mark.parametrize(
    ("name", "state", "refused"),
    [
        ("S2", RECEIVING, "shard state S2 active"),
        ("S2", ACTIVE, "shard state S2 active"),
        ("S9", ACTIVE, "shard state S9"),
        ("S9", LEAVING, "shard state S9"),
    ],
)
def test_a_shard_becomes_what_it_can(desk: Desk, name: str, state: str, refused: str) -> None:
    assert desk.shard(name, state) == [f"refused: {refused}"]


def test_the_last_shard_and_one_with_pins_do_not_leave(desk: Desk) -> None:
    desk.move(("X", "S1", PINNED))
    assert desk.shard("S1", LEAVING) == ["refused: pinned there S1 X"]
    desk.move(("X", "S2", PINNED))
    desk.shard("S1", LEAVING)
    assert desk.shard("S2", LEAVING) == ["refused: last shard S2"]


def test_a_conflict_of_the_last_one_who_moves_lets_those_go_who_have_left(desk: Desk) -> None:
    """users.md 2.8, 5.2: whatever order the record answers in."""
    first, second, *_ = on(desk, "S1")
    desk.move((first, "S2", PINNED), (second, "S2", PINNED))
    desk.record[second] = (7, desk.record[second][1])
    assert desk.write() == [f"{first} left", f"{second} conflict: 1, there is 7", "epoch 3"]
    assert desk.hydrate(first) == ["UserHydrated"]
    assert desk.user(first).shard.name == "S2"


def test_a_conflict_of_one_who_moves_holds_no_one_else_up(desk: Desk) -> None:
    """users.md 2.8: it moves when the operator has decided."""
    one, two, *_ = on(desk, "S1")
    desk.move((one, "S2", PINNED), (two, "S2", PINNED))
    desk.record[one] = (9, desk.record[one][1])
    assert desk.write() == [f"{one} conflict: 1, there is 9", f"{two} left", "epoch 3"]
    assert desk.resolve(one, keep=True) == [f"write {one} 9 -> 10"]
    assert desk.write() == [f"{one} left", "epoch 4"]


def test_who_is_blocked_moves_when_the_operator_has_decided(desk: Desk) -> None:
    """users.md 2.8: nothing is written before that."""
    desk.now = 100
    desk.sweep(most=1)
    [flush] = desk.writes
    one = flush.user
    assert flush.shard == "S1"
    desk.record[one] = (9, desk.record[one][1])
    assert desk.write() == [f"{one} conflict: 1, there is 9"]
    assert desk.move((one, "S2", PINNED)) == []
    assert desk.user(one).state == BLOCKED
    assert desk.resolve(one, keep=True) == [f"write {one} 9 -> 10"]
    assert desk.write() == [f"{one} left", "epoch 3"]


@given(st.data())
def test_43_whatever_happens_a_user_is_on_the_shard_that_owns_it(data: st.DataObject) -> None:
    """users.md 5: Desk.check looks at every position. In the end everyone is home."""
    desk, names, shards = Desk(), NAMES[:8], ["S1", "S2", "S3"]
    desk.know(*names)
    for number in range(data.draw(st.integers(1, 40))):
        user, shard = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(shards))
        there = user in desk.resident
        desk.now += data.draw(st.sampled_from((0, 1, 100)))
        match data.draw(
            st.sampled_from(
                ("hydrate", "hydrate", "order", "cancel", "write", "move", "shard", "wave", "sweep")
            )
        ):
            case "hydrate" if not there:
                desk.hydrate(user)
            case "order" if there:
                desk.buy(user, f"o{number}", 1, 50)
            case "cancel" if there and desk.venue.orders[user]:
                desk.cancel(user, next(iter(desk.venue.orders[user])))
            case "write" if desk.writes:
                desk.complete(desk.writes.pop(0))
            case "move":
                desk.move((user, shard, data.draw(st.sampled_from((PINNED, ALONE)))))
            case "shard":
                desk.shard(shard, data.draw(st.sampled_from((RECEIVING, ACTIVE, LEAVING))))
            case "wave":
                desk.wave(data.draw(st.integers(1, 3)))
            case "sweep":
                desk.sweep()
    for user in names:
        if user in desk.resident:
            for name in list(desk.venue.orders[user]):
                desk.cancel(user, name)
    for name, state in desk.venue.router.routing.members:
        if state == RECEIVING:
            desk.shard(name, ACTIVE)
    while desk.writes or desk.venue.to_look_at:
        drive(desk, 3)
    assert all(desk.venue.router.home(name) == desk.user(name).shard.name for name in desk.resident)
    assert not desk.venue.moving and not desk.venue.to_move
