"""A link carries frames both ways between two nodes, in order, until it breaks. There are two kinds, through
a Unix socket to another process, and inside one process. Who speaks (fixgw.bridge.peer) knows none."""

import asyncio
from collections import deque
from typing import Protocol

from fixgw.bridge.frames import LENGTH, MOST, BadFrame, Frame, decode, encode


class LinkBroken(Exception):
    """Nothing comes any more. The text is for the log."""


class Link(Protocol):
    async def send(self, frame: Frame) -> None:
        """Waits while the other end does not keep up. Raises LinkBroken."""

    async def receive(self) -> Frame:
        """The next one. Raises LinkBroken or BadFrame."""

    def close(self) -> None:
        """Both ends are broken then; what was sent may not have come."""


class SocketLink:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, frame: Frame) -> None:
        try:
            self._writer.write(encode(frame))
            await self._writer.drain()
        except (OSError, RuntimeError) as problem:
            raise LinkBroken(str(problem) or "closed") from None

    async def receive(self) -> Frame:
        try:
            length = int.from_bytes(await self._reader.readexactly(LENGTH))
            if length > MOST:
                raise BadFrame(f"a frame of {length} bytes: at most {MOST} are taken")
            return decode(await self._reader.readexactly(length))
        except (OSError, asyncio.IncompleteReadError) as problem:
            raise LinkBroken("closed by the other node") from problem

    def close(self) -> None:
        self._writer.close()


class LocalLink:
    """One end of a link inside this process. Bytes all the same: nothing is shared by both ends."""

    ROOM = 64
    """frames that may wait to be received"""

    def __init__(self) -> None:
        self._came: deque[bytes] = deque()
        self._changed = asyncio.Event()
        self._other: LocalLink | None = None
        self._closed = False

    @classmethod
    def pair(cls) -> tuple["LocalLink", "LocalLink"]:
        one, other = cls(), cls()
        one._other, other._other = other, one
        return one, other

    async def send(self, frame: Frame) -> None:
        other = self._other
        assert other is not None
        while len(other._came) >= self.ROOM and not self._closed:
            self._changed.clear()
            await self._changed.wait()
        if self._closed:
            raise LinkBroken("closed")
        other._came.append(encode(frame)[LENGTH:])
        other._changed.set()

    async def receive(self) -> Frame:
        other = self._other
        assert other is not None
        while not self._came:
            if self._closed:
                raise LinkBroken("closed by the other node")
            self._changed.clear()
            await self._changed.wait()
        other._changed.set()
        return decode(self._came.popleft())

    def close(self) -> None:
        assert self._other is not None
        for end in self, self._other:
            end._closed = True
            end._changed.set()
