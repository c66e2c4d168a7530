"""Joins this node to others: it calls those that have a socket, and is called by the rest. Only here is
spoken to them, by one process (the store's lock sees to that), so a replay says nothing (feature 47)."""

import asyncio
import logging
import os
import socket
import struct
from pathlib import Path
from typing import Any

from engine.peer_commands import MessageSent
from fixgw.bridge.frames import BadFrame, Bye, Hello
from fixgw.bridge.identity import Identities
from fixgw.bridge.link import Link, LinkBroken, SocketLink
from fixgw.bridge.peer import Peer, say_bye
from fixgw.cycle.operating import Operate
from fixgw.cycle.recorder import Recorder
from fixgw.settings import Node, SettingsError

PAUSE, LONG_PAUSE = 0.5, 30.0
"""seconds between calls: after each in vain that was answered twice as many, up to the longest"""
ENOUGH = 5.0
"""seconds after which a link was not in vain"""
PATIENCE = 5
"""seconds that the other node may take for its hello"""
CREDENTIALS = struct.Struct("3i")
"""of who is at the other end of a Unix socket: process, user, group"""

log = logging.getLogger("fixgw.bridge")


class Bridge:
    def __init__(self, settings: Node, recorder: Recorder, operate: Operate, source: Path) -> None:
        """`source`: the file of the settings, from whose folder paths are seen."""
        self._settings = settings
        self._source = source
        self._identities = Identities(recorder.store, operate)
        self.peers = {
            number: Peer(number, settings.number, recorder, operate, self._identities.recognize)
            for number in map(int, settings.peers)
        }
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.AbstractServer | None = None

    async def begin(self) -> None:
        """In the loop. Raises SettingsError if it cannot listen where it should."""
        for number, each in self._settings.peers.items():
            if each.socket:
                self._start(self._call(self.peers[int(number)], self._source.parent / each.socket))
        if self._settings.socket:
            await self._listen(self._source.parent / self._settings.socket)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            (self._source.parent / self._settings.socket).unlink(missing_ok=True)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def wake(self, sent: MessageSent) -> None:
        """It is on disk. A node that is not in the file any more hears nothing."""
        peer = self.peers.get(sent.peer)
        if peer is not None:
            peer.wake(sent.number)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- calling -------------------------------------------------------------------------------------

    async def _call(self, peer: Peer, path: Path) -> None:
        pause, time = PAUSE, asyncio.get_running_loop().time
        while True:
            if not peer.linked:
                begin = time()
                try:
                    link = SocketLink(*await asyncio.open_unix_connection(path))
                except OSError as problem:
                    pause = PAUSE
                    peer.fail(f"{path}: {os.strerror(problem.errno or 0)}")
                else:
                    await self.meet(link, peer)
                    pause = PAUSE if time() - begin > ENOUGH else min(2 * pause, LONG_PAUSE)
            await asyncio.sleep(pause)

    # -- being called --------------------------------------------------------------------------------

    async def _listen(self, path: Path) -> None:
        where = f"{self._source}: node.socket: {path}"
        try:
            if path.is_socket():  # of a process that was killed: the store's lock says that none is there
                path.unlink()
            before = os.umask(0o177)
            try:
                self._server = await asyncio.start_unix_server(self._answer, path)
            finally:
                os.umask(before)
        except OSError as problem:
            raise SettingsError(f"{where}: {problem.strerror or problem}") from None

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """In a task of its own: the one of this call belongs to asyncio, which does not expect its end."""
        if _user_of(writer) in (0, os.getuid()):
            self._start(self.meet(SocketLink(reader, writer), None))
        else:
            writer.close()

    # -- both ----------------------------------------------------------------------------------------

    async def meet(self, link: Link, called: Peer | None) -> None:
        """A new link: who calls says first who it is."""
        try:
            async with asyncio.timeout(PATIENCE):
                if called is not None:
                    await link.send(called.hello(self._identities.own))
                hello = await link.receive()
                if isinstance(hello, Bye):
                    raise LinkBroken(f"it has closed the link: {hello.text}")
                if not isinstance(hello, Hello):
                    raise BadFrame("the first frame is no hello")
                peer = self.peers.get(hello.node)
                if peer is None or (called is not None and peer is not called):
                    await say_bye(link, f"node {hello.node} is not expected here")
                    raise BadFrame(f"it is node {hello.node}, which is not expected here")
                if peer.linked:
                    await say_bye(link, "there is a link already")
                    return
                if called is None:
                    await link.send(peer.hello(self._identities.own))
        except (LinkBroken, BadFrame, TimeoutError) as problem:
            link.close()
            if called is not None:
                called.fail(str(problem) or f"no hello within {PATIENCE} s")
            else:
                log.warning("a call from another node: %s", problem)
            return
        await peer.talk(link, hello)


def _user_of(writer: asyncio.StreamWriter) -> int:
    """At the other end."""
    end: socket.socket = writer.get_extra_info("socket")
    found = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    return int(CREDENTIALS.unpack(found)[1])
