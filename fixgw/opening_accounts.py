"""Accounts of the file are opened as there are places for them in memory (docs/users.md, 2.5 and 3.3)."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from engine.commands import OpenAccount
from engine.user_checks import no_place
from engine.user_commands import SweepUsers
from fixgw.cycle.cycle import Cycle
from fixgw.cycle.recorder import Recorder

LOOK = 0.05
"""seconds from one look for a place to the next"""
PATIENCE = 10.0
"""seconds without a place after which no more is waited for one"""


class NoPlace(Exception):
    """None leaves whose place the next account could have."""


async def open_accounts(
    cycle: Cycle,
    accounts: Iterable[OpenAccount],
    most: int,
    told: Callable[[Recorder, int, OpenAccount], None],
) -> None:
    """At most `most` in a turn, in which `told` is told of each, with its logged time. Raises NoPlace; those
    before are open then."""
    waiting, tried = deque(accounts), 0.0
    while waiting:
        if await cycle.operate(lambda recorder, time: _open_some(waiting, most, told, recorder, time)):
            tried = 0.0
            continue
        if tried >= PATIENCE:
            raise NoPlace
        tried += LOOK
        await asyncio.sleep(LOOK)


def _open_some(
    waiting: deque[OpenAccount],
    most: int,
    told: Callable[[Recorder, int, OpenAccount], None],
    recorder: Recorder,
    time: int,
) -> int:
    """How many."""
    venue = recorder.venue
    for number in range(most):
        if not waiting:
            return number
        if no_place(venue, waiting[0].account) is not None:
            if any(shard.lets_go(0, venue.resident) for shard in venue.shards.values()):
                recorder.accept(SweepUsers(time, 0, most))
            return number
        command = replace(waiting.popleft(), time=time)
        recorder.accept(command)
        told(recorder, time, command)
    return most
