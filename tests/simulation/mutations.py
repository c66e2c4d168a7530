"""Deliberate mistakes, and the seed that finds each of them out. `python -m tests.simulation.mutations` looks
for the seeds; with `--write` it writes them down, here in mutations.json and for people in
docs/simulation.md."""

from __future__ import annotations

import argparse
import importlib
import inspect
import logging
import sys
import textwrap
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from fixgw.store.failures import StoreError
from tests.simulation.mistake import Mistake
from tests.simulation.mistakes import MISTAKES
from tests.simulation.mistakes_of_nodes import MISTAKES_OF_NODES
from tests.simulation.script import SHARED, Script, generate
from tests.simulation.shrink import failure_of

FOUND = Path(__file__).parent / "mutations.json"
PAGE = Path(__file__).parents[2] / "docs" / "simulation.md"
BEGIN, END = "<!-- mutations -->", "<!-- end -->"
MUTATIONS = (*MISTAKES, *MISTAKES_OF_NODES)
MOST = 1000
"""the last seed that is tried"""


def script_for(mutation: Mistake) -> Script:
    """That of the seed that finds it out."""
    return generate(msgspec.json.decode(FOUND.read_bytes(), type=dict[str, int])[mutation.name])


@contextmanager
def mutated(mutation: Mistake) -> Iterator[None]:
    """While it lasts, the venue does it wrong."""
    kept: dict[Any, Any] = {}
    try:
        sources: dict[Any, str] = {}
        for change in mutation.changes:
            function = _function(change.where)
            source = sources.get(function) or textwrap.dedent(inspect.getsource(function))
            assert source.count(change.old) == 1, f"{change.where} has not one {change.old!r}"
            sources[function] = source.replace(change.old, change.new)
        for function, source in sources.items():
            names: dict[str, Any] = {}
            exec(compile("from __future__ import annotations\n" + source, "mutated", "exec"), names)
            kept[function] = function.__code__
            function.__code__ = names[function.__name__].__code__
        yield
    finally:
        for function, code in kept.items():
            function.__code__ = code


def _function(where: str) -> Any:
    module, _, path = where.partition(":")
    found: Any = importlib.import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found


def find(mutation: Mistake, most: int = MOST) -> tuple[int, str] | None:
    """The first seed that finds it out, and what it says. One of nodes needs a seed that has several."""
    every = SHARED if mutation in MISTAKES_OF_NODES else 1
    with mutated(mutation):
        for seed in range(every, most + 1, every):
            found = failure_of(generate(seed))
            if found is not None:
                return seed, _said(*found)
    return None


def _said(place: str, problem: BaseException) -> str:
    frame = traceback.extract_tb(problem.__traceback__)[-1]
    if "/simulation/" in frame.filename and str(problem):
        return str(problem)
    if isinstance(problem, StoreError):
        return "a start is refused: " + str(problem).rpartition("/")[2]
    return f"{place}, the engine's own" if "/engine/" in frame.filename else f"{place}: {problem}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.mutations", description=__doc__)
    parser.add_argument("--write", action="store_true", help="writes mutations.json and docs/simulation.md")
    parser.add_argument("--only", default="", help="those whose words have this in them")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    rows, seeds, missed = [], {}, 0
    for mutation in MUTATIONS:
        if arguments.only not in mutation.name:
            continue
        found = find(mutation)
        missed += found is None
        seed, said = found or ("none", "")
        print(f"{seed:>5}  {mutation.name}: {said[:90]}", flush=True)
        seeds[mutation.name] = seed
        rows.append(f"| {mutation.name} | {mutation.clause} | {seed} | {_in_a_row(said)} |")
    if arguments.write and not missed and not arguments.only:
        FOUND.write_bytes(msgspec.json.format(msgspec.json.encode(seeds), indent=1) + b"\n")
        page = PAGE.read_text()
        head, tail = page[: page.index(BEGIN)], page[page.index(END) :]
        table = ["| mistake | against | seed | what finds it |", "|---|---|---|---|", *rows]
        PAGE.write_text(head + "\n".join((BEGIN, *table)) + "\n" + tail)
    return 1 if missed else 0


def _in_a_row(said: str) -> str:
    """Without numbers of the moment that make a row long."""
    said = said.replace("|", "/").replace("\n", " ")
    return said if len(said) <= 80 else said[:77] + "..."


if __name__ == "__main__":
    sys.exit(main())
