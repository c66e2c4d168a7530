"""Scenarios for clients, from their YAML files: every mistake is one line with file and line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from msgspec import Struct, field

from acceptance.checking import fields_mistake
from acceptance.reading import Mapping, ScriptError, meant, read_script
from acceptance.results import CaseResult
from acceptance.script import VERSIONS, Values
from acceptance.standard import standard
from acceptance.steps import one_line

DISCONNECT = "disconnect"
_RANGE = re.compile(r"(\d{1,6})-(\d{1,6})")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)( heartbeats?)?")


class Duration(Struct, frozen=True):
    """Seconds, or multiples of the session's HeartBtInt(108)."""

    number: float
    heartbeats: bool = False

    def seconds(self, heartbeat: float) -> float:
        return self.number * heartbeat if self.heartbeats else self.number


class Step(Struct):
    verb: str
    what: str
    line: int
    text: str
    """as it was written, on one line"""
    fields: Values = field(default_factory=dict)
    header: Values = field(default_factory=dict)
    within: Duration | None = None
    """None: the patience of the run"""
    options: dict[str, str] = field(default_factory=dict)
    skip: list[str] = field(default_factory=list)

    @property
    def awaited(self) -> list[str]:
        """What may come: names of messages, or `disconnect`."""
        return self.what.split(" or ")


class Scenario(Struct):
    file: Path
    title: str
    first: int
    """the smallest OrderQty(38) that starts it where no one is asked"""
    last: int
    steps: list[Step]
    proves: list[str] = field(default_factory=list)
    versions: list[str] = field(default_factory=lambda: list(VERSIONS))

    @property
    def name(self) -> str:
        return self.file.stem


def unplayed(scenario: Scenario, version: str, why: str) -> CaseResult:
    return CaseResult(str(scenario.file), scenario.title, version, scenario.proves, "not run", why)


@dataclass(frozen=True)
class Verb:
    options: frozenset[str]
    help: str
    """what its value must be"""
    values: tuple[str, ...] = ()
    """all there are; none: see `_CHECKS`"""


def _verb(options: str, help: str, *values: str) -> Verb:
    return Verb(frozenset(options.split()), help, values)


VERBS = {
    "prompt": _verb("", "what the person is to do"),
    "await": _verb("fields within skip", "messages by name, or disconnect; ` or ` between them"),
    "report": _verb("quantity price fields remember lost", "an ExecType(150) by name"),
    "refuse": _verb("fields", "the Text(58) of the refusal"),
    "send": _verb("fields header uncounted", "a message by name"),
    "repeat": _verb("", "PossDup or PossResend", "PossDup", "PossResend"),
    "skip": _verb("", "how many numbers are left out"),
    "hold": _verb("", "resends", "resends"),
    "release": _verb("", "resends", "resends"),
    "silence": _verb("", "on or off", "on", "off"),
    "log out": _verb("", "the Text(58) of the Logout"),
    "disconnect": _verb("", "yes", "yes"),
    "wait": _verb("", "seconds"),
    "still there": _verb("within skip", "yes", "yes"),
    "delivered": _verb("within", "yes", "yes"),
    "ask": _verb("answer", "a question to the person"),
}
TOP = ("title", "proves", "versions", "quantity", "steps")


def load_all(folder: Path) -> list[Scenario]:
    """Those of a folder, by their quantities. Raises ScriptError."""
    scenarios = sorted(map(load, folder.glob("*.yaml")), key=lambda scenario: scenario.first)
    for one, other in pairwise(scenarios):
        if other.first <= one.last:
            text = f"quantity: {other.first}-{other.last} is taken in part by {one.file.name}"
            raise ScriptError(other.file, 1, text)
    return scenarios


