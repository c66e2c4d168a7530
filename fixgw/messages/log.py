"""The event loop's side of the message log: one append for each piece of bytes, and nothing that waits."""

import asyncio
import logging
from collections.abc import Callable

from fixgw.messages.lines import CONNECT, DISCONNECT, GAP, IN, NOTE, OUT
from fixgw.messages.writer import Entry, Stream, Writer

PERIOD = 0.25
"""seconds after which what has come is handed to the writer"""
MOST_WAITING = 64 << 20
"""bytes of memory for what is not written yet; beyond it pieces are left out, until half of it is written"""
OVERHEAD = 200
"""bytes of memory a piece takes besides its bytes"""

log = logging.getLogger("fixgw.messages")


class MessageLog:
    """Trading never waits for it: what is not written in time is left out, and the log says how much."""

    def __init__(self, writer: Writer, clock: Callable[[], int]) -> None:
        """`clock`: nanoseconds since the epoch, UTC"""
        self._writer = writer
        self._clock = clock
        self._entries: list[Entry] = []
        self._given = 0
        """bytes of memory of all entries since the start"""
        self._left_out = 0
        self._open: set[Tap] = set()
        self._due: asyncio.TimerHandle | None = None

    def tap(self, session: str, peer: str) -> "Tap":
        """For a new connection of the session, from `peer`."""
        tap = Tap(self, session)
        self._open.add(tap)
        tap.connected(f"from {peer}")
        return tap

    def add(self, stream: Stream, kind: bytes, data: bytes) -> bool:
        """False: it is left out."""
        limit = MOST_WAITING // 2 if self._left_out else MOST_WAITING
        if self._given - self._writer.done > limit:
            if not self._left_out:
                log.warning("the message log cannot be written fast enough, bytes are left out")
            self._left_out += 1
            return False
        if self._left_out:
            log.warning("the message log goes on, %d pieces were left out", self._left_out)
            self._left_out = 0
        self._entries.append((stream, self._clock(), kind, data))
        self._given += len(data) + OVERHEAD
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(PERIOD, self._hand_over)
        return True

    def forget(self, tap: "Tap") -> None:
        self._open.discard(tap)

    def close(self) -> None:
        """Writes all there is, and nothing after it; called once."""
        for tap in list(self._open):
            tap.disconnected("as the venue stops")
        self._hand_over(last=True)
        self._writer.wait()

    def _hand_over(self, last: bool = False) -> None:
        self._due = None
        entries, self._entries = self._entries, []
        self._writer.take(entries, self._given, last)


class Tap:
    """One connection's bytes on their way into the log of its session."""

    def __init__(self, message_log: MessageLog, session: str) -> None:
        self._log = message_log
        self._stream = Stream(session)
        self._left_out = 0

    def received(self, data: bytes) -> None:
        self._add(IN, data)

    def sent(self, data: bytes) -> None:
        self._add(OUT, data)

    def connected(self, text: str) -> None:
        self._add(CONNECT, text.encode("utf-8", "backslashreplace"))

    def note(self, text: str) -> None:
        self._add(NOTE, text.encode("utf-8", "backslashreplace"))

    def disconnected(self, text: str) -> None:
        self._add(DISCONNECT, text.encode("utf-8", "backslashreplace"))
        self._log.forget(self)

    def _add(self, kind: bytes, data: bytes) -> None:
        if self._left_out and self._log.add(self._stream, GAP, b"%d pieces left out" % self._left_out):
            self._left_out = 0
        if self._left_out or not self._log.add(self._stream, kind, data):
            self._left_out += 1
