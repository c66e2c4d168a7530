"""One FIX session: QuickFIX on one side, the client's connection on the other, its mailbox between them."""

import logging
from collections.abc import Callable

from engine.words import CONNECTION_LOST, LOGGED_OUT
from fixgw.codec import admin
from fixgw.codec.frame import split_messages
from fixgw.codec.standard import Names
from fixgw.codec.times import SECOND
from fixgw.sessions.acceptor import CHUNK, Acceptor
from fixgw.sessions.allowance import Allowance
from fixgw.sessions.client import Client
from fixgw.sessions.mailbox import Mailbox
from fixgw.settings import Session as SessionSettings

log = logging.getLogger("fixgw.sessions")

PROBE = "fixgw-"
"""leads the TestReqID(112) of the venue's own TestRequests: generation, and the number an answer proves"""

CANCELS = {"N": "off", "L": "loss", "Y": "loss-and-logout"}
"""CancelOnDisconnect(8013), a field of our own in the Logon, to values of the setting"""
LOSS_ONLY = "loss"
CANCEL_ON_DISCONNECT = 8013
SESSION_STATUS, PASSWORD_CHANGED = 1409, "1"
"""FIX.4.4 has no such field"""

UNASKED = "nothing was heard in time, or there was a Logon, or a message without SendingTime"
"""why QuickFIX disconnects without a Logout"""
PATIENCE = 5 * SECOND
"""how long a client has to answer the Logout at the end of its hours; QuickFIX waits 2 s, but goes on waiting
as long as there are heartbeats to be sent"""
UNPROCESSED = 4 << 20
"""bytes a client may send of which QuickFIX takes no message, as all are above a gap that stays open"""


