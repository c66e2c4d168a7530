"""How those who work beside the cycle get into it."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from fixgw.cycle.recorder import Recorder


class Operate(Protocol):
    """Cycle.operate."""

    def __call__(self, operation: Callable[[Recorder, int], Any], /) -> "asyncio.Future[Any]": ...
