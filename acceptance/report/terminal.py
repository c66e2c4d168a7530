"""A run in the terminal: a line per case, and of a failed one what was expected and what came."""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.report.words import counts, printable
from acceptance.results import CaseResult, Difference, Report, Said, StepResult

LAST = 8
"""lines of the conversation that are shown"""
LONGEST = 300
"""characters of a message; the report has the rest"""
WIDEST = 40
"""characters of a column; longer texts push the next one aside"""
NOT_THERE = "(not there)"
_ARROWS = {"out": "->", "in": "<-", "note": "--"}


def case_lines(case: CaseResult) -> Iterator[str]:
    """One line, and of a failed case the steps that failed and how the conversation ended. Without line ends,
    and printable whatever the peer has sent."""
    why = f": {case.why}" if case.why and case.outcome != "failed" else ""
    yield printable(f"{case.outcome:11}  {case.version:8}  {case.file}  {case.title}{why}")
    if case.outcome != "failed":
        return
    for step in case.steps:
        if step.outcome == "failed":
            yield from _step_lines(step)
    if case.conversation:
        yield "    the conversation ended with:"
        yield from map(_said_line, case.conversation[-LAST:])


def summary_line(report: Report) -> str:
    ended = f"interrupted by {report.interrupted}: " if report.interrupted else ""
    return printable(f"{report.verdict}: {ended}{counts(report)}, in {report.seconds:.1f} s")


def _step_lines(step: StepResult) -> Iterator[str]:
    yield f"    line {step.line}: {_cut(step.text)}"
    if step.problem:
        yield f"    {_cut(step.problem)}"
    if step.differences:
        rows = [("", "field", "expected", "received"), *map(_row, step.differences)]
        name, expected = (min(WIDEST, max(len(row[column]) for row in rows)) for column in (1, 2))
        for row in rows:
            yield f"    {row[0]:1} {row[1]:{name}}  {row[2]:{expected}}  {row[3]}"


def _row(found: Difference) -> tuple[str, str, str, str]:
    received = _cut(found.received) or NOT_THERE
    return " " if found.right else "!", _cut(found.name), _cut(found.expected), received


def _said_line(said: Said) -> str:
    arrow = _ARROWS[said.way]
    return f"    {said.seconds:8.3f} s  {printable(said.session)} {arrow} {_cut(said.words or said.text)}"


def _cut(text: str) -> str:
    text = printable(text[: LONGEST + 1])
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
