"""Scripts from their files: every mistake is one line with file and line, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from acceptance.flow import flow_mistake
from acceptance.grammar import BY_HAND, ROLE, TOP, VERBS
from acceptance.matrix import scripts_of
from acceptance.reading import Mapping, ScriptError, meant, read_script
from acceptance.script import VERSIONS, Script, Step
from acceptance.steps import Objection, one_line, step_of
from acceptance.templates import Templates

DEPTH = 20
"""templates in templates"""
OWN = ("${session ", "${symbol}")
"""what an operator's command names that is for nobody but the script"""


def load(path: Path) -> Script:
    """The only script of a file. Raises ScriptError."""
    return _Loading(path, Templates(path)).script(read_script(path))


def load_all(path: Path) -> list[Script]:
    """The script of a file, or those of its matrix. Raises ScriptError."""
    top, templates = read_script(path), Templates(path)
    tops = list(scripts_of(path, top)) if "matrix" in top else [top]
    return [_Loading(path, templates).script(each) for each in tops]


class _Loading:
    def __init__(self, path: Path, templates: Templates) -> None:
        self._path = path
        self._templates = templates
        self._roles = ["A"]
        self._versions = list(VERSIONS)

    def wrong(self, line: int, text: str) -> ScriptError:
        return ScriptError(self._path, line, text)

    def script(self, top: Mapping) -> Script:
        self._keys(top)
        by_hand = self._words(top, "by hand", [])
        for word in by_hand:
            if word not in BY_HAND:
                raise self._key(top, "by hand", f"{word!r} is none of {', '.join(BY_HAND)}")
        if top.get("alone", "no") not in ("yes", "no"):
            raise self._key(top, "alone", "must be yes or no")
        alone = top.get("alone") == "yes"
        venue = top.get("venue", {})
        if not isinstance(venue, dict):
            raise self._key(top, "venue", "must be a mapping of settings")
        return Script(
            file=self._path,
            title=str(top["title"]),
            steps=self._checked(list(self.steps(top["steps"], top.line_of("steps"))), alone),
            proves=self._words(top, "proves", []),
            versions=self._versions,
            sessions=self._roles,
            needs=self._words(top, "needs", []),
            venue=dict(venue),
            by_hand=by_hand,
            alone=alone,
        )

    def _keys(self, top: Mapping) -> None:
        for key in top:
            if key not in TOP:
                raise self.wrong(
                    top.line_of(key), f"{key!r} is not a key of a script{meant(str(key), list(TOP))}"
                )
        for key in ("title", "steps"):
            if not top.get(key):
                raise self.wrong(top.line, f"`{key}:` is missing: {TOP[key]}")
        if not isinstance(top["title"], str):
            raise self._key(top, "title", "must be one line of text")
        self._versions = self._words(top, "versions", list(VERSIONS))
        for version in self._versions:
            if version not in VERSIONS:
                raise self._key(top, "versions", f"{version!r} is none of {', '.join(VERSIONS)}")
        self._roles = self._words(top, "sessions", ["A"])
        for role in self._roles:
            if not ROLE.fullmatch(role):
                raise self._key(top, "sessions", f"{role!r} is not a role such as A, B or A2")
        for key, words in (("versions", self._versions), ("sessions", self._roles)):
            if not words:
                raise self._key(top, key, "must not be empty")

    def _key(self, top: Mapping, key: str, text: str) -> ScriptError:
        return self.wrong(top.line_of(key), f"{key}: {text}")

    def _words(self, top: Mapping, key: str, default: list[str]) -> list[str]:
        value = top.get(key, default)
        if isinstance(value, str):
            return [value]
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self._key(top, key, f"must be a word or a list of words: {TOP[key]}")
        return value

    def _checked(self, steps: list[Step], alone: bool) -> list[Step]:
        """Raises ScriptError for what is wrong with them together."""
        for step in steps:
            others = step.verb == "restart" or (
                step.verb == "admin" and not any(name in step.what for name in OWN)
            )
            if others and not alone:
                text = f"`{step.verb}` goes with `alone: yes`, as other scripts use the venue"
                raise self.wrong(
                    step.line, text + ("; or it names ${session a}" if step.verb == "admin" else "")
                )
        mistake = flow_mistake(steps, self._roles)
        if mistake is not None:
            step, text = mistake
            raise self.wrong(step.line, f"{text}{_place(step.template)}")
        return steps

    def steps(self, steps: object, line: int, depth: int = 0) -> Iterator[Step]:
        if depth > DEPTH:
            raise self.wrong(line, "a template that uses itself")
        if not isinstance(steps, list) or not steps:
            raise self.wrong(line, "steps: must be a list of steps")
        for step in steps:
            if not isinstance(step, Mapping):
                raise self.wrong(line, f"{one_line(step)!r} is not a step such as `expect: Heartbeat`")
            line = step.line
            template = next((key for key in step if key in self._templates), None)
            if template is not None:
                yield from self.steps(self._templates.steps(template, step), line, depth + 1)
            else:
                yield self._step(step)

    def _step(self, step: Mapping) -> Step:
        verbs = [key for key in step if key in VERBS]
        try:
            if len(verbs) != 1:
                known = [*VERBS, *self._templates]
                hint = meant(str(next(iter(step), "")), known)
                raise Objection(f"a step has one of {', '.join(known)}{hint}; not {', '.join(step)}")
            made = step_of(verbs[0], step, self._roles, self._versions)
            if made.verb == "any order":
                made.steps = list(self.steps(step["any order"], step.line))
                if any(
                    each.verb != "expect" or each.what in ("nothing", "disconnect") for each in made.steps
                ):
                    raise Objection("any order: takes only expects of messages")
            return made
        except Objection as problem:
            raise self.wrong(problem.line or step.line, f"{problem}{_place(step.template)}") from None


def _place(template: str) -> str:
    return f" (in the template at {template})" if template else ""
