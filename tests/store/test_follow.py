"""Features 59 and 60: the journal as another process reads it while it is written: each entry once, in order,
as soon as it is on disk and not before."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from engine.commands import SetState
from engine.events import StateSet
from engine.words import HALTED
from fixgw.store import journal
from fixgw.store.failures import StoreError
from fixgw.store.follow import Follower
from fixgw.store.pulse import EVENT, JOURNAL, PROCESS, Pulse
from fixgw.store.store import Store
from tests.raw import BUY
from tests.venue.floor import Floor, Member

MIB = 1 << 20


def write(directory: Path, orders: Connection) -> None:
    """Does what it is told, one word at a time: the venue's side of the store."""
    store, pulse, sequence = Store(directory, 64 * MIB), Pulse.make(directory), 0
    with store.read() as transaction, transaction.cursor(db=store.journal) as cursor:
        sequence = int.from_bytes(cursor.key(), "big") if cursor.last() else 0
    orders.send(sequence)
    while True:
        word, number = orders.recv()
        if word == "cycle":
            with store.cycle() as transaction:
                transaction.put(b"noise", b"%d" % sequence, db=store.meta)
                for _ in range(number):
                    sequence += 1
                    journal.append(store, transaction, sequence, entry(sequence))
        elif word == "mark":
            pulse.mark(sequence, 2 * sequence)
        elif word == "commit":
            store.commit()
        orders.send(sequence)


def entry(sequence: int) -> journal.Entry:
    events = [StateSet(sequence, "A", HALTED), StateSet(sequence, "B", HALTED)]
    return journal.Entry(SetState(sequence, "", HALTED), 2 * sequence - 1, list(events))


class Writer:
    def __init__(self, directory: Path) -> None:
        context = get_context("spawn")
        self._line, there = context.Pipe()
        self._process = context.Process(target=write, args=(directory, there), daemon=True)
        self._process.start()
        self.sequence = int(self._line.recv())

    def do(self, word: str, number: int = 0) -> int:
        self._line.send((word, number))
        self.sequence = int(self._line.recv())
        return self.sequence

    def kill(self) -> None:
        self._process.kill()
        self._process.join()


@contextmanager
def writer(directory: Path) -> Iterator[Writer]:
    made = Writer(directory)
    try:
        yield made
    finally:
        made.kill()


def test_60_an_entry_is_read_when_it_is_on_disk_and_not_before(tmp_path: Path) -> None:
    with writer(tmp_path) as venue:
        venue.do("cycle", 3)
        venue.do("mark")
        venue.do("commit")
        follower = Follower(tmp_path)
        assert follower.entries(100) == [(each, entry(each)) for each in (1, 2, 3)]
        venue.do("cycle", 2)
        assert follower.entries(100) == [], "the fsync of that cycle is not over yet"
        venue.do("mark")
        assert follower.entries(100) == [(4, entry(4)), (5, entry(5))], "before it is in the database"
        assert follower.written == 10
        venue.do("commit")
        assert follower.entries(100) == []
        follower.close()


@pytest.mark.parametrize("seed", range(20))
def test_60_each_entry_comes_once_and_in_order_whatever_happens(tmp_path: Path, seed: int) -> None:
    """Cycles of any size, commits and kills at any moment, a reader that sleeps and is begun anew."""
    chance, venue, marked = random.Random(seed), Writer(tmp_path), 0
    follower, next_ = Follower(tmp_path), 1
    try:
        for _ in range(60):
            what = chance.random()
            if what < 0.5:
                venue.do("cycle", chance.choice([0, 1, 1, 2, 50]))
                marked = venue.do("mark")
            elif what < 0.65:
                venue.do("commit")
            elif what < 0.7:
                venue.kill()
                venue = Writer(tmp_path)
                assert venue.sequence == marked
                venue.do("mark")
            elif what < 0.75:
                follower.close()
                follower = Follower(tmp_path, next_)
            else:
                for sequence, found in follower.entries(chance.choice([1, 7, 1000])):
                    assert (sequence, found) == (next_, entry(next_))
                    next_ += 1
        venue.do("commit")
        while found_now := follower.entries(1000):
            next_ += len(found_now)
        assert next_ == marked + 1
    finally:
        follower.close()
        venue.kill()


def test_a_follower_can_begin_anywhere(tmp_path: Path) -> None:
    with writer(tmp_path) as venue:
        venue.do("cycle", 9)
        venue.do("mark")
        venue.do("commit")
        follower = Follower(tmp_path)
        for event, sequence in ((1, 1), (2, 1), (3, 2), (18, 9), (1000, 9)):
            follower.seek(event)
            assert follower.entries(1)[0][0] == sequence
        assert follower.fingerprint(3) != follower.fingerprint(4) and not follower.fingerprint(10)
        follower.close()


def test_without_a_pulse_the_database_is_read(tmp_path: Path) -> None:
    """As of a data directory that was copied: what is in its tail is read once the venue was started."""
    with writer(tmp_path) as venue:
        venue.do("cycle", 3)
        venue.do("commit")
        (tmp_path / "pulse").unlink()
        follower = Follower(tmp_path)
        assert len(follower.entries(100)) == 3 and follower.written == 0
        venue.do("cycle", 1)
        assert not follower.entries(100)
        venue.do("commit")
        assert len(follower.entries(100)) == 1
        follower.close()


def test_there_must_be_something_to_follow(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds no venue's data"):
        Follower(tmp_path)


def test_a_page_of_another_release_is_not_read(tmp_path: Path) -> None:
    assert Pulse.look(tmp_path) is None
    pulse = Pulse.make(tmp_path)
    pulse.mark(7, 9)
    reader = Pulse.look(tmp_path)
    assert reader is not None
    assert [reader.numbers[place] for place in (JOURNAL, EVENT)] == [7, 9] and reader.numbers[PROCESS]
    pulse.numbers[0] += 1
    assert Pulse.look(tmp_path) is None
    (tmp_path / "pulse").write_bytes(b"short")
    assert Pulse.look(tmp_path) is None


def test_60_reports_are_in_the_log_with_their_numbers(tmp_path: Path) -> None:
    """Of each Execution the MsgSeqNum that its report has; read as the venue runs, and over its death."""
    seen: list[tuple[int, int]] = []

    def read(follower: Follower) -> None:
        for _, each in follower.entries(10_000):
            executions: list[Any] = [event for event in each.events if type(event).__name__ == "Execution"]
            assert len(each.numbers) == len(executions)
            seen.extend(
                (each.first_event + each.events.index(event), number)
                for event, number in zip(executions, each.numbers, strict=True)
            )

    with Floor(tmp_path) as venue:
        member = Member(venue, "M1-USD", "ALPHA")
        member.logon(reset=True)
        follower = Follower(venue.data)
        reports = []
        for name in "abc":
            member.new(name, BUY, "1", "100")
            reports.append(member.told(name, "0"))
            read(follower)
        venue.kill9()
        read(follower)
        venue.start()
        read(follower)
        assert seen == [(int(report[17]), report.sequence) for report in reports]
        follower.close()
