"""Hashes of passwords are computed in threads of low priority: the loop waits for none of them, and strangers
who make it compute many cannot take the processor from it."""

import asyncio
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor

THREADS = 2
MOST_WAITING = 1000
NICENESS = 5

log = logging.getLogger("fixgw.door")

Work = Callable[[], None]
Done = Callable[[bool], None]


class Hashing:
    """First come, first served. Its methods belong to the loop's thread."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, "hashing", _give_way)
        self._waiting: OrderedDict[Hashable, tuple[Work, Done]] = OrderedDict()
        self._running = 0

    def submit(self, who: Hashable, work: Work, done: Done) -> bool:
        """Has `work` done in a thread when its turn comes, then calls `done` in the loop, with whether it
        succeeded. False if too many are waiting already."""
        if len(self._waiting) >= MOST_WAITING:
            return False
        self._waiting[who] = work, done
        self._go_on()
        return True

    def withdraw(self, who: Hashable) -> None:
        """What waits for its turn is not done any more."""
        self._waiting.pop(who, None)

    def close(self) -> None:
        self._waiting.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _go_on(self) -> None:
        while self._waiting and self._running < THREADS:
            _, (work, done) = self._waiting.popitem(last=False)
            self._running += 1
            future = asyncio.get_running_loop().run_in_executor(self._pool, work)
            future.add_done_callback(lambda future, done=done: self._finish(future, done))  # type: ignore[misc]

    def _finish(self, future: "asyncio.Future[None]", done: Done) -> None:
        self._running -= 1
        if future.cancelled():
            return
        problem = future.exception()
        if problem is not None:
            log.error("a password could not be hashed: %s", problem)
        self._go_on()
        done(problem is None)


def _give_way() -> None:
    """For this thread alone: Linux keeps a priority for each."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
