"""One QuickFIX acceptor for one session, reachable through a private Unix socket only."""

import fcntl
import logging
import os
import socket
import struct
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import quickfix

from fixgw.codec.admin import logout_text
from fixgw.sessions.callbacks import Callbacks
from fixgw.store.directory import short_path

CHUNK = 8192
"""bytes QuickFIX reads in one poll round"""
MAX_ROUNDS = 16
"""poll rounds after which QuickFIX must have taken a chunk or a connection"""

log = logging.getLogger("fixgw.sessions")


@dataclass(frozen=True)
class Identity:
    """Who talks to whom, and in which version."""

    begin_string: str
    venue_comp_id: str
    client_comp_id: str


class Acceptor:
    """Feeds bytes to QuickFIX and takes what it answers. Nothing here blocks or is sent to a client.

    A SocketAcceptor always listens on every interface, so its listening descriptor is replaced by a
    Unix listener in `directory` right after it is made."""

    def __init__(
        self, identity: Identity, dictionaries: dict[str, Path], max_latency: int, directory: Path
    ) -> None:
        self.callbacks = Callbacks()
        self._directory = directory
        self._name = f"{identity.client_comp_id}.{identity.begin_string}"
        self._store = quickfix.MemoryStoreFactory()
        self._link: socket.socket | None = None
        self._stumbled = False
        self._max_latency = max_latency
        layer = "FIXT11" if identity.begin_string == "FIXT.1.1" else "FIX44"
        self._session_dictionary = str(dictionaries[layer])
        with _reserved_port() as port:
            self._settings = _settings(identity, dictionaries, max_latency, port)
            self._acceptor = quickfix.SocketAcceptor(self.callbacks, self._store, self._settings)
            before = _descriptors()
            self._acceptor.poll()
        with short_path(directory, self._name) as path:
            self._listener = _replace_listener(_descriptors() - before, port, path)
        self.session = quickfix.Session.lookupSession(_session_id(identity))

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

    def connect(self, logon: bytes, next_expected: bool) -> None:
        """Opens the connection with its Logon. `next_expected`: the Logon speaks NextExpectedMsgSeqNum(789),
        so ours does too; to a client that does not, QuickFIX must ask for a resend instead."""
        assert self._link is None
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

    def tick(self) -> None:
        """Runs the session's timers; due in every second of the clock for every connected session."""
        self.session.next(quickfix.UtcTimeStamp())

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
        """Starts a Logout and lets no one log on again."""
        self.session.logout(text)
        self.tick()

    def close(self) -> None:
        self.hang_up()
        self._acceptor.stop(True)
        self._listener.close()

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


def _unread(link: socket.socket) -> int:
    """Bytes written to a Unix socket that its reader has not taken yet (SIOCOUTQ)."""
    return int(struct.unpack("i", fcntl.ioctl(link, termios.TIOCOUTQ, b"\0" * 4))[0])


@cache
def _dictionary(path: str) -> quickfix.DataDictionary:
    """Read once: it takes milliseconds, in which all sessions wait."""
    return quickfix.DataDictionary(path)


@contextmanager
def _reserved_port() -> Iterator[int]:
    """A port that the system gives to no one else. QuickFIX, which reuses addresses, can listen on it."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("", 0))
        yield int(holder.getsockname()[1])


def _descriptors() -> set[int]:
    return {int(name) for name in os.listdir("/proc/self/fd")}


def _replace_listener(candidates: set[int], port: int, path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(8)
    listener.setblocking(False)
    for descriptor in candidates:
        try:
            found = socket.socket(fileno=os.dup(descriptor))
        except OSError:
            continue  # not a socket, or closed since
        with found:
            if found.family == socket.AF_INET and found.getsockname()[1] == port:
                os.dup2(listener.fileno(), descriptor)
                return listener
    raise RuntimeError(f"QuickFIX does not listen on port {port}")


def _settings(
    identity: Identity, dictionaries: dict[str, Path], max_latency: int, port: int
) -> quickfix.SessionSettings:
    lines = {
        "ConnectionType": "acceptor",
        "SocketAcceptPort": str(port),
        "NonStopSession": "Y",
        "PersistMessages": "N",  # the outbox is the only message store
        "CheckLatency": "Y",
        "MaxLatency": str(max_latency),
        "UseDataDictionary": "Y",
        "ValidateUserDefinedFields": "Y",
        "ValidateFieldsOutOfOrder": "Y",
        "ValidateFieldsHaveValues": "Y",
        "SendRedundantResendRequests": "N",
        "StartTime": "00:00:00",
        "EndTime": "00:00:00",
    }
    if identity.begin_string == "FIXT.1.1":
        lines["DefaultApplVerID"] = "FIX.5.0SP2"
        lines["TransportDataDictionary"] = str(dictionaries["FIXT11"])
        lines["AppDataDictionary"] = str(dictionaries["FIX50SP2"])
    else:
        lines["DataDictionary"] = str(dictionaries["FIX44"])
    dictionary = quickfix.Dictionary()
    for name, value in lines.items():
        dictionary.setString(name, value)
    settings = quickfix.SessionSettings()
    settings.set(_session_id(identity), dictionary)
    return settings


def _session_id(identity: Identity) -> quickfix.SessionID:
    return quickfix.SessionID(identity.begin_string, identity.venue_comp_id, identity.client_comp_id)
