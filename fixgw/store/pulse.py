"""A few numbers that the venue's process writes and others read at any time: without a lock, without a system
call, and without the venue knowing who looks. A file in the data directory, mapped into memory."""

import mmap
import os
from contextlib import suppress
from pathlib import Path

from fixgw.store.directory import private
from fixgw.store.failures import StoreError, of_system

SIZE = 16384
"""bytes"""
VERSION = 0x6669786777_01
"""in the first place; of another release: not read"""
JOURNAL, EVENT, PROCESS, FIRST_FREE = 1, 2, 3, 16
"""places: the last journal entry and the last event that are on disk; who writes, 0: no one any more. From
FIRST_FREE on they are those of fixgw.metrics."""
PLACES = SIZE // 8
"""whole numbers from 0 to 2**64 - 1"""


class Pulse:
    """`numbers`: one place for each; a place is written as a whole."""

    def __init__(self, file: int, *, readonly: bool) -> None:
        access = mmap.ACCESS_READ if readonly else mmap.ACCESS_WRITE
        try:
            self._memory = mmap.mmap(file, SIZE, access=access)
        finally:
            os.close(file)
        self.numbers = memoryview(self._memory).cast("Q")

    @staticmethod
    def make(directory: Path) -> "Pulse":
        """For the one who writes; all numbers are 0. Raises StoreError."""
        path = directory / "pulse"
        try:
            file = private(str(path), os.O_RDWR | os.O_CREAT)
            # Written through memory: on a disk without room the kernel would kill the process.
            os.posix_fallocate(file, 0, SIZE)
            os.ftruncate(file, SIZE)
        except OSError as problem:
            raise StoreError(f"{path}: cannot be made: {of_system(problem)}") from None
        pulse = Pulse(file, readonly=False)
        pulse.numbers[0] = 0
        for place in range(1, PLACES):
            pulse.numbers[place] = 0
        pulse.numbers[PROCESS] = os.getpid()
        pulse.numbers[0] = VERSION
        return pulse

    @staticmethod
    def look(directory: Path) -> "Pulse | None":
        """For those who read; None if there is none of this release."""
        with suppress(OSError, ValueError):
            pulse = Pulse(os.open(directory / "pulse", os.O_RDONLY | os.O_CLOEXEC), readonly=True)
            if pulse.numbers[0] == VERSION:
                return pulse
            pulse.close()
        return None

    def mark(self, journal: int, event: int) -> None:
        """All up to these is on disk. The journal comes last: who sees it may read on."""
        self.numbers[EVENT] = event
        self.numbers[JOURNAL] = journal

    def close(self) -> None:
        self.numbers.release()
        self._memory.close()
