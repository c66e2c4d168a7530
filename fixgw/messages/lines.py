r"""What stands in a file of the message log: `TIME KIND BYTES`, one line for each piece of bytes.

TIME is UTC with microseconds. The bytes are as they were on the wire, but for secrets; a newline is written
as `\n` and a backslash as `\\`, so any bytes fit into a line, and what a crash cuts off spoils one line and
none after it. What is no bytes of the wire is said in words."""

import re
from datetime import UTC, datetime
from functools import lru_cache
from time import gmtime, strftime
from typing import Final, NamedTuple

SECOND = 1_000_000_000
"""nanoseconds"""
IN: Final = b"in"
OUT: Final = b"out"
CONNECT: Final = b"connect"
DISCONNECT: Final = b"disconnect"
GAP: Final = b"gap"
"""something is missing here"""
NOTE: Final = b"note"

_LINE = re.compile(
    rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z (in|out|connect|disconnect|gap|note) ", re.ASCII
)
_ESCAPED = re.compile(rb"\\(.)")


class Entry(NamedTuple):
    time: int
    """nanoseconds since the epoch"""
    kind: bytes
    data: bytes


def line(time: int, kind: bytes, data: bytes) -> bytes:
    if b"\n" in data or b"\\" in data:
        data = data.replace(b"\\", b"\\\\").replace(b"\n", b"\\n")
    return b"%b %b %b\n" % (timestamp(time), kind, data)


def timestamp(time: int) -> bytes:
    second, rest = divmod(time, SECOND)
    return b"%b.%06dZ" % (_second(second), rest // 1000)


@lru_cache(maxsize=64)
def _second(second: int) -> bytes:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(second)).encode("ascii")


def parse(text: bytes) -> Entry | None:
    """A line, with or without its newline; None for what is none, as a crash can leave behind."""
    match = _LINE.match(text)
    if match is None:
        return None
    try:
        second = _since_epoch(match[1])
    except ValueError:
        return None
    data = text[match.end() :].removesuffix(b"\n")
    if b"\\" in data:
        data = _ESCAPED.sub(lambda escaped: b"\n" if escaped[1] == b"n" else escaped[1], data)
    return Entry(second * SECOND + int(match[2]) * 1000, match[3], data)


@lru_cache(maxsize=64)
def _since_epoch(second: bytes) -> int:
    return int(datetime.fromisoformat(second.decode("ascii")).replace(tzinfo=UTC).timestamp())
