"""The thread that writes the message log: hides secrets, makes lines, appends them to the sessions' files."""

import logging
import os
import threading
import time
from pathlib import Path
from queue import SimpleQueue

from fixgw.codec.masking import Mask
from fixgw.messages.files import Files, directory_of
from fixgw.messages.lines import DISCONNECT, GAP, IN, line

PATIENCE = 5.0
"""seconds a venue that stops waits for the last lines"""
SHARE = 50_000
"""bytes after which the cycle may have the interpreter (a piece counts 1,000 more): some 200 µs; unasked,
Python lets it wait for 5 ms"""
AT_ONCE = 8 << 20
"""bytes of memory written in one go by a writer that is behind: it opens each file once for many batches"""

log = logging.getLogger("fixgw.messages")


class Stream:
    """One connection, as the writer sees it."""

    __slots__ = ("mask", "session")

    def __init__(self, session: str) -> None:
        self.session = session
        self.mask = Mask()
        """for what is received; the venue itself sends no secrets"""

    def lines(self, now: int, kind: bytes, data: bytes) -> list[bytes]:
        if kind == IN:
            data = self.mask.take(data)
        elif kind == GAP:
            self.mask.lose()
        elif kind == DISCONNECT and (rest := self.mask.end()):
            return [line(now, IN, rest), line(now, kind, data)]
        return [line(now, kind, data)] if data else []


Entry = tuple[Stream, int, bytes, bytes]
"""stream, nanoseconds since the epoch, kind, bytes"""
Batch = tuple[list[Entry], int, bool]
"""entries, what `done` is once they are written, and whether they are the last"""


class Writer:
    def __init__(self, data: Path, most_bytes: int, most_files: int, reserve: int) -> None:
        """`most_bytes` of a file, `most_files` of a session. With less than `reserve` bytes left on the disk
        nothing is written."""
        self.done = 0
        """how much has been written, as counted by `take`"""
        self._data = data
        self._most_bytes = most_bytes
        self._most_files = most_files
        self._reserve = reserve
        self._full = False
        self._files: dict[str, Files] = {}
        self._left_out: dict[str, int] = {}
        """lines that could not be written, by session"""
        self._queue: SimpleQueue[Batch] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="message log", daemon=True)
        self._thread.start()

    def take(self, entries: list[Entry], count: int, last: bool) -> None:
        """Hands over entries to write. Then `done` will be `count`, and if they are the `last`, the end."""
        self._queue.put((entries, count, last))

    def wait(self) -> None:
        """Returns when the last are written, or the disk does not take them in time."""
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            log.error("the message log could not be written to its end within %.0f s", PATIENCE)

    # -- the thread ----------------------------------------------------------------------------------

    def _run(self) -> None:
        last = False
        while not last:
            entries, count, last = self._queue.get()
            while not (last or self._queue.empty()) and count - self.done < AT_ONCE:
                more, count, last = self._queue.get()
                entries += more
            try:
                self._write(entries)
            except Exception:
                log.exception("the message log: %d pieces are lost", len(entries))
            self.done = count

    def _write(self, entries: list[Entry]) -> None:
        found: dict[str, list[bytes]] = {}
        work = 0
        for stream, now, kind, data in entries:
            found.setdefault(stream.session, []).extend(stream.lines(now, kind, data))
            work += 1000 + len(data)
            if work > SHARE:
                work = 0
                time.sleep(0)
        self._look_at_disk()
        for session, lines in found.items():
            self._append(session, lines, entries[0][1])

    def _look_at_disk(self) -> None:
        disk = os.statvfs(self._data)
        full = disk.f_bavail * disk.f_frsize < self._reserve
        if full and not self._full:
            log.error(
                "the message log stops, less than %d MiB are free in %s", self._reserve >> 20, self._data
            )
        elif self._full and not full:
            log.warning("the message log goes on, there is room again in %s", self._data)
        self._full = full

    def _append(self, session: str, lines: list[bytes], now: int) -> None:
        left_out = self._left_out.get(session, 0)
        try:
            if not self._full:
                if left_out:
                    lines = [line(now, GAP, b"up to %d lines could not be written" % left_out), *lines]
                self._files_of(session).append(b"".join(lines))
                if left_out:
                    log.warning("session %s: the message log goes on, without %d lines", session, left_out)
                    del self._left_out[session]
                return
        except OSError as problem:
            if not left_out:
                log.error("session %s: the message log cannot be written: %s", session, problem)
        self._left_out[session] = left_out + len(lines)

    def _files_of(self, session: str) -> Files:
        if session not in self._files:
            directory = directory_of(self._data, session)
            self._files[session] = Files(directory, self._most_bytes, self._most_files)
        return self._files[session]
