"""What a script says of fields, checked before anything is sent: names, values, conditions. A condition that
can never fail, and a value that the field cannot have, are mistakes."""

from __future__ import annotations

import re

from acceptance.masking import HIDDEN, SECRET, texts_in
from acceptance.matching import ABSENT, CONDITIONS, PRESENT, decimal
from acceptance.patterns import pattern_mistake
from acceptance.reading import meant
from acceptance.standard import Standard, standard
from acceptance.values import GIVEN, NAME, is_reference, misreferred, name_of

REMEMBERS = ("remember", "same", "new")
BEYOND = ("above", "below", "at least", "at most")
AMONG_OTHERS = ("text", "pattern", *BEYOND)
"""conditions that may stand in a list of values"""
_OF_ROLE = re.compile(r"(account|session) [a-z]\d?")
_STARTS_AS_TIME = re.compile(r"\d{4}|\d\d:")


def field_mistake(versions: list[str], name: str, value: object, sent: bool) -> str | None:
    """What is wrong with a field that is `sent`, or else expected, in words; None if nothing is."""
    for version in versions:
        names = standard(version)
        tag = names.tag(name)
        if tag is None:
            return f"{name!r} is no field of {version}{meant(name, list(names.tags))}"
        if isinstance(value, list):
            for entry in value:
                if not isinstance(entry, dict):
                    return f"{name}: a list is a repeating group, with entries such as {{PartyID: X}}"
                problem = fields_mistake([version], entry, sent)
                if problem:
                    return f"{name}: {problem}"
            continue
        problem = _Value(names, tag, sent).mistake(value)
        if problem:
            for text in texts_in(value) if tag in SECRET else ():
                problem = problem.replace(text, HIDDEN)
            return f"{name}: {problem}"
    return None


def fields_mistake(versions: list[str], fields: dict[str, object], sent: bool) -> str | None:
    return next(
        (
            problem
            for name, value in fields.items()
            if (problem := field_mistake(versions, name, value, sent))
        ),
        None,
    )


class _Value:
    """Of one field in one version."""

    def __init__(self, names: Standard, tag: int, sent: bool) -> None:
        self._names, self._tag, self._sent = names, tag, sent

    def mistake(self, value: object) -> str | None:
        if not isinstance(value, dict):
            return self._text(str(value))
        if self._sent:
            right = set(value) == {"text"} and isinstance(value["text"], str)
            return None if right else "what is sent is a text, or {text: ...} for a word with a meaning here"
        if not value:
            return "there is no condition in {}, so nothing can be wrong"
        return next(
            (
                f"{condition}: {problem}" if condition in CONDITIONS else problem
                for condition, operand in value.items()
                if (problem := self._condition(str(condition), operand))
            ),
            None,
        )

    def _text(self, text: str, *without: str) -> str | None:
        """`without`: words that have no meaning here."""
        if text == PRESENT and self._sent:
            return "only what is expected may be `present`; {text: present} sends the word"
        if text in without:
            return f"`{text}` would make it right or wrong for all values; {{text: {text}}} is the word"
        problem = misreferred(text)
        if problem:
            return problem
        words = self._names.words_of(self._tag)
        free = text in (ABSENT, PRESENT) or is_reference(text) or not words
        if free or self._names.has_value(self._tag, text):
            return None
        version = self._names.begin_string
        return (
            f"{text!r} is no value of it in {version}{meant(text, words)}; {{text: {text}}} takes it as it is"
        )

    def _condition(self, condition: str, operand: object) -> str | None:
        if condition not in CONDITIONS:
            return f"{condition!r} is none of {', '.join(CONDITIONS)}"
        if condition == "one of":
            return self._one_of(operand, PRESENT)
        if condition == "not" and isinstance(operand, dict):
            if set(operand) != {"one of"}:
                return "takes one value or {one of: [...]}"
            return self._one_of(operand["one of"], PRESENT, ABSENT)
        if not isinstance(operand, str):
            return f"takes one text: {CONDITIONS[condition]}"
        if condition == "not":
            return self._text(operand, PRESENT, ABSENT)
        if condition == "pattern":
            return (misreferred(operand) if operand.startswith("$") else None) or pattern_mistake(operand)
        if condition in REMEMBERS:
            return _name_mistake(operand)
        return self._beyond(operand) if condition in BEYOND else None

    def _one_of(self, values: object, *without: str) -> str | None:
        if not isinstance(values, list) or not values:
            return "any of a list, such as [1, 2]"
        for value in values:
            if isinstance(value, dict):
                if not set(value) <= set(AMONG_OTHERS):
                    return f"its list has plain values, or conditions such as {', '.join(AMONG_OTHERS)}"
                if problem := self.mistake(value):
                    return problem
            elif problem := self._text(str(value), *without):
                return problem
        return None

    def _beyond(self, operand: str) -> str | None:
        if not self._names.is_ordered(self._tag):
            return f"{self._names.label(self._tag)} is neither a number nor a time"
        if is_reference(operand):
            return misreferred(operand)
        if self._names.is_time(self._tag):
            return None if _STARTS_AS_TIME.match(operand) else f"{operand!r} is no time"
        return None if decimal(operand) is not None else f"{operand!r} is no number"


def _name_mistake(name: str) -> str | None:
    if not NAME.fullmatch(name.removeprefix("$")):
        return f"{name!r} is no name: letters, digits, _ and spaces, and first a letter"
    given = name_of(name) in GIVEN or _OF_ROLE.fullmatch(name_of(name))
    return f"${name_of(name)} has a meaning of its own" if given else None
