"""The numbers that the venue's process has written, as another process sees them."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from fixgw.metrics.buckets import SIZE
from fixgw.metrics.table import (
    CAUSES,
    LAYOUT,
    LAYOUT_NUMBER,
    OF_SHARDS,
    RING,
    SHARD_NAME,
    SHARD_SIZE,
    SHARDS,
    SHARDS_AT,
    SPAN_SIZE,
    SPANS,
    place,
)
from fixgw.store.pulse import PLACES, PROCESS, VERSION, Pulse

WORDS = SHARD_NAME // 8


class Span(NamedTuple):
    kind: str
    begin: int
    """nanoseconds since the epoch"""
    duration: int
    """nanoseconds"""
    detail: int
    """of a slow fsync bytes; of a GC pause its generation; of a replay messages; of a long turn the number
    of the longest kind in it; of a snapshot its journal entry; of a start the entries replayed"""


class Page(NamedTuple):
    """All numbers of one moment."""

    numbers: Sequence[int]

    @property
    def process(self) -> int:
        """The venue's; 0 if it has stopped in good order."""
        return self.numbers[PROCESS]

    def number(self, name: str, value: str = "") -> int:
        return self.numbers[place(name, value)]

    def histogram(self, name: str, value: str = "") -> Sequence[int]:
        """As fixgw.metrics.buckets has them."""
        at = place(name, value)
        return self.numbers[at : at + SIZE]

    def shards(self) -> dict[str, Sequence[int]]:
        """What OF_SHARDS names, by shard."""
        found = {}
        for at in range(SHARDS_AT, SHARDS_AT + SHARDS * SHARD_SIZE, SHARD_SIZE):
            text = b"".join(word.to_bytes(8, "big") for word in self.numbers[at : at + WORDS])
            if name := text.rstrip(b"\0").decode("ascii", "replace"):
                found[name] = self.numbers[at + WORDS : at + WORDS + len(OF_SHARDS)]
        return found

    def spans(self) -> list[Span]:
        """The oldest first."""
        count = self.numbers[SPANS]
        found = []
        for number in range(max(count - RING, 0), count):
            at = SPANS + 1 + number % RING * SPAN_SIZE
            kind, begin, duration, detail = self.numbers[at : at + SPAN_SIZE]
            found.append(Span(CAUSES[kind], begin, duration, detail))
        return found


class Looker:
    """Looks at the page again and again; the venue may come, go and come again."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._pulse: Pulse | None = None
        self._file = 0

    def look(self) -> Page | None:
        """None if there is none, or one of another release, or one that is just made."""
        try:
            file = (self._directory / "pulse").stat().st_ino
        except OSError:
            return None
        if self._pulse is None or file != self._file:  # the directory was put back from a copy
            self.close()
            self._pulse, self._file = Pulse.look(self._directory), file
        if self._pulse is None:
            return None
        numbers = self._pulse.numbers.tolist()
        known = len(numbers) == PLACES and (numbers[0], numbers[LAYOUT]) == (VERSION, LAYOUT_NUMBER)
        return Page(numbers) if known else None

    def close(self) -> None:
        if self._pulse is not None:
            self._pulse.close()
            self._pulse = None
