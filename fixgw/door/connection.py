"""One connection, over TCP or TLS, from its first byte to its last."""

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, cast

from fixgw.codec.frame import without
from fixgw.door.gate import Entry
from fixgw.door.guard import Flood, Guard
from fixgw.door.peer import Peer
from fixgw.door.saying import say_no_more, unacknowledged
from fixgw.door.stranger import Stranger
from fixgw.door.tls import peer_of
from fixgw.door.traffic import Traffic
from fixgw.door.visit import Visit
from fixgw.messages.log import MessageLog, Tap
from fixgw.sessions.session import Session
from fixgw.settings import Door as DoorSettings

READ_AHEAD = 262144
"""bytes received and not yet taken at which reading pauses; below a quarter of it, reading goes on"""
WRITE_AHEAD = 262144
"""bytes written and not yet accepted by the socket at which the outbox takes over"""
LINGER = 5
"""seconds a client has to read the last bytes of a connection that ends, or to close after its Logout"""
SECRETS = frozenset(b"553 554 925 95 96 1400 1401 1402 1403 1404".split())
"""tags of a Logon that are for the gate alone: Username, passwords, RawData and what belongs to them"""

log = logging.getLogger("fixgw.door")


class Doorkeeper(Protocol):
    """The door, as a connection sees it."""

    def arrive(self, connection: "Connection") -> Stranger | None: ...

    def log_on(self, connection: "Connection") -> None: ...

    def fail(self, connection: "Connection") -> None: ...

    def leave(self, connection: "Connection") -> None: ...


