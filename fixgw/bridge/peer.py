"""One other node. What is to be carried is in the engine's state, so that a start goes on where the process
before it ended; here is only how far this link has come (docs/nodes.md, 2)."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from engine.peer_commands import Acknowledge, FollowMarket, TakeMessage
from engine.peers import Channel
from engine.refusals import UNREADABLE
from fixgw.bridge.frames import VERSION, BadFrame, Bye, Carry, Frame, Hello, Taken
from fixgw.bridge.link import Link, LinkBroken
from fixgw.cycle.operating import Operate
from fixgw.cycle.recorder import Recorder

AT_ONCE = 256
"""messages that one turn takes from a node"""
WAITING = 1024
"""messages that may wait for a turn: the link is not read meanwhile"""
LAZY = 0.2
"""seconds after which an acknowledgement is journaled, with all that came since"""
NO_ROOM = 0.5
"""seconds after which a message is tried again for which the store had no room"""

log = logging.getLogger("fixgw.bridge")


class Peer:
    def __init__(
        self,
        number: int,
        own: int,
        recorder: Recorder,
        operate: Operate,
        recognize: Callable[[int, str], bool],
    ) -> None:
        """`own`: number of this node; `recognize`: whether that data is the one that a node had before."""
        self.number = number
        self._own = own
        self._recorder = recorder
        self._operate = operate
        self._recognize = recognize
        self._sent = self.channel.sent
        """number of the last message that is on disk here; the state may have more, of a turn that is not"""
        self._carried = 0
        """number of the last message that this link has"""
        self._acknowledged = 0
        self._came: deque[Carry] = deque()
        self._to_send = asyncio.Event()
        self._taken = asyncio.Event()
        """fewer messages wait for a turn"""
        self._on_disk = self.channel.taken
        """number of the last message of the other node that is on disk here"""
        self._told = 0
        """up to which that was said"""
        self._operating = False
        self._unreadable = ""
        """why no message is taken from it any more, until another release does"""
        self.linked = False
        self.trouble = "not connected"
        """why there is no link; "" if there is one"""

    @property
    def channel(self) -> Channel:
        return self._recorder.venue.channels.get(self.number) or Channel()

    def hello(self, store: str) -> Hello:
        return Hello(VERSION, self._own, store, self._on_disk, self._sent)

    def wake(self, number: int) -> None:
        """There is more to be carried, up to this message, and it is on disk."""
        self._sent = number
        self._to_send.set()

    def fail(self, why: str) -> None:
        """There is no link, and why. Said once."""
        if why != self.trouble:
            log.warning("node %d: %s", self.number, why)
        self.trouble = why

    async def talk(self, link: Link, hello: Hello) -> None:
        """Until the link breaks. `hello`: what the other node has said, after ours."""
        if self.linked:  # both have called at the same time
            await say_bye(link, "there is a link already")
            return
        problem = self._wrong(hello)
        if problem:
            self.fail(problem)
            await say_bye(link, problem)
            return
        self.linked, self.trouble = True, ""
        self._carried = self._acknowledged = hello.taken
        self._told = self._on_disk
        self._came.clear()
        log.info("node %d: connected; it has taken %d of %d messages", self.number, hello.taken, self._sent)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._send(link))
                group.create_task(self._receive(link))
                group.create_task(self._journal())
        except* (LinkBroken, BadFrame) as problems:
            self.fail(str(problems.exceptions[0]))
        finally:
            self.linked = False
            link.close()

    def _wrong(self, hello: Hello) -> str:
        """Why messages cannot be exchanged; "" if they can."""
        channel = self.channel
        acknowledged = next(iter(channel.outstanding), channel.sent + 1) - 1
        if hello.version != VERSION:
            return f"it speaks version {hello.version} of the protocol between nodes, this one {VERSION}"
        if not self._recognize(self.number, hello.store):
            return "it has other data than before: put that back, or give that node another number"
        if not acknowledged <= hello.taken <= self._sent or hello.sent < self._on_disk:
            return (
                f"its data and that of this node do not go together: here {self._sent} messages were said, "
                f"{acknowledged} of them known to be taken there, and {self._on_disk} taken from there; it "
                f"says that it has taken {hello.taken} and said {hello.sent}. One of the two was set back"
            )
        return self._unreadable

    # -- what is said --------------------------------------------------------------------------------

    async def _send(self, link: Link) -> None:
        while True:
            self._to_send.clear()
            await self._send_outstanding(link)
            if self._told < self._on_disk:
                self._told = self._on_disk
                await link.send(Taken(self._told))
            await self._to_send.wait()

    async def _send_outstanding(self, link: Link) -> None:
        while self._carried < self._sent:
            self._carried += 1
            await link.send(Carry(self._carried, self.channel.outstanding[self._carried]))

    # -- what is heard -------------------------------------------------------------------------------

    async def _receive(self, link: Link) -> None:
        while True:
            frame: Frame = await link.receive()
            match frame:
                case Carry():
                    while len(self._came) >= WAITING:
                        self._taken.clear()
                        await self._taken.wait()
                    self._came.append(frame)
                    self._take_soon()
                case Taken(number=number):
                    if number > self._carried:
                        raise BadFrame(f"message {number} is acknowledged, and {self._carried} were carried")
                    self._acknowledged = max(self._acknowledged, number)
                case Bye(text=text):
                    raise LinkBroken(f"it has closed the link: {text}")
                case _:
                    raise BadFrame("a second hello")

    def _take_soon(self) -> None:
        if not self._operating and self._came:
            self._operating = True
            self._operate(self._take).add_done_callback(self._has_taken)

    def _take(self, recorder: Recorder, time: int) -> bool:
        """In a turn. False if the store has no room: the other node keeps what it has said."""
        for _ in range(min(len(self._came), AT_ONCE)):
            carried, full = self._came[0], recorder.store.full
            command = TakeMessage(time, self.number, carried.number, carried.payload, full)
            refusal = recorder.venue.refusal(command)
            if refusal is not None and refusal.reason == UNREADABLE:
                self._unreadable = f"message {carried.number} of it cannot be read: {refusal.value}"
                return False
            if refusal is None:
                if full and not recorder.room.take(1):
                    return False
                recorder.accept(command)
            self._came.popleft()
        return True

    def _has_taken(self, done: "asyncio.Future[bool]") -> None:
        """It is on disk: that may be said now."""
        if done.cancelled():
            return
        if not done.result():
            asyncio.get_running_loop().call_later(NO_ROOM, self._again)
            return
        self._operating = False
        self._on_disk = self.channel.taken
        self._taken.set()
        self._to_send.set()
        self._take_soon()

    def _again(self) -> None:
        self._operating = False
        self._take_soon()

    async def _journal(self) -> None:
        """Acknowledgements free what is outstanding; not each by itself, as one more says it as well."""
        await self._operate(self._follow)
        while True:
            await asyncio.sleep(LAZY)
            if self._unreadable:
                raise BadFrame(self._unreadable)
            first = next(iter(self.channel.outstanding), None)
            if first is not None and first <= self._acknowledged:
                await self._operate(self._acknowledge)

    def _acknowledge(self, recorder: Recorder, time: int) -> None:
        recorder.accept(Acknowledge(time, self.number, self._acknowledged))

    def _follow(self, recorder: Recorder, time: int) -> None:
        """Markets that have not said yet that they take orders are asked again."""
        for symbol, market in recorder.venue.distant.items():
            if market.peer == self.number and not market.state and not self.channel.outstanding:
                recorder.accept(FollowMarket(time, symbol))


async def say_bye(link: Link, text: str) -> None:
    with suppress(LinkBroken):
        await link.send(Bye(text))
    link.close()
