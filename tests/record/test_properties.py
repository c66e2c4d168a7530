"""Random flushes, retries, reopenings and looks against a dict that keeps the same promises."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Coroutine
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as some
from hypothesis.stateful import (
    RuleBasedStateMachine,
    precondition,
    rule,
    run_state_machine_as_test,
)

from engine.user_commands import Row
from engine.user_events import BeginDehydrate
from fixgw.record.record import MOST, Record, Stored, Written
from tests.record.kinds import Lmdb, Place, Postgresql
from tests.record.server import PostgresqlServer

T = TypeVar("T")
NAMES = some.sampled_from(["A", "A\x01", "a", "AB", "B", "~", "\x7f" * 64])
AMOUNTS = some.integers(0, 3) | some.integers(0, MOST)
ROWS = some.builds(
    Row,
    some.sampled_from(["ALPHA", "A", "\x01"]),
    some.dictionaries(NAMES, AMOUNTS, max_size=4).map(lambda found: tuple(sorted(found.items()))),
    some.lists(some.sampled_from(["D1", "D2", "'\"\\\x01"]), max_size=3).map(tuple),
)
FLUSHES = some.builds(
    BeginDehydrate,
    some.just(7),
    NAMES,
    some.sampled_from(["S1", "S2"]),
    some.integers(1, 2),
    some.integers(0, 3),
    ROWS,
)


class Model(RuleBasedStateMachine):
    """`rows` has of each user the flush that was written last."""

    place: Place
    """set by the test"""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.record: Record = self.new_place().make()
        self.rows: dict[str, BeginDehydrate] = {}
        self.sent: list[BeginDehydrate] = []

    def new_place(self) -> Place:
        raise NotImplementedError

    def wait(self, call: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(call)

    def teardown(self) -> None:
        self.wait(self.record.close())
        self.loop.close()

    @rule(flushes=some.lists(FLUSHES, max_size=6))
    def write(self, flushes: list[BeginDehydrate]) -> None:
        self.send(flushes)

    @precondition(lambda self: self.sent)
    @rule(data=some.data())
    def write_again(self, data: some.DataObject) -> None:
        self.send(data.draw(some.lists(some.sampled_from(self.sent), max_size=4)))

    @precondition(lambda self: self.rows)
    @rule(data=some.data(), row=ROWS)
    def write_the_next_version(self, data: some.DataObject, row: Row) -> None:
        last = self.rows[data.draw(some.sampled_from(sorted(self.rows)))]
        self.send([BeginDehydrate(7, last.user, "S1", last.epoch + 1, last.expected + 1, row)])

    def send(self, flushes: list[BeginDehydrate]) -> None:
        assert self.wait(self.record.write(flushes)) == [self.written(flush) for flush in flushes]
        self.sent += flushes

    def written(self, flush: BeginDehydrate) -> Written:
        last = self.rows.get(flush.user)
        if flush.expected == (last.expected + 1 if last else 0):
            self.rows[flush.user] = flush
            return Written(True, flush.expected + 1)
        return Written(last == flush, last.expected + 1 if last else 0)

    @rule(name=NAMES)
    def read(self, name: str) -> None:
        assert self.wait(self.record.read(name)) == self.known().get(name)

    @rule(
        client=some.sampled_from([None, "ALPHA", "A", "\x01", "B"]),
        after=NAMES | some.just(""),
        most=some.integers(1, 4),
    )
    def look(self, client: str | None, after: str, most: int) -> None:
        known = self.known()
        names = [name for name in sorted(known) if name > after and client in (None, known[name].row.client)]
        found = self.wait(self.record.users(client, after, most))
        assert list(found.items()) == [(name, known[name]) for name in names[:most]]

    @rule()
    def sum(self) -> None:
        totals: Counter[str] = Counter()
        currencies = set()
        for flush in self.rows.values():
            totals.update(dict(flush.row.balances))
            currencies |= set(dict(flush.row.balances))
        assert self.wait(self.record.totals()) == {name: totals[name] for name in currencies}

    @rule()
    def reopen(self) -> None:
        self.wait(self.record.close())
        self.record = self.place.make()

    def known(self) -> dict[str, Stored]:
        return {name: Stored(flush.expected + 1, flush.row) for name, flush in self.rows.items()}


def check(machine: type[Model], examples: int) -> None:
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
    chosen = settings(
        max_examples=examples,
        stateful_step_count=30,
        deadline=None,
        suppress_health_check=quiet,
        database=None,
    )
    run_state_machine_as_test(machine, settings=chosen)  # type: ignore[no-untyped-call]


def test_lmdb_keeps_its_promises(tmp_path: Path) -> None:
    class InLmdb(Model):
        def new_place(self) -> Place:
            self.place = Lmdb(Path(tempfile.mkdtemp(dir=tmp_path)))
            return self.place

    check(InLmdb, 40)


def test_postgresql_keeps_its_promises(server: PostgresqlServer) -> None:
    schemas = count(1)

    class InPostgresql(Model):
        def new_place(self) -> Place:
            self.place = Postgresql(server.url(), f"p{next(schemas)}")
            return self.place

    check(InPostgresql, 25)
