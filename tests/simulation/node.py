"""The venue's process: the real cycle, recorder, front end, parking, keeper, agent and operator's hand over a
simulated disk, record and time. Only sockets and QuickFIX are missing. It is put together as
fixgw.assembly.Assembly does it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

from msgspec import Struct

from engine.commands import Command
from engine.user_commands import ShapeShards
from engine.user_events import BeginDehydrate
from engine.venue import Venue
from fixgw.admin.users import UserOperations
from fixgw.admin.words import Answer, OfUsers
from fixgw.calendar.trading_day import TradingDay
from fixgw.cycle.absence import Absences
from fixgw.cycle.cycle import Cycle
from fixgw.cycle.phases import Phases
from fixgw.cycle.recorder import Recorder
from fixgw.cycle.recovery import recover
from fixgw.frontend.frontend import FrontEnd
from fixgw.frontend.parking import Parking
from fixgw.record.record import Found
from fixgw.residents import agent as agents
from fixgw.residents.agent import Agent
from fixgw.residents.keeper import Keeper
from fixgw.settings import Restart
from fixgw.settings.users import Users
from fixgw.store.days import Days
from tests.simulation.clients import Client, Line, Mailbox
from tests.simulation.loop import VirtualLoop
from tests.simulation.orders import DECIMALS, INSTRUMENTS
from tests.simulation.record import SimulatedRecord
from tests.simulation.store import Crash, Disk, MemoryStore, Room

START = 1_796_112_000 * 1_000_000_000
"""logged time when a simulation begins: 2026-12-01 08:00 UTC"""
TICK = 0.1
"""seconds"""


class Post(Struct):
    """How messages between the agent and the cycle travel: chances from 0 to 1, times in seconds. One that is
    lost is sent again, so it is late."""

    late: float = 0.0
    twice: float = 0.0
    longest: float = 3.0


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
    ) -> None:
        """A start: from the last snapshot and the journal after it. `openings` are journaled if that is
        empty."""
        self.loop = loop
        self.users = users
        self.restart = restart
        self.post = post
        self.failure: BaseException | None = None
        self.tasks: set[asyncio.Task[Any]] = set()
        self._choose = choose
        self._openings = openings
        store: Any = MemoryStore(disk, directory, committed)
        self.store = store
        recovered = recover(store, directory)
        self.venue = recovered.venue
        self.mailboxes: Any = {name: Mailbox(self.store, client) for name, client in clients.items()}
        room: Any = Room()
        self.recorder = Recorder(
            self.store,
            room,
            Days(self.store, 2),
            TradingDay("UTC", "00:00"),
            self.venue,
            self.mailboxes,
            recovered.sequence,
            recovered.event_sequence,
        )
        self.lines: Any = {name: Line(self.mailboxes[name], client) for name, client in clients.items()}
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
        self.parking = Parking(self.store, lambda user: self.agent.want(user))
        self.front_end = FrontEnd(
            self.store,
            self.recorder,
            self.parking,
            self.lines,
            lambda user, time: self.agent.is_unknown(user, time),
            lambda: self.users.parked,
        )
        record: Any = self.reads
        self.agent = Agent(
            record,
            self.recorder,
            self._carry,
            self.front_end.arrived,
            self.parking.awaits,
            lambda: self.users.unknown_seconds,
            lambda identity: None,
        )
        self.reads.told_by(self.agent)
        hours: Any = None
        self.cycle = Cycle(
            self.store,
            self.recorder,
            self.front_end,
            Absences(self.recorder, self.mailboxes, self.lines, self.front_end.refuse_session),
            Phases(self.recorder, lambda: self.restart),
            Keeper(self.recorder, lambda: self.users, self.front_end.refuse_overdue),
            self.agent,
            self.lines,
            hours,
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

    def _open(self, recorder: Recorder, time: int) -> None:
        shape = ShapeShards(time, self.users.resident, self.users.in_flight)
        for command in (*INSTRUMENTS, shape, *self._openings):
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
        if not task.cancelled() and (problem := task.exception()) is not None:
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

    def _carry(self, operation: Callable[[Recorder, int], Any]) -> asyncio.Future[Any]:
        """A message of the agent to the cycle."""
        choose, post = self._choose, self.post
        word = isinstance(operation, partial) and operation.func is agents._leave
        if word and choose.random() < post.twice:
            self.loop.call_later(choose.random() * post.longest, self.deed, operation)
        if choose.random() >= post.late:
            return self.cycle.operate(operation)
        arrived: asyncio.Future[Any] = self.loop.create_future()

        def answer(done: asyncio.Future[Any]) -> None:
            if not (arrived.done() or done.cancelled()):
                arrived.set_result(done.result())

        def arrive() -> None:
            if not self.dead:
                self.cycle.operate(operation).add_done_callback(answer)

        self.loop.call_later(choose.random() * post.longest, arrive)
        return arrived


class CountedReads:
    """The record as the agent of one process sees it; users.md 2.2 is about what it asks."""

    def __init__(self, record: SimulatedRecord, venue: Venue, now: Callable[[], int]) -> None:
        self.write = record.write
        self.close = record.close
        self.unknown: dict[str, int] = {}
        """until when nobody is to be asked again, in logged time"""
        self.unknown_seconds = 0
        self._record = record
        self._venue = venue
        self._now = now
        self._reading: set[str] = set()

    def told_by(self, agent: Any) -> None:
        """That a user may be known from now on."""
        write = agent.write

        def both(flushes: Iterable[BeginDehydrate]) -> None:
            flushes = list(flushes)
            for flush in flushes:
                self.unknown.pop(flush.user, None)
            write(flushes)

        agent.write = both

    async def identity(self) -> str:
        return await self._record.identity()

    async def read_all(self, users: Sequence[str]) -> Found:
        for user in users:
            assert user not in self._reading, f"{user} is read twice at a time"
            assert self.unknown.get(user, 0) <= self._now(), f"{user} is not known, and is read again"
        self._reading.update(users)
        try:
            found = await self._record.read_all(users)
        finally:
            self._reading.difference_update(users)
        for user in users:
            if user not in found and user not in self._record.rows and user not in self._venue.users:
                self.unknown[user] = self._now() + self.unknown_seconds * 1_000_000_000
        return found
