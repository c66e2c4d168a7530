"""Processes of the suite that need not import everything again, which is two thirds of a start: a server that
has imported it forks them. All else is as with `subprocess.Popen`, of which this has what the tests use."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["fixgw.serve", "tests.prefork", "tests.preload"])


def launch(command: Sequence[str], **how: Any) -> Any:
    """In place of `subprocess.Popen`; forks `python -m MODULE WORDS...`."""
    forks = tuple(command[:2]) == (sys.executable, "-m")
    return Forked(command, **how) if forks else subprocess.Popen(command, **how)


class Forked:
    def __init__(
        self, command: Sequence[str], cwd: Path, env: Mapping[str, str], stderr: IO[str], **_: object
    ) -> None:
        os.environ["PYTHONPATH"] = env["PYTHONPATH"]  # the server starts with the first process
        self.args = command
        ours, theirs = _CONTEXT.Pipe(duplex=False)
        self._errors = os.fdopen(os.dup(stderr.fileno()))  # the caller may close its own before it is read
        errors = f"/proc/{os.getpid()}/fd/{self._errors.fileno()}"
        self._process = _CONTEXT.Process(target=_run, args=(command[2:], str(cwd), theirs, errors))
        self._process.start()
        theirs.close()
        self.stdout = os.fdopen(os.dup(ours.fileno()), "r")
        ours.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        self._errors.close()
        return code

    def send_signal(self, number: signal.Signals | int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has just ended, and is not our child to be waited for
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _run(words: Sequence[str], directory: str, output: Connection, errors: str) -> None:
    os.chdir(directory)
    for stream, number in (
        (os.open(os.devnull, os.O_RDONLY), 0),
        (output.fileno(), 1),
        (os.open(errors, os.O_WRONLY | os.O_APPEND), 2),
    ):
        os.dup2(stream, number)
    output.close()
    sys.stdin, sys.stdout = open(0), open(1, "w", buffering=1)  # noqa: SIM115 (as long as the process)
    sys.stderr = open(2, "w", buffering=1)  # noqa: SIM115
    sys.argv[1:] = words[1:]
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)
