"""What the agent does between the record and the engine when they do not go hand in hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from engine.commands import OpenAccount
from engine.user_commands import Row, ShapeShards, SweepUsers
from engine.user_events import BeginDehydrate
from engine.venue import Venue
from fixgw.record.record import Found, RecordError, Stored, Written
from fixgw.residents.agent import Agent

DAMAGED = RecordError("its row is damaged", passing=False)


class Record:
    """In memory. A read has looked when it begins, and answers when it may."""

    def __init__(self, *users: str) -> None:
        self.rows = {user: Stored(1, Row("ALPHA", (("USD", 5),))) for user in users}
        self.damaged: set[str] = set()
        self.asked: list[str] = []
        self.answers = asyncio.Event()
        self.answers.set()

    async def identity(self) -> str:
        return "it"

    async def read_all(self, users: Sequence[str]) -> Found:
        self.asked += users
        found: Found = {user: self.rows[user] for user in users if user in self.rows}
        found |= dict.fromkeys(self.damaged.intersection(users), DAMAGED)
        await self.answers.wait()
        return found

    async def write(self, flushes: Sequence[BeginDehydrate]) -> list[Written | RecordError]:
        return [self._write(flush) for flush in flushes]

    def _write(self, flush: BeginDehydrate) -> Written | RecordError:
        if flush.user in self.damaged:
            return DAMAGED
        self.rows[flush.user] = Stored(flush.expected + 1, flush.row)
        return Written(True, flush.expected + 1)


class Desk:
    """A venue whose turns are the operations of the agent."""

    def __init__(self, record: Any) -> None:
        self.venue = Venue()
        self.requests: list[BeginDehydrate] = []
        self.arrived: list[str] = []
        self.waiting: set[str] = set()
        self.time = 1
        recorder: Any = self
        self.agent = Agent(
            record,
            recorder,
            self.operate,
            self._arrive,
            self.waiting.__contains__,
            lambda: 60,
            lambda _: None,
        )
        self.agent.begin()

    def accept(self, command: Any) -> None:
        events = self.venue.apply(self.venue.sequence + 1, command)
        self.requests += [event for event in events if isinstance(event, BeginDehydrate)]

    def operate(self, operation: Callable[..., Any]) -> asyncio.Future[Any]:
        done = asyncio.get_running_loop().create_future()

        def turn() -> None:
            done.set_result(operation(self, self.time))
            requests, self.requests = self.requests, []
            self.agent.write(requests)

        asyncio.get_running_loop().call_soon(turn)
        return done

    def want(self, *users: str) -> None:
        self.waiting |= {*users}
        for user in users:
            self.agent.reader.want(user)

    def _arrive(self, user: str, time: int) -> None:
        self.arrived.append(user)
        self.waiting.discard(user)

    async def do(self, command: Any) -> None:
        await self.operate(lambda recorder, time: recorder.accept(command))

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not done():
                await asyncio.sleep(0.005)


def run(test: Any) -> None:
    asyncio.run(test())


def test_28_an_account_that_comes_and_goes_while_it_is_read_is_not_taken_for_unknown() -> None:
    """users.md 2.2"""

    async def go() -> None:
        record = Record()
        desk = Desk(record)
        record.answers.clear()
        desk.want("A")
        await desk.until(lambda: record.asked == ["A"])  # it was not there then
        await desk.do(OpenAccount(1, "A", "ALPHA", (("USD", 7),)))
        await desk.do(SweepUsers(2, 2, 9))
        await desk.until(lambda: "A" in record.rows and "A" not in desk.venue.users)
        record.answers.set()
        await desk.until(lambda: desk.arrived == ["A"])
        assert desk.venue.users["A"].balances["USD"].total == 7
        assert not desk.agent.reader.is_unknown("A", 1)
        assert record.asked == ["A", "A"]

    run(go)


def test_28_who_is_unknown_is_not_asked_for_again() -> None:
    """users.md 2.2"""

    async def go() -> None:
        record = Record()
        desk = Desk(record)
        desk.want("A")
        await desk.until(lambda: desk.arrived == ["A"])
        assert desk.agent.reader.is_unknown("A", 1) and not desk.agent.reader.is_unknown("A", 61 * 10**9)

    run(go)


def test_32_whoever_finds_no_place_waits_for_one_and_is_not_read_again() -> None:
    """users.md 2.5: in their order, and with one read each."""

    async def go() -> None:
        record = Record("A", "B", "C", "D")
        desk = Desk(record)
        await desk.do(ShapeShards(1, 1, 100))
        desk.want("A")
        await desk.until(lambda: desk.arrived == ["A"])
        desk.want("B", "C", "D")
        await asyncio.sleep(0.5)  # several times as long as until all is looked at again
        assert desk.arrived == ["A"] and sorted(record.asked) == ["A", "B", "C", "D"]
        for user in "BCD":
            await desk.do(SweepUsers(2, 10**18, 9))
            await desk.until(lambda user=user: user in desk.venue.users)  # type: ignore[misc]
        assert desk.arrived == ["A", "B", "C", "D"]
        assert sorted(record.asked) == ["A", "B", "C", "D"] and desk.agent.reader.reads == 4

    run(go)


def test_32_whoever_is_not_waited_for_any_more_takes_no_place() -> None:
    async def go() -> None:
        record = Record("A", "B")
        desk = Desk(record)
        await desk.do(ShapeShards(1, 1, 100))
        desk.want("A")
        await desk.until(lambda: desk.arrived == ["A"])
        desk.want("B")
        await desk.until(lambda: record.asked == ["A", "B"])
        desk.waiting.clear()
        await asyncio.sleep(0.3)
        await desk.do(SweepUsers(2, 10**18, 9))
        await desk.until(lambda: not desk.venue.users)
        await asyncio.sleep(0.3)
        assert desk.arrived == ["A"]
        desk.want("B")  # who comes back is read again
        await desk.until(lambda: desk.arrived == ["A", "B"])
        assert record.asked == ["A", "B", "B"]

    run(go)


def test_29_a_damaged_row_is_no_other_user_s() -> None:
    """users.md 2.10: those who are read or written along with it go on at once."""

    async def go() -> None:
        record = Record("A", "B", "C")
        record.damaged = {"B"}
        desk = Desk(record)
        desk.want("A", "B", "C")
        brought = asyncio.create_task(desk.agent.reader.bring("B"))
        await desk.until(lambda: len(desk.arrived) == 2)
        assert desk.arrived == ["A", "C"] and desk.agent.contact.trouble == ""
        assert desk.agent.contact.damaged == {"B": "its row is damaged"}
        assert (await asyncio.gather(brought, return_exceptions=True)) == [DAMAGED]
        record.damaged = {"C"}
        await desk.do(SweepUsers(2, 10**18, 9))
        await desk.until(lambda: "A" not in desk.venue.users)
        await desk.until(lambda: "C" in desk.agent.contact.damaged)
        assert "C" in desk.venue.users and desk.agent.contact.trouble == ""
        desk.want("B")
        await desk.until(lambda: "B" in desk.arrived)
        assert list(desk.agent.contact.damaged) == ["C"]

    run(go)
