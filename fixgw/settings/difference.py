"""What a file that was read again says otherwise than before, and what of that can be done while the venue
runs."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from fixgw.settings.building import SECRETS
from fixgw.settings.node import Node
from fixgw.settings.reading import Mistake
from fixgw.settings.session import Session
from fixgw.settings.structs import Settings
from fixgw.settings.users import Record

NEEDS_RESTART = {
    "venue": ("comp_id", "address", "port"),
    "tls": ("address", "port"),
    "door": ("backlog",),
    "store": ("map_size_mib", "reserve_mib", "clordid_days", "jump"),
    "record": tuple(Record.__struct_fields__),
    "node": tuple(Node.__struct_fields__),
    "cycle": ("messages",),
    "message_log": ("on", "file_mib", "files"),
}
"""settings that are read once, at the start"""
OUTPUTS = "drop_copy", "market_data", "history", "metrics"
AT_ONCE = ("door", "tls", "day", "restart", "users", "snapshots", *OUTPUTS)
"""sections whose other settings are not"""
NEEDS_LOGON = {"client", "begin_string", "comp_id", "max_latency_seconds", "timestamps", "pending_new"}
"""settings of a session with which it was built: a change makes another one of it, with the same numbers"""
WIDEST = 60
"""characters of a value that is shown"""


class Difference(Struct, frozen=True):
    """Lines are for people: what changes, never a secret's value."""

    settings: Settings
    """what holds from here on: the new ones, but for those that need a restart"""
    not_taken: list[str]
    """what waits for a restart, or is not done at all; a line each"""
    sections: list[str]
    """lines of changes outside of sessions"""
    added: list[str]
    """names of sessions"""
    removed: list[str]
    rebuilt: dict[str, str]
    """names of sessions whose client must log on anew, with their lines"""
    changed: dict[str, str]
    """names of sessions that do not notice, with their lines"""


def difference(old: Settings, new: Settings) -> Difference:
    """Raises Mistake for a change that would give what there is another meaning."""
    _check_currencies(old, new)
    kept, not_taken = _keep(old, new)
    sessions = {
        name: list(_changes(old.sessions[name], session))
        for name, session in new.sessions.items()
        if name in old.sessions and session != old.sessions[name]
    }
    lines = {name: f"~ session {name}: {', '.join(changes)}" for name, changes in sessions.items()}
    rebuilt = {name for name in sessions if _needs_logon(old.sessions[name], new.sessions[name])}
    return Difference(
        settings=kept,
        not_taken=[*not_taken, *_accounts(old, new)],
        sections=[*_sections(old, kept), *_schedules(old.schedules, new.schedules)],
        added=[name for name in new.sessions if name not in old.sessions],
        removed=[name for name in old.sessions if name not in new.sessions],
        rebuilt={name: line for name, line in lines.items() if name in rebuilt},
        changed={name: line for name, line in lines.items() if name not in rebuilt},
    )


def _check_currencies(old: Settings, new: Settings) -> None:
    for name, currency in new.currencies.items():
        if name in old.currencies and currency != old.currencies[name]:
            raise Mistake(
                f"currencies.{name}.decimals",
                f"{old.currencies[name].decimals} -> {currency.decimals} would change the money there is; "
                "add a currency of another name",
            )


def _keep(old: Settings, new: Settings) -> tuple[Settings, list[str]]:
    """The new settings with the old ones where only a restart brings others, and those others."""
    lines = []
    kept = {}
    for section, names in NEEDS_RESTART.items():
        before, after = getattr(old, section), getattr(new, section)
        waits = {
            name: getattr(before, name) for name in names if getattr(before, name) != getattr(after, name)
        }
        lines += [
            f"! {section}.{name}: {_shown(value, getattr(after, name))} needs a restart"
            for name, value in waits.items()
        ]
        kept[section] = replace(after, **waits)
    if bool(old.tls.certificate) != bool(new.tls.certificate):  # a port that comes or goes
        kept["tls"] = old.tls
        lines.append(f"! tls.certificate: {_shown(old.tls.certificate, new.tls.certificate)} needs a restart")
    return replace(new, **kept), lines


def _sections(old: Settings, new: Settings) -> Iterator[str]:
    for section in AT_ONCE:
        changes = list(_changes(getattr(old, section), getattr(new, section)))
        if changes:
            yield f"~ {section}: {', '.join(changes)}"


def _schedules(old: Mapping[str, Struct], new: Mapping[str, Struct]) -> Iterator[str]:
    yield from (f"- schedule {name}" for name in old if name not in new)
    for name, schedule in new.items():
        if name not in old:
            yield f"+ schedule {name}"
        elif schedule != old[name]:
            yield f"~ schedule {name}: {', '.join(_changes(old[name], schedule))}"


def _accounts(old: Settings, new: Settings) -> Iterator[str]:
    """An account got its first balances when it was opened, and never gets them again."""
    before = {name: balances for client in old.clients.values() for name, balances in client.accounts.items()}
    for client in new.clients.values():
        for name, balances in client.accounts.items():
            if before.get(name, balances) != balances:
                yield f"! account {name}: it was opened with other balances, and keeps what it has"


def _needs_logon(old: Session, new: Session) -> bool:
    return any(getattr(old, name) != getattr(new, name) for name in NEEDS_LOGON)


def _changes(old: Struct, new: Struct) -> Iterator[str]:
    before = asdict(old)
    for name, value in asdict(new).items():
        if value != before[name]:
            yield f"{name} changed" if name in SECRETS else f"{name} {_shown(before[name], value)}"


def _shown(old: Any, new: Any) -> str:
    before, after = _text(old), _text(new)
    short = before != after and max(len(before), len(after)) <= WIDEST
    return f"{before} -> {after}" if short else "changed"


def _text(value: Any) -> str:
    if isinstance(value, Mapping) or (isinstance(value, Iterable) and not isinstance(value, str)):
        return f"[{', '.join(map(str, value))}]"
    return str(value) or '""'
