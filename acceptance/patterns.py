"""Regular expressions of scripts: found wrong before anything is sent, and given up if they take too long.
`fields.fmt` says by which of them a plain script compares a field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import regex

from acceptance.reading import ScriptError
from acceptance.wire import whole

WITHIN = 1.0
"""seconds for one value"""
FILE = "fields.fmt"
_INSIDE = re.compile(r"\$\{[^}]*\}")
"""what is filled in before a pattern is one"""

Patterns = dict[int, regex.Pattern[str]]
"""by tag"""
DEFAULT: Patterns = {tag: regex.compile(".") for tag in (9, 10, 52)}
"""where there is no such file: they differ from run to run"""


def pattern_mistake(pattern: str) -> str | None:
    """In words; None if there is none."""
    try:
        regex.compile(_INSIDE.sub("x", pattern))
    except regex.error as error:
        return f"not a regular expression: {error}"
    return None


def fits(pattern: str, text: str) -> bool:
    """The whole text. Raises TimeoutError."""
    return regex.fullmatch(pattern, text, timeout=WITHIN) is not None


def is_in(pattern: regex.Pattern[str], text: str) -> bool:
    """Anywhere in the text; not if it cannot be found out in time."""
    try:
        return pattern.search(text, timeout=WITHIN) is not None
    except TimeoutError:
        return False


def patterns_for(script: Path) -> Patterns:
    """Of the nearest `fields.fmt`. Raises ScriptError."""
    for folder in script.resolve().parents:
        file = folder / FILE
        if file.is_file():
            return dict(_read(file))
    return DEFAULT


def _read(file: Path) -> Iterator[tuple[int, regex.Pattern[str]]]:
    try:
        lines = file.read_bytes().splitlines()
    except OSError as problem:
        raise ScriptError(file, 1, problem.strerror or str(problem)) from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            tag, equals, pattern = line.decode().partition("=")
        except UnicodeDecodeError:
            raise ScriptError(file, number, "is not UTF-8 text") from None
        known = whole(tag)
        if known is None or not equals:
            raise ScriptError(file, number, "must be TAG=PATTERN")
        mistake = pattern_mistake(pattern)
        if mistake:
            raise ScriptError(file, number, mistake)
        yield known, regex.compile(pattern)
