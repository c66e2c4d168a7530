"""A turn is short, and who sends much does not keep waiting who sends little."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from fixgw.cycle import rota as module
from fixgw.cycle.cycle import Cycle
from fixgw.cycle.rota import TURN
from tests.unmetered import Unmetered

CHUNK = TURN / 2
"""seconds that each chunk takes here"""


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class FakeSession:
    """Has so many chunks of one message each."""

    def __init__(self, name: str, chunks: int, clock: Clock, log: list[str]) -> None:
        self.name, self.chunks = name, chunks
        self.next_change = 1
        """after the only time there is here"""
        self.connection = SimpleNamespace(session=self, waiting=1000)
        self._clock, self._log = clock, log
        self.mailbox = SimpleNamespace(
            needs_sweep=False,
            carries=False,
            carry_over=lambda *_: False,
            settle=lambda _: None,
            outflow=SimpleNamespace(pump=lambda: None),
        )

    def log_on_if_waiting(self, time: int) -> None:
        pass

    def read(self, time: int) -> bool:
        self._clock.now += CHUNK
        self._log.append(self.name)
        self.chunks -= 1
        return self.chunks > 0

    def take_inbox(self) -> list[str]:
        return ["message"]

    def flush(self) -> None:
        pass


def _fail(error: BaseException) -> None:
    raise AssertionError("a turn was not completed") from error


class Stage:
    """A cycle with sessions that are not real. `log` says whose chunk was taken, "|" where a turn ended."""

    def __init__(self, clock: Clock) -> None:
        self.log: list[str] = []
        self._clock = clock
        recorder: Any = SimpleNamespace(
            begin=lambda *_: None,
            touched={},
            transaction=None,
            time_for=lambda _: "",
            changes=[],
            requests=[],
            venue=SimpleNamespace(canceling={}),
            room=SimpleNamespace(scarce=False, waiting=False),
            unfinished=False,
            sequence=0,
            event_sequence=0,
        )
        absences: Any = SimpleNamespace(due=lambda _: False, cancel=lambda _: None, note=lambda *_: None)
        phases: Any = SimpleNamespace(advance=lambda _: None, due=lambda _: False)
        hours: Any = None
        store: Any = SimpleNamespace(cycle=lambda: nullcontext(), full=False, commit_due=False)
        front_end: Any = SimpleNamespace(handle=lambda *_: None, go_on=lambda _: False)
        keeper: Any = SimpleNamespace(advance=lambda _: None, due=lambda _: False)
        agent: Any = None
        pulse: Any = SimpleNamespace(mark=lambda *_: None)
        rooms = store, recorder, front_end, absences, phases, keeper, agent, lambda _: None
        meter: Any = Unmetered()
        self.cycle = Cycle(*rooms, {}, hours, pulse, meter, lambda: 0, 512, _fail)

    def knock(self, name: str, chunks: int) -> None:
        session = FakeSession(name, chunks, self._clock, self.log)
        self.cycle.knock(session.connection)  # type: ignore[arg-type]

    def turns(self, count: int) -> str:
        self.log.clear()
        for _ in range(count):
            self.cycle.turn()
            self.log.append("|")
        return "".join(self.log)


@contextmanager
def in_a_loop() -> Iterator[None]:
    """Turns are made by hand: what is scheduled in it never runs."""
    loop = asyncio.new_event_loop()
    asyncio.events._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio.events._set_running_loop(None)
        loop.close()


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    clock = Clock()
    monkeypatch.setattr(module, "perf_counter", clock)
    with in_a_loop():
        yield Stage(clock)


def test_a_turn_ends_after_its_time(stage: Stage) -> None:
    stage.knock("a", 6)
    assert stage.turns(4) == "aa|aa|aa||"


def test_all_have_a_chunk_before_one_has_its_second(stage: Stage) -> None:
    for name in "abc":
        stage.knock(name, 3)
    assert stage.turns(5) == "ab|ca|bc|ab|c|"


def test_who_was_quiet_does_not_wait_for_a_backlog(stage: Stage) -> None:
    """However many have one."""
    for name in "abcdefgh":
        stage.knock(name, 100)
    stage.turns(8)
    stage.knock("x", 1)
    assert stage.turns(1)[0] == "x"
    for turn in range(100):
        stage.knock(f"{turn % 10}", 1)
        assert stage.turns(1)[0] == f"{turn % 10}"


def test_a_backlog_does_not_wait_for_those_who_are_quiet(stage: Stage) -> None:
    stage.knock("a", 100)
    stage.turns(2)
    for name in "01234567":
        stage.knock(name, 1)
    assert stage.turns(3) == "0a|1a|2a|"


def test_no_one_is_forgotten(stage: Stage) -> None:
    """A thousand at once, each is served in the order of coming, in as many turns as it takes."""
    names = [chr(0x1000 + number) for number in range(1000)]
    for name in names:
        stage.knock(name, 1)
    assert stage.turns(500).replace("|", "") == "".join(names)
    assert stage.turns(1) == "|"
