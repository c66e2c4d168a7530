"""One step of a script: its verb, what the verb takes, and its options."""

from __future__ import annotations

import re
import shlex
from typing import Any

from acceptance.checking import field_mistake
from acceptance.grammar import NO_MESSAGE, OUTPUTS, VERBS
from acceptance.masking import HIDDEN, is_secret, unquoted
from acceptance.reading import Mapping, meant
from acceptance.script import OR, Step, Values
from acceptance.standard import standard
from acceptance.values import misreferred

LONGEST_WAIT = 3600
"""seconds"""
SECONDS = re.compile(r"\d+(\.\d*)?|\.\d+", re.ASCII)
MSG_SEQ_NUM = re.compile(r"\d{1,18}|\$[A-Za-z][A-Za-z0-9 _]*?(\s*[-+]\s*\d{1,18})?", re.ASCII)
OF_SESSION = ("role", "message", "expected", "text", "numbers")
"""what a verb takes whose step is about one connection"""


class Objection(Exception):
    """What is wrong, in words, and on which line of the script if that is not the step's."""

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(text)
        self.line = line


def step_of(verb: str, step: Mapping, roles: list[str], versions: list[str]) -> Step:
    """Steps in it are left out. Raises Objection."""
    return _Reading(verb, step, roles, versions).step()


class _Reading:
    def __init__(self, verb: str, step: Mapping, roles: list[str], versions: list[str]) -> None:
        self._verb, self._step, self._roles, self._versions = verb, step, roles, versions
        self._takes = VERBS[verb].takes

    def step(self) -> Step:
        verb, step, value = self._verb, self._step, self._step[self._verb]
        options = VERBS[verb].options
        for key in step:
            if key != verb and key not in options:
                allowed = ", ".join(sorted(options)) or "nothing"
                raise Objection(f"`{verb}` does not take {key!r}; it takes {allowed}", step.line_of(key))
        made = Step(verb, "", step.line, one_line(step), template=step.template)
        if self._takes == "numbers":
            made.fields = _numbers(value)
        elif self._takes != "steps":
            made.what = self._what(value)
        made.on = made.what if self._takes == "role" else str(step.get("on", self._roles[0]))
        if self._takes in OF_SESSION and made.on not in self._roles:
            raise Objection(f"{made.on!r} is none of the script's sessions: {', '.join(self._roles)}")
        if "fields" in step:
            made.fields = self._fields(step["fields"])
        if step.get("over", "tcp") not in ("tcp", "tls", *OUTPUTS):
            raise Objection(f"over: must be tcp, tls or {' or '.join(OUTPUTS)}")
        made.over = str(step.get("over", "tcp"))
        made.certificate = self._text("certificate")
        made.refused = self._text("refused")
        if "refused" in step and not made.refused:
            raise Objection("refused: must be words of the answer")
        self._times(made)
        self._messages(made)
        self._useless(made)
        return made

    def _what(self, value: object) -> str:
        if self._takes == "expected" and isinstance(value, dict):
            return _one_of(value)
        if not isinstance(value, str):
            raise Objection(f"`{self._verb}` takes one word or text, not {one_line(value)!r}")
        if self._takes == "restart" and value not in ("stop", "kill"):
            raise Objection("restart: must be stop or kill")
        problem = misreferred(value) if self._verb in ("send raw", "admin") else None
        if problem:
            raise Objection(unquoted(problem))
        if self._verb == "admin":
            try:
                shlex.split(value)
            except ValueError as unclosed:
                raise Objection(f"admin: {unclosed}") from None
        return value

    def _text(self, key: str) -> str:
        value = self._step.get(key, "")
        if not isinstance(value, str):
            raise Objection(f"{key}: must be a text")
        return value

    def _times(self, made: Step) -> None:
        for key in ("within", "after", "for"):
            if key in self._step:
                text = str(self._step[key])
                seconds = float(text) if SECONDS.fullmatch(text) else 0.0
                if not 0 < seconds <= LONGEST_WAIT:
                    right = f"{key}: must be seconds, above 0 and at most {LONGEST_WAIT}"
                    raise Objection(f"{right}, not {text!r}", self._step.line_of(key))
                setattr(made, "within" if key == "for" else key, seconds)
        if "for" in self._step and made.what != "nothing":
            raise Objection("`for` goes with `expect: nothing`; use `within` or `after`")

    def _messages(self, made: Step) -> None:
        skip = self._step.get("skip", [])
        made.skip = [skip] if isinstance(skip, str) else list(skip) if isinstance(skip, list) else []
        if not isinstance(skip, str | list) or not all(isinstance(name, str) for name in made.skip):
            raise Objection("skip: must be a message or a list of messages, such as [Heartbeat]")
        names = list(made.skip)
        if self._takes == "message" or (self._takes == "expected" and made.what not in NO_MESSAGE):
            names += made.what.split(OR)
        for name in names:
            for version in self._versions:
                if standard(version).msg_type(name) is None:
                    known = list(standard(version).message_types)
                    raise Objection(f"{name!r} is no message of {version}{meant(name, known)}")

    def _useless(self, made: Step) -> None:
        """Options that would be read and change nothing."""
        if made.verb != "expect" or made.what not in NO_MESSAGE:
            return
        for key in ("fields", "after") if made.what == "nothing" else ("fields",):
            if key in self._step:
                raise Objection(f"`expect: {made.what}` does not take {key!r}")

    def _fields(self, fields: object) -> Values:
        if not isinstance(fields, Mapping):
            raise Objection(f"fields: must be a mapping such as {{Side: BUY}}, not {one_line(fields)!r}")
        for name, value in fields.items():
            problem = field_mistake(self._versions, name, value, sent=self._verb != "expect")
            if problem:
                raise Objection(problem, fields.line_of(name))
        return dict(fields)


def _one_of(value: dict[str, Any]) -> str:
    names = value.get("one of")
    if set(value) != {"one of"} or not isinstance(names, list) or not all(isinstance(e, str) for e in names):
        raise Objection("expect: takes a message, or {one of: [Logout, Reject]}")
    if not names or any(name in NO_MESSAGE for name in names):
        raise Objection("expect: one of: takes only messages")
    return OR.join(names)


def _numbers(value: object) -> dict[str, Any]:
    if not isinstance(value, dict) or not value or set(value) - {"next out", "next in"}:
        raise Objection("numbers: takes {next out: N} or {next in: N} or both")
    for name, number in value.items():
        if not isinstance(number, str) or not MSG_SEQ_NUM.fullmatch(number):
            raise Objection(f"numbers: {name}: must be a number, or such as $next+1, not {number!r}")
    return dict(value)


def one_line(value: object) -> str:
    """A step as a person would write it on one line, without secrets."""
    if isinstance(value, dict):
        return ", ".join(
            f"{key}: {HIDDEN if is_secret(str(key)) else one_line(each)}" for key, each in value.items()
        )
    if isinstance(value, list):
        return "[" + ", ".join(one_line(each) for each in value) + "]"
    return unquoted(str(value))
