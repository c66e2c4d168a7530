"""Starts the venue as a process of its own, as an operator would, and stops it in every way."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "tests" / "unthrottled.yaml"

launch: Any = subprocess.Popen
"""starts a process"""


class ServerProcess:
    """A command that prints a line `ready NAME VERSION HOST:PORT ...` once it accepts connections. As a
    context manager it is ready inside and gone after. `output` holds the lines it printed so far."""

    def __init__(self, *command: str) -> None:
        self.command = command
        self.host, self.port = "127.0.0.1", 0
        self.output: list[str] = []
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill9()

    @property
    def process(self) -> subprocess.Popen[str]:
        assert self._process is not None, f"{self.command} was not started: call start()"
        return self._process

    @property
    def pid(self) -> int:
        return self.process.pid

    def start(self, timeout: float = 30.0) -> Self:
        """Starts it (again) and returns once it accepts connections."""
        self.spawn()
        assert self._ready.wait(timeout), f"not ready after {timeout} s; {self._said()}"
        assert self.ready_line, f"ended with exit code {self.wait()} before it was ready; {self._said()}"
        self.host, _, port = self.ready_line.split()[3].rpartition(":")
        self.port = int(port)
        return self

    def spawn(self) -> Self:
        """Starts it without waiting: for a start that should fail, or be interrupted."""
        self.output = []
        self.ready_line = ""
        self._ready = threading.Event()
        # Appended to, as reading moves the place at which the process would write otherwise.
        self._errors = tempfile.TemporaryFile("a+")  # noqa: SIM115 (outlives this function)
        self._process = launch(
            self.command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output.append(line.rstrip("\n"))
            if line.startswith("ready") and not self.ready_line:
                self.ready_line = line
                self._ready.set()
        self._ready.set()

    def kill9(self) -> None:
        self.process.kill()
        self.wait()

    def terminate(self, timeout: float = 10.0) -> int:
        """SIGTERM; returns the exit code."""
        self.process.terminate()
        return self.wait(timeout)

    def wait(self, timeout: float = 10.0) -> int:
        """Waits for the end of the process and of its output; returns the exit code."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {timeout} s; {self._said()}") from None
        self._reader.join(timeout)
        return code

    @property
    def errors(self) -> str:
        """What it wrote to stderr. The process writes at the file's position, so that must not move."""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), size, 0).decode(errors="replace")

    def memory_mib(self) -> dict[str, float]:
        """Resident now: `own_mib` is its own, `mapped_mib` are pages of files, which the system may take."""
        status = dict(
            line.split(":", 1) for line in Path(f"/proc/{self.pid}/status").read_text().splitlines()
        )
        names = {"own_mib": "RssAnon", "mapped_mib": "RssFile"}
        return {ours: int(status[name].split()[0]) / 1024 for ours, name in names.items()}

    def _said(self) -> str:
        return "its output:\n  " + "\n  ".join([*self.output, *self.errors.splitlines()[-30:]])


class VenueProcess(ServerProcess):
    """`python -m fixgw serve` on the data directory `data`; port 0 takes a free one."""

    def __init__(self, data: Path, *arguments: str, config: Path = CONFIG, port: int = 0) -> None:
        serve = ["serve", "--config", str(config), "--data", str(data), "--port", str(port)]
        super().__init__(sys.executable, "-m", "fixgw", *serve, *arguments)
