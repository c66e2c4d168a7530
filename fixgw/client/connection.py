"""One FIX session from the client's side, on QuickFIX's SocketInitiator.

The initiator is polled, so callbacks run only in the caller's thread, inside `poll` and `send`. An
exception in a callback ends the process: they copy text and return, and Ctrl-C waits until they have."""

import signal
import socket
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import quickfix

from fixgw.client.login import Login
from fixgw.codec.fields import fields
from fixgw.codec.signature import signature

HEARTBEAT = 30
"""seconds"""
PATIENCE = 10.0
"""seconds for a connection, a Logon, and the first answer to a request"""
PAUSE = 0.001
"""seconds between two polls while nothing comes"""

SILENCE = (
    "the venue closed the connection without a word: it does not know these CompIDs with this BeginString, "
    "username, password or signature are wrong, this address may not use it, or the session is logged on "
    "already; the venue's log says which"
)


class NotReached(Exception):
    """One line for people: why there is no session with the venue."""


@dataclass(frozen=True)
class Entry:
    """One message of the conversation, complete FIX text."""

    sent: bool
    text: str

    @property
    def fields(self) -> dict[str, str]:
        return fields(self.text)


class Connection(quickfix.Application):  # type: ignore[misc]
    """Logs on with ResetSeqNumFlag=Y and takes every message as it is: without a data dictionary and
    without a check of clocks nothing the venue says is rejected, so no fill is lost to an unknown tag."""

    def __init__(self, login: Login) -> None:
        super().__init__()
        self.login = login
        self.logged_on = False
        self.ended = False
        self._was_logged_on = False
        self._entries: deque[Entry] = deque()
        self._logout_text = ""
        self._session_id = quickfix.SessionID(login.begin_string, login.comp_id, login.venue_comp_id)
        self._initiator: quickfix.SocketInitiator | None = None

    def logon(self) -> None:
        """Raises NotReached."""
        address = self._reach()
        # QuickFIX keeps pointers, not copies: all three live as long as the initiator.
        self._settings = _settings(self.login, self._session_id, address)
        self._store = quickfix.MemoryStoreFactory()
        self._initiator = quickfix.SocketInitiator(self, self._store, self._settings)
        self._session = quickfix.Session.lookupSession(self._session_id)
        deadline = time.monotonic() + PATIENCE
        while not self.logged_on:
            if self.ended:
                raise NotReached(self.why_ended)
            if time.monotonic() > deadline:
                raise NotReached(f"the venue did not answer the Logon within {PATIENCE:.0f} s")
            self._poll()

    def send(self, msg_type: str, body: str) -> None:
        """Sends one message; `body` holds its fields, each `tag=value` and SOH, without header."""
        text = f"8={self.login.begin_string}\x019=0\x0135={msg_type}\x01{body}10=000\x01"
        with _interrupts_wait():
            self._session.send(quickfix.Message(text, False))

    def conversation(self, seconds: float) -> Iterator[Entry]:
        """Messages of both directions as they come, until `seconds` are over or the connection ends."""
        deadline = time.monotonic() + seconds
        while True:
            while self._entries:
                yield self._entries.popleft()
            if self.ended or time.monotonic() > deadline:
                return
            self._poll()

    @property
    def why_ended(self) -> str:
        if not self._logout_text:
            return "the venue closed the connection without a Logout" if self._was_logged_on else SILENCE
        reason = fields(self._logout_text).get("58", "without a reason")
        return f"the venue logged us out: {reason}"

    def logout(self, seconds: float = 2.0) -> None:
        """Logs out, waits for the venue's Logout for at most `seconds`, and closes."""
        if self._initiator is None:
            return
        with _interrupts_wait():
            self._session.logout()
            self._session.next(quickfix.UtcTimeStamp())
        for _ in self.conversation(seconds):
            pass
        with _interrupts_wait():
            self._initiator.stop(True)
        self._initiator = None

    def _reach(self) -> str:
        """The venue's IPv4 address. QuickFIX says nothing when it cannot connect, so this tries first."""
        host, port = self.login.host, self.login.port
        try:
            with socket.socket(socket.AF_INET) as probe:
                probe.settimeout(PATIENCE)
                probe.connect((host, port))
                return str(probe.getpeername()[0])
        except TimeoutError:
            raise NotReached(f"no connection to {host}:{port} within {PATIENCE:.0f} s") from None
        except OSError as error:
            raise NotReached(f"no venue at {host}:{port}: {error.strerror or error}") from None

    def _poll(self) -> None:
        before = len(self._entries)
        with _interrupts_wait():
            assert self._initiator is not None
            self._initiator.poll()
        if len(self._entries) == before and not self.ended:
            time.sleep(PAUSE)

    # Called by QuickFIX

    def onCreate(self, session_id: quickfix.SessionID) -> None: ...

    def onLogon(self, session_id: quickfix.SessionID) -> None:
        self.logged_on = self._was_logged_on = True

    def onLogout(self, session_id: quickfix.SessionID) -> None:
        """Also the end of a connection that was never logged on."""
        self.logged_on = False
        self.ended = True

    def toAdmin(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        if message.getHeader().getField(35) == "A":
            self._show_who(message)
        self._entries.append(Entry(True, message.toString()))

    def _show_who(self, logon: quickfix.Message) -> None:
        ours = self.login.credentials
        raw_data = signature(fields(logon.toString()), ours.key) if ours.key else ""
        length = str(len(raw_data)) if raw_data else ""
        for tag, value in ((95, length), (96, raw_data), (553, ours.username), (554, ours.password)):
            if value:
                logon.setField(tag, value)

    def toApp(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        self._entries.append(Entry(True, message.toString()))

    def fromAdmin(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        text = message.toString()
        if "\x0135=5\x01" in text:
            self._logout_text = text
        self._entries.append(Entry(False, text))

    def fromApp(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        self._entries.append(Entry(False, message.toString()))


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Ctrl-C is kept until QuickFIX has returned, then raises KeyboardInterrupt."""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def _settings(login: Login, session_id: quickfix.SessionID, address: str) -> quickfix.SessionSettings:
    lines = {
        "ConnectionType": "initiator",
        "SocketConnectHost": address,
        "SocketConnectPort": str(login.port),
        "SocketNodelay": "Y",
        "HeartBtInt": str(HEARTBEAT),
        "LogonTimeout": "3600",  # our own patience comes first, and knows what it waited for
        "ReconnectInterval": "3600",  # one connection is all a command needs
        "ResetOnLogon": "Y",
        "NonStopSession": "Y",
        "UseDataDictionary": "N",
        "CheckLatency": "N",
        "PersistMessages": "N",
        "DefaultApplVerID": "FIX.5.0SP2",
    }
    dictionary = quickfix.Dictionary()
    for name, value in lines.items():
        dictionary.setString(name, value)
    settings = quickfix.SessionSettings()
    settings.set(dictionary)
    settings.set(session_id, dictionary)
    return settings
