"""Links between nodes, in the place of sockets: frames come in order, late, and not at all once the link
breaks, which each end sees at a moment of its own. The bytes are real; who speaks (fixgw.bridge) is, too."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable
from random import Random

from msgspec import Struct

from fixgw.bridge.frames import LENGTH, Bye, Frame, Hello, decode, encode
from fixgw.bridge.link import Link, LinkBroken
from tests.simulation.loop import VirtualLoop

ROOM = 24
"""frames that may be on the way in one direction"""
OLD = 6
"""frames of older links that are remembered"""


class Air(Struct):
    """Between two nodes: chances from 0 to 1, times in seconds."""

    longest: float = 0.002
    """that a frame is on its way, or the end of a link; each as long as chance has it"""
    breaking: float = 0.0
    """frames at which the link breaks"""
    deaf: float = 0.0
    """calls that nobody answers"""
    echo: float = 0.0
    """new links that first bring again what an older one has brought"""


CLEAR = Air()
AIRS = {
    "clear": CLEAR,
    "slow": Air(longest=1.0),
    "held back": Air(longest=5.0),
    "torn": Air(longest=0.02, breaking=0.25, echo=0.5),
    "rough": Air(longest=0.6, breaking=0.08, deaf=0.3, echo=0.5),
    "cut": Air(deaf=1.0, breaking=1.0),
}


class End:
    """One end of a link, of the node `own`."""

    def __init__(self, wires: Wires, own: int, to: int) -> None:
        self.own = own
        self.to = to
        self.broken = False
        self.other: End
        self.came: deque[bytes] = deque()
        self.changed = asyncio.Event()
        self.on_way: deque[bytes] = deque()
        """frames to the other end"""
        self.due = 0.0
        """when the last of them comes"""
        self._wires = wires

    async def send(self, frame: Frame) -> None:
        while len(self.on_way) >= ROOM and not self.broken:
            self.changed.clear()
            await self.changed.wait()
        if self.broken:
            raise LinkBroken("closed")
        self._wires.carry(self, frame)

    async def receive(self) -> Frame:
        while not self.came:
            if self.broken:
                raise LinkBroken("closed by the other node")
            self.changed.clear()
            await self.changed.wait()
        return decode(self.came.popleft())

    def close(self) -> None:
        if not self.broken:
            self.sever()
            self._wires.later(self.own, self.to, self.other.sever)

    def sever(self) -> None:
        """Nothing comes any more, and nothing goes."""
        self.broken = True
        self.changed.set()


class Wires:
    def __init__(self, loop: VirtualLoop, count: int, seed: int, answer: Callable[[int, Link], None]) -> None:
        """Of so many nodes, from 1 on. `answer`: has one of them meet who calls."""
        self.airs: dict[frozenset[int], Air] = defaultdict(lambda: CLEAR)
        self._loop = loop
        self._count = count
        self._choose = Random(f"wires {seed}")
        self._answer = answer
        self._ends: list[End] = []
        self._old: dict[tuple[int, int], deque[bytes]] = defaultdict(lambda: deque(maxlen=OLD))

    def others(self, number: int) -> list[int]:
        return [each for each in range(1, self._count + 1) if each != number]

    def call(self, caller: int, called: int) -> Link | None:
        """The caller's end; None if nobody is there."""
        if self._choose.random() < self._air(caller, called).deaf:
            return None
        ours, theirs = End(self, caller, called), End(self, called, caller)
        ours.other, theirs.other = theirs, ours
        self._ends = [end for end in self._ends if not end.broken]
        self._ends += ours, theirs
        self._answer(called, theirs)
        return ours

    def carry(self, end: End, frame: Frame) -> None:
        air, old = self._air(end.own, end.to), self._old[end.own, end.to]
        frames = [encode(frame)[LENGTH:]]
        if isinstance(frame, Hello):
            first = self._choose.randrange(OLD)
            frames += list(old)[first:] * (self._choose.random() < air.echo)
        elif not isinstance(frame, Bye):
            old.append(frames[0])
        end.due = max(end.due, self._loop.now + self._choose.random() * air.longest)
        for each in frames:
            end.on_way.append(each)
            self._loop.call_at(end.due, self._arrive, end)
        if self._choose.random() < air.breaking:
            self._break(end)

    def _arrive(self, end: End) -> None:
        """The next one: which of several that are due together comes first is not for the loop to say."""
        frame = end.on_way.popleft()
        end.changed.set()
        if not end.other.broken:
            end.other.came.append(frame)
            end.other.changed.set()

    def cut(self, one: int, other: int) -> None:
        """The link between these nodes, if there is one."""
        for end in self._ends:
            if (end.own, end.to) == (one, other):
                self._break(end)

    def drop(self, number: int) -> None:
        """The node's process is gone."""
        for end in self._ends:
            if end.own == number:
                end.came.clear()
                end.close()

    def later(self, one: int, other: int, action: Callable[[], None]) -> None:
        self._loop.call_later(self._choose.random() * self._air(one, other).longest, action)

    def _break(self, end: End) -> None:
        """By itself; what is on its way may still come, or a part of it."""
        self.later(end.own, end.to, end.sever)
        self.later(end.own, end.to, end.other.sever)

    def _air(self, one: int, other: int) -> Air:
        return self.airs[frozenset((one, other))]
