"""Users come into memory and leave it, users.md 2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.commands import LimitAccount, OpenAccount, SetRules
from engine.events import Execution
from engine.user_commands import FlushComplete, FlushFailed, HydrateUser, Row, ShapeShards
from engine.words import BLOCKED, BUY, HERE, SELL
from tests.engine.users.desk import RICH, SECOND, Desk


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.know("A", "B", "C", "D")
    return desk


def test_26_a_user_comes_by_a_command_that_has_all_of_it(desk: Desk) -> None:
    """users.md 2.1"""
    assert desk.buy("A", "b", 1, 50) == ["refused: not in memory A"]
    assert desk.hydrate("A") == ["UserHydrated"]
    assert desk.money("A", "USD") == (10_000, 0)
    assert desk.buy("A", "b", 1, 50) == ["b new"]
    assert desk.hydrate("A") == ["refused: in memory A"]


def test_an_account_that_is_opened_is_in_memory_and_the_record_learns_of_it_when_it_leaves(
    desk: Desk,
) -> None:
    desk.apply(OpenAccount(desk.time, "E", "E", RICH))
    desk.now = 100
    assert desk.sweep() == ["write E 0 -> 1"]
    assert "E" not in desk.record
    assert desk.write() == ["E left"]
    assert desk.record["E"] == (1, Row("E", RICH))


def test_30_a_sweep_lets_go_of_those_who_were_quiet_for_long_the_quietest_first(desk: Desk) -> None:
    """users.md 2.4"""
    for now, name in (10, "A"), (20, "B"), (30, "C"):
        desk.now = now
        desk.hydrate(name)
    desk.now = 40
    desk.buy("A", "b", 1, 50)
    desk.cancel("A", "b")  # it did something: it is the last to go now
    desk.now = 95
    assert desk.sweep(idle=60) == ["write B 1 -> 2", "write C 1 -> 2"]
    assert desk.resident == ["A", "B", "C"]
    assert desk.write() == ["B left", "C left"]
    assert desk.resident == ["A"]


def test_30_a_sweep_does_not_pass_over_those_who_have_orders(desk: Desk) -> None:
    """users.md 2.4: they are not in its way, however many they are."""
    desk.hydrate("A", "B")
    desk.buy("A", "b", 1, 50)
    desk.now = 1_000
    assert list(desk.user("A").shard.idle) == ["B"]
    assert desk.sweep() == ["write B 1 -> 2"]


def test_31_a_sweep_has_a_limit(desk: Desk) -> None:
    """users.md 2.4"""
    desk.hydrate("A", "B", "C")
    desk.now = 100
    assert desk.sweep(most=2) == ["write A 1 -> 2", "write B 1 -> 2"]
    assert desk.sweep(most=2) == ["write C 1 -> 2"]
    assert desk.sweep(most=2) == []


def test_32_when_memory_runs_short_the_quietest_leave_before_their_time() -> None:
    """users.md 2.5: ten times as many as there is room for."""
    desk = Desk()
    names = [f"U{number}" for number in range(320)]
    desk.know(*names)
    desk.apply(ShapeShards(desk.time, 32, 100))
    most = 0
    for name in names:
        desk.hydrate(name)
        most = max(most, len(desk.resident))
        desk.write()
    assert most <= 32
    assert desk.resident == names[-len(desk.resident) :]


def test_32_the_smallest_shard_keeps_a_place_for_who_comes_next() -> None:
    """users.md 2.5: two places, and nobody has to be idle for long."""
    desk = Desk()
    desk.know("A", "B", "C")
    desk.apply(ShapeShards(desk.time, 2, 100))
    assert desk.hydrate("A", "B") == ["UserHydrated", "UserHydrated", "write A 1 -> 2"]
    assert desk.write() == ["A left"]
    assert desk.hydrate("C") == ["UserHydrated", "write B 1 -> 2"]


def test_32_who_becomes_flat_on_a_full_shard_makes_room(desk: Desk) -> None:
    """users.md 2.5: at the next sweep, however short it was idle."""
    desk.apply(ShapeShards(desk.time, 2, 100))
    desk.hydrate("A")
    desk.buy("A", "a", 1, 50)
    desk.hydrate("B")
    desk.buy("B", "b", 1, 50)
    assert desk.sweep() == []
    desk.cancel("B", "b")
    assert desk.hydrate("C") == ["refused: shard full 2 2"]
    assert desk.sweep() == ["write B 1 -> 2"]
    desk.write()
    assert desk.hydrate("C") == ["UserHydrated"]


def test_32_a_limit_that_is_lowered_lets_a_few_go_with_each_command() -> None:
    """users.md 2.5"""
    desk = Desk()
    desk.know(*(f"U{number}" for number in range(200)), "A")
    desk.hydrate(*(f"U{number}" for number in range(200)))
    desk.apply(ShapeShards(desk.time, 10, 100))
    assert len(desk.tell(OpenAccount(desk.time, "A", "A", RICH))) == 1 + 16
    assert len(desk.sweep(most=50)) == 50
    for _ in range(10):
        desk.sweep(most=50)
    desk.write()
    assert len(desk.resident) == 9


def test_32_a_full_shard_takes_no_one_until_someone_has_left(desk: Desk) -> None:
    """users.md 2.5: and who is not flat is not put out."""
    desk.apply(ShapeShards(desk.time, 2, 100))
    desk.hydrate("A", "B")
    desk.buy("A", "a", 1, 50)
    desk.buy("B", "b", 1, 50)
    assert desk.hydrate("C") == ["refused: shard full 2 2"]
    desk.cancel("B", "b")
    desk.now = 100
    desk.sweep()
    assert desk.hydrate("C") == ["refused: shard full 2 2"]
    desk.write()
    assert desk.hydrate("C") == ["UserHydrated"]


@given(st.data())
def test_33_whoever_is_not_flat_never_leaves(data: st.DataObject) -> None:
    """users.md 1.7, 2.4, 2.5: whatever happens. Desk.check sees that money and places agree."""
    desk = Desk()
    names = ["A", "B", "C", "D"]
    desk.know(*names)
    desk.apply(ShapeShards(desk.time, 3, 100))
    for number in range(data.draw(st.integers(1, 30))):
        desk.now += data.draw(st.sampled_from((0, 1, 100)))
        user = data.draw(st.sampled_from(names))
        there = user in desk.resident
        match data.draw(st.sampled_from(("trade", "trade", "cancel", "sweep", "write", "hydrate"))):
            case "trade" if there:
                side = data.draw(st.sampled_from((desk.buy, desk.sell)))
                side(user, f"o{number}", data.draw(st.integers(1, 3)), data.draw(st.integers(49, 51)))
            case "cancel" if there and desk.venue.orders[user]:
                order = next(iter(desk.venue.orders[user].values()))
                desk.cancel(user, order.cl_ord_id, order.side)
            case "sweep":
                desk.sweep()
            case "write" if desk.writes:
                desk.complete(desk.writes.pop(0))
            case "hydrate" if not there:
                desk.hydrate(user)
    live = {order.account for orders in desk.venue.orders.values() for order in orders.values()}
    assert live <= {*desk.resident}


def test_34_a_user_leaves_memory_with_the_word_that_it_is_written(desk: Desk) -> None:
    """users.md 2.6"""
    desk.hydrate("A")
    desk.now = 100
    desk.sweep()
    assert desk.resident == ["A"]
    [flush] = desk.take()
    assert flush.row == Row("A", RICH)
    assert desk.user("A").shard.flushing == {"A": flush}, "what is to be written is part of the state"
    desk.complete(flush)
    assert desk.resident == []
    assert desk.hydrate("A") == ["UserHydrated"]
    assert desk.user("A").version == 2


def test_35_whoever_does_something_while_it_is_written_stays(desk: Desk) -> None:
    """users.md 2.7: and the version that was written is known for the next time."""
    desk.hydrate("A")
    desk.now = 100
    desk.sweep()
    [flush] = desk.take()
    assert desk.buy("A", "b", 1, 50) == ["b new"]
    assert desk.complete(flush) == []
    assert desk.resident == ["A"]
    desk.cancel("A", "b")
    desk.now = 200
    assert desk.sweep() == ["write A 2 -> 3"]
    assert desk.write() == ["A left"]


def test_35_it_is_not_written_twice_at_the_same_time(desk: Desk) -> None:
    """users.md 2.7: the answer to the first is still to come."""
    desk.hydrate("A")
    desk.now = 100
    desk.sweep()
    desk.buy("A", "b", 1, 50)
    desk.cancel("A", "b")
    desk.now = 200
    assert desk.sweep() == []
    [flush] = desk.take()
    desk.complete(flush)
    assert desk.sweep() == ["write A 2 -> 3"]


def test_35_a_word_that_comes_twice_or_of_another_epoch_changes_nothing(desk: Desk) -> None:
    """users.md 2.7"""
    desk.hydrate("A")
    desk.now = 100
    desk.sweep()
    [flush] = desk.take()
    assert desk.tell(FlushComplete(desk.time, "A", flush.epoch + 1, 2)) == []
    assert desk.tell(FlushFailed(desk.time, "A", flush.epoch + 1, 9)) == []
    desk.complete(flush)
    assert desk.tell(FlushComplete(desk.time, "A", flush.epoch, 2)) == []
    desk.hydrate("A")
    assert desk.tell(FlushComplete(desk.time, "A", flush.epoch, 2)) == []
    assert desk.resident == ["A"]


def test_35_a_word_about_an_earlier_stay_is_not_about_this_one(desk: Desk) -> None:
    """users.md 2.7: it would leave with what it had then."""
    desk.hydrate("A")
    desk.now = 100
    desk.sweep()
    [earlier] = desk.take()
    desk.complete(earlier)
    desk.hydrate("A")
    desk.deposit("A", "USD", 5, "r")
    desk.now = 200
    desk.sweep()
    assert desk.tell(FlushComplete(desk.time, "A", earlier.epoch, 2)) == []
    assert desk.tell(FlushFailed(desk.time, "A", earlier.epoch, 9)) == []
    assert desk.resident == ["A"]
    assert desk.write() == ["A left"]
    desk.hydrate("A")
    assert desk.money("A", "USD") == (10_005, 0)


def test_36_who_finds_another_version_in_the_record_takes_no_order(desk: Desk) -> None:
    """users.md 2.8"""
    desk.hydrate("A")
    desk.know("A", balances=(("USD", 1),))
    desk.record["A"] = (7, desk.record["A"][1])
    desk.now = 100
    desk.sweep()
    assert desk.write() == ["A conflict: 1, there is 7"]
    assert desk.user("A").state == BLOCKED
    assert desk.buy("A", "b", 1, 50) == ["refused: blocked A"]
    assert desk.deposit("A", "USD", 1, "r") == ["refused: blocked A"]
    assert desk.sweep() == []


@pytest.mark.parametrize("keep", [True, False])
def test_36_the_operator_decides_which_of_two_counts(desk: Desk, keep: bool) -> None:
    """users.md 2.8"""
    desk.hydrate("A")
    desk.record["A"] = (7, Row("A", (("USD", 1),)))
    desk.now = 100
    desk.sweep()
    desk.write()
    assert desk.resolve("B", keep=keep) == ["refused: not blocked B"]
    assert desk.resolve("A", keep=keep) == ([] if keep else ["A left"])
    if keep:
        assert desk.user("A").state == HERE
        desk.now = 200
        assert desk.sweep() == ["write A 7 -> 8"]
        desk.write()
    desk.hydrate("A")
    assert desk.money("A", "USD") == ((10_000, 0) if keep else (1, 0))


def test_36_a_conflict_does_not_touch_the_orders_that_are_there(desk: Desk) -> None:
    """users.md 2.8: cancels pass, and what is in the record does not count while there are orders."""
    desk.hydrate("A")
    desk.now = 100
    desk.sweep()
    desk.record["A"] = (7, desk.record["A"][1])
    desk.buy("A", "b", 1, 50)
    desk.write()
    assert desk.replace("A", "b", 2, 50) == ["refused: blocked A"]
    assert desk.resolve("A", keep=False) == ["refused: not flat 1"]
    assert desk.cancel("A", "b") == ["b- canceled"]


def test_37_a_fill_of_one_who_is_not_in_memory_counts_once(desk: Desk) -> None:
    """users.md 2.9: the flat rule has to be broken by hand for it to happen."""
    desk.hydrate("A", "B")
    desk.buy("A", "b", 3, 50)
    _put_out(desk, "A")
    events = desk.commit(desk.order("B", "s", SELL, 1, 50))
    assert type(events[-1]).__name__ == "UserWanted"
    desk.commit(HydrateUser(desk.time, "A", *desk.record["A"]))
    assert desk.money("A", "USD") == (10_000 - 100, 200)
    assert desk.money("A", "BTC") == (1_010, 0)
    assert desk.sell("B", "s2", 2, 50) == ["s2 new", "s2 trades", "b trades"]
    assert desk.money("A", "USD") == (10_000 - 300, 0)


@pytest.mark.parametrize(("sold", "left"), [((1,), 205), ((1, 2), 0)])
def test_37_a_late_fill_pays_its_fee(desk: Desk, sold: tuple[int, ...], left: int) -> None:
    """users.md 2.9, 8.4: a lot at 50 is 100 + 1, two are 200 + 2 and hold 200 + 5, whether the order lives on
    or has ended meanwhile; the sellers pay 2 and 5."""
    desk.apply(SetRules(desk.time, "BTC-USD", maker_fee=10_000, taker_fee=25_000))
    desk.hydrate("A", "B")
    desk.buy("A", "b", 3, 50)
    _put_out(desk, "A")
    for number, quantity in enumerate(sold):
        desk.commit(desk.order("B", f"s{number}", SELL, quantity, 50))
    desk.commit(HydrateUser(desk.time, "A", *desk.record["A"]))
    paid = {1: 101, 3: 303}[sum(sold)]
    assert desk.money("A", "USD") == (10_000 - paid, left)
    assert desk.venue.collected == {"USD": {1: 1 + 2, 3: 3 + 7}[sum(sold)]}
    desk.check()


def test_37_who_cannot_pay_for_it_any_more_is_blocked(desk: Desk) -> None:
    """users.md 2.9"""
    desk.hydrate("A", "B")
    desk.buy("A", "b", 3, 50)
    _put_out(desk, "A")
    desk.record["A"] = (2, Row("A", ()))
    desk.commit(desk.order("B", "s", SELL, 1, 50))
    desk.commit(HydrateUser(desk.time, "A", *desk.record["A"]))
    assert desk.user("A").state == BLOCKED


def _put_out(desk: Desk, name: str) -> None:
    """Out of memory, against all rules."""
    user = desk.user(name)
    user.shard.open_orders -= len(user.holds)
    user.holds.clear()
    del user.shard.users[name], desk.venue.users[name]
    for currency, balance in user.balances.items():
        desk.venue.supply[currency] -= balance.total


def test_65_a_snapshot_has_who_is_in_memory_and_what_is_to_be_written(desk: Desk) -> None:
    """users.md 2.11, with all that is under way; Desk.check compares digests."""
    desk.hydrate("A", "B", "C")
    desk.buy("A", "b", 3, 50)
    desk.now = 100
    desk.sweep(most=1)
    desk.check()
    assert len(desk.venue.users) == 3 and desk.writes


def test_5_an_account_has_a_number_of_orders_in_a_second(desk: Desk) -> None:
    """users.md 1.6"""
    desk.hydrate("A", "B")
    desk.apply(LimitAccount(desk.time, "A", max_orders_per_second=2))
    assert desk.buy("A", "b1", 1, 50) == ["b1 new"]
    assert desk.replace("A", "b1", 2, 50) == ["b1+ replaced"]
    assert desk.buy("A", "b2", 1, 50) == ["refused: too fast 2 2"]
    assert desk.replace("A", "b1+", 2, 50) == ["refused: too fast 2 2"]
    assert desk.buy("B", "b1", 1, 50) == ["b1 new"]
    assert desk.cancel("A", "b1+") == ["b1+- canceled"]
    desk.now += 1
    assert desk.buy("A", "b2", 1, 50) == ["b2 new"]


def test_a_row_that_brings_more_money_than_numbers_go_is_refused(desk: Desk) -> None:
    desk.hydrate("A")
    desk.know("B", balances=(("USD", 2**63 - 1),))
    assert desk.hydrate("B") == [f"refused: too much money {2**63 - 1} {2**63 - 1} USD"]


def test_events_of_orders_are_heard_once_and_in_their_order(desk: Desk) -> None:
    """Feature 46, users.md 1.5."""
    desk.hydrate("A", "B")
    [new] = desk.apply(desk.order("A", "b", BUY, 3, 50))
    trades = [
        event for event in desk.apply(desk.order("B", "s", SELL, 1, 50)) if isinstance(event, Execution)
    ]
    user, before = desk.user("A"), desk.venue.digest()
    for event in (new, *trades) * 3:
        if isinstance(event, Execution) and event.account == "A":
            assert not user.hear(event)
    assert desk.venue.digest() == before
    assert desk.time == SECOND
