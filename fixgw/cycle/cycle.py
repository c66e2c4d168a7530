"""The loop that ties the rooms together. One turn:

1. the store's transaction for this cycle begins;
2. clients' bytes go to QuickFIX, which parses, validates and sequences; what comes out is decided by the
   front end, message by message, and written by the recorder;
3. numbers that moved are written; all of it goes to disk as one, with one fsync;
4. only now does anything leave; the database is committed behind it."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from engine.commands import ContinueMany
from engine.peer_commands import MessageSent
from engine.user_events import BeginDehydrate
from fixgw.codec.admin import is_bare_heartbeat
from fixgw.cycle.absence import Absences
from fixgw.cycle.hours import Hours
from fixgw.cycle.phases import Phases, announce
from fixgw.cycle.recorder import CANCELED_AT_ONCE, Recorder
from fixgw.cycle.rota import Rota
from fixgw.door.connection import Connection
from fixgw.frontend.frontend import FrontEnd
from fixgw.metrics.turns import Turns
from fixgw.residents.agent import Agent
from fixgw.residents.keeper import Keeper
from fixgw.sessions.session import Session
from fixgw.store.pulse import Pulse
from fixgw.store.store import Store

HEARTBEAT = 192
"""bytes, more than one has that answers nothing"""
COMMIT_AFTER = 0.05
"""seconds after which the database has what cycles have written: other processes see it that late"""
TICKS = 5

Result = TypeVar("Result")


class Cycle:
    def __init__(
        self,
        store: Store,
        recorder: Recorder,
        front_end: FrontEnd,
        absences: Absences,
        phases: Phases,
        keeper: Keeper,
        agent: Agent,
        carry: Callable[[MessageSent], None],
        sessions: Mapping[str, Session],
        hours: Hours,
        pulse: Pulse,
        meter: Turns,
        clock: Callable[[], int],
        most_messages: int,
        fail: Callable[[BaseException], None],
    ) -> None:
        """`carry` is told, after the commit, of what is for another node. `clock`: nanoseconds since the
        epoch, UTC. `most_messages`: after so many a turn takes no further
        session. `fail` is told when a turn could not be completed: nothing of it was sent, and the process
        must end, as only the store now knows what holds."""
        self._store = store
        self._room = recorder.room
        self._recorder = recorder
        self._front_end = front_end
        self._absences = absences
        self._phases = phases
        self._keeper = keeper
        self._agent = agent
        self._carry = carry
        self._all_sessions = list(sessions.values())
        self._hours = hours
        self._pulse = pulse
        self._meter = meter
        self._clock = clock
        self._rota = Rota(most_messages)
        self._fail = fail
        self._time = 0
        self._ticks = 0
        self._calm: dict[Session, None] = {}
        """sessions that got a Heartbeat and nothing else: they share a turn, at the next tick"""
        self._operations: list[tuple[Callable[[Recorder, int], Any], asyncio.Future[Any]]] = []
        self._scheduled = False
        self._committing: asyncio.TimerHandle | None = None
        self._stopped = False

    # -- what wakes it -------------------------------------------------------------------------------

    def knock(self, connection: Connection) -> None:
        """A connection has something for its session: a Logon, bytes, or its end."""
        session = connection.session
        assert session is not None
        if session.connection is not connection:
            # It has let go of it, and may be no session any more. That its client has read all is to be kept.
            if session.mailbox.unsettled and session in self._all_sessions:
                self.wake(session)
            return
        if 0 < connection.waiting <= HEARTBEAT and is_bare_heartbeat(connection.peek(HEARTBEAT)):
            self._calm[session] = None
        else:
            self.wake(session)

    def operate(self, operation: Callable[[Recorder, int], Result]) -> "asyncio.Future[Result]":
        """Does something that no client asked for in the next turn: in its transaction and at its logged
        time. The result comes after the commit."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._operations.append((operation, future))
        self._schedule()
        return future

    def tick(self) -> None:
        """TICKS times in half a second: the timers of a share of the sessions, so that many of them do not
        stall the loop at once. Each has its own twice a second, whatever the load."""
        self._ticks += 1
        half, share = divmod(self._ticks, TICKS)
        if not share:
            self._room.look()
            self._schedule()  # a turn in which the end of the day is seen, even if no one says anything
        for session in self._calm:
            self.wake(session)
        self._calm.clear()
        time = self._now()
        if self._absences.due(time) or self._phases.due(time) or self._keeper.due(time):
            self._schedule()
        for session in self._all_sessions[share::TICKS]:
            spoken = session.tick(half // 2, time)
            waits = session.mailbox.unsettled or self._front_end.waits(session)
            if spoken or waits or time >= session.next_change:
                self.wake(session)

    def log_out(self, text: str) -> None:
        """Asks every client to leave, and lets no one log on again."""
        for session in self._all_sessions:
            session.barred = "takes no one any more"
            session.log_out(text, closing=True)
            self.wake(session)

    def begin(self, clean: bool) -> None:
        """What came due while the venue was down; before the door opens. `clean`: it was stopped in good
        order."""
        self._absences.begin(self._now())
        self.operate(lambda recorder, time: self._phases.begin(time, clean))
        self.turn()
        while self._recorder.unfinished and not self._room.waiting:
            self.turn()

    def stop(self) -> None:
        """The last turn: what comes after it is not heard, and was never answered."""
        self.turn()
        self._stopped = True

    @property
    def connected(self) -> bool:
        return any(session.connection is not None for session in self._all_sessions)

    def add(self, session: Session) -> None:
        self._all_sessions.append(session)

    def remove(self, session: Session) -> None:
        """One without a client; it has no turn any more."""
        assert session.connection is None
        self._all_sessions.remove(session)
        self._calm.pop(session, None)
        self._rota.remove(session)

    def wake(self, session: Session) -> None:
        self._rota.add(session)
        self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self.turn)

    # -- one turn ------------------------------------------------------------------------------------

    def turn(self) -> None:
        self._scheduled = False
        if self._stopped:
            return
        operations, self._operations = self._operations, []
        recorder, meter = self._recorder, self._meter
        meter.begin()
        try:
            with self._store.cycle() as transaction:
                time = self._now()
                recorder.begin(transaction, time)
                results = [operation(recorder, time) for operation, _ in operations]
                self._phases.advance(time)
                self._keeper.advance(time)
                active = self._serve(time)
                self._absences.cancel(time)
                if recorder.venue.canceling and (most := self._room.take_or_wait(CANCELED_AT_ONCE)):
                    recorder.accept(ContinueMany(time, most))
                if recorder.changes:
                    self._phases.note(time)
                    announce(recorder, self._all_sessions)
                    recorder.changes.clear()
                for mailbox in recorder.touched.values():
                    mailbox.settle(transaction)
                meter.decided()
            meter.committed()
            self._pulse.mark(recorder.sequence, recorder.event_sequence)
            for session in active:
                session.flush()
            for mailbox in recorder.touched.values():
                mailbox.outflow.pump()
            if recorder.requests:
                self._carry_out(recorder)
            meter.end(self._rota.depth)
            if recorder.unfinished and not self._room.waiting:
                self._schedule()
            if self._store.commit_due or self._room.scarce:
                self._store.commit()
        except BaseException as error:
            self._fail(error)
            raise
        if self._committing is None:
            self._committing = asyncio.get_running_loop().call_later(COMMIT_AFTER, self._commit)
        for (_, future), result in zip(operations, results, strict=True):
            if not future.done():
                future.set_result(result)

    def _carry_out(self, recorder: Recorder) -> None:
        requests, recorder.requests = recorder.requests, []
        for request in requests:
            if isinstance(request, BeginDehydrate):
                self._agent.write((request,))
            elif isinstance(request, MessageSent):
                self._carry(request)
            else:
                self._agent.reader.want(request.user)

    def _commit(self) -> None:
        self._committing = None
        if self._stopped:
            return
        try:
            self._store.commit()
        except BaseException as error:
            self._fail(error)
            raise

    def _serve(self, time: int) -> Iterable[Session]:
        """Returns the sessions that had a chunk."""
        active = self._rota.serve(lambda session: self._serve_one(session, time))
        if self._rota.waiting:
            self._schedule()
        return active

    def _serve_one(self, session: Session, time: int) -> tuple[int, bool]:
        """How many messages of the session were decided, and whether it has more to do."""
        recorder, mailbox = self._recorder, session.mailbox
        recorder.touched[session.name] = mailbox
        if time >= session.next_change:
            self._hours.keep(session, recorder, time)
        session.log_on_if_waiting(time)
        if mailbox.needs_sweep:
            mailbox.sweep(recorder.transaction)
        if mailbox.carry_over(recorder.transaction, recorder.time_for(mailbox)):
            return 0, True  # what the client sent waits: its answers come after what is older
        begin = self._meter.clock()
        more = session.read(time)
        inbox = session.take_inbox()
        self._meter.read(begin, self._meter.clock(), len(inbox))
        for text in inbox:
            self._front_end.handle(session, text, time)
        self._absences.note(mailbox, time)
        more |= self._front_end.go_on(session)
        return len(inbox), more or mailbox.carries

    def _now(self) -> int:
        """Logged time never goes back, whatever the clock does."""
        self._time = max(self._time, self._clock())
        return self._time
