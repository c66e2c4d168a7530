"""TLS by hand over a plain socket: a test decides which bytes leave, when, and whether they arrive whole."""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress

from tests.door.authority import VENUE


class ByHand:
    def __init__(self, line: socket.socket, context: ssl.SSLContext) -> None:
        self.line = line
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=VENUE)

    def hello(self) -> bytes:
        """The first message of the handshake."""
        with suppress(ssl.SSLWantReadError):
            self._tls.do_handshake()
        return self._outgoing.read()

    def finish(self) -> None:
        """The rest of the handshake, once `hello` was sent."""
        while True:
            self._incoming.write(self._received())
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self.line.sendall(self._outgoing.read())
            else:
                self.line.sendall(self._outgoing.read())
                return

    def shake_hands(self) -> None:
        self.line.sendall(self.hello())
        self.finish()

    def records(self, data: bytes) -> bytes:
        """What is to be sent for it."""
        self._tls.write(data)
        return self._outgoing.read()

    def close_notify(self) -> bytes:
        with suppress(ssl.SSLWantReadError):
            self._tls.unwrap()
        return self._outgoing.read()

    def read(self) -> bytes:
        """The next bytes of the stream; empty after a close_notify. Raises EOFError if it ends without."""
        while True:
            try:
                return self._tls.read(65536)
            except ssl.SSLZeroReturnError:
                return b""
            except ssl.SSLWantReadError:
                self._incoming.write(self._received())

    def _received(self) -> bytes:
        data = self.line.recv(65536)
        if not data:
            raise EOFError
        return data
