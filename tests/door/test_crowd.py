"""Who is at the door, against the same in plain lists."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fixgw.door.crowd import Crowd

STEP = st.tuples(st.sampled_from(["add", "log on", "remove", "room"]), st.integers(0, 5))


@given(steps=st.lists(STEP, max_size=80))
def test_it_knows_how_many_and_who_makes_room(steps: list[tuple[str, int]]) -> None:
    """Room makes the oldest stranger of a network that has most of them."""
    crowd: Crowd[int] = Crowd()
    inside: dict[int, str] = {}
    strangers: list[int] = []
    for visitor, (step, choice) in enumerate(steps):
        chosen = list(inside)[choice % len(inside)] if inside else -1
        if step == "add":
            inside[visitor] = f"n{choice}"
            strangers.append(visitor)
            crowd.add(visitor, f"n{choice}")
        elif step == "log on" and chosen >= 0:
            strangers = [each for each in strangers if each != chosen]
            crowd.log_on(chosen)
        elif step == "remove":
            inside.pop(chosen, None)
            strangers = [each for each in strangers if each != chosen]
            crowd.remove(chosen)
        elif step == "room":
            found = crowd.who_makes_room()
            numbers = [sum(inside[each] == inside[one] for each in strangers) for one in strangers]
            if found is None:
                assert not strangers
            else:
                of_found = [each for each in strangers if inside[each] == inside[found]]
                assert found == of_found[0] and len(of_found) == max(numbers)
        assert len(crowd) == len(inside)
        for network in {f"n{number}" for number in range(6)}:
            assert crowd.of(network) == list(inside.values()).count(network)
            assert crowd.strangers(network) == [each for each in strangers if inside[each] == network]
        assert sorted(crowd.all_strangers()) == strangers


def test_of_equals_the_one_who_stands_longest_goes() -> None:
    crowd: Crowd[int] = Crowd()
    for number in range(5):
        crowd.add(number, f"n{number}")
    for number in range(5):
        assert crowd.who_makes_room() == number
        crowd.remove(number)
    assert crowd.who_makes_room() is None
