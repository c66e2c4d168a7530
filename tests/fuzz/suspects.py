"""What made the venue fail: found among the conversations that were under way, and made small."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.fuzz.attack import talk
from tests.fuzz.conversation import conversation
from tests.fuzz.draft import Identity, Step, repaired
from tests.fuzz.place import HONEST_MARKET, Watch, floor, identity
from tests.fuzz.shrink import shrink
from tests.raw import BUY
from tests.venue.floor import CANCELED, NEW, Floor, logged_on

RECENT = 3
"""conversations of each attacker that may have done it"""
PATIENCE = 120.0
"""seconds that are spent on making it smaller"""


def keep_smallest(directory: Path, seed: int, under_way: list[tuple[Identity, int]]) -> str:
    """Looks for one conversation that does it alone, makes it smaller and writes it to a file; without one,
    writes all of them. Says where."""
    suspects = [
        (who, number, conversation(seed, who, number)[1])
        for back in range(RECENT)
        for who, last in under_way
        if (number := last - back) >= 0
    ]
    path = Path(f"fuzz-{seed}.json").resolve()
    for who, number, steps in suspects:
        if fails(directory, who, steps):
            smallest = _smallest(directory, who, steps)
            _write(path, who, smallest if fails(directory, who, smallest) else steps)
            return f"conversation {number} of {who.comp_id} does it alone: {path}"
    for who, number, steps in suspects:
        _write(path.with_suffix(f".{who.comp_id}-{number}.json"), who, steps)
    return f"none of the conversations under way does it alone: {path.with_suffix('.*')}"


def fails(directory: Path, who: Identity, steps: list[Step]) -> bool:
    """Whether a fresh venue that hears just this dies, writes a traceback or serves no other client."""
    with _venue(directory) as venue:
        return _breaks(venue, who, steps)


def _smallest(directory: Path, who: Identity, steps: list[Step]) -> list[Step]:
    """One venue hears all attempts until it fails, then the next one does."""
    deadline = time.monotonic() + PATIENCE
    with _venue(directory) as venue:

        def still_fails(part: list[Step]) -> bool:
            if time.monotonic() > deadline or not _breaks(venue, who, part):
                return False
            venue.kill9()
            venue.start()
            return True

        steps = shrink(steps, still_fails)
        for place, step in enumerate(steps):

            def fails_with(data: bytes, place: int = place, step: Step = step) -> bool:
                return still_fails([*steps[:place], step._replace(data=repaired(data)), *steps[place + 1 :]])

            if fails_with(step.data):
                steps[place] = step._replace(data=repaired(shrink(step.data, fails_with)))
    return steps


@contextmanager
def _venue(directory: Path) -> Iterator[Floor]:
    with tempfile.TemporaryDirectory(dir=directory) as inner, floor(Path(inner)) as venue:
        yield venue


def _breaks(venue: Floor, who: Identity, steps: list[Step]) -> bool:
    try:
        talk((venue.host, venue.port), who, steps, Random(0))
        with logged_on(venue, HONEST_MARKET, "BRAVO") as (other,):
            name = f"n{time.monotonic_ns()}"
            other.new(name, BUY, "1", "100", time_in_force="3")
            other.told(name, NEW)
            other.told(name, CANCELED)
        Watch(venue).check()
    except (AssertionError, OSError):
        return True
    return False


def _write(path: Path, who: Identity, steps: list[Step]) -> None:
    content = [{"data": step.data.decode("latin-1"), "pieces": step.pieces} for step in steps]
    path.write_text(json.dumps({"session": who.comp_id, "steps": content}, indent=1))


def read(path: Path) -> tuple[Identity, list[Step]]:
    """What was written."""
    found = json.loads(path.read_text())
    steps = [
        Step(each["data"].encode("latin-1"), number, each["pieces"])
        for number, each in enumerate(found["steps"], 2)
    ]
    return identity(found["session"]), steps
