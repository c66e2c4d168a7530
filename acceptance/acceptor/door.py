"""Where clients connect: the first message says whose session a connection is."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable

from acceptance.acceptor.line import TICK, Line
from acceptance.reference.faults import Faults
from acceptance.reference.stream import LONGEST, Stream
from acceptance.reference.venue import Connection
from acceptance.script import VERSIONS
from acceptance.wire import Message

LOGON_WITHIN = 10.0
"""seconds a new connection has for its Logon"""


class Door(threading.Thread):
    """Listens until `stop`. `enter` is called for each new client, in this thread."""

    def __init__(
        self,
        address: tuple[str, int],
        venue: str,
        clients: dict[str, str],
        enter: Callable[[Line], None],
        tell: Callable[[str], None],
        charge: Callable[[str, Message, str], None],
    ) -> None:
        """`venue`: its CompID. `clients`: CompIDs that may log on, and their version or ""; none: all may.
        `charge` hears of a client's first message that was refused, and why.
        Raises OSError."""
        super().__init__(daemon=True)
        self._listener = socket.create_server(
            address, family=socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        )
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        self.lines: dict[tuple[str, str], Line] = {}
        """by CompID and BeginString"""
        self._venue = venue
        self._clients = clients
        self._enter = enter
        self._tell = tell
        self._charge = charge
        self._waiting: list[Connection] = []
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Ends every session's thread too."""
        self._stopping.set()
        self.join()
        for line in self.lines.values():
            line.stopping.set()

    def run(self) -> None:
        while not self._stopping.is_set():
            places = [self._listener, *(connection.line for connection in self._waiting)]
            ready = select.select(places, [], [], TICK)[0]
            if self._listener in ready:
                self._waiting.append(Connection(self._listener.accept()[0], Stream(Faults()), time.time()))
            for connection in list(self._waiting):
                if connection.line in ready:
                    self._read(connection)
                elif time.time() - connection.begun > LOGON_WITHIN:
                    self._refuse(connection, f"no Logon within {LOGON_WITHIN:g} s")
        self._listener.close()
        for connection in self._waiting:
            connection.hang_up()

    def _read(self, connection: Connection) -> None:
        data = connection.read()
        if data is None:
            self._refuse(connection, "closed before a Logon")
            return
        messages = [message for message in connection.stream.feed(data) if message is not None]
        if not messages:
            return
        problem = self._problem(messages[0])
        if problem:
            self._refuse(connection, problem)
            name = messages[0].get(49)
            if name and (not self._clients or name in self._clients):  # others are none of this run's
                self._charge(name, messages[0], problem)
            return
        key = messages[0][49], messages[0][8]
        if key not in self.lines:
            self.lines[key] = Line(*key, self._venue, lambda *_: None)
            self._enter(self.lines[key])
        connection.stream.limit = LONGEST
        self._waiting.remove(connection)
        self.lines[key].incoming.put((connection, messages))

    def _problem(self, message: Message) -> str:
        """Why the connection is none of a client's; "" if it is."""
        name, version = message.get(49), message[8]
        if message.msg_type != "A" or name is None or 34 not in message or 52 not in message:
            return "the first message was no Logon"
        if message.get(56) != self._venue:
            return f"TargetCompID(56) of {name}'s Logon is {message.get(56)}, expected {self._venue}"
        if version not in VERSIONS:
            return f"BeginString(8) of {name}'s Logon is {version}, expected {' or '.join(VERSIONS)}"
        if self._clients and self._clients.get(name) not in ("", version):
            return f"{name} with {version} is not a client of this run (--client-id)"
        return ""

    def _refuse(self, connection: Connection, why: str) -> None:
        self._waiting.remove(connection)
        self._tell(f"a connection was refused: {why}")
        connection.hang_up()