def load(path: Path) -> Scenario:
    """Raises ScriptError."""
    top = read_script(path)
    for key in top:
        if key not in TOP:
            raise ScriptError(path, top.line, f"{key!r} is not a key of a scenario{meant(key, list(TOP))}")
    for key in ("title", "quantity", "steps"):
        if not top.get(key):
            raise ScriptError(path, top.line, f"`{key}:` is missing")
    versions = top.get("versions", list(VERSIONS))
    if not isinstance(versions, list) or not set(versions) <= set(VERSIONS):
        raise ScriptError(path, top.line, f"versions: must be a list of {', '.join(VERSIONS)}")
    found = _RANGE.fullmatch(str(top["quantity"]))
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise ScriptError(path, top.line, f"quantity: must be such as 10-19, not {top['quantity']!r}")
    proves, steps = top.get("proves", []), top["steps"]
    if not isinstance(proves, list) or not isinstance(steps, list):
        raise ScriptError(path, top.line, "proves and steps must be lists")
    made = [_step(path, each, versions, top.line) for each in steps]
    if not any(step.verb == "await" and step.what == "NewOrderSingle" for step in made[:2]):
        raise ScriptError(path, top.line, "steps: must begin with a prompt and `await: NewOrderSingle`")
    title = str(top["title"])
    return Scenario(path, title, int(found[1]), int(found[2]), made, proves, versions)


def _step(path: Path, step: object, versions: list[str], line: int) -> Step:
    if not isinstance(step, Mapping):
        raise ScriptError(path, line, f"{step!r} is not a step such as `await: NewOrderSingle`")
    verb = next(iter(step), "")
    rule = VERBS.get(verb)
    if rule is None:
        raise ScriptError(path, step.line, f"{verb!r} is not a step{meant(verb, list(VERBS))}")
    for key in step:
        if key != verb and key not in rule.options:
            takes = ", ".join(sorted(rule.options)) or "nothing else"
            raise ScriptError(path, step.line, f"`{verb}` does not take {key!r}; it takes {takes}")
    what = str(step[verb])
    if rule.values and what not in rule.values:
        raise ScriptError(path, step.line, f"{verb}: must be {' or '.join(rule.values)}, not {what!r}")
    made = Step(verb, what, step.line, one_line(step))
    for key, value in step.items():
        problem = _option(made, key, value, versions) if key != verb else None
        if problem:
            raise ScriptError(path, step.line, f"{key}: {problem}")
    problem = _CHECKS[verb](made, versions) if verb in _CHECKS else None
    if problem:
        raise ScriptError(path, step.line, f"{verb}: {problem}")
    return made


def _option(made: Step, key: str, value: object, versions: list[str]) -> str | None:
    """Puts it into the step; what is wrong with it, or None."""
    if key in ("fields", "header"):
        if not isinstance(value, dict):
            return "must be a mapping such as {Side: BUY}"
        for name in value:
            for version in versions:
                if standard(version).tag(name) is None:
                    return f"{name!r} is no field of {version}{meant(name, list(standard(version).tags))}"
        setattr(made, key, dict(value))
        return fields_mistake(versions, made.fields, sent=False) if made.verb == "await" else None
    if key == "within":
        made.within = duration(str(value))
        return None if made.within else f"must be such as 2 or 3 heartbeats, not {value!r}"
    if key == "skip":
        made.skip = [str(each) for each in value] if isinstance(value, list) else [str(value)]
        return None
    made.options[key] = str(value)
    return None


def duration(text: str) -> Duration | None:
    found = _DURATION.fullmatch(text)
    return Duration(float(found[1]), bool(found[2])) if found else None


def _messages(step: Step, versions: list[str]) -> str | None:
    for name in [*(step.awaited if step.verb != "still there" else []), *step.skip]:
        for version in versions:
            known = standard(version)
            if name != DISCONNECT and name not in known.message_types:
                return f"{name!r} is no message of {version}{meant(name, list(known.message_types))}"
    return None


def _exec_type(step: Step, versions: list[str]) -> str | None:
    known = all(standard(version).value(150, step.what) != step.what for version in versions)
    return None if known else f"{step.what!r} is no ExecType(150) of the standard, such as TRADE"


def _number(step: Step, versions: list[str]) -> str | None:
    return None if duration(step.what) else f"must be a number, not {step.what!r}"


_CHECKS: dict[str, Callable[[Step, list[str]], str | None]] = {
    "await": _messages, "still there": _messages, "send": _messages,
    "report": _exec_type, "skip": _number, "wait": _number,
}  # fmt: skip