class Connection(asyncio.Protocol):
    """Strangers are read up to one Logon, of bounded size, by a deadline; then bytes move both ways."""

    def __init__(
        self,
        settings: DoorSettings,
        door: Doorkeeper,
        knock: "Callable[[Connection], None]",
        message_log: MessageLog | None,
        traffic: Traffic,
    ) -> None:
        """`knock` is called whenever there is something to do for the connection's session."""
        self.session: Session | None = None
        self.logon = b""
        """the Logon without its secrets, until its session takes it"""
        self.objection = ""
        self.next_expected: int | None = None
        self.new_password: tuple[str, str] | None = None
        self.heartbeat = 0
        self.cancels = ""
        self.gone = False
        self.congested = False
        self.waiting = 0
        self.peer = Peer("", 0)
        self._door = door
        self._knock = knock
        self._message_log = message_log
        self._traffic = traffic
        self._tap: Tap | None = None
        self._left = False
        """the client has closed its side, and not because the venue did"""
        self._stranger: Stranger | None = None
        self._farewell: Callable[[], None] | None = None
        self._guard = Guard(settings)
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self._line: socket.socket | None = None
        """before there is a transport, in the TLS handshake"""
        self._paused = False
        self._ending = False

    # -- before its TLS handshake is over ------------------------------------------------------------

    def announce(self, line: socket.socket, peer: Peer) -> bool:
        """A handshake is about to begin. False if it need not, as there is no room for it."""
        self._line, self.peer = line, peer
        return self._arrive()

    def stay_out(self, why: str, counts: bool) -> None:
        """There will be no transport: the handshake has failed."""
        self.turn_away(why, counts)
        self._door.leave(self)
        self.gone = True

    # -- the transport's side ------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=WRITE_AHEAD)
        peer = peer_of(transport)
        if peer is None or self._ending:  # gone already
            self.close()
            return
        self.peer = peer
        if self._stranger is not None:  # since before its TLS handshake
            self._stranger.peer = peer
        elif not self._arrive():
            self.close()

    def data_received(self, data: bytes) -> None:
        if self._tap is not None:
            self._tap.received(data)
        if self._ending:
            return
        if self._stranger is not None:
            self._stranger.receive(data)
            if self._stranger is not None and self._stranger.full:
                self._pause()
            return
        self._traffic.received += len(data)
        try:
            self._buffer += self._guard.admit(data)
        except Flood as flood:
            self.cut(str(flood))
            return
        self.waiting = len(self._buffer)
        if self.waiting > READ_AHEAD:
            self._pause()
        self._knock(self)

    def eof_received(self) -> None:
        self._left = not self._ending or self._farewell is not None
        if self.peer.tls:
            self._ending = True  # a TLS stream ends in both directions: nothing more can be written
        elif self._farewell is not None and not unacknowledged(self._transport):
            self._farewell()

    def connection_lost(self, error: Exception | None) -> None:
        self._forget_stranger()
        self._door.leave(self)
        self.gone = True
        if self.session is not None:
            why = f": {error}" if error else ""
            log.info("%s: session %s disconnected%s", self.peer, self.session.name, why)
            if self._tap is not None:
                by = "client" if self._left or (error and not self._ending) else "venue"
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
            self._traffic.sent += len(data)
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
            self._traffic.cut += 1
            name = self.session.name if self.session is not None else "none"
            log.warning("%s: cut (session %s): %s", self.peer, name, why)
            self.note(f"cut: {why}")
            self._transport.abort()  # type: ignore[union-attr]

    def finish(self, farewell: Callable[[], None] | None) -> None:
        """What still comes is read and thrown away: a socket closed with unread bytes is reset, and the last
        words would be lost."""
        if not self._ending:
            self._ending = True
            if self.peer.tls:
                # A close_notify is sent as well by who leaves with unread bytes, or by a stunnel whose client
                # died; and the end of the TCP stream alone can be forged.
                farewell = None
            self._farewell = farewell
            if self.closing:
                return  # the client's end came before ours, and with it all that there was to say
            if self._paused:
                self._transport.resume_reading()  # type: ignore[union-attr]
            if farewell is None:
                say_no_more(self._transport)
            asyncio.get_running_loop().call_later(LINGER, self._transport.abort)  # type: ignore[union-attr]

    # -- until it is a session's ---------------------------------------------------------------------

    def turn_away(self, why: str, counts: bool = False) -> None:
        """`counts`: as a failed Logon of its address"""
        if not (self._ending or self.gone):
            where = "TLS handshake: " if self._transport is None else ""
            log.warning("%s: turned away: %s%s", self.peer, where, why)
            self.close()
            if counts:
                self._door.fail(self)

    def close(self) -> None:
        """The same, without a word also to the log."""
        self._ending = True
        self._forget_stranger()
        if self._transport is not None:
            self._transport.abort()
        elif self._line is not None:
            with suppress(OSError):
                self._line.shutdown(socket.SHUT_RDWR)  # the handshake fails, and with it all ends

    def come_in(self, visit: Visit, entry: Entry) -> None:
        log.info("%s: session %s connected%s", self.peer, entry.session.name, " over TLS" * self.peer.tls)
        received = bytes(self._stranger.received)  # type: ignore[union-attr]
        self._stranger = None
        self._traffic.received += visit.length
        self.session, self.objection, self.new_password = entry
        self.session.reserve(self)
        self._door.log_on(self)
        if not self.objection:
            self.heartbeat = int(visit.logon["108"])
            self.next_expected = int(visit.logon["789"]) if "789" in visit.logon else None
            self.cancels = visit.logon.get("8013", "")
        self.logon = without(received[: visit.length], SECRETS)
        if self._message_log is not None:
            self._tap = self._message_log.tap(self.session.name, str(self.peer))
            self._tap.received(received[: visit.length])
        self._knock(self)
        if len(received) > visit.length:
            self.data_received(received[visit.length :])

    def _arrive(self) -> bool:
        self._stranger = self._door.arrive(self)
        return self._stranger is not None

    def _forget_stranger(self) -> None:
        if self._stranger is not None:
            self._stranger.stop()
            self._stranger = None

    def _pause(self) -> None:
        if not self._paused:
            self._paused = True
            self._transport.pause_reading()  # type: ignore[union-attr]