class Session:
    """Inbound numbers belong to QuickFIX. Outbound ones are given to reports by the mailbox, and handed back
    to QuickFIX each time before it may write."""

    def __init__(
        self, settings: SessionSettings, mailbox: Mailbox, acceptor: Acceptor, standard: Names
    ) -> None:
        self.settings = settings
        """of this moment: limits and credentials can change while it lives"""
        self.name = mailbox.name
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
        self._acceptor = acceptor
        self._standard = standard
        self._finished = False
        self._present = False
        """the client of this connection was logged on, and has not gone yet"""
        self._sent_away = False
        """the operator or the calendar asked it to leave"""
        self._told_to_leave = False
        """the venue has sent a Logout"""
        self._leaving = False
        """the client has sent a Logout of its own accord, and is the one to close"""
        self._last = 0
        """the number of the last message QuickFIX wrote before it closed"""
        self._rest = b""
        self._probe_due = 0
        """the venue's second in which it asks whether its reports have arrived; 0: not decided yet"""
        self._unprocessed = 0
        self.closed = ""
        """why no one may log on before next_change; empty: one may"""
        self.next_change = 0
        """the time at which its schedule, or the lack of one, is to be looked at again"""
        self._leave_by = 0
        """its hours have ended: when its client is cut if it is still there; 0: no one was told to leave"""
        acceptor.set_numbers(mailbox.sender, mailbox.target)

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
        return [text for text in inbox if admin.POSSIBLE_DUPLICATE not in text or not self._object(text)]

    def reserve(self, connection: Client) -> None:
        """From here on the session is no longer free."""
        assert self.connection is None
        self.connection = connection
        self._finished = self._told_to_leave = self._leaving = self._sent_away = False
        self._probe_due = 0

    def spend(self, time: int) -> int:
        """Counts one message. 0, or how many nanoseconds too early it came; a flood that goes on ends the
        connection. `time`: nanoseconds since the epoch."""
        settings = self.settings
        wait = self.allowance.wait(time, settings.messages_per_second)
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
        self._hand_back()
        # After a gap QuickFIX would answer with a 789 that is one too high: then it must ask for a resend.
        in_order = admin.number(logon) <= mailbox.target
        answer = {CANCEL_ON_DISCONNECT: connection.cancels} if connection.cancels else {}
        if connection.new_password and mailbox.begin_string == "FIXT.1.1":
            answer[SESSION_STATUS] = PASSWORD_CHANGED
        self._acceptor.connect(logon, next_expected is not None and in_order, answer)
        if not self.logged_on:
            self._refuse(self._acceptor.objection(logon))
            return
        self._present = True
        self.allowance.forgive()
        asked = CANCELS.get(connection.cancels, self.settings.cancel_on_disconnect)
        mailbox.cancels = "" if asked == "off" else asked
        self._take_outbound()
        if connection.new_password:
            mailbox.choose_password(*connection.new_password)
            log.info("session %s: the password was changed by NewPassword(925)", self.name)
        if next_expected is not None:
            mailbox.prove(next_expected - 1, generation)

    def _refuse(self, why: str) -> None:
        """A Logon that is not taken costs one outbound number, for a Logout in words, and changes nothing
        else, whatever QuickFIX has done with it."""
        log.warning("session %s: Logon refused: %s", self.name, why)
        self._acceptor.hang_up()
        self._acceptor.set_numbers(self.mailbox.sender, self.mailbox.target)
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
        get their numbers first, so answers leave in the order of the questions."""
        connection, self._time = self.connection, time
        if connection is None or self._finished:
            return False
        data = admin.up_to_question(connection.peek(CHUNK))
        size, expected = len(data), self.mailbox.target
        if size:
            self.last_in = time
        connection.drop(size)
        self._hand_back()
        while data and self._acceptor.connected:
            data = self._acceptor.feed(data)
        self._take_outbound()
        self._unprocessed = self._unprocessed + size if self.mailbox.target == expected else 0
        if self._unprocessed > UNPROCESSED:
            connection.cut(f"{self._unprocessed} bytes, but never the message expected, MsgSeqNum {expected}")
        if connection.gone and not connection.waiting:
            self._depart()
            self._hang_up()
        return connection.waiting > 0

    def tick(self, second: int, time: int) -> bool:
        """Timers; due in every second of the clock while a client is connected. `second` counts them. True
        if something came of it, so that a turn is due."""
        self._time = time
        if self.connection is None:
            return False
        self._hand_back()
        spoken = self._acceptor.tick()
        if spoken:
            self._take_outbound()
        self._probe_due = self._probe_due or second + self.connection.heartbeat
        if second >= self._probe_due and self._unproven:
            self._probe_due = second + self.connection.heartbeat
            self._probe()
            return True
        return spoken

    @property
    def _unproven(self) -> bool:
        """There are reports of which the client can prove that they have arrived."""
        mailbox = self.mailbox
        return self.logged_on and mailbox.unbroken and mailbox.delivered < mailbox.last_report

    def _probe(self) -> None:
        probe = f"{PROBE}{self.mailbox.generation}-{self.mailbox.sender - 1}"
        self.mailbox.administer(admin.test_request(probe, self.mailbox.outflow.now()))

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
        self._hand_back()
        self._acceptor.log_out(text)
        self._take_outbound()

    def cut(self, why: str) -> None:
        """Ends the connection at once, without a Logout."""
        if self.connection is not None:
            self.connection.logon = b""
            self.connection.cut(why)

    def set_numbers(self, sender: int, target: int) -> None:
        """The next MsgSeqNum out and in, of a session without a client."""
        assert self.connection is None
        self.mailbox.sender, self.mailbox.target = sender, target
        self._acceptor.set_numbers(sender, target)

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
            if self._unproven:
                self._probe()
            self.log_out(text)
        elif time >= self._leave_by:
            self.cut("the Logout at the end of the session was not answered")
        self.next_change = self._leave_by

    def begin_again(self) -> None:
        """The mailbox's numbers have changed while no one is logged on."""
        self._acceptor.set_numbers(self.mailbox.sender, self.mailbox.target)

    def flush(self) -> None:
        """After the commit: sends what is due."""
        self.mailbox.outflow.pump()
        if self._finished and self.connection is not None:
            whole = self.mailbox.outflow.finish()
            good_order = whole and self._leaving and self.mailbox.unbroken
            self.connection.finish(self._farewell() if good_order else None)
            self._hang_up()

    def _farewell(self) -> Callable[[], None]:
        """A client that has logged out and closes in good order has read everything: a socket that is closed
        with unread bytes is reset instead. Everything is what came before the Logout's own number."""
        generation, last = self.mailbox.generation, self._last
        return lambda: self.mailbox.prove(last, generation)

    def close(self) -> None:
        self._acceptor.close()

    def _hand_back(self) -> None:
        self._acceptor.session.setNextSenderMsgSeqNum(self.mailbox.sender)

    def _hang_up(self) -> None:
        self._acceptor.hang_up()
        self.mailbox.outflow.close()
        self.connection = None
        self._rest = b""
        if self._leave_by:
            self._leave_by = self.next_change = 0

    def _depart(self) -> None:
        """The client is going: from here on its orders may be cancelled."""
        if self._present:
            self._present = False
            left = self._leaving or self._sent_away
            if self.mailbox.cancels == LOSS_ONLY and left:
                self.mailbox.cancels = ""
            elif self.mailbox.cancels:
                self.mailbox.cancels = LOGGED_OUT if left else CONNECTION_LOST

    def _take_outbound(self) -> None:
        if not self._acceptor.connected:
            return
        data, still_open = self._acceptor.take()
        messages, self._rest = split_messages(self._rest + data) if data else ([], self._rest)
        before = b""
        for message in messages:
            self._outbound(message, before)
            before = message
        sender = self._acceptor.numbers[0]
        if not still_open:
            self._finished = True
            self._last = sender - 1
            self.mailbox.outflow.end()
        self._see_reset(sender)
        self.mailbox.sender = sender
        self._read_admin()
        self.mailbox.target = self._acceptor.numbers[1]
        for _ in filter(admin.is_reject, messages):
            self.spend(self._time)
        self._told_to_leave = self._told_to_leave or any(map(admin.is_logout, messages))
        if not still_open:
            self._depart()
            if not self._told_to_leave:
                log.warning("session %s: disconnected: %s", self.name, UNASKED)
                if self.connection is not None:
                    self.connection.note(UNASKED)

    def _outbound(self, message: bytes, before: bytes) -> None:
        asked = admin.outbound(message, before, self._standard)
        if isinstance(asked, admin.Replay):
            self.mailbox.replay(asked.first, asked.end)
            return
        self._see_reset(admin.number(message))
        if isinstance(asked, admin.Instead):
            self.mailbox.rewrite(asked.sequence, asked.record)
        else:
            self.mailbox.outflow.administer(message)

    def _see_reset(self, number: int) -> None:
        """QuickFIX is at number 1 again: it took a ResetSeqNumFlag(141)=Y, answered or not."""
        if number == 1 and self.mailbox.sender > 1:
            self.mailbox.reset()

    def _read_admin(self) -> None:
        """A Heartbeat that answers the venue's TestRequest proves what was sent before that."""
        texts, self._acceptor.callbacks.admin = self._acceptor.callbacks.admin, []
        mark = f"{PROBE}{self.mailbox.generation}-"
        for text in texts:
            self.spend(self._time)
            if admin.is_logout(text.encode("utf-8", "surrogateescape")):
                self._leaving = not self._told_to_leave
            answer = admin.answered_test_request(text)
            asked = answer is not None and answer.startswith(mark) and answer[len(mark) :].isdecimal()
            if answer is not None and asked and self.mailbox.unbroken:
                self.mailbox.prove(int(answer[len(mark) :]), self.mailbox.generation)
            self._object(text)

    def _object(self, text: str) -> bool:
        """Rejects what QuickFIX let through and should not have."""
        record = admin.objection(text, self.mailbox.outflow.now())
        if record is not None:
            self.mailbox.administer(record)
        return record is not None
