"""Deeds of operators: something is done in a turn of the venue, or refused in words."""

from collections.abc import Callable

from fixgw.cycle.cycle import Cycle
from fixgw.cycle.recorder import Recorder


class Refused(Exception):
    """Why it is not done; for people."""


class Absent(Refused):
    """The account `name` has to be brought into memory first."""

    def __init__(self, name: str) -> None:
        super().__init__(f"account {name} is not in memory")
        self.name = name


async def in_a_turn(cycle: Cycle, deed: Callable[[Recorder, int], str]) -> str:
    """Raises Refused out of the turn, where it would be the end of the venue."""

    def operation(recorder: Recorder, time: int) -> str | Refused:
        try:
            return deed(recorder, time)
        except Refused as refusal:
            return refusal

    result = await cycle.operate(operation)
    if isinstance(result, Refused):
        raise result
    return result
