"""What QuickFIX calls. Callbacks copy and return: an exception here ends the process, and a Message kept
after its callback is a dangling pointer."""

import quickfix


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
        self.admin.append(message.toString())

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
