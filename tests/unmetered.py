"""A venue that writes no metrics: for tests of other things, and to be compared with one that does.

`python -m tests.unmetered serve ...` is `fixgw serve ...` without them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from fixgw import cli
from fixgw.metrics.table import LAYOUT, LAYOUT_NUMBER


class Unmetered:
    """In place of both Meter and Turns: reads no clock, writes no number."""

    def __init__(self, numbers: Any = None, *_: object) -> None:
        self.numbers: Any = [0] * 4096
        if isinstance(numbers, memoryview):
            numbers[LAYOUT] = LAYOUT_NUMBER

    def clock(self) -> int:
        return 0

    def _nothing(self, *_: object) -> None:
        pass

    begin = read = decided = committed = end = _nothing
    rejected = synced = replayed = ticked = recovered = watch_gc = close = _nothing
    snapshot_begins = snapshot_ends = _nothing


@contextmanager
def unmetered() -> Iterator[None]:
    with patch("fixgw.assembly.Meter", Unmetered), patch("fixgw.assembly.Turns", Unmetered):
        yield


if __name__ == "__main__":
    with unmetered():
        sys.exit(cli.main())
