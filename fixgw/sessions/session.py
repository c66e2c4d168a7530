"""One FIX session: QuickFIX on one side, the client's connection on the other, its mailbox between them."""

import logging

from fixgw.codec import admin
from fixgw.codec.standard import Names
from fixgw.codec.terms import terms
from fixgw.codec.times import SECOND
from fixgw.sessions.acceptor import CHUNK, Acceptor
from fixgw.sessions.allowance import Allowance
from fixgw.sessions.client import Client
from fixgw.sessions.dialogue import Dialogue
from fixgw.sessions.disconnect import CANCEL_ON_DISCONNECT, on_departure, on_logon
from fixgw.sessions.mailbox import Mailbox
from fixgw.sessions.timers import Timers
from fixgw.settings import Session as SessionSettings

log = logging.getLogger("fixgw.sessions")

SESSION_STATUS, PASSWORD_CHANGED = 1409, "1"
"""FIX.4.4 has no such field"""

PATIENCE = 5 * SECOND
"""how long a client has to answer the Logout at the end of its hours; QuickFIX waits 2 s, but goes on waiting
as long as there are heartbeats to be sent"""
UNPROCESSED = 1 << 20
"""bytes a client may send of which QuickFIX takes no message, as all are above a gap that stays open: it
keeps them, in 16 times as many bytes"""


