"""The listening sockets and how many may stand at them."""

import asyncio
import logging
import ssl
from collections.abc import Callable

from fixgw.door.connection import Connection
from fixgw.door.gate import Gate
from fixgw.door.tls_port import TlsPort
from fixgw.settings import Door as DoorSettings

log = logging.getLogger("fixgw.door")


class Door:
    def __init__(self, settings: DoorSettings, gate: Gate, knock: Callable[[Connection], None]) -> None:
        self._settings = settings
        self._gate = gate
        self._knock = knock
        self._inside: set[Connection] = set()
        self._server: asyncio.Server | None = None
        self._tls: TlsPort | None = None

    async def open(self, address: str, port: int) -> tuple[str, int]:
        """Listens; returns the address and the port it has. Raises OSError."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._meet, address, port, backlog=self._settings.backlog)
        found = self._server.sockets[0].getsockname()
        return str(found[0]), int(found[1])

    async def open_tls(self, address: str, port: int, context: ssl.SSLContext) -> tuple[str, int]:
        """The same for TLS."""
        self._tls = TlsPort(self._settings, context, self._meet)
        return await self._tls.open(address, port)

    def renew(self, context: ssl.SSLContext) -> None:
        """From here on new connections are met with it; who is inside does not notice."""
        assert self._tls is not None
        self._tls.context = context

    def shut(self) -> None:
        """No one else comes in; who is inside stays."""
        if self._server is not None:
            self._server.close()
        if self._tls is not None:
            self._tls.shut()

    def _meet(self) -> Connection:
        connection = Connection(self._settings, self._gate, self._knock, self._leave)
        self._inside.add(connection)
        if len(self._inside) > self._settings.connections:
            connection.refusal = f"{self._settings.connections} connections are open already"
        return connection

    def _leave(self, connection: Connection) -> None:
        self._inside.discard(connection)
