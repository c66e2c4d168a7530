"""Bytes as a client sends them, cut into messages. What is garbled is passed over, as the standard has it."""

from __future__ import annotations

import re

from acceptance.reference.faults import Fault, Faults
from acceptance.wire import Message

_HEADER = re.compile(rb"8=FIX[^\x01]{0,12}\x019=(\d{1,9})\x01")
_TRAILER = re.compile(rb"10=(\d{3})\x01")
_LENGTH_OF_TRAILER = 7
_BEGIN = b"8=FIX"

LONGEST_LOGON, LONGEST = 4096, 65536
"""bytes of a message, before and after the Logon"""


class Stream:
    """One connection."""

    def __init__(self, faults: Faults) -> None:
        self.limit = LONGEST_LOGON
        self._faults = faults
        self._buffer = b""

    def feed(self, data: bytes) -> list[Message | None]:
        """What has come, in order; None stands for something garbled."""
        self._buffer += data
        messages: list[Message | None] = []
        while self._buffer:
            start = self._buffer.find(_BEGIN)
            if start != 0:
                messages += self._pass_over(start)
                if start < 0:
                    break
            end = self._end()
            if end is None:
                break
            message = self._message(self._buffer[:end]) if end else None
            if message is None:
                messages += self._pass_over(self._buffer.find(_BEGIN, 1))
            else:
                messages.append(message)
                self._buffer = self._buffer[end:]
        return messages

    def _pass_over(self, to: int) -> list[None]:
        """Goes on at `to`; below 0: at what may become the beginning of a message."""
        rest = next((_BEGIN[:size] for size in range(4, 0, -1) if self._buffer.endswith(_BEGIN[:size])), b"")
        garbled = [None] if self._buffer != rest else []
        self._buffer = self._buffer[to:] if to >= 0 else rest
        return garbled

    def _end(self) -> int | None:
        """Where the message ends by its BodyLength(9); None: not here yet; 0: it has no end."""
        header = _HEADER.match(self._buffer)
        if header is None:
            return None if self._buffer.count(b"\x01") < 2 and len(self._buffer) < 64 else 0
        if self._faults.on(Fault.BODY_LENGTH_NOT_CHECKED):
            trailer = re.search(rb"\x0110=\d{3}\x01", self._buffer)
            return trailer.end() if trailer else None
        end = header.end() + int(header[1]) + _LENGTH_OF_TRAILER
        if end > self.limit:
            return 0
        return end if end <= len(self._buffer) else None

    def _message(self, raw: bytes) -> Message | None:
        """None for what is garbled: by its CheckSum(10), its first three fields, or a field that is none."""
        trailer = _TRAILER.fullmatch(raw[-_LENGTH_OF_TRAILER:])
        if trailer is None or raw[-_LENGTH_OF_TRAILER - 1 : -_LENGTH_OF_TRAILER] != b"\x01":
            return None
        right = sum(raw[:-_LENGTH_OF_TRAILER]) % 256 == int(trailer[1])
        if not right and not self._faults.on(Fault.CHECKSUM_NOT_CHECKED):
            return None
        try:
            message = Message(raw)
        except ValueError:
            return None
        tags = [tag for tag, _ in message.fields]
        third = tags[:3] == [8, 9, 35] or (35 in tags and self._faults.on(Fault.MSG_TYPE_ANYWHERE))
        return message if third else None
