"""One FIX session: QuickFIX on one side, the client's connection on the other, its mailbox between them."""

import re
from collections.abc import Callable
from typing import Protocol

from fixgw.codec import admin
from fixgw.codec.frame import split_messages
from fixgw.sessions.acceptor import CHUNK, Acceptor
from fixgw.sessions.mailbox import Mailbox
from fixgw.sessions.outflow import Line

PROBE = "fixgw-"
"""leads the TestReqID(112) of the venue's own TestRequests: generation, and the number an answer proves"""

_QUESTION = re.compile(rb"\x0135=[A125]\x01")
"""Logon, TestRequest, ResendRequest, Logout"""


class Client(Line, Protocol):
    """A client's connection, as its session sees it."""

    logon: bytes
    """the whole Logon, until the session takes it"""
    next_expected: int | None
    """its NextExpectedMsgSeqNum(789)"""
    heartbeat: int
    """its HeartBtInt(108), seconds"""
    gone: bool
    """the client has hung up; what it sent before is still to be read"""
    waiting: int
    """bytes received and not taken yet"""

    def peek(self, most: int) -> bytes: ...

    def drop(self, count: int) -> None: ...

    def finish(self, farewell: Callable[[], None] | None) -> None:
        """Closes once everything is written. With `farewell` the client may close first, and if it does so
        in good order, `farewell` is called."""


class Session:
    """Inbound numbers belong to QuickFIX. Outbound ones are given to reports by the mailbox, and handed back
    to QuickFIX each time before it may write."""

    def __init__(
        self, mailbox: Mailbox, client: str, acceptor: Acceptor, standard_types: frozenset[str]
    ) -> None:
        self.name = mailbox.name
        self.client = client
        self.mailbox = mailbox
        self.connection: Client | None = None
        self.refused = 0
        """orders and requests refused since the start"""
        self._acceptor = acceptor
        self._standard_types = standard_types
        self._finished = False
        self._leaving = False
        """the client has sent a Logout"""
        self._rest = b""
        self._probe_due = 0
        acceptor.set_numbers(mailbox.sender, mailbox.target)

    @property
    def logged_on(self) -> bool:
        return self._acceptor.callbacks.logged_on

    def take_inbox(self) -> list[str]:
        """The application messages that are new, in order, each counted by QuickFIX."""
        inbox, self._acceptor.callbacks.inbox = self._acceptor.callbacks.inbox, []
        return inbox

    def reserve(self, connection: Client) -> None:
        """From here on the session is no longer free."""
        assert self.connection is None
        self.connection = connection
        self._finished = self._leaving = False

    def log_on_if_waiting(self) -> None:
        """Hands QuickFIX the Logon the door let in. Its NextExpectedMsgSeqNum(789) proves what arrived."""
        connection = self.connection
        if connection is None or not connection.logon:
            return
        logon, connection.logon = connection.logon, b""
        next_expected = connection.next_expected
        self.mailbox.outflow.open(connection)
        if next_expected is not None:
            self.mailbox.prove(next_expected - 1, self.mailbox.generation)
        self._hand_back()
        self._acceptor.connect(logon, next_expected is not None)
        self._take_outbound()

    def read(self) -> bool:
        """Gives QuickFIX one chunk of what the client sent; True if more is waiting.

        A chunk ends before a message that QuickFIX answers by itself: the reports of the orders before it
        get their numbers first, so answers leave in the order of the questions."""
        connection = self.connection
        if connection is None:
            return False
        data = connection.peek(CHUNK)
        question = _QUESTION.search(data, 1)
        if question is not None:
            data = data[: max(data.rfind(b"8=FIX", 0, question.start()), 0)] or data
        connection.drop(len(data))
        self._hand_back()
        while data and self._acceptor.connected:
            data = self._acceptor.feed(data)
        self._take_outbound()
        if connection.gone and not connection.waiting:
            self._hang_up()
        return connection.waiting > 0

    def tick(self, second: int, sending_time: str) -> None:
        """Timers; due once a second while a client is connected. `second` counts the venue's seconds."""
        if self.connection is None:
            return
        self._hand_back()
        self._acceptor.tick()
        self._take_outbound()
        mailbox = self.mailbox
        if self.logged_on and mailbox.delivered < mailbox.last_report and second >= self._probe_due:
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
            self.connection.finish(self._farewell() if self._leaving else None)
            self._hang_up()

    def _farewell(self) -> Callable[[], None]:
        """A client that has logged out and closes in good order has read everything: a socket that is closed
        with unread bytes is reset instead."""
        generation, sent = self.mailbox.generation, self.mailbox.sender - 1
        return lambda: self.mailbox.prove(sent, generation)

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
        if data:
            messages, self._rest = split_messages(self._rest + data)
            for message in messages:
                self._outbound(message)
        if not still_open:
            self._finished = True
        self._read_admin()
        self.mailbox.sender, self.mailbox.target = self._acceptor.numbers

    def _outbound(self, message: bytes) -> None:
        asked = admin.outbound(message)
        if isinstance(asked, admin.Replay):
            self.mailbox.replay(asked.first, asked.end)
            return
        if isinstance(asked, admin.Unsupported) and asked.msg_type in self._standard_types:
            self.mailbox.rewrite(asked.sequence, asked.record)
            return
        if isinstance(asked, admin.ResetLogon):
            self.mailbox.reset()
        self.mailbox.outflow.administer(message)

    def _read_admin(self) -> None:
        """A Heartbeat that answers the venue's TestRequest proves what was sent before that."""
        texts, self._acceptor.callbacks.admin = self._acceptor.callbacks.admin, []
        mark = f"{PROBE}{self.mailbox.generation}-"
        for text in texts:
            self._leaving = self._leaving or admin.is_logout(text)
            answer = admin.answered_test_request(text)
            if answer is not None and answer.startswith(mark) and answer[len(mark) :].isdecimal():
                self.mailbox.prove(int(answer[len(mark) :]), self.mailbox.generation)
