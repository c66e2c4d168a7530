"""The listening sockets, and how many may stand at them."""

import asyncio
import logging
import ssl
from collections.abc import Callable

from fixgw.door.attempts import network_of
from fixgw.door.connection import Connection
from fixgw.door.crowd import Crowd
from fixgw.door.gate import Gate
from fixgw.door.hashing import Hashing
from fixgw.door.stranger import Stranger
from fixgw.door.tls_port import TlsPort
from fixgw.door.traffic import Traffic
from fixgw.messages.log import MessageLog
from fixgw.settings import Door as DoorSettings

SUM_UP = 10
"""seconds in which the same refusal is logged once more, with how often it came"""

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
        self.traffic = Traffic()
        self._hashing = Hashing()
        self._crowd: Crowd[Connection] = Crowd()
        self._repeated: dict[str, int] = {}
        """refusals in the crowd that were logged lately, and how often they came since"""
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
        for stranger in self._crowd.all_strangers():
            stranger.turn_away("the venue is closing")
        self._hashing.close()

    def _meet(self) -> Connection:
        self.traffic.connections += 1
        return Connection(self._settings, self, self._knock, self._message_log, self.traffic)

    # -- what connections tell it --------------------------------------------------------------------

    def arrive(self, connection: Connection) -> Stranger | None:
        """A new connection, a stranger at first; None if it cannot stay."""
        network = network_of(connection.peer.address)
        if self._gate.attempts.turns_away(network, self._gate.clock()):
            return None
        if self._crowd.of(network) >= self._settings.connections_per_address:
            self._refuse(network, f"{self._settings.connections_per_address} connections from there are open")
            return None
        if len(self._crowd) >= self._settings.connections and not self._make_room():
            self._refuse("anyone", f"{self._settings.connections} clients are logged on")
            return None
        self._crowd.add(connection, network)
        peer, admit, turn_away = connection.peer, connection.come_in, connection.turn_away
        return Stranger(self._settings, self._gate, self._hashing, peer, admit, turn_away)

    def log_on(self, connection: Connection) -> None:
        """It is a session's now."""
        self.traffic.logons += 1
        self._crowd.log_on(connection)

    def fail(self, connection: Connection) -> None:
        """Its Logon was refused. Too many of them close its address, to all who have not logged on."""
        network, attempts = network_of(connection.peer.address), self._gate.attempts
        if attempts.fail(network, self._gate.clock()):
            seconds = attempts.settings.failed_logon_seconds
            log.warning("%s: too many failed Logons; closed to it for %d s", network, seconds)
            asyncio.get_running_loop().call_later(seconds, self._reopen, network)
            for stranger in self._crowd.strangers(network):
                stranger.turn_away("its address is closed")

    def leave(self, connection: Connection) -> None:
        self._crowd.remove(connection)

    # -- the crowd -----------------------------------------------------------------------------------

    def _make_room(self) -> bool:
        """The oldest connection that is no session's goes, of the address that has most of them: who holds
        places without logging on keeps no client out."""
        stranger = self._crowd.who_makes_room()
        if stranger is None:
            return False
        self._refuse("who has not logged on", f"{self._settings.connections} connections are open")
        self._crowd.remove(stranger)
        stranger.close()
        return True

    def _reopen(self, network: str) -> None:
        turned_away = self._gate.attempts.reopen(network)
        log.info("%s: open to it again; %d connections were turned away meanwhile", network, turned_away)

    def _refuse(self, whom: str, why: str) -> None:
        """Logs it, but a flood of the same only once and then its number."""
        text = f"{whom}: turned away: {why}"
        if text in self._repeated:
            self._repeated[text] += 1
        else:
            self._repeated[text] = 0
            log.warning("%s", text)
            asyncio.get_running_loop().call_later(SUM_UP, self._sum_up, text)

    def _sum_up(self, text: str) -> None:
        count = self._repeated.pop(text)
        if count:
            log.warning("%s (%d times more)", text, count)
