"""The TLS port: accepts connections, and lets in those who finish their handshake.

It accepts by itself, as a server of asyncio's never tells of a handshake that failed: its connection would
count for good. So each new connection gets the context of that moment, and counts from its first byte."""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable

from fixgw.door.connection import LINGER, Connection
from fixgw.door.peer import Peer
from fixgw.settings import Door as DoorSettings

PACE = 0.005
"""seconds from one connection accepted to the next: a handshake takes a millisecond or two of the thread that
also trades, so a flood of them must not have all of it"""
PAUSE = 1.0
"""seconds without accepting after the system had no socket left"""

REASONS = {
    "WRONG_VERSION_NUMBER": "it does not speak TLS",
    "HTTP_REQUEST": "it does not speak TLS",
    "UNSUPPORTED_PROTOCOL": "it speaks no TLS from 1.2 on",
    "NO_PROTOCOLS_AVAILABLE": "it speaks no TLS from 1.2 on",
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "it showed no certificate",
    "TLSV1_ALERT_UNKNOWN_CA": "it does not trust the venue's certificate",
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "it does not trust the venue's certificate",
    "SSLV3_ALERT_BAD_CERTIFICATE": "it does not trust the venue's certificate",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "it does not trust the venue's certificate",
}
"""what OpenSSL calls them"""

log = logging.getLogger("fixgw.door")


class TlsPort:
    def __init__(
        self, settings: DoorSettings, context: ssl.SSLContext, meet: Callable[[], Connection]
    ) -> None:
        """`meet` makes a connection, which counts from then on."""
        self.context = context
        """for connections from now on; those inside keep theirs"""
        self._settings = settings
        self._meet = meet
        self._listeners: list[socket.socket] = []
        self._handshakes: set[asyncio.Task[None]] = set()

    async def open(self, address: str, port: int) -> tuple[str, int]:
        """Listens; returns the address and the port it has. Raises OSError."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, where in found:
            listener = socket.create_server(where, family=family, backlog=self._settings.backlog)
            listener.setblocking(False)
            self._listeners.append(listener)
            self._listen(listener)
        name = self._listeners[0].getsockname()
        return str(name[0]), int(name[1])

    def shut(self) -> None:
        for listener in self._listeners:
            asyncio.get_running_loop().remove_reader(listener)
            listener.close()
        self._listeners.clear()

    def _listen(self, listener: socket.socket) -> None:
        if listener in self._listeners:
            asyncio.get_running_loop().add_reader(listener, self._accept, listener)

    def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(listener)
        pause = PACE
        try:
            line, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):  # it is gone again
            pass
        except OSError as problem:
            pause = PAUSE
            log.error("no TLS connection can be accepted for %d s: %s", PAUSE, problem.strerror)
        else:
            task = loop.create_task(self._shake_hands(line, Peer(address[0], address[1], tls=True)))
            self._handshakes.add(task)
            task.add_done_callback(self._handshakes.discard)
        loop.call_later(pause, self._listen, listener)

    async def _shake_hands(self, line: socket.socket, peer: Peer) -> None:
        connection = self._meet()
        if not connection.announce(line, peer):
            line.close()
            return
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection,
                line,
                ssl=self.context,
                ssl_shutdown_timeout=LINGER,
            )
        except Exception as problem:  # of whatever kind: it must not count any longer
            counts = isinstance(problem, ssl.SSLError)
            connection.stay_out(_in_words(problem), counts)


def _in_words(problem: Exception) -> str:
    if isinstance(problem, ssl.SSLCertVerificationError):
        return f"its certificate is not taken: {problem.verify_message}"
    if isinstance(problem, ssl.SSLError):
        reason = problem.reason or str(problem)
        return REASONS.get(reason, reason.replace("_", " ").lower())
    if isinstance(problem, ConnectionError):
        return "it hung up"
    return str(problem) or type(problem).__name__
