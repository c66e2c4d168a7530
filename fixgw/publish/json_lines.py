"""`fixgw log events --json`: one JSON object for each line, as in docs/log.md."""

import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from fixgw.codec.times import SECOND
from fixgw.publish.reading import PAUSE, read_events
from fixgw.publish.records import Record

_encode = msgspec.json.Encoder().encode


def json_line(record: Record) -> bytes:
    head = {
        "sequence": record.sequence,
        "journal": record.journal,
        "time": iso_time(record.time),
        "kind": record.kind,
    }
    return _encode(head | record.fields)


def iso_time(nanoseconds: int) -> str:
    """ISO 8601, UTC, to the nanosecond."""
    second, rest = divmod(nanoseconds, SECOND)
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"


def print_events(directory: Path, first: int, follow: bool) -> None:
    """To standard output; each line is there at once when the log has nothing more."""
    for line in _lines(directory, first, follow):
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.write(b"\n")
    sys.stdout.flush()


def _lines(directory: Path, first: int, follow: bool) -> Iterator[bytes]:
    def idle() -> None:
        sys.stdout.flush()
        time.sleep(PAUSE)

    return map(json_line, read_events(directory, first, follow, idle))
