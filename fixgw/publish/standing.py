"""How far an output has got with the log: a small file in its directory, for who wants to know its lag."""

import os
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from fixgw.store.directory import private

EVERY = 0.5
"""seconds between two of them"""
FILE = "standing.json"


class Standing(Struct, frozen=True):
    event: int
    """the last event of the log that it has taken"""
    time: int
    """when that happened; nanoseconds since the epoch"""
    sessions: dict[str, int] = {}
    """of FIX sessions: the last event that each has been sent, or that was not for it"""


_decode = msgspec.json.Decoder(Standing).decode


def write(directory: Path, standing: Standing) -> None:
    """Of the output whose directory it is. A disk without room is no matter."""
    new = directory / f"{FILE}.new"
    with suppress(OSError):
        with open(new, "wb", opener=private) as file:
            file.write(msgspec.json.encode(standing))
        os.replace(new, directory / FILE)


def read(directory: Path) -> Standing | None:
    """None if it has not said so."""
    try:
        return _decode((directory / FILE).read_bytes())
    except (OSError, msgspec.DecodeError):
        return None


def behind(standing: Standing, event: int, now: int) -> str:
    """In words; `event` is the last of the log, `now` in nanoseconds since the epoch."""
    missing = max(event - standing.event, 0)
    text = f"{missing} events behind"
    if missing:
        text += f", {max(now - standing.time, 0) / 1e9:.1f} s"
    late = {name: event - each for name, each in standing.sessions.items() if each < event}
    shown = [f"{name} {each}" for name, each in sorted(late.items(), key=lambda pair: -pair[1])[:5]]
    return text + (f"; sessions: {', '.join(shown)}" if shown else "")
