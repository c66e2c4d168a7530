"""`fixgw serve` from its ready line to its end, and the operator's `fixgw admin`."""

from __future__ import annotations

import re
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fixgw import __version__
from tests.process import ROOT
from tests.raw import BUY
from tests.venue.floor import MARKETS, NEW, SESSIONS, Floor, Member, logged_on

pytestmark = pytest.mark.usefixtures("from_the_shell")

READY = re.compile(r"ready fixgw (\S+) 127\.0\.0\.1:(\d+) journal=(\d+) state=([0-9a-f]{16}) sessions=(\d+)")
WITHIN = 2.0
"""seconds in which a venue stops"""


def fixgw(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fixgw", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)


def test_help_is_there_for_every_command() -> None:
    """ "`--help` worth reading": each command in one line, and each with its own page."""
    page = fixgw("--help")
    assert page.returncode == 0
    for command in ("serve", "demo", "order", "log", "admin"):
        (line,) = [line for line in page.stdout.splitlines() if line.split()[:1] == [command]]
        assert len(line.split()) > 2
        own = fixgw(command, "--help")
        assert own.returncode == 0 and len(own.stdout) > 300, command
    assert fixgw("--version").stdout == f"fixgw {__version__}\n"
    wrong = fixgw("server")
    assert wrong.returncode == 2 and "serve" in wrong.stderr


def test_the_ready_line_is_the_only_output(tmp_path: Path) -> None:
    """ "One line starting with `ready` naming version, address and port; port 0 takes a free one"."""
    with Floor(tmp_path) as venue:
        (line,) = venue.output
        match = READY.match(line)
        assert match, line
        assert match[1] == __version__ and int(match[2]) == venue.port > 0
        assert int(match[3]) == int(venue.status()["journal"].split()[0]) >= MARKETS
        assert venue.status()["state"].startswith(match[4])
        assert int(match[5]) == 3 * SESSIONS
        socket.create_connection((venue.host, venue.port)).close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("polite", [True, False])
def test_a_signal_ends_it_in_good_order(tmp_path: Path, number: signal.Signals, polite: bool) -> None:
    """ "SIGTERM/SIGINT: log sessions out, commit, exit 0, within 2 s", whether a client answers the Logout or
    not; strangers and an order on its way do not hold it up."""
    with Floor(tmp_path) as venue:
        strangers = [socket.create_connection((venue.host, venue.port)) for _ in range(5)]
        members = [Member(venue, "M1-USD", session) for session in ("ALPHA", "BRAVO", "CHARLIE")]
        for member in members:
            member.logon(reset=True)
            member.new("a", BUY, "1", "100")
            member.told("a", NEW)
        members[0].new("late", BUY, "1", "100")
        began = time.monotonic()
        venue.process.send_signal(number)
        for member in members:
            while (goodbye := member.receive()).msg_type != "5":
                pass
            assert goodbye[58] == "the venue is closing"
            if polite:
                member.send("5")
                member.expect_disconnect()
        assert venue.wait() == 0
        assert time.monotonic() - began < WITHIN
        assert "Traceback" not in venue.errors
        venue.start()
        assert "not clean" not in venue.errors
        for stranger in strangers:
            stranger.close()


def test_a_restart_comes_to_the_same_state(tmp_path: Path) -> None:
    """ "Replays the journal into the same state: a state hash proves it", after every way to stop."""
    with Floor(tmp_path) as venue:
        with logged_on(venue, "M1-USD", "ALPHA", "CHARLIE") as members:
            for member in members:
                for number in range(50):
                    member.new(f"{number}", str(number % 2 + 1), "1", f"{100 + number % 3}")
                member.settle()
            states = {venue.status()["state"]}
            venue.kill9()
            for member in members:
                member.close()
        for _ in range(2):
            venue.start()
            states.add(venue.status()["state"])
            assert venue.ready_line.split("state=")[1][:16] == venue.status()["state"][:16]
            assert venue.terminate() == 0
        assert len(states) == 1


def test_status_says_how_the_venue_stands(floor: Floor, market: str) -> None:
    with logged_on(floor, market, "CHARLIE") as (member,):
        shown = fixgw("admin", "--data", floor.data, "status")
        assert (shown.returncode, shown.stderr) == (0, "")
        status = floor.status()
        words = status["session CHARLIE"].split()
        assert words[:3] == ["logged", "on", "FIXT.1.1"]
        numbers = f"next out {member.next_inbound} next in {member.next_outbound} unread 0"
        assert " ".join(words[3:]) == numbers
        assert status["session BRAVO"].startswith("logged off FIX.4.4")
        assert len([name for name in status if name.startswith("market ")]) == MARKETS


def test_the_operators_socket_is_the_owners_alone(tmp_path: Path) -> None:
    """ "Over a local Unix socket in the data directory with file permissions"; gone after a clean stop."""
    with Floor(tmp_path) as venue:
        path = venue.data / "admin.sock"
        assert stat.S_ISSOCK(path.stat().st_mode) and stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(venue.data.stat().st_mode) == 0o700
        assert venue.terminate() == 0
        assert not path.exists()


def test_what_the_operator_cannot_do(floor: Floor, tmp_path: Path) -> None:
    """Exit code 1 for what the venue refuses, 2 for wrong words, 3 where there is no venue."""
    unknown = fixgw("admin", "--data", floor.data, "cancel-only", "on", "M-1")
    assert unknown.returncode == 1 and unknown.stdout == ""
    assert unknown.stderr.startswith("there is no market M-1; known: M0-USD, M1-USD")
    assert fixgw("admin", "--data", floor.data, "cancel-only", "maybe").returncode == 2
    nobody = fixgw("admin", "--data", tmp_path, "status")
    assert nobody.returncode == 3
    assert nobody.stderr == f"fixgw admin: no venue runs on {tmp_path}: there is no admin.sock in it\n"
    assert nobody.stdout == ""


def test_nonsense_on_the_operators_socket(floor: Floor) -> None:
    """It is answered or dropped, and keeps no one else from being served."""
    lines = []
    for data in (b"\xff\xfe\n", b"{}\n", b'{"type":"cancel-only","on":"yes"}\n', b"x" * 200_000, b"half"):
        line = socket.socket(socket.AF_UNIX)
        line.connect(str(floor.data / "admin.sock"))
        line.sendall(data)
        if data.endswith(b"\n"):
            line.settimeout(10)
            assert b"not a request" in line.recv(1000)
        lines.append(line)
    assert floor.status()["market M0-USD"] == "continuous"
    for line in lines:
        line.close()
