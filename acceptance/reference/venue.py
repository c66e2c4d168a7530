"""Sockets, the clock and the disk around sessions, desk and book: one thread, one loop."""

from __future__ import annotations

import selectors
import socket
import time
from contextlib import suppress
from pathlib import Path

from acceptance.reference.control import Control
from acceptance.reference.desk import Desk
from acceptance.reference.dictionary import of_version
from acceptance.reference.faults import Fault, Faults
from acceptance.reference.history import History
from acceptance.reference.memory import Memory
from acceptance.reference.session import Session
from acceptance.reference.settings import Settings
from acceptance.reference.stream import LONGEST, Stream
from acceptance.wire import Message

TICK = 0.05
"""seconds between looks at the clock"""
FAREWELL = 2.0
"""seconds clients have to answer the Logout when the venue ends"""
READ_SIZE = 65536


class Connection:
    def __init__(self, line: socket.socket, stream: Stream, now: float) -> None:
        self.line = line
        self.stream = stream
        self.begun = now
        self.session: Session | None = None
        self.waiting = b""
        """to be sent"""
        self.ends = False
        """to be closed once nothing is waiting"""
        line.setblocking(False)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self) -> bytes | None:
        """None at the end."""
        try:
            return self.line.recv(READ_SIZE) or None
        except BlockingIOError:
            return b""
        except OSError:
            return None

    def hang_up(self) -> None:
        with suppress(OSError):
            self.line.shutdown(socket.SHUT_WR)
            self.read()  # a socket closed with unread bytes is reset
        self.line.close()

    def flush(self) -> None:
        try:
            while self.waiting:
                self.waiting = self.waiting[self.line.send(self.waiting) :]
        except BlockingIOError:
            pass
        except OSError:
            self.waiting = b""
            self.ends = True


class ReferenceVenue:
    def __init__(self, settings: Settings, directory: Path, faults: Faults, port: int) -> None:
        """Raises OSError if it cannot listen."""
        self._settings = settings
        self._faults = faults
        self._listener = socket.create_server(("127.0.0.1", port), backlog=128)
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        self._memory = Memory(directory)
        self._desk = Desk(settings, faults, lambda name: self._sessions[name])
        self._histories: dict[str, History] = {}
        self._sessions: dict[str, Session] = {}
        self._leaving: dict[str, tuple[float, bool]] = {}
        """sessions whose orders are to be cancelled: when, and whether the connection was lost"""
        for name, each in settings.sessions.items():
            history = History() if faults.on(Fault.NUMBERS_FORGOTTEN) else self._memory.history(name)
            if self._memory.killed and not faults.on(Fault.NUMBERS_FORGOTTEN):
                back = faults.on(Fault.NUMBERS_GO_BACK)
                history.sender = max(1, history.sender - 2) if back else history.sender + settings.jump
            if faults.on(Fault.REPORTS_FORGOTTEN):
                history.sent = {}
            self._histories[name] = history
            dictionary = of_version(each.begin_string)
            self._sessions[name] = Session(each, dictionary, history, faults, self._desk.handle)
            if history.away:
                self._leaving[name] = time.time() + each.cancel_grace_seconds, True
        if not faults.on(Fault.ORDERS_FORGOTTEN):
            self._memory.load(self._desk)
        self._control = Control(directory, self._sessions, self._desk)
        self._connections: list[Connection] = []
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._control.line, selectors.EVENT_READ)
        self._stop_at: float | None = None

    def run(self) -> None:
        """Until `stop`, and all clients are gone."""
        self._save()
        while self._stop_at is None or (self._connections and time.time() < self._stop_at):
            events = self._selector.select(TICK)
            now = time.time()
            self._desk.at(now)
            for key, _ in events:
                if key.fileobj is self._listener:
                    self._accept(now)
                elif key.fileobj is self._control.line:
                    self._control.answer(now)
                elif key.data in self._connections:
                    self._hear(key.data, now)
            for session in self._sessions.values():
                session.tick(now)
            self._leave(now)
            self._save()
            for connection in list(self._connections):
                self._speak(connection, now)
        self._control.close()
        self._memory.close()

    def stop(self) -> None:
        """Logs all clients out. May be called from a signal handler."""
        now = time.time()
        self._stop_at = now + FAREWELL
        for session in self._sessions.values():
            if session.logged_on:
                session.log_out("the venue is closing", now)

    def _accept(self, now: float) -> None:
        try:
            line, _ = self._listener.accept()
        except OSError:
            return
        connection = Connection(line, Stream(self._faults), now)
        self._connections.append(connection)
        self._selector.register(line, selectors.EVENT_READ, connection)

    def _hear(self, connection: Connection, now: float) -> None:
        data = connection.read()
        if data is None:
            self._drop(connection, now)
            return
        for message in connection.stream.feed(data):
            if connection.ends:
                return
            if connection.session is None:
                connection.session = self._session_for(message, now) if message is not None else None
                connection.stream.limit = LONGEST
                connection.ends = connection.session is None
            if connection.session is not None:
                connection.session.receive(message, now)

    def _session_for(self, message: Message, now: float) -> Session | None:
        """The session of a first message; None if it has none, or may not."""
        faults = self._faults
        found = None
        for session in self._sessions.values():
            settings = session.settings
            named = message.get(49) == settings.comp_id or faults.on(Fault.ANY_SENDER_TAKEN)
            meant = message.get(56) == settings.venue or faults.on(Fault.ANY_TARGET_TAKEN)
            version = message[8] == settings.begin_string or faults.on(Fault.ANY_VERSION_TAKEN)
            if named and meant and version:
                found = session
                break
        if found is None or message.get(34) is None or message.get(52) is None:
            return None
        if not self._may_enter(found, message) and not faults.on(Fault.PASSWORD_NOT_CHECKED):
            return None
        for other in [each for each in self._connections if each.session is found]:
            self._hear(other, now)  # it may have hung up
            if other not in self._connections:
                continue
            if not faults.on(Fault.SECOND_CLIENT_TAKES_OVER):
                return None
            self._drop(other, now)
        self._leaving.pop(found.settings.name, None)
        found.connect(now)
        return found

    def _may_enter(self, session: Session, message: Message) -> bool:
        settings = session.settings
        named = not settings.username or message.get(553) == settings.username
        return named and (not settings.password or message.get(554) == settings.password)

    def _speak(self, connection: Connection, now: float) -> None:
        session = connection.session
        if session is not None:
            connection.waiting += b"".join(session.out)
            session.out.clear()
            connection.ends = connection.ends or session.closed
        elif now - connection.begun > self._settings.logon_seconds:
            connection.ends = True
        connection.flush()
        if connection.ends and not connection.waiting:
            self._drop(connection, now)

    def _drop(self, connection: Connection, now: float) -> None:
        self._connections.remove(connection)
        self._selector.unregister(connection.line)
        connection.hang_up()
        session = connection.session
        if session is not None:
            if session.logged_on or self._histories[session.settings.name].away:
                grace = 0 if self._faults.on(Fault.NO_GRACE) else session.settings.cancel_grace_seconds
                self._leaving[session.settings.name] = now + grace, not session.client_left
            session.lost()

    def _leave(self, now: float) -> None:
        """Cancel on disconnect, of those whose time is over."""
        for name, (when, lost) in list(self._leaving.items()):
            if now >= when:
                del self._leaving[name]
                self._desk.leave(self._sessions[name], lost)

    def _save(self) -> None:
        self._memory.save(self._histories, self._desk)
