"""What QuickFIX and the client say to each other on the session level, in the mailbox's numbers."""

import logging
from collections.abc import Callable

from fixgw.codec import admin
from fixgw.codec.frame import split_messages
from fixgw.codec.standard import Names
from fixgw.sessions.acceptor import Acceptor
from fixgw.sessions.mailbox import Mailbox

PROBE = "fixgw-"
"""leads the TestReqID(112) of the venue's own TestRequests: generation, and the number an answer proves"""
UNASKED = "nothing was heard in time, or there was a Logon, or a message without SendingTime"
"""why QuickFIX disconnects without a Logout"""

log = logging.getLogger("fixgw.sessions")


class Dialogue:
    """Inbound numbers belong to QuickFIX. Outbound ones are given to reports by the mailbox, and handed back
    to QuickFIX each time before it may write."""

    def __init__(
        self, mailbox: Mailbox, acceptor: Acceptor, standard: Names, spend: Callable[[], object]
    ) -> None:
        """`spend` is called for each message of the client that QuickFIX answers, or takes, by itself."""
        self.acceptor = acceptor
        self.mailbox = mailbox
        self.ended = False
        """QuickFIX has closed the connection"""
        self.leaving = False
        """the client has sent a Logout of its own accord, and is the one to close"""
        self.misses = 0
        """the first number a client's Logon has left out, if the venue's must say so in 789; else 0"""
        self._told_to_leave = False
        """the venue has sent a Logout"""
        self._last = 0
        """the number of the last message QuickFIX wrote before it closed"""
        self._handed = 0
        """the number QuickFIX has; 0: not known"""
        self._standard = standard
        self._spend = spend
        self._rest = b""
        self.set_numbers()

    def begin(self) -> None:
        """A new connection."""
        self.misses = 0
        self.ended = self.leaving = self._told_to_leave = False
        self._handed = 0

    def hand_back(self) -> None:
        if self._handed != self.mailbox.sender:
            self._handed = self.mailbox.sender
            self.acceptor.session.setNextSenderMsgSeqNum(self._handed)

    def set_numbers(self) -> None:
        """To those of the mailbox, while no one is logged on."""
        self.acceptor.set_numbers(self.mailbox.sender, self.mailbox.target)

    def hang_up(self) -> None:
        self.acceptor.hang_up()
        self._rest = b""

    def take(self) -> str:
        """Everything that QuickFIX has said since. Returns why it has closed the connection without a Logout;
        "" if it has not."""
        if not self.acceptor.connected:
            return ""
        data, still_open = self.acceptor.take()
        messages, self._rest = split_messages(self._rest + data) if data else ([], self._rest)
        before = b""
        for message in messages:
            self._outbound(message, before)
            before = message
        sender = self.acceptor.numbers[0]
        if not still_open:
            self.ended = True
            self._last = sender - 1
            self.mailbox.outflow.end()
        self._see_reset(sender)
        self.mailbox.sender = self._handed = sender
        self._read_admin()
        self.mailbox.target = self.acceptor.numbers[1]
        for _ in filter(admin.is_reject, messages):
            self.mailbox.rejects += 1
            self._spend()
        self._told_to_leave = self._told_to_leave or any(map(admin.is_logout, messages))
        return "" if still_open or self._told_to_leave else UNASKED

    def farewell(self) -> Callable[[], None]:
        """A client that has logged out and closes in good order has read everything: a socket that is closed
        with unread bytes is reset instead. Everything is what came before the Logout's own number."""
        generation, last = self.mailbox.generation, self._last
        return lambda: self.mailbox.prove(last, generation)

    @property
    def unproven(self) -> bool:
        """There are reports of which the client can prove that they have arrived."""
        mailbox = self.mailbox
        logged_on = self.acceptor.callbacks.logged_on
        return logged_on and mailbox.unbroken and mailbox.delivered < mailbox.last_report

    def probe(self) -> None:
        """A TestRequest whose answer proves that what was sent has arrived."""
        mailbox = self.mailbox
        label = f"{PROBE}{mailbox.generation}-{mailbox.sender - 1}"
        mailbox.administer(admin.test_request(label, mailbox.outflow.now()))

    @property
    def waits_for_missing(self) -> bool:
        """The client was told by 789 what it has left out, and has sent nothing of it yet."""
        return 0 < self.misses == self.mailbox.target

    def ask_for_missing(self) -> None:
        """With a ResendRequest, as QuickFIX believes it has asked already."""
        self.mailbox.administer(admin.resend_request(self.misses, self.mailbox.outflow.now()))
        self.misses = 0

    def object(self, text: str) -> bool:
        """Rejects what QuickFIX let through and should not have."""
        record = admin.objection(text, self.mailbox.outflow.now())
        if record is not None:
            self.mailbox.rejects += 1
            self.mailbox.administer(record)
        return record is not None

    def _outbound(self, message: bytes, before: bytes) -> None:
        asked = admin.outbound(message, before, self._standard)
        if self.misses and b"\x0135=A\x01" in message[:32]:
            # QuickFIX counts the Logon above the gap, and would say one number too much.
            asked = admin.Instead(admin.number(message), admin.with_next_expected(message, self.misses))
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
        texts, self.acceptor.callbacks.admin = self.acceptor.callbacks.admin, []
        mark = f"{PROBE}{self.mailbox.generation}-"
        for text in texts:
            self._spend()
            if admin.is_logout(text.encode("utf-8", "surrogateescape")):
                self.leaving = not self._told_to_leave
            answer = admin.answered_test_request(text) or ""
            number = answer[len(mark) :] if answer.startswith(mark) else ""
            if number.isdecimal() and len(number) < 20 and self.mailbox.unbroken:
                self.mailbox.prove(int(number), self.mailbox.generation)
            self.object(text)
