"""The person at the client's side, or nobody."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TextIO

from acceptance.acceptor.line import Stopped
from acceptance.report import case_lines
from acceptance.report.words import printable
from acceptance.results import CaseResult, StepResult
from acceptance.saying import say

SKIP, REPEAT, QUIT = "s", "r", "q"
QUIET = ("wait", "hold", "release", "skip")
"""verbs whose steps are not worth a line on the terminal"""


class Skipped(Exception):
    """The scenario is not played to its end: why."""


class Nobody:
    """What a person would be told is told to no one."""

    there = False

    def look(self) -> None:
        """Raises Skipped or Stopped if the person wants that."""

    def prompt(self, text: str) -> None: ...

    def step(self, result: StepResult) -> None: ...

    def ask(self, question: str, seconds: float, idle: Callable[[float], None]) -> str:
        raise NotImplementedError("there is nobody to ask")


class Person(Nobody):
    """On a terminal: what is to be done, what is awaited, what was found. Typed: s and Enter skips a
    scenario, q and Enter ends the run."""

    there = True

    def __init__(self, typed: TextIO | None = None) -> None:
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        """None: the end of what is typed"""
        self._gone = False
        self._input = typed or sys.stdin
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with suppress(ValueError, OSError):  # it is no text, or cannot be read
            for line in self._input or ():
                self._lines.put(line.strip())
        self._lines.put(None)

    def say(self, text: str) -> None:
        say(text)

    def look(self) -> None:
        word = self._typed()
        if word == SKIP:
            raise Skipped("skipped by the person")
        if word == QUIT:
            raise Stopped

    def prompt(self, text: str) -> None:
        self.say(f"  >> {text}")

    def verdict(self, case: CaseResult) -> None:
        self.say("\n".join([f"  {case.outcome}", *how_it_failed(case)]))

    def step(self, result: StepResult) -> None:
        verb = result.text.partition(":")[0]
        if result.outcome == "failed":
            self.say(f"  FAILED  {result.text}")
            self.say(f"          {printable(result.problem)}")
        elif result.outcome == "passed" and verb != "prompt" and verb not in QUIET:
            self.say(f"  ok      {result.text}")

    def ask(self, question: str, seconds: float, idle: Callable[[float], None]) -> str:
        """The line that is typed; `idle` keeps the session alive meanwhile. Raises Skipped or Stopped."""
        self.say(f"  ?? {question}")
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            word = self._typed()
            if word == SKIP:
                raise Skipped("skipped by the person")
            if word == QUIT:
                raise Stopped
            if word:
                return word
            if word is not None:
                self.say(f"  ?? {question}")
            idle(0.1)
        return ""

    def again(self, seconds: float, idle: Callable[[float], None]) -> bool:
        """After a failure: whether the scenario is to be played once more."""
        self.say("  r and Enter plays it again, Enter goes on")
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            word = self._typed()
            if word == QUIT:
                raise Stopped
            if word is not None:
                return word == REPEAT
            idle(0.1)
        return False

    def _typed(self) -> str | None:
        """None: nothing. Raises Stopped once there is nobody who could type."""
        if self._gone:
            raise Stopped
        try:
            line = self._lines.get_nowait()
        except Empty:
            return None
        if line is None:
            self._gone = True
            self.say("-- nobody is at the terminal; without a person: --unattended")
            raise Stopped
        return line


def how_it_failed(case: CaseResult) -> list[str]:
    """Field by field, and how the conversation ended; of a case that did not fail, nothing. What was wrong in
    words has been said."""
    failed_steps = any(step.outcome == "failed" for step in case.steps)
    return list(case_lines(case))[3 if failed_steps else 1 :]
