"""A session's message log, read: its lines from all its files, put together to messages again."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fixgw.codec.stream import GARBLED, WHOLE, Splitter
from fixgw.messages.files import numbered
from fixgw.messages.lines import IN, NOTE, OUT, parse


class Logged(NamedTuple):
    """A message, or what happened to the connection."""

    time: int
    """nanoseconds since the epoch, when its last byte was there"""
    kind: bytes
    """IN, OUT, or another of `lines`; empty for a line that is none"""
    text: bytes
    state: str
    """WHOLE, GARBLED or CUT"""


def logged(directory: Path, since: int, follow: bool) -> Iterator[Logged | None]:
    """Everything logged, oldest first; files without anything `since` (nanoseconds) may be passed over. With
    `follow` it does not end, and gives None whenever that is all for now. Raises OSError."""
    streams = {IN: Splitter(), OUT: Splitter()}
    time = 0
    for text in _lines(directory, since, follow):
        if text is None:
            yield None
            continue
        entry = parse(text)
        if entry is not None:
            time = entry.time
        if entry is not None and entry.kind in streams:
            for message in streams[entry.kind].take(entry.data):
                yield Logged(time, entry.kind, *message)
            continue
        if entry is None or entry.kind != NOTE:
            yield from _unfinished(streams, time)
        if entry is None:
            yield Logged(time, b"", text, GARBLED)
        else:
            yield Logged(time, entry.kind, entry.data, WHOLE)
    yield from _unfinished(streams, time)


def _unfinished(streams: dict[bytes, Splitter], time: int) -> Iterator[Logged]:
    for kind, stream in streams.items():
        for message in stream.end():
            yield Logged(time, kind, *message)


def _lines(directory: Path, since: int, follow: bool) -> Iterator[bytes | None]:
    """The last one of a file may be cut off. Files that are deleted meanwhile are passed over."""
    number = 0
    while following := [each for each in numbered(directory) if each[0] > number]:
        number, path = following[0]
        try:
            file = path.open("rb")
        except FileNotFoundError:
            continue
        with file:
            last = len(following) == 1
            if not last and os.fstat(file.fileno()).st_mtime_ns < since:
                continue
            rest = b""
            while True:
                while part := file.readline():
                    rest += part
                    if rest.endswith(b"\n"):
                        yield rest
                        rest = b""
                if not (last and follow):
                    break
                yield None
                last = all(each <= number for each, _ in numbered(directory))
            if rest:
                yield rest
