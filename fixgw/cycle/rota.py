"""Whose turn it is: who was quiet comes between those with a backlog, and a turn is short."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from time import perf_counter

from fixgw.sessions.session import Session

TURN = 0.008
"""seconds after which a turn takes nothing more: a quiet client waits for the rest of one and for its own,
whatever its neighbours send"""


class Rota:
    def __init__(self, most_messages: int) -> None:
        """`most_messages`: after so many a turn takes no further session."""
        self._most_messages = most_messages
        self._ready: dict[Session, None] = {}
        """sessions that something has happened to"""
        self._backlog: dict[Session, None] = {}
        """sessions that had more to do than their chunk in the last turn"""

    def add(self, session: Session) -> None:
        if session not in self._backlog:
            self._ready[session] = None

    def remove(self, session: Session) -> None:
        self._ready.pop(session, None)
        self._backlog.pop(session, None)

    @property
    def waiting(self) -> bool:
        return bool(self._backlog or self._ready)

    @property
    def depth(self) -> int:
        """Sessions that wait."""
        return len(self._backlog) + len(self._ready)

    def serve(self, serve_one: Callable[[Session], tuple[int, bool]]) -> Iterable[Session]:
        """Gives sessions a chunk each, one after the other, and again while there is time; returns those that
        had one. Who was quiet does not wait for those with a backlog to be done. `serve_one`: how many
        messages were decided, and whether the session has more to do."""
        quiet, self._ready = self._ready, {}
        queue = deque(dict.fromkeys(_alternating(quiet, self._backlog)))
        active: dict[Session, None] = {}
        budget, end = self._most_messages, perf_counter() + TURN
        while queue and (not active or (budget > 0 and perf_counter() < end)):
            session = queue.popleft()
            taken, more = serve_one(session)
            budget -= taken
            active[session] = None
            if more:
                queue.append(session)
        self._backlog = {session: None for session in queue if session in active or session not in quiet}
        self._ready = {session: None for session in queue if session not in self._backlog} | self._ready
        return active


def _alternating(one: Iterable[Session], other: Iterable[Session]) -> Iterator[Session]:
    """The first of each, the second of each, and so on."""
    for pair in zip_longest(one, other):
        yield from (session for session in pair if session is not None)
