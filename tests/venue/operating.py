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
from fixgw.admin.words import MarketState, Request, Sessions, SessionState, State
from tests.process import ROOT
from tests.raw import Received
from tests.venue.floor import Floor, Member

OF_A_MARKET = {
    "pre-open": "21",
    "opening-auction": "22",
    "continuous": "17",
    "closing-auction": "5",
    "volatility-auction": "5",
    "cancel-only": "2",
    "halted": "2",
    "closed": "18",
}
"""SecurityTradingStatus(326) by state"""
OF_THE_VENUE = {
    "pre-open": "4",
    "opening-auction": "4",
    "continuous": "2",
    "closing-auction": "5",
    "volatility-auction": "2",
    "cancel-only": "1",
    "halted": "1",
    "closed": "3",
}
"""TradSesStatus(340) by state"""

ME = pwd.getpwuid(os.getuid()).pw_name


def fixgw(*words: object, patience: float = 60) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fixgw", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience, check=False)


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


def told_state(member: Member, state: State, market: str = "") -> Received:
    """The next message must tell the member, who did not ask, that the market has this state."""
    market = market or member.market
    tags = {"t324": None, "t325": "Y", "t326": OF_A_MARKET[state], "t58": state}
    return member.expect("f", t55=market, **tags)


def told_state_of_all(member: Member, state: State) -> Received:
    """... that all markets have it."""
    return member.expect("h", t335=None, t336="1", t325="Y", t340=OF_THE_VENUE[state], t58=state)


def set_state(venue: Floor, state: State, market: str, *members: Member) -> None:
    """By the operator; `members` are those who are logged on."""
    assert done(venue, MarketState(state, market)) == [f"{market}: {state}"]
    for member in members:
        told_state(member, state, market)
