"""What operator and venue say to each other: one JSON object a line, one line each way."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

SOCKET = "admin.sock"
"""in the data directory"""
MAX_LINE = 65536
"""bytes of a request"""


@contextmanager
def socket_path(directory: Path) -> Iterator[str]:
    """A path to the socket in `directory` that is short enough for any directory: a Unix socket's path is
    limited to about 100 bytes."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}/{SOCKET}"
    finally:
        os.close(descriptor)


class CancelOnly(Struct, forbid_unknown_fields=True, tag="cancel-only"):
    on: bool
    symbol: str = ""
    """empty: the whole venue"""


class Status(Struct, forbid_unknown_fields=True, tag="status"):
    pass


Request = CancelOnly | Status


class Answer(Struct):
    ok: bool
    lines: list[str]
    """for people"""
