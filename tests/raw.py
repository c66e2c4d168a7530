"""A raw FIX client for tests: text on a socket, without quickfix. It sends exactly what a test asks for,
right or wrong, and checks the form of everything that comes back."""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Iterable

from tests.wire import (
    BUY,
    SELL,
    Fields,
    Parser,
    Received,
    cancel,
    encode,
    frame,
    new_order,
    readable,
    replace,
    utc_now,
)

__all__ = [
    "BUY",
    "SELL",
    "Disconnected",
    "NothingCame",
    "RawClient",
    "Received",
    "cancel",
    "encode",
    "frame",
    "new_order",
    "readable",
    "replace",
    "utc_now",
]

READ_SIZE = 256 * 1024


class Disconnected(AssertionError):
    """The venue closed the connection where a message was expected."""


class NothingCame(AssertionError):
    """No message arrived in time."""


class RawClient:
    """One connection of one session. It numbers what it sends and keeps every message received, but
    answers nothing by itself: no heartbeat, no resend. Timeouts are seconds."""

    def __init__(
        self,
        host: str,
        port: int,
        comp_id: str,
        target: str = "FIXGW",
        begin_string: str = "FIX.4.4",
        timeout: float = 10.0,
    ) -> None:
        self.address = (host, port)
        self.comp_id, self.target, self.begin_string = comp_id, target, begin_string
        self.timeout = timeout
        self.source = ""
        """the address it connects from, such as 127.0.0.2; empty: any"""
        self.next_outbound = 1
        self.next_inbound = 1
        self.received: list[Received] = []
        self._ahead: set[int] = set()
        self._waiting: list[Received] = []
        self._parser = Parser()
        self._socket: socket.socket | None = None

    def __enter__(self) -> RawClient:
        if self._socket is None:
            self.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def socket(self) -> socket.socket:
        assert self._socket is not None, f"{self.comp_id} is not connected: call connect()"
        return self._socket

    @property
    def connected(self) -> bool:
        return self._socket is not None

    def connect(self) -> RawClient:
        """Opens a new connection; sequence numbers and what was received stay."""
        self.close()
        self._parser = Parser()
        self._waiting = []
        source = (self.source, 0) if self.source else None
        self._socket = socket.create_connection(self.address, self.timeout, source)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self

    def close(self, abort: bool = False) -> None:
        """Closes without a Logout; `abort` sends a TCP reset, as a dying client does."""
        if self._socket is not None:
            if abort:
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._socket.close()
            self._socket = None

    # Sending

    def send(
        self,
        msg_type: str,
        fields: Iterable[tuple[int, object]] = (),
        *,
        sequence: int | None = None,
        possdup: bool = False,
        possresend: bool = False,
        sending_time: str | None = None,
        original_sending_time: str | None = None,
        begin_string: str | None = None,
        sender: str | None = None,
        target: str | None = None,
        header: Iterable[tuple[int, object]] = (),
        body_length: object = None,
        checksum: object = None,
    ) -> bytes:
        """Sends one message and returns its bytes. Without `sequence` it takes the next number; with
        one, the next number stays as it is. `header` fields come after the standard ones."""
        if sequence is None:
            sequence, self.next_outbound = self.next_outbound, self.next_outbound + 1
        standard: Fields = [(35, msg_type), (34, sequence)]
        standard += [(43, "Y")] if possdup else []
        standard += [(49, sender or self.comp_id), (52, sending_time or utc_now())]
        standard += [(56, target or self.target)]
        standard += [(97, "Y")] if possresend else []
        standard += [(122, original_sending_time)] if original_sending_time else []
        body = encode([*standard, *header, *fields])
        raw = frame(begin_string or self.begin_string, body, body_length, checksum)
        self.send_bytes(raw)
        return raw

    def send_bytes(self, raw: bytes) -> None:
        self.socket.settimeout(self.timeout)
        self.socket.sendall(raw)

    def send_logon(
        self,
        heartbeat: int = 30,
        reset: bool = False,
        sequence: int | None = None,
        extra: Iterable[tuple[int, object]] = (),
    ) -> bytes:
        """`reset` sends ResetSeqNumFlag=Y and starts both numbers at 1; `sequence` moves the next
        outbound number there first."""
        if reset:
            self.next_outbound = self.next_inbound = 1
            self._ahead.clear()
        if sequence is not None:
            self.next_outbound = sequence
        fields: Fields = [(98, 0), (108, heartbeat)]
        fields += [(141, "Y")] if reset else []
        fields += [(1137, 9)] if self.begin_string == "FIXT.1.1" else []
        return self.send("A", [*fields, *extra])

    def logon(
        self,
        heartbeat: int = 30,
        reset: bool = False,
        sequence: int | None = None,
        extra: Iterable[tuple[int, object]] = (),
    ) -> Received:
        """Connects if need be, logs on and returns the venue's Logon."""
        if self._socket is None:
            self.connect()
        self.send_logon(heartbeat, reset, sequence, extra)
        return self.expect("A")

    def logout(self) -> Received:
        """Logs out, returns the venue's Logout and closes; reports on the way are in `received`."""
        self.send("5")
        while (message := self.receive()).msg_type != "5":
            pass
        self.close()
        return message

    # Receiving

    def receive(self, timeout: float | None = None) -> Received:
        """The next message. Raises NothingCame after `timeout`, Disconnected at the end of the stream."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while not self._waiting:
            ready, _, _ = select.select([self.socket], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise NothingCame(f"{self.comp_id}: nothing came in time; {self._history()}")
            try:
                data = self.socket.recv(READ_SIZE)
            except ConnectionError:
                data = b""
            if not data:
                raise Disconnected(f"{self.comp_id}: the venue closed the connection; {self._history()}")
            self._waiting = self._parser.feed(data)
        message = self._waiting.pop(0)
        self.received.append(message)
        self._count(message)
        return message

    def expect(self, msg_type: str, timeout: float | None = None, **tags: object) -> Received:
        """The next message must be a `msg_type` with these fields: `expect("8", t150="0", t11="a")`;
        None says the tag must be absent. Heartbeats are passed over, unless one is expected."""
        expected = " ".join([f"35={msg_type}", *(f"{tag[1:]}={value}" for tag, value in tags.items())])
        try:
            message = self.receive(timeout)
            while message.msg_type == "0" and msg_type != "0":
                message = self.receive(timeout)
        except (NothingCame, Disconnected) as failure:
            raise type(failure)(f"expected {expected}; {failure}") from None
        wrong = [
            f"{tag[1:]} is {message.get(int(tag[1:]))}, not {value}"
            for tag, value in tags.items()
            if message.get(int(tag[1:])) != (None if value is None else str(value))
        ]
        if message.msg_type != msg_type:
            wrong.insert(0, f"35 is {message.msg_type}, not {msg_type}")
        assert not wrong, f"{self.comp_id}: {', '.join(wrong)}\nexpected {expected}\ncame     {message}"
        return message

    def expect_disconnect(self, timeout: float | None = None) -> list[Received]:
        """Reads until the venue closes the connection; returns what came before that."""
        before = []
        try:
            while True:
                before.append(self.receive(timeout))
        except Disconnected:
            self.close()
            return before
        except NothingCame:
            raise NothingCame(f"{self.comp_id}: still connected; {self._history()}") from None

    def settle(self, timeout: float | None = None) -> list[Received]:
        """Sends a TestRequest and returns what came before its Heartbeat: all answers to what was sent
        before, so an empty list proves that nothing was answered."""
        label = f"settle-{self.next_outbound}"
        self.send("1", [(112, label)])
        before: list[Received] = []
        while (message := self.receive(timeout)).get(112) != label:
            before.append(message)
        return before

    def _count(self, message: Received) -> None:
        """Advances next_inbound over what came without a gap; a gap stops it until it is filled."""
        if message.msg_type == "4" and (message.sequence <= self.next_inbound or message.get(123) != "Y"):
            self.next_inbound = max(self.next_inbound, int(message[36]))
        elif message.sequence >= self.next_inbound:
            self._ahead.add(message.sequence)
        while self.next_inbound in self._ahead:
            self._ahead.remove(self.next_inbound)
            self.next_inbound += 1

    def _history(self) -> str:
        last = "\n  ".join(str(message) for message in self.received[-5:])
        return f"last of {len(self.received)} received:\n  {last}" if last else "nothing was received before"
