"""Has a snapshot made whenever the journal has grown by so many entries."""

import asyncio
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from fixgw.metrics.meter import Meter
from fixgw.settings import Snapshots
from fixgw.snapshots import files
from fixgw.snapshots.follower import UNUSABLE

LOOK = 1.0
"""seconds from one look at the journal to the next"""

log = logging.getLogger("fixgw.snapshots")


class Supervisor:
    def __init__(
        self,
        directory: Path,
        settings: Callable[[], Snapshots],
        sequence: Callable[[], int],
        meter: Meter,
    ) -> None:
        """`sequence`: of the last journal entry."""
        self._directory = directory
        self._settings = settings
        self._sequence = sequence
        self._meter = meter
        known = map(files.sequence_of, files.found(directory))
        self._last = max((each for each in known if each <= sequence()), default=0)

    async def run(self) -> None:
        """Until it is canceled, or the journal does not give any more what it gave before: then the venue
        goes on, and no snapshot is made on which a start could rely."""
        while True:
            await asyncio.sleep(LOOK)
            entries = self._settings().entries
            if not entries or self._sequence() - self._last < entries:
                continue
            self._last = self._sequence()
            code, said = await self._make()
            if code == UNUSABLE:
                log.critical("no more snapshots are made until the next start: %s", said)
                return
            if code:
                why = said or f"its process ended with {code}"
                log.error("no snapshot was made: %s; the next one is due in %d entries", why, entries)
            else:
                log.info("%s", said)

    async def _make(self) -> tuple[int, str]:
        """(exit code, its last line). It ends with the venue."""
        words = (
            "-m",
            "fixgw",
            "snapshot",
            "--data",
            str(self._directory),
            "--keep",
            str(self._settings().keep),
        )
        self._meter.snapshot_begins()
        process = await asyncio.create_subprocess_exec(
            sys.executable, *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        try:
            output, _ = await process.communicate()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            self._meter.snapshot_ends(self._last)
        lines = output.decode(errors="replace").splitlines()
        return process.returncode or 0, lines[-1] if lines else ""
