"""The listening socket and how many may stand at it."""

import asyncio
import logging
from collections.abc import Callable

from fixgw.door.connection import Connection
from fixgw.door.gate import Gate
from fixgw.messages.log import MessageLog
from fixgw.settings import Door as DoorSettings

log = logging.getLogger("fixgw.door")


class Door:
    def __init__(
        self,
        settings: DoorSettings,
        gate: Gate,
        knock: Callable[[Connection], None],
        message_log: MessageLog | None,
    ) -> None:
        self._settings = settings
        self._gate = gate
        self._knock = knock
        self._message_log = message_log
        self._inside: set[Connection] = set()
        self._server: asyncio.Server | None = None

    async def open(self, address: str, port: int) -> tuple[str, int]:
        """Listens; returns the address and the port it has. Raises OSError."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._meet, address, port, backlog=self._settings.backlog)
        found = self._server.sockets[0].getsockname()
        return str(found[0]), int(found[1])

    def shut(self) -> None:
        """No one else comes in; who is inside stays."""
        if self._server is not None:
            self._server.close()

    def _meet(self) -> Connection:
        connection = Connection(self._settings, self._gate, self._knock, self._leave, self._message_log)
        self._inside.add(connection)
        if len(self._inside) > self._settings.connections:
            connection.refuse_entry(f"{self._settings.connections} connections are open already")
        return connection

    def _leave(self, connection: Connection) -> None:
        self._inside.discard(connection)
