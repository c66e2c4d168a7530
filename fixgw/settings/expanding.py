"""Many entries from few lines: a session takes its settings from a template, and a name with a range in it,
such as S[0001-1000], stands for as many entries. All on plain dicts of text, between reading and building."""

import re
from collections.abc import Iterator

from msgspec.structs import fields

from fixgw.settings.building import build, close, join, mapping
from fixgw.settings.kinds import Name
from fixgw.settings.reading import Mistake
from fixgw.settings.session import Session

MOST = 10_000
"""entries of one section"""
NUMBER = "*"
"""stands for the number of an entry that came out of a range"""
RANGED = ("clients", "sessions")
"""sections whose names may hold a range"""

_RANGE = re.compile(r"([^\[\]]*)\[([0-9]{1,9})-([0-9]{1,9})\]([^\[\]]*)")


def expand(file: object) -> object:
    """The content of a file with its templates filled in and its ranges written out; raises Mistake. What is
    not as it should be otherwise is left to who builds structs of it."""
    if not isinstance(file, dict):
        return file
    expanded = dict(file)
    templates = _templates(expanded.pop("templates", {}))
    sessions = expanded.get("sessions")
    if isinstance(sessions, dict):
        expanded["sessions"] = {
            name: _from_template(settings, templates, join("sessions", name))
            for name, settings in sessions.items()
        }
    for section in RANGED:
        if isinstance(expanded.get(section), dict):
            expanded[section] = _written_out(expanded[section], section)
    return expanded


def _templates(section: object) -> dict[str, dict[str, object]]:
    """The templates by name, each checked where it stands: not in each session that follows it."""
    kinds = {each.name: each for each in fields(Session)}
    templates: dict[str, dict[str, object]] = {}
    for name, settings in mapping(section, "templates").items():
        path = join("templates", name)
        build(Name, name, path)
        templates[name] = mapping(settings, path)
        for key, value in templates[name].items():
            if key not in kinds:
                raise Mistake(join(path, key), f"is not a setting of a session{close(str(key), kinds)}")
            build(kinds[key].type, _numbered(value, "1", join(path, key)), join(path, key))
    return templates


def _from_template(settings: object, templates: dict[str, dict[str, object]], path: str) -> object:
    """The template's settings with the session's own over them."""
    if not isinstance(settings, dict) or "template" not in settings:
        return settings
    name = settings["template"]
    if not isinstance(name, str) or name not in templates:
        known = close(str(name), templates) if templates else ": there is no section `templates`"
        raise Mistake(join(path, "template"), f"{name} is not a template of this file{known}")
    return templates[name] | {key: value for key, value in settings.items() if key != "template"}


def _written_out(section: dict[str, object], path: str) -> dict[str, object]:
    entries: dict[str, object] = {}
    origins: dict[str, str] = {}
    for written, settings in section.items():
        for name, number in _names(written, path):
            if name in entries:
                raise Mistake(join(path, written), f"{name} is an entry of {origins[name]} as well")
            if len(entries) == MOST:
                raise Mistake(join(path, written), f"makes more than {MOST} entries in all")
            entries[name] = settings if number is None else _numbered(settings, number, join(path, name))
            origins[name] = join(path, written)
    return entries


def _names(written: str, path: str) -> Iterator[tuple[str, str | None]]:
    """(name, its number) for each entry a name stands for; a plain name has no number."""
    if "[" not in written and "]" not in written:
        yield written, None
        return
    found = _RANGE.fullmatch(written)
    if found is None:
        raise Mistake(join(path, written), "must hold one range such as [0001-1000] and no other bracket")
    before, first, last, after = found.groups()
    if len(first) != len(last) or first > last:
        raise Mistake(
            join(path, written),
            f"[{first}-{last}] must go up, between numbers of the same width: [0001-1000]",
        )
    for number in range(int(first), int(last) + 1):
        text = str(number).zfill(len(first))
        yield f"{before}{text}{after}", text


def _numbered(value: object, number: str, path: str) -> object:
    """`value` with the number in place of each NUMBER, in names as well."""
    if isinstance(value, str):
        return value.replace(NUMBER, number)
    if isinstance(value, list):
        return [_numbered(each, number, path) for each in value]
    if not isinstance(value, dict):
        return value
    numbered: dict[str, object] = {}
    for key, each in value.items():
        name = key.replace(NUMBER, number)
        if name in numbered:
            raise Mistake(join(path, key), f"{name} is there twice, as {NUMBER} stands for {number}")
        numbered[name] = _numbered(each, number, join(path, name))
    return numbered
