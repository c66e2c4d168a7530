"""A client that remembers every byte it sent and received, and the venue's message log read without the
venue's own code: the two must agree."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.process import VenueProcess
from tests.raw import Received
from tests.venue.floor import Floor, Member
from tests.wire import Parser

LINE = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z (\w+) ([^\n]*)\n")


class Tapped(Member):
    """`sent` and `came`: all bytes over all its connections."""

    def __init__(self, venue: Floor, market: str, session: str, **more: Any) -> None:
        super().__init__(venue, market, session, **more)
        self.sent = bytearray()
        self.came = bytearray()

    def connect(self) -> Tapped:
        super().connect()
        self._parser = _Tap(self)
        return self

    def send_bytes(self, raw: bytes) -> None:
        self.sent += raw
        super().send_bytes(raw)


class _Tap(Parser):
    def __init__(self, owner: Tapped) -> None:
        super().__init__()
        self._owner = owner

    def feed(self, data: bytes) -> list[Received]:
        self._owner.came += data
        return super().feed(data)


def files(data: Path, session: str) -> list[Path]:
    return sorted((data / "fix" / session).glob("*.log"))


def lines(data: Path, session: str) -> list[tuple[str, bytes]]:
    """(kind, bytes) of each line, every one of them well-formed."""
    text = b"".join(path.read_bytes() for path in files(data, session))
    found = LINE.findall(text)
    assert sum(len(kind) + len(rest) + 30 for kind, rest in found) == len(text), "a line that is none"
    unescaped = [
        (kind, re.sub(rb"\\(.)", lambda each: each[1].replace(b"n", b"\n"), rest)) for kind, rest in found
    ]
    return [(kind.decode(), rest) for kind, rest in unescaped]


def stream(data: Path, session: str, kind: str) -> bytes:
    return b"".join(rest for each, rest in lines(data, session) if each == kind)


def agree(data: Path, session: str, member: Tapped, *kinds: str, last: bool = False) -> None:
    """The log has what the member sent and received, or the last of it."""
    for kind in kinds or ("in", "out"):
        logged, known = stream(data, session, kind), bytes(member.sent if kind == "in" else member.came)
        if last:
            known = known[-len(logged) :]
        ends = enumerate(zip(logged, known, strict=False))
        at = next((at for at, (ours, theirs) in ends if ours != theirs), min(len(logged), len(known)))
        # pytest would compare megabytes for minutes
        assert (kind, logged[at : at + 200]) == (kind, known[at : at + 200])


def everything(venue: VenueProcess, data: Path) -> bytes:
    """All that the venue has written, anywhere."""
    written = [path.read_bytes() for path in data.rglob("*") if path.is_file()]
    return b"".join([*written, venue.errors.encode(), *map(str.encode, venue.output)])


def wait_for(happened: Callable[[], object]) -> None:
    """Returns once it is true."""
    deadline = time.monotonic() + 20
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)
