"""The runner's own end of a FIX session, on a raw socket. It sends anything, however wrong; by itself it only
numbers what it sends and answers what a script does not care about."""

from __future__ import annotations

import select
import socket
import ssl
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import Protocol

from acceptance.header import header_fault
from acceptance.standard import HEADER, Standard, standard
from acceptance.wire import Message, Parser, encode, frame, utc_now, whole

READ_SIZE = 1 << 16
CONNECT_WITHIN = 5.0
"""seconds"""

Tell = Callable[[str, bytes | str], None]
"""told of "out" and "in" with a message's bytes, and of "note" with words"""


class Gone(Exception):
    """The other side has closed the connection."""


class Unconnected(Exception):
    """There is no connection, and the other side is not the one who ended it; one line."""


class Silent(Exception):
    """Nothing came in time."""


class Place(Protocol):
    """Where the other side is; after a restart it may be elsewhere."""

    @property
    def address(self) -> tuple[str, int]: ...

    @property
    def tls_address(self) -> tuple[str, int]: ...

    def output_address(self, output: str) -> tuple[str, int]:
        """Of the port for something else than orders: "market data". Raises OSError."""
        ...


class Speaker:
    def __init__(
        self,
        stage: Place,
        begin_string: str,
        comp_id: str,
        target: str,
        tell: Tell,
        by_hand: Iterable[str] = (),
    ) -> None:
        self._stage = stage
        self.begin_string, self.comp_id, self.target = begin_string, comp_id, target
        self.names: Standard = standard(begin_string)
        self.next_out = self.next_in = 1
        self.over_tls = False
        self.heartbeat = 0.0
        """seconds after which it sends a Heartbeat if it has sent nothing else; 0: never"""
        self._tell = tell
        self._by_hand = frozenset(by_hand)
        self._socket: socket.socket | None = None
        self._closed_there = False
        self._parser = Parser()
        self._waiting: list[Message] = []
        self._last_out = 0.0

    @property
    def numbers(self) -> dict[str, int]:
        """As scripts refer to them."""
        return {"next": self.next_out, "expected": self.next_in}

    @property
    def connected(self) -> bool:
        return self._socket is not None

    def connect(self, tls: ssl.SSLContext | None = None, output: str = "") -> None:
        """Over TLS, if there is a context for it, or to the port of an output. Raises OSError."""
        self.close()
        self._parser, self._waiting = Parser(), []
        self.over_tls = tls is not None
        address = self._stage.tls_address if tls else self._stage.address
        if output:
            address = self._stage.output_address(output)
        line = socket.create_connection(address, CONNECT_WITHIN)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = tls.wrap_socket(line, server_hostname=address[0]) if tls else line
        self._closed_there = False
        self._tell("note", f"connected to {address[0]}:{address[1]}")

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
            self._tell("note", "disconnected")

    def hang_up(self, seconds: float) -> None:
        """Closes, but not before the other side has seen it and closed as well, if it does so in time."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.settimeout(seconds)
                self._socket.shutdown(socket.SHUT_WR)
                while self._socket.recv(READ_SIZE):
                    pass
        self.close()

    # -- sending -------------------------------------------------------------------------------------

    def send(self, msg_type: str, fields: list[tuple[int, str]]) -> None:
        """One message. `fields` may have any of the header and of the framing (8, 9, 10, 34, ...), which then
        take the place of the right ones; with `absent` as value they are left out. Raises Gone or
        Unconnected."""
        given = dict(fields)
        standing = {35: msg_type, 34: str(self.next_out), 49: self.comp_id, 52: utc_now(), 56: self.target}
        header = [(tag, given.get(tag, standing.get(tag))) for tag in HEADER]
        body = [(tag, value) for tag, value in fields if tag not in (*HEADER, 8, 9, 10)]
        said = [(tag, value) for tag, value in [*header, *body] if value not in (None, "absent")]
        if 34 not in given:
            self.next_out += 1
        self.send_bytes(frame(given.get(8, self.begin_string), encode(said), given.get(9), given.get(10)))

    def send_bytes(self, data: bytes) -> None:
        self._connected()
        self._tell("out", data)
        self._last_out = time.monotonic()
        with suppress(OSError):  # what it still had to say can be read; then comes the end
            self._connected().sendall(data)

    def _connected(self) -> socket.socket:
        if self._socket is not None:
            return self._socket
        if self._closed_there:
            raise Gone
        raise Unconnected(f"{self.comp_id or 'the script'} is not connected")

    # -- receiving -----------------------------------------------------------------------------------

    def receive(self, seconds: float) -> Message:
        """The next message. Raises Gone, Unconnected, Silent or Malformed."""
        deadline = time.monotonic() + seconds
        while not self._waiting:
            self._read(deadline)
        return self._waiting.pop(0)

    def is_of_course(self, message: Message) -> bool:
        """Whether it is a matter of the session that the script leaves to the speaker."""
        if message.msg_type == "1":
            return "test requests" not in self._by_hand
        return message.msg_type == "0" and 112 not in message and "heartbeats" not in self._by_hand

    def answer(self, message: Message) -> None:
        """What is to be said to it, if that is left to the speaker."""
        if message.msg_type == "1" and "test requests" not in self._by_hand:
            self.send("0", [(112, message.get(112, "") or "")])

    def fault(self, message: Message, named: Collection[int] = ()) -> str | None:
        """What is wrong with its header, in words, apart from the tags a script names."""
        expected = {8: self.begin_string, 49: self.target, 56: self.comp_id}
        return header_fault(self.names, message, expected, named)

    def count(self, message: Message) -> str | None:
        """Moves the number expected next; returns what is wrong with the message's own, in words."""
        expected, number, new = self.next_in, whole(message.get(34)), whole(message.get(36))
        if number is None:
            return "MsgSeqNum(34) is no number" if 34 in message else "MsgSeqNum(34) is missing"
        if message.msg_type == "4":
            if new is not None:
                self.next_in = max(expected, new) if message.get(123) == "Y" else new
            return None
        if message.possible_duplicate:
            return None
        self.next_in = number + 1
        if number == expected or (message.msg_type == "A" and message.get(141) == "Y" and number == 1):
            return None
        return f"MsgSeqNum(34) is {number}, expected {expected}"

    def _read(self, deadline: float) -> None:
        line = self._connected()
        self._parser.feed(b"")
        self._pulse()
        now = time.monotonic()
        if now >= deadline:
            raise Silent
        pending = line.pending() if isinstance(line, ssl.SSLSocket) else 0
        until = min(deadline, self._last_out + self.heartbeat) if self.heartbeat else deadline
        if not pending and not select.select([line], [], [], max(until - now, 0.0))[0]:
            return
        try:
            data = line.recv(READ_SIZE)
        except OSError:
            data = b""
        if not data:
            self.close()
            self._closed_there = True
            raise Gone
        for message in self._parser.feed(data):
            self._tell("in", message.bytes)
            self._waiting.append(message)

    def _pulse(self) -> None:
        """A Heartbeat if one is due."""
        idle = time.monotonic() - self._last_out
        if self.heartbeat and idle >= self.heartbeat and "heartbeats" not in self._by_hand:
            self.send("0", [])
