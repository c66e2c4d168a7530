"""Templates: steps with a name, so that an ordinary case takes five lines.

They stand in `templates.yaml` in the folder of the script or one above it. A template's steps may say
`<parameter>` in any text; `parameters` names them, with defaults, or `~` for one that must be given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from acceptance.reading import Mapping, ScriptError, meant, read_script

_PARAMETER = re.compile(r"<([a-z ]+)>")
NEEDED = "~"


class Templates:
    """Those that a script may use: of two with one name, the nearer."""

    def __init__(self, script: Path) -> None:
        self._script = script
        self._known: dict[str, Mapping] = {}
        for folder in reversed(script.resolve().parents):
            file = folder / "templates.yaml"
            if file.is_file():
                found = _read(file, file.stat().st_mtime_ns).items()
                self._known |= {name: _checked(file, name, each) for name, each in found}

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def steps(self, name: str, step: Mapping) -> object:
        """The template's steps for a step such as `- new order: {id: $a}`."""
        template = self._known[name]
        parameters = dict(template.get("parameters") or {})  # type: ignore[call-overload]
        given = step[name] if isinstance(step[name], Mapping) else {}
        more = [key for key in step if key != name]
        for key in [*given, *more]:  # type: ignore[misc]
            if key not in parameters:
                hint = meant(str(key), list(parameters))
                takes = ", ".join(parameters) or "nothing"
                raise ScriptError(self._script, step.line, f"{name!r} takes {takes}, not {key!r}{hint}")
        values = parameters | dict(given) | {key: step[key] for key in more}  # type: ignore[call-overload]
        missing = [key for key, value in values.items() if value == NEEDED]
        if missing:
            raise ScriptError(self._script, step.line, f"{name!r} needs {', '.join(missing)}")
        return _filled(template["steps"], values, step.line)


@lru_cache
def _read(file: Path, _: int) -> Mapping:
    """Once for all scripts, until the file changes."""
    return read_script(file)


def _checked(file: Path, name: str, template: object) -> Mapping:
    if not isinstance(template, Mapping) or not template.get("steps"):
        raise ScriptError(file, getattr(template, "line", 1), f"template {name!r} must have `steps:`")
    parameters = template.get("parameters") or {}
    if not isinstance(parameters, dict):
        raise ScriptError(file, template.line, f"template {name!r}: parameters must be a mapping of defaults")
    for used in _PARAMETER.findall(repr(template["steps"])):
        if used not in parameters:
            raise ScriptError(
                file, template.line, f"template {name!r} uses <{used}>, which is no parameter of it"
            )
    return template


def _filled(value: object, values: dict[str, object], line: int) -> object:
    """The same with parameters filled in; every step is on the line of the script that asks for it. A
    parameter that stands alone may be anything, also a list. `<fields>: ~` is where a parameter `fields` puts
    its own."""
    if isinstance(value, str):
        whole = _PARAMETER.fullmatch(value)
        if whole:
            return values[whole[1]]
        return _PARAMETER.sub(lambda match: str(values[match[1]]), value)
    if isinstance(value, list):
        return [_filled(each, values, line) for each in value]
    if isinstance(value, dict):
        filled = Mapping((str(key), _filled(each, values, line)) for key, each in value.items())
        if "<fields>" in filled:
            del filled["<fields>"]
            filled.update(values["fields"])  # type: ignore[call-overload]
        filled.line = line
        return filled
    return value
