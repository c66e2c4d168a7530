"""What the reference venue takes from the venue's settings file; everything else in it is passed over."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

COD = {"off": "N", "loss": "L", "loss-and-logout": "Y"}
"""`cancel_on_disconnect` as CancelOnDisconnect(8013)"""


@dataclass
class Instrument:
    symbol: str
    tick: Decimal
    lot: Decimal
    max_quantity: Decimal
    max_price: Decimal


@dataclass
class SessionSettings:
    name: str
    client: str
    begin_string: str = "FIX.4.4"
    comp_id: str = ""
    venue: str = "FIXGW"
    """the venue's CompID"""
    username: str = ""
    password: str = ""
    """plain text; empty: none is asked for"""
    heartbeat_min_seconds: int = 1
    heartbeat_max_seconds: int = 300
    messages_per_second: int = 1000
    flood_seconds: int = 10
    max_latency_seconds: int = 120
    transact_time_seconds: int = 86400
    cancel_on_disconnect: str = "N"
    """CancelOnDisconnect(8013)"""
    cancel_grace_seconds: int = 0
    cancel_gtc: bool = False


@dataclass
class Settings:
    venue: str
    logon_seconds: int
    """time a new connection has for its Logon"""
    jump: int
    """how far the numbers out jump after a kill"""
    instruments: dict[str, Instrument]
    accounts: dict[str, str]
    """to their client"""
    sessions: dict[str, SessionSettings] = field(default_factory=dict)


class Mistake(Exception):
    """The file cannot be used: one line."""


_ALPHA, _CHARLIE = {"client": "ALPHA"}, {"client": "CHARLIE", "begin_string": "FIXT.1.1"}
_BTC = {"tick": 0.01, "lot": 0.0001, "max_quantity": 1000, "max_price": 10000000}
_ETH = {"tick": 0.01, "lot": 0.001, "max_quantity": 10000, "max_price": 1000000}
DEFAULT: dict[str, Any] = {
    "instruments": {"BTC-USD": _BTC, "ETH-USD": _ETH},
    "clients": {name: {"accounts": {f"{name}-1": {}}} for name in ("ALPHA", "BRAVO", "CHARLIE")},
    "sessions": {
        "ALPHA": _ALPHA,
        "ALPHA2": _ALPHA,
        "BRAVO": {"client": "BRAVO"},
        "CHARLIE": _CHARLIE,
        "CHARLIE2": _CHARLIE,
    },
}


def load(path: Path | None) -> Settings:
    """Raises Mistake."""
    if path is None:
        return read(DEFAULT)
    try:
        return read(yaml.safe_load(path.read_text()))
    except (OSError, yaml.YAMLError, KeyError, AttributeError, TypeError, ArithmeticError) as problem:
        raise Mistake(f"{path}: {type(problem).__name__}: {problem}") from None


def read(data: dict[str, Any]) -> Settings:
    venue = data.get("venue", {}).get("comp_id", "FIXGW")
    settings = Settings(
        venue,
        data.get("door", {}).get("logon_deadline_seconds", 5),
        data.get("store", {}).get("jump", 1000),
        {name: _instrument(name, each) for name, each in data["instruments"].items()},
        {account: client for client, each in data["clients"].items() for account in each["accounts"]},
    )
    for name, each in data["sessions"].items():
        settings.sessions[name] = _session(name, each, venue)
    return settings


def _instrument(symbol: str, data: dict[str, Any]) -> Instrument:
    steps = (Decimal(str(data[name])) for name in ("tick", "lot", "max_quantity", "max_price"))
    return Instrument(symbol, *steps)


def _session(name: str, data: dict[str, Any], venue: str) -> SessionSettings:
    known = {each.name for each in fields(SessionSettings)} - {"name", "venue"}
    session = SessionSettings(name, venue=venue, **{key: data[key] for key in known & data.keys()})
    session.comp_id = session.comp_id or name
    if "cancel_on_disconnect" in data:
        mode = data["cancel_on_disconnect"]
        session.cancel_on_disconnect = COD["off" if mode is False else mode]
    session.cancel_gtc = data.get("cancel_gtc") in (True, "yes")
    return session
