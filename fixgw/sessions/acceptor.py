"""One QuickFIX acceptor for one session, reachable through a private Unix socket only."""

import fcntl
import logging
import os
import socket
import struct
import termios
from functools import cache, lru_cache
from pathlib import Path

import quickfix

from fixgw.codec.admin import logout_text
from fixgw.sessions.callbacks import Callbacks
from fixgw.sessions.descriptors import Opened, free_port, next_descriptors
from fixgw.sessions.identity import Identity, session_id, settings_of
from fixgw.store.directory import short_path

CHUNK = 8192
"""bytes QuickFIX reads in one poll round"""
MAX_TRIES = 20
"""times an acceptor is made until its sockets are found"""
MAX_ROUNDS = 16
"""poll rounds after which QuickFIX must have taken a chunk or a connection"""

log = logging.getLogger("fixgw.sessions")


class Acceptor:
    """Feeds bytes to QuickFIX and takes what it answers. Nothing here blocks or is sent to a client.

    A SocketAcceptor always listens on every interface, so its listening descriptor is replaced by a
    Unix listener in `directory` right after it is made."""

    def __init__(
        self,
        identity: Identity,
        dictionaries: dict[str, Path],
        max_latency: int,
        decimals: int,
        directory: Path,
    ) -> None:
        """`max_latency`: seconds; `decimals`: those of the seconds in times sent, 3, 6 or 9."""
        self.callbacks = Callbacks()
        self._directory = directory
        self._name = f"{identity.client_comp_id}.{identity.begin_string}"
        self._store = quickfix.MemoryStoreFactory()
        self._link: socket.socket | None = None
        self._stumbled = False
        self._max_latency = max_latency
        layer = "FIXT11" if identity.begin_string == "FIXT.1.1" else "FIX44"
        self._session_dictionary = str(dictionaries[layer])
        for _ in range(MAX_TRIES):
            with free_port() as port:
                self._settings = settings_of(identity, dictionaries, max_latency, decimals, port)
                self._acceptor = quickfix.SocketAcceptor(self.callbacks, self._store, self._settings)
                candidates = next_descriptors()
                self._acceptor.poll()
            self._opened = Opened(candidates)
            if self._opened.complete:
                break
            self._let_go()
        else:
            raise RuntimeError(f"session {self._name}: the sockets of QuickFIX were not found")
        self._listen()
        self.session = quickfix.Session.lookupSession(session_id(identity))

    def _listen(self) -> None:
        """On the Unix socket, in place of QuickFIX's listener."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            with short_path(self._directory, self._name) as path:
                listener.bind(path)
            listener.listen(8)
            listener.setblocking(False)
            os.dup2(listener.fileno(), self._opened.listener)

    @property
    def connected(self) -> bool:
        return self._link is not None

    @property
    def numbers(self) -> tuple[int, int]:
        """(next MsgSeqNum out, next expected MsgSeqNum in)"""
        return self.session.getExpectedSenderNum(), self.session.getExpectedTargetNum()

    def set_numbers(self, sender: int, target: int) -> None:
        self.session.setNextSenderMsgSeqNum(sender)
        self.session.setNextTargetMsgSeqNum(target)

    def connect(self, logon: bytes, next_expected: bool, answer: dict[int, str]) -> None:
        """Opens the connection with its Logon. `next_expected`: the Logon speaks NextExpectedMsgSeqNum(789),
        so ours does too; to a client that does not, QuickFIX must ask for a resend instead. `answer`: fields
        that ours has besides the usual ones."""
        assert self._link is None
        self.callbacks.answer = answer
        self.session.setSendNextExpectedMsgSeqNum(next_expected)
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.setblocking(False)
        with short_path(self._directory, self._name) as path:
            link.connect(path)
        self._link = link
        self._stumbled = False
        link.sendall(logon)
        self._poll_until_read()

    def objection(self, logon: bytes) -> str:
        """Why QuickFIX has not taken a Logon. It says so for wrong numbers only, and is silent otherwise."""
        text = logout_text(self.take()[0])
        if text:
            return text
        dictionary = _dictionary(self._session_dictionary)
        try:
            dictionary.validate(quickfix.Message(logon.decode("ascii"), dictionary, False))
        except quickfix.FIXException as problem:
            return str(problem)
        return f"SendingTime(52) must be within {self._max_latency} s of the venue's clock"

    def feed(self, data: bytes) -> bytes:
        """Gives QuickFIX at most one chunk and returns the rest. One chunk is one poll round."""
        assert self._link is not None
        try:
            sent = self._link.send(data[:CHUNK])
        except (BrokenPipeError, ConnectionResetError):
            return b""  # QuickFIX has hung up; take() will say so
        self._poll()
        return data[sent:]

    def tick(self, time: int) -> bool:
        """Runs the session's timers; due in every second of the clock for every connected session. `time`
        says which moment it is. True if there is something to take."""
        self.callbacks.spoken = False
        self.session.next(_clock(time))
        return self.callbacks.spoken

    def take(self) -> tuple[bytes, bool]:
        """What QuickFIX has written since, and whether it keeps the connection open."""
        assert self._link is not None
        parts: list[bytes] = []
        while True:
            try:
                part = self._link.recv(65536)
            except BlockingIOError:
                return b"".join(parts), not self._stumbled
            except ConnectionResetError:
                part = b""
            if not part:
                return b"".join(parts), False
            parts.append(part)

    def hang_up(self) -> None:
        """The client is gone: lets QuickFIX see the end of the stream."""
        if self._link is None:
            return
        self._link.close()
        self._link = None
        for _ in range(MAX_ROUNDS):
            self._poll()
            if not self.callbacks.logged_on:
                break

    def log_out(self, text: str) -> None:
        """Starts a Logout. QuickFIX would take no Logon any more, if it were not told that it may."""
        self.session.logout(text)
        self.session.next(quickfix.UtcTimeStamp())
        self.session.logon()

    def close(self) -> None:
        """For good. QuickFIX knows its sessions by their identity, so another one may have it only now."""
        self.hang_up()
        del self.session
        self._let_go()
        (self._directory / self._name).unlink(missing_ok=True)

    def _let_go(self) -> None:
        self._acceptor.stop(True)
        del self._acceptor
        self._opened.close()

    def _poll(self) -> None:
        """One round. QuickFIX lets out some errors that a client can provoke, such as a SequenceReset behind
        its Logout: they cost the client its connection, not the venue its life."""
        try:
            self._acceptor.poll()
        except RuntimeError as problem:
            log.warning("session %s: QuickFIX gave up: %s", self._name, problem)
            self._stumbled = True

    def _poll_until_read(self) -> None:
        assert self._link is not None
        for _ in range(MAX_ROUNDS):
            self._poll()
            if not _unread(self._link):
                return


@lru_cache(maxsize=1)
def _clock(time: int) -> quickfix.UtcTimeStamp:
    """The system's clock, read once for all sessions that are looked at in the same moment."""
    return quickfix.UtcTimeStamp()


def _unread(link: socket.socket) -> int:
    """Bytes written to a Unix socket that its reader has not taken yet (SIOCOUTQ)."""
    return int(struct.unpack("i", fcntl.ioctl(link, termios.TIOCOUTQ, b"\0" * 4))[0])


@cache
def _dictionary(path: str) -> quickfix.DataDictionary:
    """Read once: it takes milliseconds, in which all sessions wait."""
    return quickfix.DataDictionary(path)
