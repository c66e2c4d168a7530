"""The loop of a station. One turn is one transaction, as in the venue's own cycle: what clients sent, what
they are sent and how far each has got is on disk together, before anything leaves."""

import asyncio
import time as clock
from collections.abc import Callable, Mapping

from fixgw.codec.times import utc_timestamp
from fixgw.cycle.rota import Rota
from fixgw.door.connection import Connection
from fixgw.publish import standing
from fixgw.sessions.mailbox import Mailbox
from fixgw.sessions.session import Session
from fixgw.station.desk import Desk
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction

COMMIT_AFTER = 0.05
"""seconds after which the database has what turns have written"""
AHEAD = 65536
"""bytes a client may have before it until it gets more: what waits is in the log, not in memory"""
MESSAGES = 512
"""most messages one turn takes"""
LOOK = 0.005
"""seconds between two looks at the log: what has come meanwhile is one transaction, with one fsync, which the
venue's disk has to do as well"""
SHARE = 10
"""to ask who is to be served may take so many times less than the pause after it"""
HALF = 0.5
"""seconds; timers of sessions run so often"""


class Turns:
    """What desks call Sender."""

    def __init__(
        self,
        store: Store,
        sessions: Mapping[str, Session],
        desk: Desk,
        fail: Callable[[BaseException], None],
        patience: float,
        jump: int,
    ) -> None:
        """`patience`: seconds after which a client that reads nothing is cut. `jump`: what the next MsgSeqNum
        jumps by after an unclean stop. Messages that are not kept need not move the number on disk as long as
        they are fewer: without that each turn would wait for the disk."""
        self._ahead = jump // 2
        self._store = store
        self._sessions = list(sessions.values())
        self._desk = desk
        self._fail = fail
        self._patience = patience
        self._since: dict[Session, float] = {}
        """clients that do not read, and since when"""
        self._rota = Rota(MESSAGES)
        self._present: dict[Session, None] = {}
        self._touched: dict[str, Mailbox] = {}
        self._transaction: Transaction | None = None
        self._time = 0
        self._halves = 0
        self._scheduled = self._stopped = False
        self._committing: asyncio.TimerHandle | None = None

    # -- what wakes it -------------------------------------------------------------------------------

    def knock(self, connection: Connection) -> None:
        assert connection.session is not None
        self.wake(connection.session)

    def wake(self, session: Session) -> None:
        self._rota.add(session)
        self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self.turn)

    async def look(self) -> None:
        """Until it is canceled: sees to it that whoever is logged on gets what is new."""
        while not self._stopped:
            more = self._desk.look()
            begin = clock.perf_counter()
            for session in self._present:
                if self._hungry(session) and self._desk.due(session):
                    self.wake(session)
            pause = max(LOOK, SHARE * (clock.perf_counter() - begin))
            await asyncio.sleep(0 if more else pause)

    async def tick(self) -> None:
        """Until it is canceled: the timers of all sessions."""
        while not self._stopped:
            await asyncio.sleep(HALF)
            self._halves += 1
            time = self._now()
            for session in self._sessions:
                if session.tick(self._halves // 2, time) or session.mailbox.unsettled:
                    self.wake(session)
            self._cut_idle()
            standing.write(self._store.directory, self._desk.standing())

    def _cut_idle(self) -> None:
        """Who has more to come, and reads nothing of what it was sent, for too long."""
        now = clock.monotonic()
        for session in list(self._present):
            if self._hungry(session) or not self._desk.due(session):
                self._since.pop(session, None)
            elif now - self._since.setdefault(session, now) > self._patience:
                session.cut(f"it has read nothing for {self._patience:g} s")

    def log_out(self, text: str) -> None:
        for session in self._sessions:
            session.barred = "takes no one any more"
            session.log_out(text, closing=True)
            self.wake(session)

    @property
    def connected(self) -> bool:
        return any(session.connection is not None for session in self._sessions)

    def stop(self) -> None:
        """The last turn."""
        self.turn()
        with self._store.cycle() as transaction:
            for session in self._sessions:
                session.mailbox.settle(transaction)
        self._stopped = True

    # -- one turn ------------------------------------------------------------------------------------

    def turn(self) -> None:
        self._scheduled = False
        if self._stopped:
            return
        try:
            with self._store.cycle() as self._transaction:
                self._time = self._now()
                self._touched.clear()
                active = self._rota.serve(self._serve)
                for mailbox in self._touched.values():
                    mailbox.settle(self._transaction, self._ahead)
            self._transaction = None
            for session in active:
                session.flush()
            for mailbox in self._touched.values():
                mailbox.outflow.pump()
            if self._rota.waiting:
                self._schedule()
            if self._store.commit_due:
                self._store.commit()
        except BaseException as error:
            self._fail(error)
            raise
        if self._committing is None:
            self._committing = asyncio.get_running_loop().call_later(COMMIT_AFTER, self._commit)

    def _serve(self, session: Session) -> tuple[int, bool]:
        mailbox, desk = session.mailbox, self._desk
        self._touched[session.name] = mailbox
        session.log_on_if_waiting(self._time)
        if mailbox.needs_sweep:
            mailbox.sweep(self.transaction)
        if mailbox.carry_over(self.transaction, self._sending_time(mailbox)):
            return 0, True
        more = session.read(self._time)
        inbox = session.take_inbox()
        if session.logged_on and session not in self._present:
            self._present[session] = None
            desk.logged_on(session, self)
        for text in inbox:
            desk.handle(session, text, self)
        if session in self._present and not session.logged_on:
            del self._present[session]
            self._since.pop(session, None)
            desk.left(session)
        elif session in self._present and self._hungry(session) and desk.due(session):
            desk.serve(session, self)
            more |= self._hungry(session) and desk.due(session)
        return len(inbox), more or mailbox.carries

    @property
    def transaction(self) -> Transaction:
        assert self._transaction is not None, "outside of a turn"
        return self._transaction

    def post(self, session: Session, msg_type: str, body: bytes) -> None:
        mailbox = session.mailbox
        mailbox.post(self.transaction, msg_type, self._sending_time(mailbox), body)

    def tell(self, session: Session, msg_type: str, body: bytes) -> None:
        session.mailbox.tell(msg_type, self._sending_time(session.mailbox), body)

    def _sending_time(self, mailbox: Mailbox) -> str:
        return utc_timestamp(self._time, mailbox.decimals)

    def _hungry(self, session: Session) -> bool:
        """It has taken what it was sent, or nearly so."""
        line, outflow = session.connection, session.mailbox.outflow
        return line is not None and not line.congested and outflow.unread < AHEAD

    def _commit(self) -> None:
        self._committing = None
        if self._stopped:
            return
        try:
            self._store.commit()
        except BaseException as error:
            self._fail(error)
            raise

    def _now(self) -> int:
        """Never goes back."""
        self._time = max(self._time, clock.time_ns())
        return self._time
