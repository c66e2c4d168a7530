"""Plain dicts of text to typed structs, one level at a time, so that a mistake knows its whole path."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec.structs import fields

from fixgw.settings.reading import Mistake

KNOWN = 10
"""names that a message about an unknown one holds"""
SECRETS = {"password", "hmac_key", "url"}
"""fields whose value never appears in a message; a URL may hold a password by mistake"""


def build(kind: Any, value: object, path: str = "", about: msgspec.Meta | None = None) -> Any:
    """`value` as a `kind` (struct, dict, text, number or Literal); raises Mistake. `about` holds the limits
    of the nearest annotation around."""
    if get_origin(kind) is Annotated:
        kind, *metas = get_args(kind)
        for meta in metas:
            if meta.extra or meta.min_length or meta.ge is not None:
                about = meta
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return build_struct(kind, mapping(value, path), path)
    if get_origin(kind) is dict:
        if about and about.extra and not isinstance(value, dict):
            raise Mistake(path, f"must be {right(kind, about)}, not {value!r}")
        return build_dict(kind, mapping(value, path), path, about)
    return build_scalar(kind, value, path, about)


def mapping(value: object, path: str) -> dict[Any, object]:
    if not isinstance(value, dict):
        raise Mistake(path or "the file", "must be a mapping (name: value)")
    return value


def build_struct(kind: type[msgspec.Struct], value: dict[Any, object], path: str) -> msgspec.Struct:
    kinds = {each.name: each for each in fields(kind)}
    for key in value:
        if key not in kinds:
            raise Mistake(join(path, key), f"is not a setting{close(str(key), kinds)}")
    for name, each in kinds.items():
        if each.required and name not in value:
            raise Mistake(join(path, name), "is missing and has no default")
    return kind(**{name: build(kinds[name].type, each, join(path, name)) for name, each in value.items()})


def build_dict(kind: Any, value: dict[Any, object], path: str, about: msgspec.Meta | None) -> dict[str, Any]:
    name_kind, value_kind = get_args(kind)
    if about and len(value) < (about.min_length or 0):
        raise Mistake(path, "must hold at least one entry")
    for name in value:
        build(name_kind, name, join(path, name))
    return {name: build(value_kind, each, join(path, name)) for name, each in value.items()}


def build_scalar(kind: Any, value: object, path: str, about: msgspec.Meta | None) -> Any:
    try:
        return msgspec.convert(value, Annotated[kind, about] if about else kind, strict=False)
    except msgspec.ValidationError:
        found = "a list or mapping"
        if path.rpartition(".")[2] in SECRETS:
            found = "another text"
        elif isinstance(value, str):
            found = repr(value)
        elif get_origin(kind) is list and isinstance(value, list):
            found = f"[{', '.join(map(str, value))}]"
        raise Mistake(path, f"must be {right(kind, about)}, not {found}") from None


def right(kind: Any, about: msgspec.Meta | None) -> str:
    """The range of a setting in words: used in messages and in the reference."""
    if get_origin(kind) is Literal:
        *others, last = get_args(kind)
        return f"{', '.join(others)} or {last}"
    if kind is int and about:
        return f"a whole number from {about.ge} to {about.le}"
    words = (about.extra or {}).get("words") if about else None
    if words:
        return str(words)
    assert about and about.max_length
    return f"a text of {about.min_length or 0} to {about.max_length} characters"


def join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def close(name: str, names: Iterable[str]) -> str:
    """What to add to a message about the unknown `name`: the nearest of `names`, or KNOWN of them."""
    names = list(names)
    near = get_close_matches(name, names, 1)
    if near:
        return f"; did you mean {near[0]}?"
    more = f" and {len(names) - KNOWN} more" if len(names) > KNOWN else ""
    return f"; known: {', '.join(names[:KNOWN])}{more}" if names else "; it has none"
