"""Reads that come together are done together; none is answered with what was read before it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from engine.user_commands import Row
from fixgw.record.gathering import MOST, Found, Gathering
from fixgw.record.record import RecordError, Stored


class Database:
    def __init__(self) -> None:
        self.version = 1
        self.asked: list[list[str]] = []
        self.answering = asyncio.Event()
        self.problem: RecordError | None = None

    async def read(self, users: Sequence[str]) -> Found:
        self.asked.append(list(users))
        version = self.version
        await self.answering.wait()
        if self.problem:
            raise self.problem
        return {user: Stored(version, Row(user, ())) for user in users if user != "X"}


async def asked(reads: Gathering, *users: str) -> list[asyncio.Task[Stored | None]]:
    tasks = [asyncio.create_task(reads.read(user)) for user in users]
    await asyncio.sleep(0.01)  # all that can begin has begun
    return tasks


def test_what_comes_while_one_is_under_way_goes_together() -> None:
    async def run() -> None:
        database = Database()
        reads = Gathering(database.read, 2)
        first = await asked(reads, "A")
        names = [f"U{number}" for number in range(MOST * 2 + 1)]
        others = await asked(reads, *names, *names, "X", "A")
        database.answering.set()
        found = await asyncio.gather(*first, *others)
        assert [len(users) for users in database.asked] == [1, MOST, MOST, 3]
        assert [each.row.client if each else "" for each in found] == ["A", *names, *names, "", "A"]

    asyncio.run(run())


def test_a_read_that_has_begun_is_no_answer_to_who_asks_now() -> None:
    async def run() -> None:
        database = Database()
        reads = Gathering(database.read, 1)
        before = await asked(reads, "A")
        database.version = 2  # written and acknowledged
        after = await asked(reads, "A", "A")
        database.answering.set()
        found = await asyncio.gather(*before, *after)
        assert [each and each.version for each in found] == [1, 2, 2]
        assert database.asked == [["A"], ["A"]]

    asyncio.run(run())


def test_a_failure_is_told_to_all_who_waited_and_the_next_is_a_new_try() -> None:
    async def run() -> None:
        database = Database()
        reads = Gathering(database.read, 1)
        database.problem = RecordError("down")
        database.answering.set()
        for each in await asked(reads, "A", "A", "B"):
            with pytest.raises(RecordError, match="down"):
                await each
        database.problem = None
        assert await reads.read("A") == Stored(1, Row("A", ()))
        await reads.close()

    asyncio.run(run())


def test_who_asks_in_the_very_moment_in_which_a_reader_ends_is_answered() -> None:
    """Each asks again in the step in which it is answered, so that every order of steps comes up."""

    async def run() -> None:
        database = Database()
        database.answering.set()
        reads = Gathering(database.read, 2)

        async def ask(name: str, pause: int) -> None:
            for turn in range(50):
                await reads.read(name)
                for _ in range(turn * pause % 7):
                    await asyncio.sleep(0)

        asking = [asyncio.create_task(ask(f"U{number}", number)) for number in range(5)]
        _, waiting = await asyncio.wait(asking, timeout=10)
        assert not waiting

    asyncio.run(run())
