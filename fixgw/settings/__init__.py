"""The venue's settings: one YAML file, typed, validated, explained.

`load` reads it; `list_instruments`, `set_rules`, `open_accounts` and `limit_accounts` turn it into the
commands the venue opens with, `trading_day` and `schedules` into its calendar."""

from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from fixgw.settings.building import build
from fixgw.settings.calendars import schedules, trading_day
from fixgw.settings.checks import check
from fixgw.settings.expanding import expand
from fixgw.settings.exposure import check_exposure
from fixgw.settings.node import Node
from fixgw.settings.opening import limit_accounts, list_instruments, open_accounts, set_rules
from fixgw.settings.outputs import (
    DropCopy,
    DropCopySession,
    History,
    MarketData,
    MarketDataSession,
    Metrics,
)
from fixgw.settings.reading import Mistake, read
from fixgw.settings.session import Access, Schedule, Session
from fixgw.settings.structs import (
    Client,
    Currency,
    Cycle,
    Day,
    Door,
    Host,
    Instrument,
    Limits,
    MessageLog,
    Restart,
    Settings,
    Snapshots,
    Store,
    Tls,
    Venue,
)
from fixgw.settings.users import Record, Users

__all__ = [
    "Access",
    "Client",
    "Currency",
    "Cycle",
    "Day",
    "Door",
    "DropCopy",
    "DropCopySession",
    "History",
    "Host",
    "Instrument",
    "Limits",
    "MarketData",
    "MarketDataSession",
    "MessageLog",
    "Metrics",
    "Node",
    "Record",
    "Restart",
    "Schedule",
    "Session",
    "Settings",
    "SettingsError",
    "Snapshots",
    "Store",
    "Tls",
    "Users",
    "Venue",
    "check_addresses",
    "limit_accounts",
    "list_instruments",
    "load",
    "open_accounts",
    "port_number",
    "schedules",
    "set_rules",
    "trading_day",
]


AnyAccess = TypeVar("AnyAccess", bound=Access)


class SettingsError(Exception):
    """One line for people: the file, the path in it, what is wrong, what would be right."""


def load(path: Path | str) -> Settings:
    """The settings in the YAML file at `path`, checked; every mistake raises SettingsError."""
    try:
        settings: Settings = build(Settings, expand(read(path)))
        settings = replace(
            settings,
            sessions=_named(settings.sessions),
            drop_copy=replace(settings.drop_copy, sessions=_named(settings.drop_copy.sessions)),
            market_data=replace(settings.market_data, sessions=_named(settings.market_data.sessions)),
        )
        check(settings)
    except Mistake as mistake:
        raise SettingsError(f"{path}: {mistake}") from None
    return settings


def _named(sessions: dict[str, AnyAccess]) -> dict[str, AnyAccess]:
    """Each with the CompID that it has."""
    return {name: replace(session, comp_id=session.comp_id or name) for name, session in sessions.items()}


def check_addresses(settings: Settings, path: Path | str) -> None:
    """Raises SettingsError if anyone could log on from outside; `path` is the file they are from."""
    try:
        check_exposure(settings)
    except Mistake as mistake:
        raise SettingsError(f"{path}: {mistake}") from None


def port_number(text: str) -> int:
    """A TCP port from 0 to 65535, of a command line; raises ValueError."""
    port = int(text)
    if not 0 <= port <= 65535:
        raise ValueError(text)
    return port
