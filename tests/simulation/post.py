"""How messages between the agent and the cycle travel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fixgw.cycle.recorder import Recorder
from fixgw.residents import writer

if TYPE_CHECKING:
    from tests.simulation.node import Node


class Post(Struct):
    """Chances from 0 to 1, times in seconds. One that is lost is sent again, so it is late."""

    late: float = 0.0
    twice: float = 0.0
    longest: float = 3.0

    def carry(
        self, node: Node, choose: Random, operation: Callable[[Recorder, int], Any]
    ) -> asyncio.Future[Any]:
        """From the agent of that node."""
        word = isinstance(operation, partial) and operation.func is writer._leave
        if word and choose.random() < self.twice:
            node.loop.call_later(choose.random() * self.longest, node.deed, operation)
        if choose.random() >= self.late:
            return node.cycle.operate(operation)
        arrived: asyncio.Future[Any] = node.loop.create_future()

        def answer(done: asyncio.Future[Any]) -> None:
            if not (arrived.done() or done.cancelled()):
                arrived.set_result(done.result())

        def arrive() -> None:
            if not node.dead:
                node.cycle.operate(operation).add_done_callback(answer)

        node.loop.call_later(choose.random() * self.longest, arrive)
        return arrived
