"""What happens in a simulation: a list of steps that is made of the seed alone, before anything happens, so
that a failing one can be shortened. What a step does exactly is decided when its time has come, by its own
number and the state that there is."""

from __future__ import annotations

from pathlib import Path
from random import Random

import msgspec
from msgspec import Struct
from msgspec.structs import replace

KEPT = Path(__file__).parent / "kept"
KINDS = {
    "order": 44,
    "burst": 3,
    "replace": 9,
    "cancel": 8,
    "repeat": 2,
    "mass-cancel": 1,
    "transfer": 6,
    "transfer-again": 2,
    "open": 0.5,
    "pin": 2,
    "shard": 1.5,
    "leave": 2,
    "lost": 0.7,
    "kill": 0.6,
    "state": 1.5,
    "bust": 1,
    "day": 0.5,
    "quiet": 4,
    "weather": 3,
    "post": 1.5,
    "impostor": 1.5,
    "resolve": 1.5,
    "stale": 2,
    "snapshot": 3,
    "restart": 1,
    "crash": 2.5,
}
"""and how often"""
NODE_KINDS = KINDS | {
    "order": 55,
    "burst": 7,
    "replace": 16,
    "cancel": 12,
    "mass-cancel": 2,
    "lost": 1.5,
    "kill": 2,
    "state": 4,
    "day": 1,
    "quiet": 3,
    "withdraw": 1.5,
    "air": 6,
    "cut": 3,
    "away": 1.2,
    "full": 1,
}
"""where there are several nodes"""
FAULTS = ("air", "cut", "away", "full", "weather", "post", "impostor", "stale", "crash", "restart")

SHARED = 3
"""one seed in so many is of several nodes"""


class Step(Struct, frozen=True, array_like=True):
    kind: str
    gap: int
    """milliseconds since the step before"""
    number: int
    """a seed of its own"""


class Script(Struct, frozen=True):
    seed: int
    users: int
    resident: int
    """on one shard"""
    steps: tuple[Step, ...]
    crash_before: int = 0
    """journal position, as in tests.simulation.store"""
    crash_after: int = 0
    crash_node: int = 0
    """whose; 0: of all"""
    nodes: int = 1
    failure: str = ""
    """what it was kept for"""


def generate(seed: int, length: int = 0) -> Script:
    """Without a `length` it is by the seed as well."""
    choose = Random(seed)
    nodes = choose.choice((2, 2, 3)) if seed % SHARED == 0 else 1
    length = length or choose.choice((60, 120, 120, 250))
    known = NODE_KINDS if nodes > 1 else KINDS
    kinds, weights = list(known), list(known.values())
    if choose.random() < 0.15:  # a calm day
        weights = [0 if kind in FAULTS else weight for kind, weight in known.items()]
    steps = []
    for kind in choose.choices(kinds, weights, k=length):
        gap = choose.choice((0, 1, 5, 20, 60, 200))
        if kind == "quiet":
            gap = choose.choice((1000, 2500, 4000, 7000)) // nodes
        steps.append(Step(kind, gap, choose.getrandbits(32)))
    users = choose.choice((4, 8, 16, 24)) if nodes == 1 else choose.choice((4, 6, 8))
    resident = choose.choice((4, 6, 12, 50))
    return Script(seed, users, resident, tuple(steps), nodes=nodes)


def keep(script: Script, name: str) -> Path:
    """A step in each line."""
    path = KEPT / f"{name}.json"
    head = msgspec.json.encode(replace(script, steps=())).decode()
    steps = ",\n".join(msgspec.json.encode(step).decode() for step in script.steps)
    path.write_text(head.replace('"steps":[]', f'"steps":[\n{steps}\n]') + "\n")
    return path


def load(path: Path) -> Script:
    return msgspec.json.decode(path.read_bytes(), type=Script)


def without(script: Script, first: int, count: int, in_time: bool) -> Script:
    """Without some steps. `in_time`: those that follow keep their time."""
    after = script.steps[first + count :]
    if in_time and after:
        gap = sum(step.gap for step in script.steps[first : first + count])
        after = (replace(after[0], gap=after[0].gap + gap), *after[1:])
    return replace(script, steps=script.steps[:first] + after)
