"""What QuickFIX calls. Callbacks copy and return: an exception here ends the process, and a Message kept
after its callback is a dangling pointer."""

import re

import quickfix

from fixgw.codec.fields import seq_num

FROM_ZERO = re.compile("\x0135=2\x01.*\x017=0+\x01")
"""a ResendRequest of everything"""
NUMBERS = 2**64
"""QuickFIX counts modulo this"""
COUNTED_ANYWAY = re.compile("\x0135=[35]\x01")
"""Reject and Logout"""


class Callbacks(quickfix.Application):  # type: ignore[misc]
    """The QuickFIX application of one session."""

    def __init__(self) -> None:
        super().__init__()
        self.logged_on = False
        self.inbox: list[str] = []
        """application messages in order, complete texts"""
        self.admin: list[str] = []
        """heartbeats and other session messages in order, complete texts"""

    def fromApp(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        self.inbox.append(message.toString())

    def fromAdmin(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        text = message.toString()
        if FROM_ZERO.search(text):
            message.setField(quickfix.BeginSeqNo(1))  # else QuickFIX spends a number on a gap fill of none
        if COUNTED_ANYWAY.search(text, 0, 32):
            _count_only_if_expected(message, session_id)
        self.admin.append(text)

    def onLogon(self, session_id: quickfix.SessionID) -> None:
        self.logged_on = True

    def onLogout(self, session_id: quickfix.SessionID) -> None:
        self.logged_on = False

    def onCreate(self, session_id: quickfix.SessionID) -> None:
        pass

    def toAdmin(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        pass

    def toApp(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        pass


def _count_only_if_expected(message: quickfix.Message, session_id: quickfix.SessionID) -> None:
    """QuickFIX is about to count one up, even if this message stands above a gap: then one that is missing
    would never be asked for."""
    session = quickfix.Session.lookupSession(session_id)
    expected = session.getExpectedTargetNum()
    if seq_num(message.getHeader().getField(34)) != expected:
        session.setNextTargetMsgSeqNum((expected - 1) % NUMBERS)
