"""config/reference.yaml says exactly what the structs say."""

import re
from pathlib import Path
from typing import Annotated, get_args, get_origin

import msgspec
import pytest
from msgspec.structs import FieldInfo, fields, replace

from fixgw.settings import (
    Access,
    Client,
    Currency,
    Cycle,
    Day,
    Door,
    DropCopy,
    DropCopySession,
    History,
    Host,
    Instrument,
    Limits,
    MarketData,
    MarketDataSession,
    MessageLog,
    Metrics,
    Node,
    Record,
    Restart,
    Schedule,
    Session,
    Settings,
    Snapshots,
    Store,
    Tls,
    Users,
    Venue,
    load,
)
from fixgw.settings.building import right
from fixgw.settings.node import Peer

REFERENCE = Path("config/reference.yaml")
SECTIONS: list[tuple[type[msgspec.Struct], str]] = [
    (Venue, "  "),
    (Currency, "    "),
    (Instrument, "    "),
    (Client, "    "),
    (Limits, "        "),
    (Session, "    "),
    (Schedule, "    "),
    (Door, "  "),
    (Tls, "  "),
    (Host, "      "),
    (Day, "  "),
    (Restart, "  "),
    (Store, "  "),
    (Record, "  "),
    (Users, "  "),
    (Snapshots, "  "),
    (Node, "  "),
    (Peer, "      "),
    (Cycle, "  "),
    (MessageLog, "  "),
    (DropCopy, "  "),
    (DropCopySession, "      "),
    (MarketData, "  "),
    (MarketDataSession, "      "),
    (History, "  "),
    (Metrics, "  "),
]
ACCESS = {each.name for each in fields(Access)}


def comment(field: FieldInfo, indent: str) -> str:
    """The comment lines a setting must have: meaning, range, default."""
    assert get_origin(field.type) is Annotated
    kind, *metas = get_args(field.type)
    description = next(meta.description for meta in metas if meta.description)
    limits = next((meta for meta in metas if meta.extra or meta.ge is not None or meta.max_length), None)
    if get_origin(kind) is dict:
        range_ = "at least one account" if field.required else "any number of entries"
    else:
        range_ = right(kind, limits)
    default = "required" if field.required else f"default {written(field) or 'empty'}"
    return f"{indent}# {description}\n{indent}# {range_}; {default}\n{indent}{field.encode_name}:"


def written(field: FieldInfo) -> str:
    value = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    return ", ".join(value) if isinstance(value, list | dict) else str(value)


@pytest.mark.parametrize(("struct", "indent"), SECTIONS)
def test_every_setting_is_listed_with_its_meaning_range_and_default(
    struct: type[msgspec.Struct], indent: str
) -> None:
    text = REFERENCE.read_text()
    # Who may log on is said once, where sessions are.
    own = [
        each
        for each in fields(struct)
        if each.name not in ACCESS or not issubclass(struct, DropCopySession | MarketDataSession)
    ]
    missing = [block for each in own if (block := comment(each, indent)) not in text]
    assert not missing, "\n".join(missing)


def test_no_struct_is_forgotten() -> None:
    named = str(msgspec.inspect.type_info(Settings))
    assert all(struct.__name__ in named for struct, _ in SECTIONS)
    assert len(set(re.findall(r"StructType\(cls=<class '([^']+)'", named))) == len(SECTIONS) + 1


def test_the_example_of_templates_and_ranges_is_right(tmp_path: Path) -> None:
    """Its entries, put where they belong, are a thousand clients and sessions that follow the template."""
    text = REFERENCE.read_text()
    examples = dict(re.findall(r"^#   (clients|sessions):\n#  (   [^\n]+\n)", text, re.MULTILINE))
    for section in "clients", "sessions":
        text = text.replace(f"\n{section}:\n", f"\n{section}:\n{examples[section][1:]}")
    (tmp_path / "venue.yaml").write_text(text)
    settings = load(tmp_path / "venue.yaml")
    assert len(settings.clients) == len(settings.sessions) == 1001
    made = settings.sessions["S0999"]
    assert made == Session(client="C0999", comp_id="S0999", messages_per_second=50, heartbeat_min_seconds=10)
    assert settings.clients["C0999"].accounts == {"C0999-1": {"USD": "1000"}}


def test_the_values_in_the_reference_are_the_defaults() -> None:
    settings = load(REFERENCE)
    assert (settings.venue, settings.door, settings.store, settings.cycle) == (
        Venue(),
        Door(),
        Store(),
        Cycle(),
    )
    assert (replace(settings.tls, hosts={}), settings.day) == (Tls(), Day())
    assert (settings.message_log, settings.restart) == (MessageLog(), Restart())
    assert (settings.record, settings.users, settings.snapshots) == (Record(), Users(), Snapshots())
    assert settings.clients["ALPHA"].limits == {"ALPHA-1": Limits()}
    instrument = settings.instruments["BTC-USD"]
    assert instrument == Instrument("BTC", "USD", "0.01", "0.0001", "1000", "1000000")
    assert settings.schedules == {"WEEKDAYS": Schedule()}
    [(name, session)] = settings.sessions.items()
    assert session == Session(client=session.client, comp_id=name)
