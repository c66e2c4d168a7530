"""Routing: features 39, 40 and 41; users.md 4 and 5."""

from hypothesis import given
from hypothesis import strategies as st

from engine.routing import (
    Pin,
    Resident,
    Router,
    Routing,
    activated,
    by_hash,
    left,
    settled,
    shared_by_two_alone,
)
from engine.words import ACTIVE, ALONE, HELD, LEAVING, PINNED, RECEIVING

USERS = [f"U{number}" for number in range(3_000)]
NAMES = st.text(st.characters(codec="ascii", exclude_characters="\0"), min_size=1, max_size=8)


def of(*active: str) -> Routing:
    return Routing(1, tuple((name, ACTIVE) for name in sorted(active)))


def test_39_a_member_that_comes_takes_its_share_and_nothing_else_moves() -> None:
    before, after = Router(of("S1", "S2", "S3", "S4")), Router(of("S1", "S2", "S3", "S4", "S5"))
    moved = [user for user in USERS if before.owner(user) != after.owner(user)]
    assert {after.owner(user) for user in moved} == {"S5"}
    assert abs(len(moved) - len(USERS) / 5) < len(USERS) * 0.03  # four standard deviations


def test_39_shares_are_even() -> None:
    router = Router(of("S1", "S2", "S3", "S4"))
    for name in ("S1", "S2", "S3", "S4"):
        assert abs(sum(router.owner(user) == name for user in USERS) - len(USERS) / 4) < len(USERS) * 0.04


def test_the_hash_is_that_of_the_first_release() -> None:
    """Users written by one release are found by the next."""
    assert "".join(by_hash(["1", "2", "3"], user) for user in USERS[:24]) == "132313233112221111121133"


@given(st.lists(NAMES, min_size=2, max_size=6, unique=True), st.lists(NAMES, max_size=20))
def test_39_one_that_goes_leaves_all_others_where_they_are(members: list[str], users: list[str]) -> None:
    before, after = Router(of(*members)), Router(of(*members[1:]))
    for user in users:
        assert before.owner(user) in (after.owner(user), members[0])


def test_40_two_who_are_alone_do_not_share_a_shard() -> None:
    routing = of("S1", "S2").with_pins([Pin("W1", "S1", ALONE), Pin("W2", "S2", ALONE)])
    assert shared_by_two_alone(routing) == ""
    assert shared_by_two_alone(routing.with_pins([Pin("W2", "S1", ALONE)])) == "S1"
    assert shared_by_two_alone(routing.with_pins([Pin("W2", "S1", PINNED)])) == ""


def test_41_members_and_pins_change_in_one_epoch() -> None:
    routing = of("S1", "S2")
    assert routing.with_pins([Pin("W1", "S1", PINNED), Pin("W2", "S2", PINNED)]).epoch == 2
    residents = [Resident(user, Router(routing).owner(user)) for user in USERS]
    joined = activated(routing.with_member("S3", RECEIVING), "S3", residents)
    assert (joined.epoch, len(joined.pins) > 0) == (3, True)


@given(st.lists(st.sampled_from(USERS), max_size=30, unique=True), st.booleans())
def test_67_whoever_is_in_memory_stays_there_when_a_shard_comes_or_goes(
    users: list[str], comes: bool
) -> None:
    routing = of("S1", "S2", "S3")
    residents = [Resident(user, Router(routing).owner(user)) for user in users]
    if comes:
        after = activated(routing.with_member("S4", RECEIVING), "S4", residents)
    else:
        after = left(routing, "S3", residents)
    assert all(Router(after).owner(user) == shard for user, shard in residents)


def test_67_a_receiving_shard_gets_only_those_who_are_moved_to_it() -> None:
    routing = of("S1", "S2").with_member("S3", RECEIVING)
    assert all(Router(routing).owner(user) == Router(of("S1", "S2")).owner(user) for user in USERS)
    wave = [user for user in USERS if Router(routing).home(user) == "S3"][:10]
    moved = settled(routing, wave)
    assert moved.pins == tuple(Pin(user, "S3", HELD) for user in sorted(wave))
    assert activated(moved, "S3", [Resident(user, "S3") for user in wave]).pins == ()


def test_67_who_was_held_is_home_once_it_has_moved() -> None:
    routing = of("S1", "S2", "S3")
    there = [user for user in USERS if Router(routing).owner(user) == "S3"]
    leaving = left(routing, "S3", [Resident(user, "S3") for user in there])
    assert dict(leaving.members)["S3"] == LEAVING and len(leaving.pins) == len(there)
    after = settled(leaving, there)
    assert after.pins == ()
    assert {Router(after).owner(user) for user in there} == {"S1", "S2"}
    assert after.without_member("S3").members == (("S1", ACTIVE), ("S2", ACTIVE))


def test_a_pin_of_the_operator_outlives_what_shards_do() -> None:
    routing = of("S1", "S2").with_pins([Pin("W", by_hash(["S1", "S2"], "W"), PINNED)])
    assert activated(routing.with_member("S3", RECEIVING), "S3", []).pins == routing.pins
