"""What the page, the terminal and the verdict on a file say in the same way."""

from __future__ import annotations

from typing import get_args

from acceptance.results import Outcome, Report

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


def printable(text: str) -> str:
    """On one line, with nothing in it that moves the cursor, colours the terminal or turns the direction of
    the text: such characters are shown as Python writes them, `\\x01`."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def cases(number: int) -> str:
    return f"{number} case" if number == 1 else f"{number} cases"


def counts(report: Report) -> str:
    """`12 cases: 10 passed, 2 failed`."""
    found = [f"{report.count(each)} {each}" for each in OUTCOMES if report.count(each)]
    return f"{cases(len(report.cases))}: {', '.join(found)}" if found else "no cases"