class Session:
    """From a client's Logon to its end, and what the venue decides about it meanwhile."""

    def __init__(
        self, settings: SessionSettings, mailbox: Mailbox, acceptor: Acceptor, standard: Names
    ) -> None:
        self.name = mailbox.name
        self.follow(settings)
        self.client = settings.client
        self.mailbox = mailbox
        self.connection: Client | None = None
        self.allowance = Allowance()
        self._time = 0
        """the venue's, as of the last turn or tick"""
        self.barred = ""
        """why the gate lets no one in for now; empty: it does"""
        self.last_in = 0
        """when the client was last heard; nanoseconds since the epoch, 0: not since the start"""
        self._dialogue = Dialogue(mailbox, acceptor, standard, self.spend)
        self._acceptor = acceptor
        self._finished = False
        self._present = False
        """the client of this connection was logged on, and has not gone yet"""
        self._sent_away = False
        """the operator or the calendar asked it to leave"""
        self._timers = Timers(acceptor, self._dialogue)
        self._unprocessed = 0
        self.closed = ""
        """why no one may log on before next_change; empty: one may"""
        self.next_change = 0
        """the time at which its schedule, or the lack of one, is to be looked at again"""
        self._leave_by = 0
        """its hours have ended: when its client is cut if it is still there; 0: no one was told to leave"""

    def follow(self, settings: SessionSettings) -> None:
        """From here on these hold: limits and credentials can change while it lives."""
        self.settings = settings
        self.terms = terms(self.name, settings)

    @property
    def identity(self) -> tuple[str, str]:
        """(BeginString, the client's CompID): no two sessions have the same."""
        return self.mailbox.begin_string, self.mailbox.comp_id

    @property
    def logged_on(self) -> bool:
        return self._acceptor.callbacks.logged_on

    @property
    def attended(self) -> bool:
        """A client is there whose Logon has been taken."""
        return self.connection is not None and not self.connection.logon

    def take_inbox(self) -> list[str]:
        """The application messages that are new and in order, each counted by QuickFIX."""
        inbox, self._acceptor.callbacks.inbox = self._acceptor.callbacks.inbox, []
        return [text for text in inbox if not (admin.DOUBTFUL.search(text) and self._dialogue.object(text))]

    def reserve(self, connection: Client) -> None:
        """From here on the session is no longer free."""
        assert self.connection is None
        self.connection = connection
        self._dialogue.begin()
        self._finished = self._sent_away = False
        self._timers.begin()

    def spend(self) -> int:
        """Counts one message. 0, or how many nanoseconds too early it came; a flood that goes on ends the
        connection."""
        settings = self.settings
        wait = self.allowance.wait(self._time, settings.messages_per_second)
        if wait and self.allowance.over_for >= settings.flood_seconds * SECOND:
            limit = f"more than {settings.messages_per_second} messages per second"
            self.expel(f"{limit} for {settings.flood_seconds} s")
        return wait

    def log_on_if_waiting(self, time: int) -> None:
        """Hands QuickFIX the Logon the door let in. Its NextExpectedMsgSeqNum(789) proves what arrived."""
        connection, mailbox = self.connection, self.mailbox
        if connection is None or not connection.logon:
            return
        self.last_in = self._time = time
        logon, connection.logon = connection.logon, b""
        mailbox.open(connection)
        if connection.objection or self.closed:
            self._refuse(connection.objection or self.closed)
            return
        next_expected, generation = connection.next_expected, mailbox.generation
        self._unprocessed = 0
        self._dialogue.hand_back()
        if next_expected is not None and admin.number(logon) > mailbox.target:
            self._dialogue.misses = mailbox.target
        answer = {CANCEL_ON_DISCONNECT: connection.cancels} if connection.cancels else {}
        if connection.new_password and mailbox.begin_string == "FIXT.1.1":
            answer[SESSION_STATUS] = PASSWORD_CHANGED
        self._acceptor.connect(logon, next_expected is not None, answer)
        if not self.logged_on:
            self._refuse(self._acceptor.objection(logon))
            return
        self._present = True
        self.allowance.forgive()
        mailbox.cancels = on_logon(connection.cancels, self.settings.cancel_on_disconnect)
        self._listen()
        if connection.new_password:
            mailbox.choose_password(*connection.new_password)
            log.info("session %s: the password was changed by NewPassword(925)", self.name)
        if next_expected is not None:
            mailbox.prove(next_expected - 1, generation)

    def _refuse(self, why: str) -> None:
        """A Logon that is not taken costs one outbound number, for a Logout in words, and changes nothing
        else, whatever QuickFIX has done with it."""
        log.warning("session %s: Logon refused: %s", self.name, why)
        self._dialogue.hang_up()
        self._dialogue.set_numbers()
        self.mailbox.administer(admin.logout(why, self.mailbox.outflow.now()))
        self._finished = True

    def expel(self, why: str) -> None:
        """Sends a Logout(5) and closes without waiting for the answer."""
        if self.connection is not None and not self._finished:
            log.warning("session %s: logged out: %s", self.name, why)
            self.mailbox.administer(admin.logout(why, self.mailbox.outflow.now()))
            self.mailbox.outflow.end()
            self._finished = True
            self._depart()

    def read(self, time: int) -> bool:
        """Gives QuickFIX one chunk of what the client sent; True if more is waiting. `time`: the cycle's.

        A chunk ends before a message that QuickFIX answers by itself: the reports of the orders before it
        get their numbers first, so answers leave in the order of the questions. It has one mass cancel."""
        connection, self._time = self.connection, time
        if connection is None or self._finished:
            return False
        data = admin.up_to_question(connection.peek(CHUNK))
        size, expected = len(data), self.mailbox.target
        if size:
            self.last_in = time
        connection.drop(size)
        self._dialogue.hand_back()
        while data and self._acceptor.connected:
            data = self._acceptor.feed(data)
        self._listen()
        self._unprocessed = self._unprocessed + size if self.mailbox.target == expected else 0
        if self._unprocessed > UNPROCESSED:
            connection.cut(f"{self._unprocessed} bytes, but never the message expected, MsgSeqNum {expected}")
        if connection.gone and not connection.waiting:
            self._depart()
            self._hang_up()
        return connection.waiting > 0

    def tick(self, second: int, time: int) -> bool:
        """Timers; due twice in every second. True if something came of it, so that a turn is due."""
        self._time = time
        if self.connection is None:
            return False
        heartbeat = self.connection.heartbeat
        spoken = self._timers.run(heartbeat, second, time)
        if spoken:
            self._listen()
        return self._timers.ask(heartbeat, second) or spoken

    def log_out(self, text: str, closing: bool = False) -> None:
        """Sends a Logout(5); the client's answer, or QuickFIX's patience, ends the connection. One whose
        Logon was not looked at yet is cut. That the venue is closing is no reason to cancel orders yet: at
        its start their client is away."""
        if self.connection is None:
            return
        if self.connection.logon:
            self.cut(text)
            return
        self._sent_away = True
        self._present = self._present and not closing
        self._dialogue.hand_back()
        self._acceptor.log_out(text)
        self._listen()

    def cut(self, why: str) -> None:
        """Ends the connection at once, without a Logout."""
        if self.connection is not None:
            self.connection.logon = b""
            self.connection.cut(why)

    def set_numbers(self, sender: int, target: int) -> None:
        """The next MsgSeqNum out and in, of a session without a client."""
        assert self.connection is None
        self.mailbox.sender, self.mailbox.target = sender, target
        self._dialogue.set_numbers()

    def reset(self) -> None:
        """Both numbers begin again at 1, of a session without a client."""
        self.mailbox.reset()
        self.set_numbers(1, 1)

    def dismiss(self, text: str, time: int) -> None:
        """Sends a Logout as its hours have ended, after a TestRequest if reports are not proven to have
        arrived. Called again: ends a connection that is still there after PATIENCE."""
        if not self._leave_by:
            self._leave_by = time + PATIENCE
            log.info("session %s: %s", self.name, text)
            if self._dialogue.unproven:
                self._dialogue.probe()
            self.log_out(text)
        elif time >= self._leave_by:
            self.cut("the Logout at the end of the session was not answered")
        self.next_change = self._leave_by

    def begin_again(self) -> None:
        """The mailbox's numbers have changed while no one is logged on."""
        self._dialogue.set_numbers()

    def flush(self) -> None:
        """After the commit: sends what is due."""
        self.mailbox.outflow.pump()
        if self._finished and self.connection is not None:
            whole = self.mailbox.outflow.finish()
            good_order = whole and self._dialogue.leaving and self.mailbox.unbroken
            self.connection.finish(self._dialogue.farewell() if good_order else None)
            self._hang_up()

    def close(self) -> None:
        self._acceptor.close()

    def _hang_up(self) -> None:
        self._dialogue.hang_up()
        self.mailbox.outflow.close()
        self.connection = None
        if self._leave_by:
            self._leave_by = self.next_change = 0

    def _depart(self) -> None:
        """The client is going: from here on its orders may be cancelled."""
        if self._present:
            self._present = False
            logged_out = self._dialogue.leaving or self._sent_away
            self.mailbox.cancels = on_departure(self.mailbox.cancels, logged_out)

    def _listen(self) -> None:
        """Takes what QuickFIX has said, and sees whether it has closed the connection."""
        why = self._dialogue.take()
        if self._dialogue.ended and not self._finished:
            self._finished = True
            self._depart()
            if why and self.connection is not None:
                log.warning("session %s: disconnected: %s", self.name, why)
                self.connection.note(why)
