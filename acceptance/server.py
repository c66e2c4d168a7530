"""A venue as a process: started on a leash, ready when it says so, stopped or killed, and gone for good."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
READY_WITHIN, STOPS_WITHIN = 60.0, 30.0
"""seconds"""

launch: Any = subprocess.Popen
"""starts a process"""


class Server:
    """Several threads may use it: one that starts it, one that ends the run."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the server's own, and goes with it if this process is killed."""
        self._folder = folder
        self._errors = folder / "errors"
        self._lock, self._stopping = threading.Lock(), threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._ended = False
        self._began = 0
        """how many characters of what it wrote are of an earlier start"""

    def start(self, words: Sequence[str]) -> str:
        """`python -m WORDS`. Its first line, which it writes when it is ready; "" if it does not."""
        leash = ["acceptance.leash", str(os.getpid()), str(self._folder)]
        with self._lock:
            if self._ended:
                return ""
            with self._errors.open("a") as errors:
                self._began = len(self._errors.read_text(errors="replace"))
                how: dict[str, Any] = {"cwd": ROOT, "env": ENVIRONMENT, "stdin": subprocess.DEVNULL}
                how |= {"stdout": subprocess.PIPE, "stderr": errors, "text": True}
                self._process = process = launch([sys.executable, "-m", *leash, *words], **how)
        assert process.stdout is not None
        line = _first_line(process.stdout, READY_WITHIN)
        if not line.startswith("ready"):
            self.stop(kill=True)
        return line

    @property
    def errors(self) -> str:
        """The end of what it wrote to stderr."""
        with suppress(OSError):
            return self._errors.read_text(errors="replace")[-1000:].strip()
        return ""

    def told(self, pattern: str) -> str:
        """The last that it has written to stderr since its start and that fits; "" if it does not in time."""
        deadline = time.monotonic() + READY_WITHIN
        while time.monotonic() < deadline and self._process is not None:
            with suppress(OSError):
                found = re.findall(pattern, self._errors.read_text(errors="replace")[self._began :])
                if found:
                    return str(found[-1])
            time.sleep(0.02)
        return ""

    def stop(self, kill: bool) -> None:
        """Returns once it has ended, whoever stops it."""
        with self._stopping:
            process = self._process
            if process is None:
                return
            process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
            try:
                process.wait(STOPS_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            assert process.stdout is not None
            process.stdout.close()
            self._process = None

    def end(self) -> None:
        """It is killed, and does not start again."""
        with self._lock:
            self._ended = True
            process = self._process
        if process is not None:
            process.kill()  # now, even if another thread waits for it to stop by itself
        self.stop(kill=True)


def _first_line(stream: IO[str], seconds: float) -> str:
    found: list[str] = []

    def read() -> None:
        with suppress(ValueError, OSError):  # it was closed meanwhile
            found.append(stream.readline())

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    reading.join(seconds)
    return found[0] if found else ""
