"""Work in several threads that nobody has to wait for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

Piece = TypeVar("Piece")
Made = TypeVar("Made")


def side_by_side(
    work: Callable[[Piece], Made], pieces: Iterable[Piece], jobs: int
) -> Iterator[tuple[int, Made]]:
    """What `work` makes of each piece, with the piece's place, in the order in which they are done. Who stops
    asking, as one does who is interrupted, leaves what is being done: the threads end with the process."""
    left = deque(enumerate(pieces))
    count = len(left)
    done: SimpleQueue[tuple[int, Future[Made]]] = SimpleQueue()

    def run() -> None:
        while left:
            try:
                place, piece = left.popleft()
            except IndexError:  # another thread was faster
                return
            outcome: Future[Made] = Future()
            try:
                outcome.set_result(work(piece))
            except BaseException as problem:
                outcome.set_exception(problem)
            done.put((place, outcome))

    for _ in range(min(jobs, count)):
        Thread(target=run, daemon=True).start()
    try:
        for _ in range(count):
            place, outcome = done.get()
            yield place, outcome.result()
    finally:
        left.clear()
