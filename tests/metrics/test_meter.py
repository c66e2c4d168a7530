"""What the venue's process writes is what others read; by a clock that tests move."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from fixgw.metrics import table
from fixgw.metrics.buckets import BOUNDS, TOTAL, bucket
from fixgw.metrics.meter import LIMITS, MS, Meter
from fixgw.metrics.page import Page
from fixgw.metrics.table import (
    CAUSES,
    DECODE,
    ENGINE,
    GC_PAUSE,
    LONG_TURN,
    POLL,
    RECORD,
    RING,
    SLOW_FSYNC,
    UNNAMED,
)
from fixgw.metrics.turns import SAMPLE, Turns
from fixgw.store.pulse import PLACES


class Bench:
    """A meter over a page, and turns with rooms that are not real and take the time they are told."""

    def __init__(self) -> None:
        self.now = 1000
        self.numbers = memoryview(bytearray(8 * PLACES)).cast("Q")
        self.meter = Meter(self.numbers, lambda: self.now, lambda: self.now + 10**18)
        self.recorder: Any = SimpleNamespace(sequence=0, posted=0, apply=lambda *_: self.takes(300))
        self.front_end: Any = SimpleNamespace(
            fields=lambda *_: self.takes(20), decode=lambda *_: self.takes(100)
        )
        self.turns = Turns(self.meter, self.front_end, self.recorder)

    @property
    def page(self) -> Page:
        return Page(self.numbers.tolist())

    def takes(self, time: int) -> None:
        self.now += time

    def turn(self, messages: int = 1, during: Any = None) -> None:
        turns = self.turns
        turns.begin()
        begin = turns.clock()
        self.takes(1000)
        turns.read(begin, turns.clock(), messages)
        for _ in range(messages):
            self.front_end.fields("")
            self.front_end.decode({})
            self.recorder.apply(1, None)
            self.recorder.sequence += 1
            self.recorder.posted += 1
            self.takes(50)
        turns.decided()
        if during is not None:
            during()
        self.takes(5000)
        turns.committed()
        self.takes(2000)
        turns.end(backlog=3)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_every_number_has_a_place_of_its_own() -> None:
    places = sorted(table._PLACE.values())
    assert len(set(places)) == len(places) and table.END <= PLACES
    names = [family.name for family in (*table.FAMILIES, *table.OF_SHARDS)]
    assert len(set(names)) == len(names)


def test_a_turn_is_counted_with_its_stages(bench: Bench) -> None:
    bench.turn(messages=2)
    page = bench.page
    assert [page.number(name) for name in ("cycles", "turns", "messages_in", "messages_out")] == [1, 1, 2, 2]
    assert page.number("backlog_sessions") == 3
    assert page.histogram("cycle_seconds")[TOTAL] == 1000 + 2 * (20 + 100 + 300 + 50) + 5000 + 2000
    for stage, time in ((POLL, 1000), ("commit", 5000), ("send", 2000)):
        places = page.histogram("cycle_stage_seconds", stage)
        assert (places[bucket(time)], sum(places[:TOTAL]), places[TOTAL]) == (1, 1, time)


def test_one_turn_in_sixteen_tells_decoding_from_matching_and_counts_for_all(bench: Bench) -> None:
    apply = bench.recorder.apply
    for _ in range(5 * SAMPLE):
        bench.turn()
    page = bench.page
    for stage, time in ((DECODE, 120), (ENGINE, 300), (RECORD, 50)):
        places = page.histogram("cycle_stage_seconds", stage)
        assert (sum(places[:TOTAL]), places[TOTAL]) == (5 * SAMPLE, 5 * SAMPLE * time), stage
    assert bench.recorder.apply is apply, "no stopwatch is left behind"


def test_a_turn_in_which_nothing_happened_is_no_cycle_and_no_sample(bench: Bench) -> None:
    for _ in range(3 * SAMPLE):
        bench.turn(messages=0)
    page = bench.page
    assert (page.number("turns"), page.number("cycles")) == (3 * SAMPLE, 0)
    for _ in range(SAMPLE):
        bench.turn(messages=0)
        bench.turn()
    assert sum(bench.page.histogram("cycle_stage_seconds", ENGINE)[:TOTAL]) == SAMPLE


def test_71_a_long_turn_has_the_name_of_the_longest_span_in_it(bench: Bench) -> None:
    def slow() -> None:
        for room, time in ((bench.meter.replayed, 5 * MS), (bench.meter.synced, 80 * MS)):
            begin = bench.now
            bench.takes(time)
            room(begin, bench.now, 7)

    bench.turn(during=slow)
    bench.turn(during=lambda: bench.takes(40 * MS))
    bench.turn()
    page = bench.page
    found = {cause: count for cause in CAUSES if (count := page.number("long_turn_causes", cause))}
    assert found == {SLOW_FSYNC: 1, UNNAMED: 1}
    assert [(span.kind, span.duration // MS) for span in page.spans()] == [
        (SLOW_FSYNC, 80),
        (LONG_TURN, 85),
        (LONG_TURN, 40),
    ]
    fsync, first, second = page.spans()
    assert (fsync.detail, CAUSES[first.detail], CAUSES[second.detail]) == (7, SLOW_FSYNC, UNNAMED)
    assert first.begin <= fsync.begin and fsync.begin + fsync.duration <= first.begin + first.duration
    assert page.number("spans", LONG_TURN) == 2
    assert page.number("spans_longest_seconds", LONG_TURN) == first.duration
    assert page.number("spans_seconds", LONG_TURN) == first.duration + second.duration


def test_what_does_not_take_long_is_no_span_but_is_in_the_histogram(bench: Bench) -> None:
    bench.meter.synced(0, LIMITS[SLOW_FSYNC] - 1, 1)
    assert bench.page.spans() == [] and sum(bench.page.histogram("fsync_seconds")[:TOTAL]) == 1


def test_the_last_spans_are_kept(bench: Bench) -> None:
    for number in range(RING + 10):
        bench.meter.synced(0, LIMITS[SLOW_FSYNC] + number, number)
    assert [span.detail for span in bench.page.spans()] == list(range(10, RING + 10))
    assert bench.page.number("spans", SLOW_FSYNC) == RING + 10


def test_what_is_longer_than_all_bounds_is_counted_as_well(bench: Bench) -> None:
    bench.meter.observe(table.place("fsync_seconds"), BOUNDS[-1] + 1)
    assert bench.page.histogram("fsync_seconds")[TOTAL - 1] == 1


def test_a_garbage_collection_is_timed_by_generation(bench: Bench) -> None:
    bench.meter._collecting("start", {"generation": 1})
    bench.takes(30 * MS)
    bench.meter._collecting("stop", {"generation": 1})
    assert bench.page.histogram("gc_pause_seconds", "1")[TOTAL] == 30 * MS
    assert [(span.kind, span.detail) for span in bench.page.spans()] == [(GC_PAUSE, 1)]
