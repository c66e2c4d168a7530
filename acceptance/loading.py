"""Scripts from their files: every mistake is one line with file and line, before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acceptance.matching import check_conditions
from acceptance.matrix import scripts_of
from acceptance.reading import Mapping, ScriptError, meant, read_script
from acceptance.script import OR, VERSIONS, Script, Step, Values
from acceptance.standard import standard
from acceptance.templates import Templates

ROLE = re.compile(r"[A-Z]\d?")
DEPTH = 20
"""templates in templates"""
NO_MESSAGE = ("nothing", "disconnect")
BY_HAND = ("test requests", "heartbeats")


@dataclass(frozen=True)
class Verb:
    """How a step is written."""

    takes: str
    """its value: role, message, text, words, steps or numbers"""
    options: frozenset[str]
    help: str


def _verb(takes: str, options: str, help: str) -> Verb:
    return Verb(takes, frozenset(options.split()), help)


VERBS = {
    "connect": _verb("role", "over certificate", "opens a connection, without a Logon"),
    "disconnect": _verb("role", "", "closes it, without a Logout"),
    "logon": _verb("role", "fields within", "connects if need be, sends a Logon, expects the venue's"),
    "logout": _verb("role", "fields within", "sends a Logout, expects the venue's, and closes"),
    "send": _verb("message", "on fields", "a message by name; `fields` go over its defaults"),
    "send raw": _verb("text", "on", "these bytes, | for SOH"),
    "expect": _verb(
        "expected", "on fields within after skip for", "the next message, or nothing, or disconnect"
    ),
    "any order": _verb("steps", "", "these expects, whichever comes first"),
    "numbers": _verb("numbers", "on", "the speaker's own next MsgSeqNum: {next out: 5, next in: 2}"),
    "admin": _verb("words", "", "runs `fixgw admin WORDS` on the venue"),
    "restart": _verb("restart", "", "stops the venue (`stop`) or kills it (`kill`), and starts it again"),
    "note": _verb("words", "", "a line in the report"),
}
TOP = {
    "title": "one line: what the script does",
    "proves": "cases of the standard and features, such as [1B.a, feature 50]",
    "versions": "FIX.4.4, FIXT.1.1; default both",
    "sessions": "roles, such as [A, B, A2]; default [A]",
    "needs": "what the venue must offer",
    "venue": "settings the venue must have; it is played against one of its own then",
    "by hand": "what the speaker leaves to the script: test requests, heartbeats",
    "alone": "yes: no other script runs meanwhile",
    "steps": "what happens",
}


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
        for key in top:
            if key not in TOP:
                raise self.wrong(top.line, f"{key!r} is not a key of a script{meant(str(key), list(TOP))}")
        for key in ("title", "steps"):
            if not top.get(key):
                raise self.wrong(top.line, f"`{key}:` is missing: {TOP[key]}")
        self._versions = self._words(top, "versions", list(VERSIONS))
        for version in self._versions:
            if version not in VERSIONS:
                raise self.wrong(top.line, f"versions: {version!r} is none of {', '.join(VERSIONS)}")
        self._roles = self._words(top, "sessions", ["A"])
        for role in self._roles:
            if not ROLE.fullmatch(role):
                raise self.wrong(top.line, f"sessions: {role!r} is not a role such as A, B or A2")
        by_hand = self._words(top, "by hand", [])
        for word in by_hand:
            if word not in BY_HAND:
                raise self.wrong(top.line, f"by hand: {word!r} is none of {', '.join(BY_HAND)}")
        if top.get("alone", "no") not in ("yes", "no"):
            raise self.wrong(top.line, "alone: must be yes or no")
        venue = top.get("venue", {})
        if not isinstance(venue, dict):
            raise self.wrong(top.line, "venue: must be a mapping of settings")
        return Script(
            file=self._path,
            title=str(top["title"]),
            steps=list(self.steps(top["steps"], top.line)),
            proves=self._words(top, "proves", []),
            versions=self._versions,
            sessions=self._roles,
            needs=self._words(top, "needs", []),
            venue=dict(venue),
            by_hand=by_hand,
            alone=top.get("alone") == "yes",
        )

    def _words(self, top: Mapping, key: str, default: list[str]) -> list[str]:
        value = top.get(key, default)
        if isinstance(value, str):
            return [value]
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.wrong(top.line, f"{key}: must be a word or a list of words: {TOP[key]}")
        return value

    def steps(self, steps: object, line: int, depth: int = 0) -> Iterator[Step]:
        if depth > DEPTH:
            raise self.wrong(line, "a template that uses itself")
        if not isinstance(steps, list) or not steps:
            raise self.wrong(line, "steps: must be a list of steps")
        for step in steps:
            if not isinstance(step, Mapping):
                raise self.wrong(line, f"{step!r} is not a step such as `expect: Heartbeat`")
            line = step.line
            verbs = [key for key in step if key in VERBS]
            template = next((key for key in step if key in self._templates), None)
            if template is not None:
                yield from self.steps(self._templates.steps(template, step), line, depth + 1)
            elif len(verbs) != 1:
                known = [*VERBS, *self._templates]
                hint = meant(str(next(iter(step), "")), known)
                raise self.wrong(line, f"a step has one of {', '.join(known)}{hint}; not {', '.join(step)}")
            else:
                yield self.step(verbs[0], step)

    def step(self, verb: str, step: Mapping) -> Step:
        rule, value, line = VERBS[verb], step[verb], step.line
        for key in step:
            if key != verb and key not in rule.options:
                allowed = ", ".join(sorted(rule.options)) or "nothing"
                raise self.wrong(line, f"`{verb}` does not take {key!r}; it takes {allowed}")
        made = Step(verb, str(value), line, one_line(step))
        if rule.takes == "steps":
            made.what = ""
            made.steps = list(self.steps(value, line))
            if any(each.verb != "expect" or each.what in NO_MESSAGE for each in made.steps):
                raise self.wrong(line, "any order: takes only expects of messages")
        elif rule.takes == "numbers":
            made.fields = self._numbers(value, line)
        elif rule.takes == "expected" and isinstance(value, dict):
            made.what = self._one_of(value, line)
        elif not isinstance(value, str):
            raise self.wrong(line, f"`{verb}` takes one word or text, not {value!r}")
        made.on = made.what if rule.takes == "role" else str(step.get("on", self._roles[0]))
        if rule.takes in ("role", "message", "expected", "text", "numbers") and made.on not in self._roles:
            raise self.wrong(line, f"{made.on!r} is none of the script's sessions: {', '.join(self._roles)}")
        if rule.takes == "restart" and value not in ("stop", "kill"):
            raise self.wrong(line, "restart: must be stop or kill")
        if "fields" in step:
            made.fields = self._fields(step["fields"], line)
            problem = check_conditions(made.fields) if verb == "expect" else None
            if problem:
                raise self.wrong(line, problem)
        if step.get("over", "tcp") not in ("tcp", "tls"):
            raise self.wrong(line, "over: must be tcp or tls")
        made.over, made.certificate = str(step.get("over", "tcp")), str(step.get("certificate", ""))
        self._times(made, step)
        self._messages(rule, made, step)
        return made

    def _times(self, made: Step, step: Mapping) -> None:
        for key in ("within", "after", "for"):
            if key in step:
                try:
                    seconds = float(str(step[key]))
                except ValueError:
                    raise self.wrong(made.line, f"{key}: must be seconds, not {step[key]!r}") from None
                setattr(made, "within" if key == "for" else key, seconds)
        if "for" in step and made.what != "nothing":
            raise self.wrong(made.line, "`for` goes with `expect: nothing`; use `within` or `after`")

    def _messages(self, rule: Verb, made: Step, step: Mapping) -> None:
        skip = step.get("skip", [])
        made.skip = [skip] if isinstance(skip, str) else list(skip) if isinstance(skip, list) else []
        names = list(made.skip)
        if rule.takes == "message" or (rule.takes == "expected" and made.what not in NO_MESSAGE):
            names += made.what.split(OR)
        for name in names:
            for version in self._versions:
                if standard(version).msg_type(name) is None:
                    known = list(standard(version).message_types)
                    raise self.wrong(made.line, f"{name!r} is no message of {version}{meant(name, known)}")

    def _fields(self, fields: object, line: int) -> Values:
        if not isinstance(fields, Mapping):
            raise self.wrong(line, f"fields: must be a mapping such as {{Side: BUY}}, not {fields!r}")
        for name, value in fields.items():
            for version in self._versions:
                names = standard(version)
                if names.tag(name) is None:
                    raise self.wrong(
                        fields.line, f"{name!r} is no field of {version}{meant(name, list(names.tags))}"
                    )
            if isinstance(value, list):
                for entry in value:
                    self._fields(entry, line)
        return dict(fields)

    def _one_of(self, value: dict[str, Any], line: int) -> str:
        names = value.get("one of")
        if (
            set(value) != {"one of"}
            or not isinstance(names, list)
            or not all(isinstance(e, str) for e in names)
        ):
            raise self.wrong(line, "expect: takes a message, or {one of: [Logout, Reject]}")
        if any(name in NO_MESSAGE for name in names):
            raise self.wrong(line, "expect: one of: takes only messages")
        return OR.join(names)

    def _numbers(self, value: object, line: int) -> dict[str, Any]:
        if not isinstance(value, dict) or not value or set(value) - {"next out", "next in"}:
            raise self.wrong(line, "numbers: takes {next out: N} or {next in: N} or both")
        return dict(value)


def one_line(value: object) -> str:
    """A step as a person would write it on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {one_line(each)}" for key, each in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(one_line(each) for each in value) + "]"
    return str(value)
