"""One session of the load generator: prebuilt orders out, numbers of the orders reported on in."""

from __future__ import annotations

from tests.bench.orders import reported
from tests.raw import RawClient

READ_SIZE = 1 << 20


class Lane:
    """One session's connection, with what is still to be sent and what came half."""

    def __init__(self, client: RawClient, messages: list[bytes], numbers: range, run: int) -> None:
        self.client, self.messages, self.numbers = client, messages, numbers
        self._reported = reported(run)
        self.socket = client.socket
        self.socket.setblocking(False)
        self.sent = 0
        self.reports = self.rejects = 0
        self.unsent = b""
        self._half = b""
        self.ended = False

    @property
    def left(self) -> int:
        return len(self.messages) - self.sent

    def take(self, count: int) -> range:
        """Queues the next `count` orders; returns their numbers."""
        first, self.sent = self.sent, min(self.sent + count, len(self.messages))
        self.unsent += b"".join(self.messages[first : self.sent])
        return self.numbers[first : self.sent]

    def flush(self) -> None:
        if self.unsent:
            try:
                self.unsent = self.unsent[self.socket.send(self.unsent) :]
            except BlockingIOError:
                return

    def ask_end(self) -> None:
        """All answers to the orders come before the Heartbeat that answers this."""
        self.client.next_outbound += self.sent
        self.client.send("1", [(112, "end")])

    def read(self) -> list[bytes]:
        """The order numbers of all complete messages that have come, one for each report."""
        try:
            data = self._half + self.socket.recv(READ_SIZE)
        except BlockingIOError:  # over TLS, half a record
            return []
        assert len(data) > len(self._half), f"the venue closed the connection after {data[-300:]!r}"
        end = data.rfind(b"\x0110=", 0, len(data) - len("000|")) + len("|10=000|")
        if end < len("|10=000|"):
            self._half = data
            return []
        self._half = data[end:]
        self.reports += data.count(b"\x0135=8\x01", 0, end)
        self.rejects += data.count(b"\x01150=8\x01", 0, end) + data.count(b"\x0135=3\x01", 0, end)
        self.ended = data.find(b"\x01112=end\x01", 0, end) > 0
        return self._reported.findall(data, 0, end)
