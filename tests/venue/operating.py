"""The operator, as tests need him: what he says through the socket, and what he is answered."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from fixgw.admin.command import ask
from fixgw.admin.words import Request, Sessions, SessionState
from tests.process import ROOT
from tests.venue.floor import Floor

ME = pwd.getpwuid(os.getuid()).pw_name


def fixgw(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fixgw", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def done(venue: Floor, request: Request) -> list[str]:
    """The lines of an answer that must be a yes."""
    answer = ask(venue.data, request)
    assert answer.ok, answer.lines
    return answer.lines


def refused(venue: Floor, request: Request) -> str:
    """The one line of an answer that must be a no."""
    answer = ask(venue.data, request)
    assert not answer.ok and len(answer.lines) == 1, answer.lines
    return answer.lines[0]


@contextmanager
def asking(venue: Floor, request: Request) -> Iterator[Callable[[], list[str]]]:
    """Asks what takes a while, and yields who waits for the answer, which must be a yes."""
    answers: list[list[str]] = []
    thread = threading.Thread(target=lambda: answers.append(done(venue, request)))
    thread.start()

    def wait() -> list[str]:
        thread.join(60)
        assert answers, "no answer came"
        return answers[0]

    yield wait
    wait()


def standing(venue: Floor, session: str) -> SessionState:
    """How the session stands, as `fixgw admin sessions` has it."""
    states = [msgspec.json.decode(line, type=SessionState) for line in done(venue, Sessions())]
    return next(state for state in states if state.session == session)


def audit(data: Path) -> list[str]:
    """What `fixgw log audit` prints, without numbers and times."""
    printed = fixgw("log", "--data", data, "audit")
    assert (printed.returncode, printed.stderr) == (0, ""), printed
    return [line.split(" ", 2)[2] for line in printed.stdout.splitlines()]
