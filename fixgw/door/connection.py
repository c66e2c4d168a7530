"""One TCP connection, from its first byte to its last."""

import asyncio
import logging
from collections.abc import Callable
from typing import cast

from fixgw.codec.frame import Garbled, first_message
from fixgw.door.gate import Gate, Soon, Stay
from fixgw.door.guard import Flood, Guard
from fixgw.messages.log import MessageLog, Tap
from fixgw.sessions.session import Session
from fixgw.settings import Door as DoorSettings

READ_AHEAD = 262144
"""bytes received and not yet taken at which reading pauses; below a quarter of it, reading goes on"""
WRITE_AHEAD = 262144
"""bytes written and not yet accepted by the socket at which the outbox takes over"""
LINGER = 5
"""seconds a client has to read the last bytes of a connection that ends, or to close after its Logout"""

log = logging.getLogger("fixgw.door")


class Connection(asyncio.Protocol):
    """Strangers are read up to one Logon, of bounded size, by a deadline; then bytes move both ways."""

    def __init__(
        self,
        settings: DoorSettings,
        gate: Gate,
        knock: "Callable[[Connection], None]",
        leave: "Callable[[Connection], None]",
        message_log: MessageLog | None,
    ) -> None:
        """`knock` is called whenever there is something to do for the connection's session, `leave` once
        at its end."""
        self.session: Session | None = None
        self.logon = b""
        """the Logon, until its session takes it"""
        self.objection = ""
        self.next_expected: int | None = None
        self.heartbeat = 0
        self.gone = False
        self.congested = False
        self.waiting = 0
        self.peer = ""
        self._settings = settings
        self._gate = gate
        self._knock = knock
        self._leave = leave
        self._message_log = message_log
        self._tap: Tap | None = None
        self._left = False
        """the client has closed its side"""
        self._refusal = ""
        self._farewell: Callable[[], None] | None = None
        self._guard = Guard(settings.message_bytes)
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._paused = False
        self._ending = False

    # -- the transport's side ------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        address = self._transport.get_extra_info("peername")
        self.peer = f"{address[0]}:{address[1]}" if address else "?"
        self._transport.set_write_buffer_limits(high=WRITE_AHEAD)
        if self._refusal:
            self._turn_away(self._refusal)
            return
        loop = asyncio.get_running_loop()
        self._deadline = loop.call_later(self._settings.logon_deadline_seconds, self._too_late)

    def data_received(self, data: bytes) -> None:
        if self._tap is not None:
            self._tap.received(data)
        if self._ending:
            return
        if self.session is None:
            self._knock_with_logon(data)
            return
        try:
            self._buffer += self._guard.admit(data)
        except Flood as flood:
            self.cut(str(flood))
            return
        self.waiting = len(self._buffer)
        if self.waiting > READ_AHEAD and not self._paused:
            self._paused = True
            self._transport.pause_reading()  # type: ignore[union-attr]
        self._knock(self)

    def eof_received(self) -> None:
        self._left = True
        if self._farewell is not None:
            self._farewell()

    def connection_lost(self, error: Exception | None) -> None:
        self._cancel_deadline()
        self._leave(self)
        self.gone = True
        if self.session is not None:
            why = f": {error}" if error else ""
            log.info("%s: session %s disconnected%s", self.peer, self.session.name, why)
            if self._tap is not None:
                by = "client" if self._left or error else "venue"
                self._tap.disconnected(f"by the {by}{why}")
            self._knock(self)

    def pause_writing(self) -> None:
        self.congested = True

    def resume_writing(self) -> None:
        self.congested = False
        if self.session is not None and self.session.connection is self:
            self.session.mailbox.outflow.pump()

    # -- the session's side --------------------------------------------------------------------------

    @property
    def closing(self) -> bool:
        return self._transport is not None and self._transport.is_closing()

    def peek(self, most: int) -> bytes:
        return bytes(self._buffer[:most])

    def drop(self, count: int) -> None:
        del self._buffer[:count]
        self.waiting = len(self._buffer)
        if self._paused and self.waiting < READ_AHEAD // 4 and not self._ending:
            self._paused = False
            self._transport.resume_reading()  # type: ignore[union-attr]

    def write(self, data: bytes) -> None:
        if not (self._ending or self.gone):
            if self._tap is not None:
                self._tap.sent(data)
            self._transport.write(data)  # type: ignore[union-attr]

    def note(self, text: str) -> None:
        if self._tap is not None:
            self._tap.note(text)

    def cut(self, why: str) -> None:
        """Ends it at once; what was not delivered comes again with the next logon."""
        if not self._ending:
            self._ending = True
            name = self.session.name if self.session is not None else "none"
            log.warning("%s: cut (session %s): %s", self.peer, name, why)
            self.note(f"cut: {why}")
            self._transport.abort()  # type: ignore[union-attr]

    def finish(self, farewell: Callable[[], None] | None) -> None:
        if not self._ending:
            self._ending = True
            self._farewell = farewell
            if farewell is None:
                self._transport.close()  # type: ignore[union-attr]
            elif self._paused:
                self._transport.resume_reading()  # type: ignore[union-attr]
            asyncio.get_running_loop().call_later(LINGER, self._transport.abort)  # type: ignore[union-attr]

    def refuse_entry(self, why: str) -> None:
        """Before it is made: there is no room for it."""
        self._refusal = why

    # -- the Logon -----------------------------------------------------------------------------------

    def _knock_with_logon(self, data: bytes) -> None:
        self._buffer += data
        try:
            found = first_message(
                bytes(self._buffer[: self._settings.logon_bytes + 1]), self._settings.logon_bytes
            )
            if found is None:
                return
            fields, length = found
            session, self.objection = self._gate.session_for(fields)
        except (Garbled, Stay) as problem:
            self._turn_away(str(problem))
            return
        except Soon:
            asyncio.get_running_loop().call_soon(self._knock_again)
            return
        self._cancel_deadline()
        log.info("%s: session %s connected", self.peer, session.name)
        self.session = session
        session.reserve(self)
        if not self.objection:
            self.heartbeat = int(fields["108"])
            self.next_expected = int(fields["789"]) if "789" in fields else None
        self.logon = bytes(self._buffer[:length])
        if self._message_log is not None:
            self._tap = self._message_log.tap(session.name, self.peer)
            self._tap.received(self.logon)
        rest = bytes(self._buffer[length:])
        self._buffer.clear()
        self._knock(self)
        if rest:
            self.data_received(rest)

    def _knock_again(self) -> None:
        if self.session is None and not self._ending and not self.gone:
            self._knock_with_logon(b"")

    def _too_late(self) -> None:
        self._turn_away(f"no Logon within {self._settings.logon_deadline_seconds} s")

    def _turn_away(self, why: str) -> None:
        self._ending = True
        self._cancel_deadline()
        log.warning("%s: turned away: %s", self.peer, why)
        self._transport.abort()  # type: ignore[union-attr]

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
