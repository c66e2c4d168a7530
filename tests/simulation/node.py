"""The venue's process: the real cycle, recorder, front end, parking, keeper, agent and operator's hand over a
simulated disk, record and time. Only sockets and QuickFIX are missing. It is put together as
fixgw.assembly.Assembly does it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

from engine.commands import Command
from engine.user_commands import ShapeShards
from fixgw.admin.users import UserOperations
from fixgw.admin.words import Answer, OfUsers
from fixgw.bridge.bridge import PAUSE, Bridge
from fixgw.bridge.frames import BadFrame
from fixgw.bridge.link import Link, LinkBroken
from fixgw.bridge.peer import Peer
from fixgw.calendar.trading_day import TradingDay
from fixgw.cycle.absence import Absences
from fixgw.cycle.cycle import Cycle
from fixgw.cycle.phases import Phases
from fixgw.cycle.recorder import Recorder
from fixgw.cycle.recovery import recover
from fixgw.frontend.frontend import FrontEnd
from fixgw.frontend.parking import Parking
from fixgw.metrics.meter import Meter
from fixgw.metrics.turns import Turns
from fixgw.residents.agent import Agent
from fixgw.residents.keeper import Keeper
from fixgw.settings import Node as NodeSettings
from fixgw.settings import Restart
from fixgw.settings.node import Peer as PeerSettings
from fixgw.settings.users import Users
from fixgw.store.days import Days
from fixgw.store.pulse import PLACES
from tests.simulation.clients import Client, Line, Mailbox
from tests.simulation.loop import VirtualLoop
from tests.simulation.orders import DECIMALS
from tests.simulation.post import Post
from tests.simulation.reads import CountedReads
from tests.simulation.record import SimulatedRecord
from tests.simulation.room import Room
from tests.simulation.store import Crash, Disk, MemoryStore
from tests.simulation.wires import Wires

START = 1_796_112_000 * 1_000_000_000
"""logged time when a simulation begins: 2026-12-01 08:00 UTC"""
TICK = 0.1
"""seconds"""


def clock(loop: VirtualLoop) -> int:
    return START + round(loop.now * 1e9)


class Node:
    def __init__(
        self,
        loop: VirtualLoop,
        disk: Disk,
        directory: Path,
        record: SimulatedRecord,
        clients: Mapping[str, Client],
        users: Users,
        openings: list[Command],
        restart: Restart,
        post: Post,
        choose: Random,
        committed: Callable[[], None],
        number: int,
        wires: Wires,
    ) -> None:
        """A start: from the last snapshot and the journal after it. `openings` are journaled if that is
        empty. `number`: of the node; `wires` join it to others."""
        self.loop = loop
        self.users = users
        self.restart = restart
        self.post = post
        self.failure: BaseException | None = None
        self.tasks: set[asyncio.Task[Any]] = set()
        self._choose = choose
        self._openings = openings
        self._number = number
        self._wires = wires
        store: Any = MemoryStore(disk, directory, committed)
        self.store = store
        recovered = recover(store, directory)
        self.venue = recovered.venue
        self.mailboxes: Any = {name: Mailbox(self.store, client) for name, client in clients.items()}
        self.room: Any = Room(store, loop.time)
        self.recorder = Recorder(
            self.store,
            self.room,
            Days(self.store, 2), TradingDay("UTC", "00:00"), self.venue, self.mailboxes,
            recovered.sequence, recovered.event_sequence,
        )  # fmt: skip
        self.lines: Any = {name: Line(self.mailboxes[name], client) for name, client in clients.items()}
        self.meter: Any = Meter(memoryview(bytearray(8 * PLACES)).cast("Q"), lambda: 0, lambda: 0)
        self.reads = CountedReads(record, self.venue, self._now)
        self._make_rooms()
        self.operator = SimpleNamespace(
            recorder=self.recorder,
            agent=self.agent,
            cycle=self.cycle,
            record=record,
            store=self.store,
            settings=SimpleNamespace(
                clients=sorted({client.firm for client in clients.values()}),
                currencies={name: SimpleNamespace(decimals=decimals) for name, decimals in DECIMALS.items()},
            ),
        )

    def _make_rooms(self) -> None:
        self.parking = Parking(self.store, lambda user: self.agent.reader.want(user))
        self.front_end = FrontEnd(
            self.store,
            self.recorder,
            self.parking,
            self.lines,
            lambda user, time: self.agent.reader.is_unknown(user, time),
            lambda: self.users.parked,
            self.meter.rejected,
        )
        record: Any = self.reads
        self.agent = Agent(
            record,
            self.recorder,
            lambda operation: self.post.carry(self, self._choose, operation),
            self.front_end.arrived,
            self.parking.awaits,
            lambda: self.users.unknown_seconds,
            lambda identity: None,
        )
        self.reads.told_by(self.agent)
        others = {str(number): PeerSettings() for number in self._wires.others(self._number)}
        self.bridge = Bridge(
            NodeSettings(self._number if others else 0, "", others),
            self.recorder,
            lambda operation: self.cycle.operate(operation),
            Path(),
        )
        hours: Any = None
        pulse: Any = SimpleNamespace(mark=lambda journal, event: None)
        self.turns: Any = Turns(self.meter, self.front_end, self.recorder)
        self.cycle = Cycle(
            self.store,
            self.recorder,
            self.front_end,
            Absences(self.recorder, self.mailboxes, self.lines, self.front_end.refuse_session),
            Phases(self.recorder, lambda: self.restart),
            Keeper(self.recorder, lambda: self.users, self.front_end.refuse_overdue),
            self.agent,
            self.bridge.wake,
            self.lines,
            hours,
            pulse,
            self.turns,
            self._now,
            100,
            self._fail,
        )

    def start(self) -> None:
        """As Assembly.begin does it."""
        first = self.recorder.sequence == 0
        self.front_end.load_parked(self._now())
        self.agent.begin()
        if first:
            self.cycle.operate(self._open)
        self.cycle.begin(clean=first)
        for line in self.lines.values():
            self.cycle.wake(line)
        self.loop.call_later(TICK, self._tick)
        for number, peer in self.bridge.peers.items():
            if number > self._number:
                self.loop.create_task(self._call(peer))

    async def _call(self, peer: Peer) -> None:
        """As Bridge._call does it with a socket."""
        while True:
            if not peer.linked:
                link = self._wires.call(self._number, peer.number)
                if link is None:
                    peer.fail("nobody answers")
                else:
                    await self.bridge.meet(link, peer)
            await asyncio.sleep(PAUSE)

    def answer(self, link: Link) -> None:
        """A call of another node."""
        self.loop.create_task(self.bridge.meet(link, None))

    def _open(self, recorder: Recorder, time: int) -> None:
        shape = ShapeShards(time, self.users.resident, self.users.in_flight)
        for command in (shape, *self._openings):
            recorder.accept(command)

    def _tick(self) -> None:
        if not self.dead:
            self.cycle.tick()
            self.loop.call_later(TICK, self._tick)

    def _now(self) -> int:
        return clock(self.loop)

    @property
    def dead(self) -> bool:
        return bool(self.store.dead)

    def _fail(self, problem: BaseException) -> None:
        self.store.dead = True
        if not isinstance(problem, Crash) and self.failure is None:
            self.failure = problem
        self.loop.stop()

    def kill(self) -> None:
        """It is gone with all that it had under way; what the record has been asked is asked."""
        self.store.dead = True
        for task in self.tasks:
            task.cancel()
        self.loop.run_until(self.loop.now)

    def task_made(self, loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> asyncio.Task[Any]:
        """A task of this process: what goes wrong in it is not overlooked."""
        task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **more)
        self.tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        problem = None if task.cancelled() else task.exception()
        if problem is not None and not isinstance(problem, LinkBroken | BadFrame):
            self._fail(problem)

    # -- what others do --------------------------------------------------------------------------------

    def ask(self, request: OfUsers, answered: Callable[[Answer], None]) -> None:
        """Of the operator."""
        assembly: Any = self.operator
        task = self.loop.create_task(UserOperations(assembly, "operator").carry_out(request))

        def end(done: asyncio.Task[Answer]) -> None:
            if not done.cancelled():
                answered(done.result())

        task.add_done_callback(end)

    def deed(self, operation: Callable[[Recorder, int], Any]) -> None:
        """Something in the next turn."""
        if not self.dead:
            self.cycle.operate(operation)
