"""A script read from its first step to its last: is there a connection where one is used, and is every name
known that something is compared with? A new name is a new id, which no message can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acceptance.reading import meant
from acceptance.script import Step
from acceptance.values import GIVEN, name_of, references

FREE = ("connect", "logon", "disconnect", "admin", "restart", "note", "numbers", "any order")
"""steps that need no connection, or whose own steps do"""
LEFT_BEHIND = ("remember", "same")


def flow_mistake(steps: list[Step], roles: list[str], plain: bool = False) -> tuple[Step, str] | None:
    """The first step that cannot be right, and why; None if there is none. `plain` scripts have no names."""
    flow = _Flow(roles)
    for step in steps:
        problem = flow.connection(step) or (None if plain else flow.names(step))
        if problem:
            return step, problem
    return None


class _Flow:
    def __init__(self, roles: list[str]) -> None:
        self._without = dict.fromkeys(roles, "`connect` or `logon` comes first")
        """roles that have no connection now, and why"""
        self._known = set(GIVEN) | {
            f"{each} {role.lower()}" for role in roles for each in ("account", "session")
        }

    def connection(self, step: Step) -> str | None:
        for each in (step, *step.steps):
            if each.verb not in FREE and each.on in self._without:
                return f"{each.on} is not connected here: {self._without[each.on]}"
        if step.verb in ("connect", "logon"):
            self._without.pop(step.on, None)
        elif step.verb in ("disconnect", "logout"):
            self._without[step.on] = f"`{step.verb}` in line {step.line} has closed the connection"
        elif step.verb == "expect" and step.what == "disconnect":
            self._without[step.on] = f"the step in line {step.line} is the end of its connection"
        return None

    def names(self, step: Step) -> str | None:
        parts = (step, *step.steps)
        if step.verb in ("expect", "any order"):
            fields = [part.fields for part in parts]
            beside = _left_behind(fields, LEFT_BEHIND if step.steps else ("same",))
            problem = self._unknown(_texts(fields), self._known | beside, all_of_them=True)
            self._known |= _left_behind(fields)
            return problem
        texts = [*_texts(step.fields), *([step.what] if step.verb in ("send raw", "admin") else [])]
        problem = self._unknown(texts, self._known, all_of_them=step.verb == "admin")
        self._known |= {name for text in texts for name, _ in references(text)}
        return problem

    def _unknown(self, texts: Iterable[str], known: set[str], all_of_them: bool) -> str | None:
        """A name that must be known and is not: one that is compared, or reckoned with."""
        for text in texts:
            for name, reckoned in references(text):
                if name not in known and (all_of_them or reckoned):
                    hint = meant(name, sorted(known)).replace("mean ", "mean $")
                    return f"${name} is not known here: no step before has sent or remembered it{hint}"
        return None


def _texts(value: object) -> Iterator[str]:
    """All that may refer to something."""
    if isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key not in ("text", "remember", "same", "new"):
                yield from _texts(each)
    else:
        yield str(value)


def _left_behind(value: object, words: tuple[str, ...] = LEFT_BEHIND) -> set[str]:
    if isinstance(value, list):
        return {name for each in value for name in _left_behind(each, words)}
    if not isinstance(value, dict):
        return set()
    own = {name_of(str(operand)) for word, operand in value.items() if word in words}
    return own | {name for each in value.values() for name in _left_behind(each, words)}
