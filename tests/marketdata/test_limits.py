"""What one session may cost, in memory and messages. Features 58 and 59."""

from __future__ import annotations

from random import Random

from fixgw.marketdata.book import TRIMMED
from tests.marketdata.days import day
from tests.marketdata.hall import Hall, Kind, Listener


def listener(hall: Hall, kind: Kind, **limits: float) -> Listener:
    found = Listener(hall, kind, **limits)
    found.connect()
    found.subscribe()
    hall.look()
    found.read(10)
    return found


def test_who_leaves_too_many_trades_unread_is_too_slow() -> None:
    hall = Hall(day("continuous", 1))
    slow, quick = (listener(hall, Kind(newer=True), unread_trades=20) for _ in range(2))
    only_quotes = listener(hall, Kind(newer=True, types="0 1"), unread_trades=20)
    merged = listener(hall, Kind(newer=True, interval=1.0), unread_trades=20)
    while not hall.over:
        hall.go(1)
        hall.look()
        quick.read(10)
        too_slow = [each.subscriber.too_slow for each in hall.listeners if each.subscriber]
        assert too_slow[1:] == ["", "", ""]
        if too_slow[0]:
            break
    assert slow.subscriber is not None
    assert slow.subscriber.too_slow.endswith(" unread, the limit is 20"), slow.subscriber.too_slow
    hall.settle()
    for each in quick, only_quotes, merged:
        each.check()


def test_who_takes_nothing_of_what_is_due_is_stalled() -> None:
    hall = Hall(day("continuous", 1))
    stalled, quick = (listener(hall, Kind(newer=True), stalled=5) for _ in range(2))
    patient = listener(hall, Kind(newer=True, interval=8.0), stalled=5)
    assert stalled.subscriber is not None
    hall.now = 100.0  # nothing is due: nobody is slow
    hall.look()
    for second in range(7):
        hall.now = 100.0 + second
        hall.go(30)
        hall.look()
        quick.read(10)
        patient.read(10)
        assert bool(stalled.subscriber.too_slow) == (second > 5), second
    assert stalled.subscriber.too_slow == "it has read nothing for 5 s"
    hall.now = 109.0
    hall.look()
    patient.read(10)
    hall.look()
    assert not any(each.subscriber.too_slow for each in (quick, patient) if each.subscriber)


def test_an_interval_has_one_message_of_a_market() -> None:
    hall, chance = Hall(day("continuous", 2)), Random(1)
    kinds = (Kind(newer=True, interval=0.25), Kind(newer=False, depth=2, incremental=False, interval=0.25))
    for kind in kinds:
        listener(hall, kind)
    begun = hall.now
    while not hall.over:
        hall.go(1)
        hall.now += chance.random() / 20
        hall.look()
        for each in hall.listeners:
            each.read(10)
    most = (hall.now - begun) / 0.25 + 2
    for each in hall.listeners:
        for book in each.books.values():
            assert most / 2 < book.messages <= most


def test_trades_that_everyone_has_are_not_kept() -> None:
    hall = Hall(())
    quick = listener(hall, Kind(newer=True))
    book = hall.books.books["BTC-USD"]
    deals = 3 * TRIMMED
    hall._commands += day("continuous", 1)
    hall.go(len(hall._commands))
    assert book.last is not None
    for _ in range(deals):
        book._keep(book.last._replace(match_id=book.last.match_id + book.dealt + 1))
        if book.dealt % 64 == 0:
            hall.books._moved[book] = None
            hall.look()
            quick.read(10)
            assert len(book.deals) <= TRIMMED + 128
    assert len(quick.books["R", "BTC-USD"].order) > deals - 64


def test_a_feed_that_no_one_reads_is_gone() -> None:
    hall = Hall(day("auctions", 1))
    some = [listener(hall, Kind(newer=number % 2 == 0, depth=number)) for number in range(4)]
    assert sum(map(len, hall.feeds._feeds.values())) == 8
    hall.go(50)
    some[0].unsubscribe()
    some[1].drop()
    hall.look()
    assert sum(map(len, hall.feeds._feeds.values())) == 4
    for each in some[2:]:
        each.drop()
    assert not any(hall.feeds._feeds.values())
