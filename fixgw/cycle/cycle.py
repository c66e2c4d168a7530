"""The loop that ties the rooms together. One turn:

1. clients' bytes go to QuickFIX, which parses, validates and sequences; messages land in inboxes;
2. one write transaction opens; the front end decides each message, the recorder writes what follows;
3. numbers that moved are written; commit, with fsync;
4. only now does anything leave."""

import asyncio
from collections.abc import Callable, Mapping

from engine.commands import Command
from engine.refusals import Refusal
from fixgw.codec.times import utc_timestamp
from fixgw.cycle.recorder import Recorder
from fixgw.door.connection import Connection
from fixgw.frontend.frontend import FrontEnd
from fixgw.sessions.session import Session
from fixgw.store.room import Room
from fixgw.store.store import Store
from fixgw.store.types import Transaction

CHUNKS = 8
"""chunks of one session's bytes taken in one turn before the others have theirs"""

Operation = Callable[[int], Command]
"""a command in the making: it gets the logged time of the turn that takes it"""


class Cycle:
    def __init__(
        self,
        store: Store,
        room: Room,
        recorder: Recorder,
        front_end: FrontEnd,
        sessions: Mapping[str, Session],
        clock: Callable[[], int],
        most_messages: int,
        fail: Callable[[BaseException], None],
    ) -> None:
        """`clock`: nanoseconds since the epoch, UTC. `most_messages`: after so many a turn takes no further
        session. `fail` is told when a turn could not be completed: nothing of it was sent, and the process
        must end, as only the store now knows what holds."""
        self.turns = 0
        self._store = store
        self._room = room
        self._recorder = recorder
        self._front_end = front_end
        self._sessions = sessions
        self._clock = clock
        self._most_messages = most_messages
        self._fail = fail
        self._time = 0
        self._second = 0
        self._ready: dict[Session, None] = {}
        self._operations: list[tuple[Operation, asyncio.Future[Refusal | None]]] = []
        self._scheduled = False

    # -- what wakes it -------------------------------------------------------------------------------

    def knock(self, connection: Connection) -> None:
        """A connection has something for its session: a Logon, bytes, or its end."""
        assert connection.session is not None
        self._wake(connection.session)

    def operate(self, operation: Operation) -> "asyncio.Future[Refusal | None]":
        """The operator's hand. The result comes after the commit: None, or why the engine would not."""
        future: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        self._operations.append((operation, future))
        self._schedule()
        return future

    def tick(self) -> None:
        """Once a second: the timers of every connected session, whatever the load."""
        self._second += 1
        self._room.look()
        sending_time = utc_timestamp(self._now())
        for session in self._sessions.values():
            if session.connection is not None:
                session.tick(self._second, sending_time)
            if session.connection is not None or session.mailbox.needs_sweep:
                self._ready[session] = None
        self._schedule()

    def log_out(self, text: str) -> None:
        """Asks every client to leave, and lets no one log on again."""
        for session in self._sessions.values():
            session.log_out(text)
            self._wake(session)

    @property
    def connected(self) -> bool:
        return any(session.connection is not None for session in self._sessions.values())

    def _wake(self, session: Session) -> None:
        self._ready[session] = None
        self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self.turn)

    # -- one turn ------------------------------------------------------------------------------------

    def turn(self) -> None:
        self._scheduled = False
        self.turns += 1
        try:
            active, inbox = self._read()
            operations, self._operations = self._operations, []
            with self._store.write() as transaction:
                results = self._decide(transaction, active, inbox, [each for each, _ in operations])
            for session in active:
                session.flush()
            for mailbox in self._recorder.touched.values():
                mailbox.outflow.pump()
        except BaseException as error:
            self._fail(error)
            raise
        for (_, future), result in zip(operations, results, strict=True):
            if not future.done():
                future.set_result(result)

    def _read(self) -> tuple[list[Session], list[tuple[Session, str]]]:
        """Sessions that had something to do, and their new messages, each session's in order."""
        ready, self._ready = self._ready, {}
        active: list[Session] = []
        inbox: list[tuple[Session, str]] = []
        more: list[Session] = []
        for session in ready:
            if len(inbox) >= self._most_messages:
                self._ready[session] = None
                continue
            session.log_on_if_waiting()
            if session.read(CHUNKS):
                more.append(session)
            inbox += [(session, text) for text in session.take_inbox()]
            active.append(session)
        self._ready.update(dict.fromkeys(more))  # after those that had no turn at all
        if self._ready:
            self._schedule()
        return active, inbox

    def _decide(
        self,
        transaction: Transaction,
        active: list[Session],
        inbox: list[tuple[Session, str]],
        operations: list[Operation],
    ) -> list[Refusal | None]:
        recorder, handle = self._recorder, self._front_end.handle
        time = self._now()
        recorder.begin(transaction, time)
        self._front_end.full = self._room.full
        results = [recorder.operate(operation(time)) for operation in operations]
        for session in active:
            session.mailbox.carry_over(transaction, recorder.sending_time)
        for session, text in inbox:
            handle(session, text, time)
        for session in active:
            if session.mailbox.needs_sweep:
                session.mailbox.sweep(transaction)
            recorder.touched[session.name] = session.mailbox
        for mailbox in recorder.touched.values():
            mailbox.settle(transaction)
        return results

    def _now(self) -> int:
        """Logged time never goes back, whatever the clock does."""
        self._time = max(self._time, self._clock())
        return self._time
