"""Templates: steps with a name, so that an ordinary case takes five lines.

They stand in `templates.yaml` in the folder of the script or one above it. A template's steps may say
`<parameter>` in any text; `parameters` names them, with defaults, or `~` for one that must be given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from acceptance.grammar import VERBS
from acceptance.reading import Mapping, ScriptError, meant, read_script

_NAME = r"[A-Za-z][A-Za-z0-9 _-]*"
_PARAMETER = re.compile(rf"<({_NAME})>")
NEEDED = "~"
NO_ARGUMENTS = ("", "yes")
"""what may stand where a template needs nothing said"""


class Templates:
    """Those that a script may use: of two with one name, the nearer."""

    def __init__(self, script: Path) -> None:
        self._script = script
        self._known: dict[str, Mapping] = {}
        self._files: dict[str, Path] = {}
        for folder in reversed(script.resolve().parents):
            file = folder / "templates.yaml"
            if file.is_file():
                found = _read(file, file.stat().st_mtime_ns)
                self._known |= {name: _checked(file, name, found) for name in found}
                self._files |= dict.fromkeys(found, file)

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def steps(self, name: str, step: Mapping) -> object:
        """The template's steps for a step such as `- new order: {id: $a}`."""
        template = self._known[name]
        parameters = dict(template.get("parameters") or {})  # type: ignore[call-overload]
        given = step[name]
        if given in NO_ARGUMENTS:
            given = Mapping()
        if not isinstance(given, Mapping):
            takes = ", ".join(f"{each}: ..." for each in parameters) or "nothing"
            raise ScriptError(self._script, step.line, f"{name!r} takes {{{takes}}}, not {given!r}")
        more = [key for key in step if key != name]
        for key in [*given, *more]:
            if key not in parameters:
                hint = meant(str(key), list(parameters))
                takes = ", ".join(parameters) or "nothing"
                raise ScriptError(self._script, step.line, f"{name!r} takes {takes}, not {key!r}{hint}")
        values = parameters | dict(given) | {key: step[key] for key in more}
        missing = [key for key, value in values.items() if value == NEEDED]
        if missing:
            raise ScriptError(self._script, step.line, f"{name!r} needs {', '.join(missing)}")
        if not isinstance(values.get("fields", {}), dict):
            raise ScriptError(self._script, step.line, f"{name!r}: fields: must be a mapping")
        return _filled(template["steps"], values, step.line, self._files[name])


@lru_cache
def _read(file: Path, _: int) -> Mapping:
    """Once for all scripts, until the file changes."""
    return read_script(file)


def _checked(file: Path, name: str, templates: Mapping) -> Mapping:
    template, line = templates[name], templates.line_of(name)
    if name in VERBS:
        raise ScriptError(file, line, f"template {name!r} has the name of a step, and would take its place")
    if not isinstance(template, Mapping) or not template.get("steps"):
        raise ScriptError(file, line, f"template {name!r} must have `steps:`")
    parameters = template.get("parameters") or {}
    if not isinstance(parameters, dict):
        raise ScriptError(file, line, f"template {name!r}: parameters must be a mapping of defaults")
    for parameter in parameters:
        if not re.fullmatch(_NAME, parameter):
            text = "is no name for a parameter: letters, digits, spaces, _ and -, and first a letter"
            raise ScriptError(file, line, f"template {name!r}: {parameter!r} {text}")
    for used in _PARAMETER.findall(repr(template["steps"])):
        if used not in parameters:
            raise ScriptError(file, line, f"template {name!r} uses <{used}>, which is no parameter of it")
    return template


def _filled(value: object, values: dict[str, object], line: int, file: Path) -> object:
    """The same with parameters filled in; every step is on the line of the script that asks for it, and knows
    its own place. A parameter that stands alone may be anything, also a list. `<fields>: ~` is where a
    parameter `fields` puts its own."""
    if isinstance(value, str):
        whole = _PARAMETER.fullmatch(value)
        if whole:
            return values[whole[1]]
        return _PARAMETER.sub(lambda match: str(values[match[1]]), value)
    if isinstance(value, list):
        return [_filled(each, values, line, file) for each in value]
    if isinstance(value, Mapping):
        filled = Mapping((str(key), _filled(each, values, line, file)) for key, each in value.items())
        if "<fields>" in filled:
            del filled["<fields>"]
            filled.update(values["fields"])  # type: ignore[call-overload]
        filled.line, filled.template = line, f"{file}:{value.line}"
        return filled
    return value
