"""`fixgw order` without an answer: it says how far it came, above all whether an order may be live."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading

import pytest

from tests.client.scripted import ScriptedVenue
from tests.client.test_order import BUY, order
from tests.process import ROOT
from tests.raw import Received

NOTHING = "nothing was sent"
LIVE = "the order mine was sent and MAY BE LIVE: cancel it to be sure"


def silent(venue: ScriptedVenue, request: Received) -> None:
    pass


def log_out(venue: ScriptedVenue, request: Received) -> None:
    venue.send("5", [(58, "closing time")])


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on stderr."""
    errors = capsys.readouterr().err
    assert errors.startswith("fixgw order: ") and errors.count("\n") == 1
    return errors.removeprefix("fixgw order: ").strip()


def test_a_silent_close_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    venue = ScriptedVenue("ALPHA", "FIX.4.4", script=None)
    assert order(venue.port, BUY) == 3
    text = said(capsys)
    assert "without a word" in text and text.endswith(NOTHING)


def test_no_venue_at_all(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: nobody else gets this port
        assert order(taken.getsockname()[1], BUY) == 3
    text = said(capsys)
    assert "refused" in text and text.endswith(NOTHING)


@pytest.mark.slow
def test_no_answer_to_the_logon(capsys: pytest.CaptureFixture[str]) -> None:
    """For as long as it really waits: QuickFIX's own patience must not end first, in other words."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert order(listener.getsockname()[1], BUY) == 3
    assert said(capsys) == f"the venue did not answer the Logon within 10 s; {NOTHING}"


@pytest.mark.parametrize(
    ("words", "state"),
    [
        (BUY, LIVE),
        (["CANCEL", "a", "BUY", "BTC-USD"], "the request mine was sent and may have been carried out"),
    ],
)
def test_no_answer_to_the_order(
    words: list[str], state: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fixgw.client.order.PATIENCE", 0.3)
    venue = ScriptedVenue("ALPHA", "FIX.4.4", silent)
    assert order(venue.port, words) == 3
    assert said(capsys) == f"no answer within 0 s; {state}"


def test_a_logout_in_place_of_an_answer_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    venue = ScriptedVenue(
        "ALPHA", "FIX.4.4", lambda venue, _: venue.send("5", [(58, "closing time")]) and None
    )
    assert order(venue.port, BUY) == 3
    assert said(capsys) == f"the venue logged us out: closing time; {LIVE}"


def test_a_close_in_place_of_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever was logged on has not got the CompIDs wrong."""
    venue = ScriptedVenue("ALPHA", "FIX.4.4", lambda venue, _: venue.socket.shutdown(socket.SHUT_RDWR))
    assert order(venue.port, BUY) == 3
    assert said(capsys) == f"the venue closed the connection without a Logout; {LIVE}"


@pytest.mark.parametrize(("exec_type", "code"), [("0", 0), ("8", 1)])
def test_an_answer_and_then_nothing(exec_type: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """What is known is known; but a fill may have followed."""

    def report_and_leave(venue: ScriptedVenue, request: Received) -> None:
        venue.report(request, exec_type=exec_type)
        log_out(venue, request)

    venue = ScriptedVenue("ALPHA", "FIX.4.4", report_and_leave)
    assert order(venue.port, BUY) == code
    assert said(capsys) == "the venue logged us out: closing time; there may be more reports than these"


def test_ctrl_c_ends_it_while_it_waits() -> None:
    asked = threading.Event()
    venue = ScriptedVenue("ALPHA", "FIX.4.4", lambda venue, request: asked.set())
    program = (
        "import sys; from tests.client.test_order import order, BUY; sys.exit(order(int(sys.argv[1]), BUY))"
    )
    command = [sys.executable, "-c", program, str(venue.port)]
    client = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert asked.wait(20)
    client.send_signal(signal.SIGINT)
    _, errors = client.communicate(timeout=10)
    assert client.returncode == 130
    assert errors == f"fixgw order: interrupted; {LIVE}\n"
