"""config/reference.yaml says exactly what the structs say."""

from pathlib import Path
from typing import Annotated, get_args, get_origin

import msgspec
import pytest
from msgspec.structs import FieldInfo, fields

from fixgw.settings import (
    Client,
    Currency,
    Cycle,
    Door,
    Instrument,
    Session,
    Settings,
    Store,
    Venue,
    load,
)
from fixgw.settings.building import right

REFERENCE = Path("config/reference.yaml")
SECTIONS: list[tuple[type[msgspec.Struct], str]] = [
    (Venue, "  "),
    (Currency, "    "),
    (Instrument, "    "),
    (Client, "    "),
    (Session, "    "),
    (Door, "  "),
    (Store, "  "),
    (Cycle, "  "),
]


def comment(field: FieldInfo, indent: str) -> str:
    """The comment lines a setting must have: meaning, range, default."""
    assert get_origin(field.type) is Annotated
    kind, *metas = get_args(field.type)
    description = next(meta.description for meta in metas if meta.description)
    limits = next((meta for meta in metas if meta.extra or meta.ge is not None or meta.max_length), None)
    range_ = "at least one account" if get_origin(kind) is dict else right(kind, limits)
    default = "required" if field.required else f"default {field.default if field.default != '' else 'empty'}"
    return f"{indent}# {description}\n{indent}# {range_}; {default}\n{indent}{field.encode_name}:"


@pytest.mark.parametrize(("struct", "indent"), SECTIONS)
def test_every_setting_is_listed_with_its_meaning_range_and_default(
    struct: type[msgspec.Struct], indent: str
) -> None:
    text = REFERENCE.read_text()
    missing = [block for each in fields(struct) if (block := comment(each, indent)) not in text]
    assert not missing, "\n".join(missing)


def test_no_struct_is_forgotten() -> None:
    named = str(msgspec.inspect.type_info(Settings))
    assert all(struct.__name__ in named for struct, _ in SECTIONS)
    assert named.count("StructType(cls=<class") == len(SECTIONS) + 1


def test_the_values_in_the_reference_are_the_defaults() -> None:
    settings = load(REFERENCE)
    assert (settings.venue, settings.door, settings.store, settings.cycle) == (
        Venue(),
        Door(),
        Store(),
        Cycle(),
    )
    [(name, session)] = settings.sessions.items()
    assert session == Session(client=session.client, comp_id=name)
