"""Whether a message is the one expected: field by field, each with what was expected and what came."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation

from acceptance.results import Difference
from acceptance.script import Values
from acceptance.standard import Standard
from acceptance.values import Variables

CONDITIONS = {
    "one of": "any of a list",
    "not": "anything but this",
    "pattern": "a regular expression for the whole value",
    "above": "a greater number, or a later text",
    "below": "a smaller number",
    "at least": "this number or a greater one",
    "at most": "this number or a smaller one",
    "remember": "keeps the value under this name; with another condition, if that holds",
    "same": "kept under this name the first time; after that it must be equal",
    "new": "a value that no message has had before under this name",
    "text": "this text, even if it is a word with a meaning here",
}
ABSENT, PRESENT = "absent", "present"
Fields = Sequence[tuple[int, str]]


class Matching:
    """Compares one message; `remembered` is what it would leave behind."""

    def __init__(self, names: Standard, variables: Variables, numbers: dict[str, int]) -> None:
        """`numbers`: those of the session, for `$next` and `$expected`."""
        self._names = names
        self._variables = variables
        self._numbers = numbers
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

    def compare(self, fields: Fields, expected: Values, path: str = "") -> None:
        for name, value in expected.items():
            tag = self._names.tag(name)
            assert tag is not None, "checked when the script was read"
            label = path + self._names.label(tag)
            if isinstance(value, list):
                self._groups(fields, tag, value, label)
                continue
            came = next((text for other, text in fields if other == tag), None)
            said, right = self._one(tag, came, value)
            shown = "" if came is None else self._names.word(tag, came)
            self.differences.append(Difference(label, said, shown, right))

    def _groups(self, fields: Fields, tag: int, entries: list[Values], label: str) -> None:
        found = groups(fields, tag)
        right = len(found) == len(entries)
        self.differences.append(Difference(label, str(len(entries)), str(len(found)), right))
        for number, (entry, part) in enumerate(zip(entries, found, strict=False), 1):
            self.compare(part, entry, f"{label}[{number}].")

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
            if condition == "remember":
                if came is not None:
                    self.remembered[str(operand)] = came
                said.append("present")
                right = right and came is not None
                continue
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

    def _condition(self, tag: int, came: str | None, condition: str, operand: object) -> tuple[str, bool]:
        if condition == "one of":
            each = [self._one(tag, came, one) for one in operand] if isinstance(operand, list) else []
            return "one of " + ", ".join(said for said, _ in each), any(right for _, right in each)
        if condition == "not":
            said, right = self._equal(tag, came, str(operand))
            return f"not {said}", came is not None and not right
        if condition == "text":
            return str(operand), came == operand
        if condition == "same":
            name = str(operand).lower()
            known = self._variables.known(name)
            if known is None and came is not None:
                self.remembered[name] = came
            return known or "present", came is not None and known in (None, came)
        if condition == "new":
            if came is not None:
                self.used.append((str(operand), came))
            return "new", came is not None and not self._variables.was_used(str(operand), came)
        wanted = self._variables.fill(str(operand), self._numbers)
        if condition == "pattern":
            return f"pattern {wanted}", came is not None and re.fullmatch(wanted, came) is not None
        return f"{condition} {wanted}", came is not None and _COMPARED[condition](*_comparable(came, wanted))


_COMPARED: dict[str, Callable[[object, object], bool]] = {
    "above": lambda came, wanted: came > wanted,  # type: ignore[operator]
    "below": lambda came, wanted: came < wanted,  # type: ignore[operator]
    "at least": lambda came, wanted: came >= wanted,  # type: ignore[operator]
    "at most": lambda came, wanted: came <= wanted,  # type: ignore[operator]
}


def _comparable(came: str, wanted: str) -> tuple[object, object]:
    """Both as numbers, if both are; else as texts, which is right for times."""
    number, other = decimal(came), decimal(wanted)
    return (came, wanted) if number is None or other is None else (number, other)


def decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def groups(fields: Fields, counter: int) -> list[Fields]:
    """The entries of a repeating group: each begins with the tag that follows the counter. The last one has
    all that comes after it too, as its end cannot be seen without a dictionary."""
    start = next((place for place, (tag, _) in enumerate(fields) if tag == counter), None)
    if start is None or start + 1 == len(fields):
        return []
    count = int(fields[start][1]) if fields[start][1].isdigit() else 0
    first = fields[start + 1][0]
    begins = [place for place in range(start + 1, len(fields)) if fields[place][0] == first][:count]
    return [fields[begin:end] for begin, end in zip(begins, [*begins[1:], len(fields)], strict=True)]


def check_conditions(values: Values) -> str | None:
    """What is wrong with the conditions in an expect's fields, in words; None if nothing is."""
    for name, value in values.items():
        if isinstance(value, list):
            for entry in value:
                if problem := check_conditions(entry):
                    return problem
        if isinstance(value, dict):
            for condition, operand in value.items():
                if condition not in CONDITIONS:
                    return f"{name}: {condition!r} is none of {', '.join(CONDITIONS)}"
                if condition == "pattern":
                    try:
                        re.compile(str(operand))
                    except re.error as error:
                        return f"{name}: pattern: {error}"
                if (condition == "one of") != isinstance(operand, list):
                    return f"{name}: {condition}: {CONDITIONS[condition]}"
    return None
