"""Feature 58: whatever a reader reads, and when, and whatever it loses, its book is the engine's in the end.
Who is told every trade has each one once, in their order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.themes import SYMBOLS
from tests.marketdata.days import day
from tests.marketdata.hall import Hall, Kind, Listener

KINDS = (
    Kind(newer=True),
    Kind(newer=False),
    Kind(newer=True, depth=1),
    Kind(newer=False, depth=3),
    Kind(newer=True, depth=2, incremental=False),
    Kind(newer=False, incremental=False),
    Kind(newer=True, interval=0.1),
    Kind(newer=False, depth=2, interval=0.05),
    Kind(newer=True, depth=2, types="0"),
    Kind(newer=True, types="2"),
)
WHO = st.integers(0, len(KINDS) - 1)
ACTIONS = st.one_of(
    st.tuples(st.just("go"), st.integers(1, 40)),
    st.tuples(st.just("look"), st.just(0)),
    st.tuples(st.just("read"), WHO),
    st.tuples(st.just("read all"), WHO),
    st.tuples(st.just("wait"), st.integers(1, 200)),
    st.tuples(st.just("drop"), WHO),
    st.tuples(st.just("again"), WHO),
    st.tuples(st.just("other"), WHO),
    st.tuples(st.just("rest"), st.just(0)),
)


def act(hall: Hall, what: str, number: int) -> None:
    listener = hall.listeners[number % len(hall.listeners)]
    match what:
        case "go":
            hall.go(number)
        case "look":
            hall.look()
        case "read":
            listener.read(1)
        case "read all":
            listener.read(1_000_000)
        case "wait":
            hall.now += number / 1000
        case "drop":
            listener.drop()
            listener.connect()
            listener.subscribe()
        case "again":
            listener.unsubscribe()
            listener.subscribe(symbols=SYMBOLS[::-1])
        case "other":
            if ("S", SYMBOLS[0]) in listener.books:
                listener.unsubscribe("S")
            else:
                listener.subscribe("S", SYMBOLS[:1])
        case "rest":
            hall.settle()
            for each in hall.listeners:
                each.check()


@settings(max_examples=60, deadline=None)
@given(
    theme=st.sampled_from(["continuous", "auctions", "stops", "volatility", "self-trade"]),
    seed=st.integers(0, 2),
    actions=st.lists(ACTIONS, max_size=80),
)
def test_every_reader_ends_with_the_true_book(theme: str, seed: int, actions: list[tuple[str, int]]) -> None:
    # Looks come between actions anyway: a request is never decided on in the middle of a step.
    hall = Hall(day(theme, seed))
    for kind in KINDS:
        listener = Listener(hall, kind)
        listener.connect()
        listener.subscribe()
    for what, number in actions:
        act(hall, what, number)
        hall.look()
    act(hall, "rest", 0)
    hall.go(10_000)
    act(hall, "rest", 0)
    assert hall.over and not any(listener.rejects for listener in hall.listeners)


@pytest.mark.parametrize("theme", ["continuous", "auctions"])
def test_who_reads_seldom_gets_less_and_all_trades(theme: str) -> None:
    hall = Hall(day(theme, 1))
    quick, slow = (Listener(hall, Kind(newer=True)) for _ in range(2))
    merged = Listener(hall, Kind(newer=True, interval=0.5))
    for listener in hall.listeners:
        listener.connect()
        listener.subscribe()
    turn = 0
    while not hall.over:
        turn += 1
        hall.go(1)
        hall.look()
        hall.now += 0.01
        quick.read(100)
        merged.read(100)
        if turn % 50 == 0:
            slow.read(100)
    hall.settle()
    for listener in hall.listeners:
        listener.check()
    messages = [sum(book.messages for book in each.books.values()) for each in hall.listeners]
    assert messages[0] > 5 * messages[1] and messages[0] > 5 * messages[2], messages
    for key, book in merged.books.items():
        own = quick.books[key]
        assert own.order == list(hall.trades[key[1]])
        assert len(own.order) > 20 and book.last == own.last and book.volume == hall.volume[key[1]]
