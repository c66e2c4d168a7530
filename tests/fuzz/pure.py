"""Mutated messages straight into the venue's readers of bytes: many a second, no sockets."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.fuzz.conversation import conversation
from tests.fuzz.draft import Identity
from tests.fuzz.shrink import shrink
from tests.fuzz.targets import TARGETS, Target

CLIENTS = [
    Identity("FIX.4.4", "ALPHA", "ALPHA-1", "BTC-USD"),
    Identity("FIXT.1.1", "CHARLIE", "CHARLIE-1", "BTC-USD"),
]


class Missed(AssertionError):
    """A target did something it is not documented to do; the text says where the input is."""


def inputs(seed: int) -> Iterator[bytes]:
    """Without end; whole messages, now and then with what follows them."""
    number = 0
    while True:
        _, steps = conversation(seed, CLIENTS[number % len(CLIENTS)], number)
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            yield step.data
            if following is not None and number % 5 == 0:
                yield step.data + following.data
        number += 1


def run(seed: int, messages: int, seconds: float, targets: Iterable[Target] = TARGETS) -> int:
    """At most so many, for at most so long; returns how many. Raises Missed."""
    end, count = time.monotonic() + seconds, 0
    for data in inputs(seed):
        for target in targets:
            problem = why(target, data)
            if problem:
                path = _keep(seed, target, data)
                raise Missed(f"seed {seed}: {target.__name__}: {problem}; its smallest input is in {path}")
        count += 1
        if count >= messages or time.monotonic() > end:
            break
    return count


def why(target: Target, data: bytes) -> str:
    """What went wrong with it; empty if nothing did."""
    try:
        target(data)
    except Exception as problem:
        return f"{type(problem).__name__}: {str(problem)[:200]}"
    return ""


def _keep(seed: int, target: Target, data: bytes) -> Path:
    kind = why(target, data).partition(":")[0]
    smallest = shrink(data, lambda part: why(target, part).startswith(kind))
    path = Path(f"fuzz-{seed}-{target.__name__}.bin").resolve()
    path.write_bytes(smallest)
    return path
