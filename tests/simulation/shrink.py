"""A failing script made short: fewer steps, fewer users, as long as it fails in the same place."""

from __future__ import annotations

import traceback

from msgspec.structs import replace

from tests.simulation.script import Script, without
from tests.simulation.world import World, play

MOST = 1000
"""plays"""


def failure_of(script: Script) -> tuple[str, BaseException] | None:
    """Where it fails, and with what; None if it does not."""
    try:
        play(script)
    except Exception as problem:
        return place_of(problem), problem
    return None


def place_of(problem: BaseException) -> str:
    """By the name of the function, as lines move."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if "/engine/" in frame.filename or "/simulation/" in frame.filename]
    return f"{type(problem).__name__} in {own[-1].name if own else frames[-1].name}"


def shrink(script: Script, place: str) -> Script:
    plays = 0

    def fails(shorter: Script) -> bool:
        nonlocal plays
        plays += 1
        found = failure_of(shorter)
        return found is not None and found[0] == place

    count = len(script.steps) // 2
    while count and plays < MOST:
        before, first = script, 0
        while first < len(script.steps) and plays < MOST:
            ways = (without(script, first, count, in_time) for in_time in (True, False))
            shorter = next((way for way in ways if fails(way)), None)
            script, first = (script, first + count) if shorter is None else (shorter, first)
        if count > 1 or script == before:
            count //= 2
    for users in (3, 4, 8, 16):
        if users < script.users and fails(fewer := replace(script, users=users)):
            script = fewer
            break
    return replace(script, failure=place)


def story(problem: BaseException) -> str:
    """The last that happened before it, in words."""
    world = getattr(problem, "world", None)
    if not isinstance(world, World):
        return ""
    return "\n".join(line for site in world.sites for line in (f"node {site.number}:", *site.oracle.happened))
