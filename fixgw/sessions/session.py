"""One FIX session: QuickFIX on one side, the client's connection on the other, its mailbox between them."""

import logging
from collections.abc import Callable

from fixgw.codec import admin
from fixgw.codec.frame import split_messages
from fixgw.codec.standard import Names
from fixgw.sessions.acceptor import CHUNK, Acceptor
from fixgw.sessions.client import Client
from fixgw.sessions.mailbox import Mailbox
from fixgw.settings import Session as SessionSettings

log = logging.getLogger("fixgw.sessions")

PROBE = "fixgw-"
"""leads the TestReqID(112) of the venue's own TestRequests: generation, and the number an answer proves"""

UNASKED = "nothing was heard in time, or there was a Logon, or a message without SendingTime"
"""why QuickFIX disconnects without a Logout"""
UNPROCESSED = 1 << 20
"""bytes a client may send of which QuickFIX takes no message, as all are above a gap that stays open: it
keeps them, in 16 times as many bytes"""


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
        self._acceptor = acceptor
        self._standard = standard
        self._finished = False
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
        acceptor.set_numbers(mailbox.sender, mailbox.target)

    @property
    def logged_on(self) -> bool:
        return self._acceptor.callbacks.logged_on

    def take_inbox(self) -> list[str]:
        """The application messages that are new and in order, each counted by QuickFIX."""
        inbox, self._acceptor.callbacks.inbox = self._acceptor.callbacks.inbox, []
        return [text for text in inbox if admin.POSSIBLE_DUPLICATE not in text or not self._object(text)]

    def reserve(self, connection: Client) -> None:
        """From here on the session is no longer free."""
        assert self.connection is None
        self.connection = connection
        self._finished = self._told_to_leave = self._leaving = False
        self._probe_due = 0

    def log_on_if_waiting(self) -> None:
        """Hands QuickFIX the Logon the door let in. Its NextExpectedMsgSeqNum(789) proves what arrived."""
        connection, mailbox = self.connection, self.mailbox
        if connection is None or not connection.logon:
            return
        logon, connection.logon = connection.logon, b""
        mailbox.open(connection)
        if connection.objection:
            self._refuse(connection.objection)
            return
        next_expected, generation = connection.next_expected, mailbox.generation
        self._unprocessed = 0
        self._hand_back()
        # After a gap QuickFIX would answer with a 789 that is one too high: then it must ask for a resend.
        in_order = admin.number(logon) <= mailbox.target
        self._acceptor.connect(logon, next_expected is not None and in_order)
        if not self.logged_on:
            self._refuse(self._acceptor.objection(logon))
            return
        self._take_outbound()
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

    def read(self) -> bool:
        """Gives QuickFIX one chunk of what the client sent; True if more is waiting.

        A chunk ends before a message that QuickFIX answers by itself: the reports of the orders before it
        get their numbers first, so answers leave in the order of the questions."""
        connection = self.connection
        if connection is None:
            return False
        data = admin.up_to_question(connection.peek(CHUNK))
        size, expected = len(data), self.mailbox.target
        connection.drop(size)
        self._hand_back()
        while data and self._acceptor.connected:
            data = self._acceptor.feed(data)
        self._take_outbound()
        self._unprocessed = self._unprocessed + size if self.mailbox.target == expected else 0
        if self._unprocessed > UNPROCESSED:
            connection.cut(f"{self._unprocessed} bytes, but never the message expected, MsgSeqNum {expected}")
        if connection.gone and not connection.waiting:
            self._hang_up()
        return connection.waiting > 0

    def tick(self, second: int, sending_time: str) -> None:
        """Timers; due in every second of the clock while a client is connected. `second` counts them."""
        if self.connection is None:
            return
        self._hand_back()
        self._acceptor.tick()
        self._take_outbound()
        mailbox = self.mailbox
        self._probe_due = self._probe_due or second + self.connection.heartbeat
        unproven = mailbox.unbroken and mailbox.delivered < mailbox.last_report
        if self.logged_on and unproven and second >= self._probe_due:
            self._probe_due = second + self.connection.heartbeat
            probe = f"{PROBE}{mailbox.generation}-{mailbox.sender - 1}"
            mailbox.administer(admin.test_request(probe, sending_time))

    def log_out(self, text: str) -> None:
        """Sends a Logout(5); the client's answer, or QuickFIX's patience, ends the connection."""
        if self.connection is not None:
            self._hand_back()
            self._acceptor.log_out(text)
            self._take_outbound()

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
        self._told_to_leave = self._told_to_leave or any(map(admin.is_logout, messages))
        if not still_open and not self._told_to_leave:
            log.warning("session %s: disconnected: %s", self.name, UNASKED)

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
            if admin.is_logout(text.encode("utf-8", "surrogateescape")):
                self._leaving = not self._told_to_leave
            answer = admin.answered_test_request(text) or ""
            number = answer[len(mark) :] if answer.startswith(mark) else ""
            if number.isdecimal() and len(number) < 20 and self.mailbox.unbroken:
                self.mailbox.prove(int(number), self.mailbox.generation)
            self._object(text)

    def _object(self, text: str) -> bool:
        """Rejects what QuickFIX let through and should not have."""
        record = admin.objection(text, self.mailbox.outflow.now())
        if record is not None:
            self.mailbox.administer(record)
        return record is not None
