"""`python -m tests.bench.engine`: what the engine alone costs, by depth of the book, and beside it two others
that anyone would find, with the same orders in the same run; one table, raw JSON beside it. Of the compiled
engine: `PYTHONPATH=build/compiled:. python -P -m tests.bench.engine`."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from engine import venue
from engine.words import CANCEL_TAKER
from tests.bench.engine.books import Batch, Book
from tests.bench.engine.matchers import INSTALL, Fixgw, Matcher, others
from tests.bench.engine.table import KIND, render
from tests.bench.table import Row, machine, medians

RESULTS = Path(__file__).parent.parent / "results"
ENGINE = "in Python" if venue.__file__.endswith(".py") else "compiled"
CHUNK = 10_000
"""orders made at once while a book is filled"""

NOTES = """
All books live in one process and are visited in turn, round after round, the engines one after the other with
the same orders; counted is the time on a core. So a noisy minute hits all. The garbage collector is set as in
the venue: what lives when the books are filled is frozen, then it runs for every 50,000 new objects.

fixgw       refusal() and apply() of each command: accounts, reservations and all events, without a journal
prevention  each order has a group and a mode; half of the book is the taker's own, which it does not meet
stops       stop-limit orders wait at prices that no trade touches
fastlob     in Python, liquibook in C++, called from Python: limit orders, cancels, trades, and no more. Their
            order objects are made before the clock starts, as commands are; a replace is cancel and new
A book has levels x orders on each side. An order that crosses fills one other; "a fill" is one of a sweep of
a whole side."""


@dataclass(frozen=True)
class Plan:
    rounds: int = 7
    operations: int = 2_000
    """of each kind, in each round, on each book"""
    depths: tuple[tuple[int, int], ...] = ((10, 10), (1_000, 10), (10_000, 2), (1, 1_000), (1_000, 500))
    """levels and orders a level of each side; the second is where more than depth is looked at"""
    stops: int = 100_000


class Place(NamedTuple):
    """One book, in all the engines that are measured at this depth."""

    book: Book
    engines: list[Matcher]
    sweeps: bool


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.engine", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round of small books")
    parser.add_argument("--rounds", type=int, help=f"default {Plan.rounds}")
    parser.add_argument("--alone", action="store_true", help="without the other engines")
    parser.add_argument("--results", type=Path, default=RESULTS, help="directory for the raw figures")
    args = parser.parse_args()
    if args.quick:
        plan = Plan(args.rounds or 1, 200, ((10, 10), (100, 10), (1, 100)), 1_000)
    else:
        plan = Plan(args.rounds or Plan.rounds)
    beside = [] if args.alone else others()
    if not beside and not args.alone:
        print(INSTALL)
    rows = run(plan, beside)
    args.results.mkdir(exist_ok=True)
    file = args.results / f"engine-{datetime.now(UTC):%Y%m%d-%H%M%S}.json"
    file.write_text(json.dumps({"machine": machine(), "engine": ENGINE, "rows": rows}, indent=1))
    print(f"{machine()}\nthe engine is {ENGINE}\nmedians of {plan.rounds} rounds; raw figures in {file}\n")
    print("\n".join(render(medians(rows, KIND), rows)))
    print(NOTES)


def run(plan: Plan, beside: Iterable[type[Matcher]]) -> list[Row]:
    places = list(_places(plan, list(beside)))
    rows: list[Row] = []
    try:
        for place in places:
            _fill(place)
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)  # as in fixgw/serve.py
        for number in range(plan.rounds):
            _tell(f"round {number + 1} of {plan.rounds}")
            for place in places:
                rows += _round(place, plan.operations, backwards=number % 2 == 1)
    finally:
        for place in places:
            for engine in place.engines:
                engine.close()
    return rows


def _places(plan: Plan, beside: list[type[Matcher]]) -> Iterator[Place]:
    for number, depth in enumerate(plan.depths):
        engines: list[Matcher] = [Fixgw(), *(other() for other in beside)]
        if number == 1:
            engines.append(Fixgw("  prevention", CANCEL_TAKER))
            engines.append(Fixgw("  stops", stops=plan.stops))
        yield Place(Book(*depth), engines, number == 1)


def _fill(place: Place) -> None:
    _tell(f"filling {place.book.name}")
    orders = place.book.filling()
    while chunk := list(islice(orders, CHUNK)):
        for engine in place.engines:
            engine.run(engine.prepare(chunk))


def _round(place: Place, operations: int, backwards: bool) -> Iterator[Row]:
    """One row for each engine: microseconds of one operation, by kind."""
    batches = list(place.book.batches(operations))
    if place.sweeps:
        batches += place.book.sweep()
    for engine in reversed(place.engines) if backwards else place.engines:
        yield {"engine": engine.name, "book": place.book.name, **_costs(engine, batches)}


def _costs(engine: Matcher, batches: list[Batch]) -> dict[str, float]:
    spent: dict[str, float] = defaultdict(float)
    count: dict[str, int] = defaultdict(int)
    fills = engine.fills + sum(batch.fills for batch in batches)
    for kind, operations, filled in batches:
        spent[kind] += engine.run(engine.prepare(operations))
        count[kind] += filled if kind == "sweep" else len(operations)
    assert engine.fills == fills, f"{engine.name} did not do what it was asked"
    return {kind: spent[kind] / count[kind] * 1e6 for kind in spent if kind}


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
