"""Whether a message is the one expected: field by field, each with what was expected and what came."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from acceptance.grouping import Fields, Group, apart, unknown
from acceptance.masking import HIDDEN, SECRET
from acceptance.patterns import fits
from acceptance.results import Difference
from acceptance.script import Values
from acceptance.standard import Standard
from acceptance.values import Unknown, Variables

CONDITIONS = {
    "one of": "any of a list",
    "not": "anything but this, or but {one of: [...]}",
    "pattern": "a regular expression for the whole value",
    "above": "a greater number, or a later time",
    "below": "a smaller number, or an earlier time",
    "at least": "this number or a greater one",
    "at most": "this number or a smaller one",
    "remember": "keeps the value under this name; with another condition, if that holds",
    "same": "kept under this name the first time; after that it must be equal",
    "new": "a value that no message has had before under this name",
    "text": "this text, even if it is a word with a meaning here",
}
ABSENT, PRESENT = "absent", "present"
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)", re.ASCII)
_TIME = re.compile(r"\d[\d:.\-+Z]*", re.ASCII)


class Matching:
    """Compares one message; `remembered` is what it would leave behind."""

    def __init__(self, names: Standard, variables: Variables, numbers: dict[str, int]) -> None:
        """`numbers`: those of the session, for `$next` and `$expected`."""
        self._names = names
        self._variables = variables
        self._numbers = numbers
        self._msg_type = ""
        self.remembered: dict[str, str] = {}
        self.used: list[tuple[str, str]] = []
        """names and values that must not come again"""
        self.differences: list[Difference] = []

    @property
    def right(self) -> bool:
        return all(difference.right for difference in self.differences)

    @property
    def wrong(self) -> int:
        return sum(not difference.right for difference in self.differences)

    def compare(self, fields: Fields, expected: Values) -> None:
        """Raises Unknown."""
        self._msg_type = next((text for tag, text in fields if tag == 35), "")
        self._compare(fields, expected, "")

    def _compare(self, fields: Fields, expected: Values, path: str) -> None:
        own, groups = apart(fields, lambda counter: self._names.members(self._msg_type, counter))
        for name, value in expected.items():
            tag = self._names.tag(name)
            assert tag is not None, "checked when the script was read"
            label = path + self._names.label(tag)
            if isinstance(value, list):
                self._group(groups.get(tag) or unknown(fields, tag), value, label)
                continue
            came = [text for other, text in own if other == tag]
            said, right = self._one(tag, came[0] if came else None, value)
            if tag in SECRET and said not in (ABSENT, PRESENT):
                said = HIDDEN
            shown = ", then ".join(self._names.word(tag, text) for text in came)
            self.differences.append(Difference(label, said, shown, right and len(came) < 2))

    def _group(self, found: Group | None, wanted: list[Values], label: str) -> None:
        entries = found.entries if found else []
        right = found is not None and found.right and len(entries) == len(wanted)
        self.differences.append(Difference(label, str(len(wanted)), str(found or ""), right))
        for number, (entry, part) in enumerate(zip(wanted, entries, strict=False), 1):
            self._compare(part, entry, f"{label}[{number}].")

    def _one(self, tag: int, came: str | None, value: object) -> tuple[str, bool]:
        """What was expected, in words, and whether it came."""
        if not isinstance(value, dict):
            text = str(value)
            if text == ABSENT:
                return "absent", came is None
            if text == PRESENT:
                return "present", came is not None
            return self._equal(tag, came, text)
        said, right = [], True
        for condition, operand in value.items():
            words, holds = self._condition(tag, came, str(condition), operand)
            said.append(words)
            right = right and holds
        return " and ".join(said), right

    def _equal(self, tag: int, came: str | None, text: str) -> tuple[str, bool]:
        wanted = self._names.value(tag, self._variables.fill(text, self._numbers))
        said = self._names.word(tag, wanted)
        if came is None:
            return said, False
        if self._names.is_number(tag):
            number, other = decimal(came), decimal(wanted)
            return said, came == wanted or (number is not None and number == other)
        return said, came == wanted

    def _condition(self, tag: int, came: str | None, condition: str, operand: Any) -> tuple[str, bool]:
        if condition == "one of":
            each = [self._one(tag, came, one) for one in operand]
            return "one of " + ", ".join(said for said, _ in each), any(right for _, right in each)
        if condition == "not":
            said, right = self._one(tag, came, operand)
            return f"not {said}", came is not None and not right
        if condition == "text":
            return str(operand), came == operand
        name = str(operand)
        if condition == "remember":
            if came is not None:
                self.remembered[name] = came
            return "present", came is not None
        if condition == "same":
            known = self._variables.known(name)
            if known is None and came is not None:
                self.remembered[name] = came
            return known or "present", came is not None and known in (None, came)
        if condition == "new":
            if came is not None:
                self.used.append((name, came))
            return "new", came is not None and not self._variables.was_used(name, came)
        if condition == "pattern":
            return self._pattern(came, self._variables.fill(name, self._numbers, re.escape))
        wanted = self._variables.fill(name, self._numbers)
        return f"{condition} {wanted}", came is not None and self._beyond(tag, came, condition, wanted)

    def _pattern(self, came: str | None, wanted: str) -> tuple[str, bool]:
        said = f"pattern {wanted}"
        if came is None:
            return said, False
        try:
            return said, fits(wanted, came)
        except TimeoutError:
            return f"{said}, which takes too long", False

    def _beyond(self, tag: int, came: str, condition: str, wanted: str) -> bool:
        holds = _HOLDS[condition]
        if self._names.is_time(tag):
            if not _TIME.fullmatch(wanted):
                raise Unknown(
                    f"{self._names.label(tag)}: {wanted!r} is no time, so nothing is {condition} it"
                )
            return _TIME.fullmatch(came) is not None and holds(came, wanted)
        limit, number = decimal(wanted), decimal(came)
        if limit is None:
            raise Unknown(f"{self._names.label(tag)}: {wanted!r} is no number, so nothing is {condition} it")
        return number is not None and holds(number, limit)


_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "above": lambda came, wanted: came > wanted,
    "below": lambda came, wanted: came < wanted,
    "at least": lambda came, wanted: came >= wanted,
    "at most": lambda came, wanted: came <= wanted,
}


def decimal(text: str) -> Decimal | None:
    """A number as FIX writes it: without exponent, plus sign or spaces."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None
