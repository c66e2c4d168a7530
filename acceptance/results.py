"""What a run of scripts found: plain values, as they stand in the JSON report."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

Outcome = Literal["passed", "failed", "not offered", "not run"]
"""`not offered`: the venue does not have what the script is about, and says so beforehand. `not run`: it
could not be played here, and `why` says what is missing."""


class Difference(Struct):
    """One field of a message that was expected."""

    name: str
    """with its tag: ExecType(150)"""
    expected: str
    received: str
    """"" if it is not there"""
    right: bool


class Said(Struct):
    """A line of the conversation."""

    seconds: float
    """since the script began"""
    session: str
    way: Literal["out", "in", "note"]
    """as the script sees it: `out` is what it sent"""
    text: str
    """the message with | for SOH, secrets as ***; or a note"""
    words: str = ""
    """the same message with names for tags and values"""


class StepResult(Struct):
    """One step of a script, played or not reached."""

    line: int
    """in the script's file"""
    text: str
    """the step as it is written, on one line"""
    outcome: Literal["passed", "failed", "not reached"]
    seconds: float = 0.0
    """since the script began, at its end"""
    problem: str = ""
    """one line: what is wrong"""
    differences: list[Difference] = field(default_factory=list)
    """field by field, of the message that came closest"""


class CaseResult(Struct):
    """One script, played in one version of FIX."""

    file: str
    title: str
    version: str
    """BeginString(8)"""
    proves: list[str]
    """cases of the standard, and features"""
    outcome: Outcome
    why: str = ""
    """one line, unless it passed"""
    seconds: float = 0.0
    steps: list[StepResult] = field(default_factory=list)
    conversation: list[Said] = field(default_factory=list)


class Report(Struct):
    """A run."""

    title: str
    tool: str
    """fixgw and its version"""
    target: str
    """who was certified: the address of a venue, or the CompIDs of a client"""
    by: str
    """who ran it: user and machine"""
    started: str
    """UTC, ISO 8601"""
    seconds: float
    cases: list[CaseResult]
    format: int = 1
    settings: dict[str, str] = field(default_factory=dict)
    """what else was said of the target: its sessions, its versions"""
    interrupted: str = ""
    """the signal that ended it before its time"""

    def count(self, outcome: Outcome) -> int:
        return sum(case.outcome == outcome for case in self.cases)

    @property
    def verdict(self) -> Literal["passed", "failed", "incomplete"]:
        """`passed` if all that the venue offers was played and is right; a run that left something out, or
        found nothing to play, proves too little."""
        if self.count("failed"):
            return "failed"
        whole = not (self.count("not run") or self.interrupted)
        return "passed" if self.count("passed") and whole else "incomplete"
