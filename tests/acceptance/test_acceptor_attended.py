"""`fixgw certify --acceptor` with a person at the client's side: prompts, questions, skipping, repeating."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acceptance.acceptor.command import SCENARIOS
from acceptance.acceptor.scenario import load_all
from acceptance.report import verify
from tests.acceptance.certifying import EngineClient, until
from tests.process import ROOT
from tests.raw import RawClient

STATUS = {"0": "open", "1": "open", "2": "filled", "4": "cancelled", "8": "rejected"}
"""OrdStatus(39) in the person's words"""
SHOWN = (">>", "??", "ok      report", "ok      refuse", "failed", "CLIENT (FIX.4.4):")
"""lines of the terminal that matter to the person, or to the test"""


class Terminal:
    """What the tool shows, and what is typed."""

    def __init__(self, *words: str, folder: Path) -> None:
        command = [sys.executable, "-m", "fixgw", "certify", "--acceptor", "--port", "0", *words]
        self.process = subprocess.Popen(
            command, cwd=folder, env={"PYTHONPATH": str(ROOT)}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.lines: list[str] = []
        self._read = 0
        threading.Thread(target=self._fill, daemon=True).start()
        self.port = int(self.shows("ready").rpartition(":")[2])

    def _fill(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
        self.lines.append("the end")

    def next(self, *beginnings: str) -> str:
        """The next line that begins with one of these."""

        def line() -> str:
            while self._read < len(self.lines):
                self._read += 1
                if self.lines[self._read - 1].strip().startswith(beginnings):
                    return self.lines[self._read - 1].strip()
            return ""

        return until(line, f"{' or '.join(beginnings)} on the terminal; last: {self.lines[-5:]}")

    def shows(self, beginning: str) -> str:
        return self.next(beginning)

    def type(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()


@contextmanager
def terminal(*words: str, folder: Path) -> Iterator[Terminal]:
    shown = Terminal(*words, folder=folder)
    try:
        yield shown
    finally:
        shown.process.kill()
        shown.process.wait()


class Trader:
    """Does what the terminal asks for, and answers from what the client's engine has heard."""

    def __init__(self, client: EngineClient) -> None:
        self._client = client
        self._orders = 0
        self._heard_before = self.reports = 0
        """what its engine had heard before the order, and what the venue has said since"""

    def does(self, prompt: str) -> None:
        client, order = self._client, f"order-{self._orders}"
        if "Send a limit order" in prompt:
            self._orders += 1
            client.logged_on()
            self._heard_before, self.reports = len(client.messages()), 0
            client.send(f"new order-{self._orders} 9")
        elif "ancel the order" in prompt:
            client.send(f"cancel {order}-2 {order}")
        elif "replace the order" in prompt:
            client.send(f"replace {order}-2 {order} 99")
        elif "Cancel it, by its first" in prompt:
            client.send(f"cancel {order}-3 {order}")

    def answers(self, question: str) -> str:
        def heard() -> str:
            """The last report, once all have arrived."""
            messages = self._client.messages()
            reports = [line for line in messages if "|35=8|" in line]
            return reports[-1] if len(messages) - self._heard_before >= self.reports else ""

        report = until(heard, f"{self.reports} reports; heard: {self._client.heard[-5:]}")
        fields = dict(field.split("=", 1) for field in report.split("|") if field)
        if "status" in question:
            return STATUS[fields["39"]]
        return fields["6" if "average price" in question else "14"]


@pytest.mark.slow
def test_a_person_is_led_through_all_scenarios(tmp_path: Path) -> None:
    with (
        terminal(folder=tmp_path) as shown,
        EngineClient("quickfix", shown.port, "CLIENT", "FIX.4.4", tmp_path / "client") as client,
    ):
        scenarios, trader, asked = load_all(SCENARIOS), Trader(client), 0
        while not (line := shown.next(*SHOWN)).startswith(("failed", "CLIENT")):
            if line.startswith(">>"):
                trader.does(line)
            elif line.startswith("ok"):
                trader.reports += 1
            else:
                shown.type(trader.answers(line))
                asked += 1
        assert line != "failed", "\n".join(shown.lines)
        assert line.startswith(f"CLIENT (FIX.4.4): passed: {len(scenarios)} cases: {len(scenarios)} passed")
        assert asked == sum(step.verb == "ask" for scenario in scenarios for step in scenario.steps)
        assert shown.process.wait() == 0


def test_wrong_answers_repeating_skipping_and_the_signed_report(tmp_path: Path) -> None:
    names = ("acknowledged", "filled", "rejected")
    words = ["--report", "out", *(word for name in names for word in ("--scenario", name))]
    with (
        terminal(*words, folder=tmp_path) as shown,
        EngineClient("quickfix", shown.port, "CLIENT", "FIX.4.4", tmp_path / "client") as client,
    ):
        client.logged_on()
        shown.shows(">> Send a limit order. It is accepted")
        client.send("new first 5")
        assert "status" in shown.shows("??")
        shown.type("")
        assert "status" in shown.shows("??"), "no answer is asked again"
        shown.type("rejected")
        assert "the answer was 'rejected', right is 'open'" in shown.shows("the answer was")
        shown.shows("r and Enter plays it again")
        shown.type("r")
        shown.shows(">> Send a limit order. It is accepted")
        client.send("new second 5")
        shown.shows("??")
        shown.type("Open")
        shown.shows("passed")
        shown.shows(">> Send a limit order. It is filled")
        shown.type("s")
        shown.shows("not run")
        shown.shows(">> Send a limit order. It is rejected")
        shown.type("q")
        shown.shows("the end")
        assert shown.process.wait() == 4
    report = tmp_path / "out" / "report.json"
    assert verify(report).valid
    text = report.read_text()
    assert (
        "skipped by the person" in text and "the run ended before it" in text and "CLIENT (FIX.4.4)" in text
    )


def test_a_client_of_another_name_is_not_let_in(tmp_path: Path) -> None:
    with (
        terminal("--client-id", "SOMEONE:FIX.4.4", folder=tmp_path) as shown,
        EngineClient("quickfix", shown.port, "CLIENT", "FIX.4.4", tmp_path / "client"),
    ):
        assert "CLIENT with FIX.4.4 is not a client of this run" in shown.shows("-- a connection was refused")
        shown.type("q")
        shown.shows("no client:")


def test_nobody_comes(tmp_path: Path) -> None:
    with terminal("--wait", "0.5", "--scenario", "gap", "--report", "out", folder=tmp_path) as shown:
        assert "incomplete: 1 case: 1 not run" in shown.shows("no client:")
        assert shown.process.wait() == 4
    assert "no client logged on within 0.5 s" in (tmp_path / "out" / "report.json").read_text()


def test_nobody_is_at_the_terminal(tmp_path: Path) -> None:
    """It does not wait for answers that cannot come."""
    with terminal("--scenario", "gap", folder=tmp_path) as shown:
        assert shown.process.stdin is not None
        shown.process.stdin.close()
        shown.shows("-- nobody is at the terminal; without a person: --unattended")
        assert shown.process.wait() == 4


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_it_with_a_report(number: signal.Signals, code: int, tmp_path: Path) -> None:
    words = ["--scenario", "acknowledged", "--scenario", "gap", "--report", "out"]
    with (
        terminal(*words, folder=tmp_path) as shown,
        RawClient("127.0.0.1", shown.port, "CLIENT") as client,
    ):
        client.logon()
        shown.shows(">> Send a limit order. It is accepted")
        shown.process.send_signal(number)
        summary = f"CLIENT (FIX.4.4): incomplete: interrupted by {number.name}: 2 cases: 2 not run"
        assert shown.shows("CLIENT").startswith(summary)
        assert shown.process.wait() == code
        shown.shows("the end")
    assert not any("Traceback" in line for line in shown.lines)
    assert f"the run was interrupted by {number.name}" in (tmp_path / "out" / "report.json").read_text()


def test_what_is_wrong_between_scenarios_fails_too(tmp_path: Path) -> None:
    with (
        terminal("--scenario", "rejected", "--patience", "20", folder=tmp_path) as shown,
        RawClient("127.0.0.1", shown.port, "CLIENT") as client,
    ):
        client.logon()
        shown.shows(">> Send a limit order. It is rejected")
        shown.type("s")
        shown.shows("not run")
        client.expect("5")
        client.send("0", checksum="999")
        client.send("5")
        said = shown.shows("CLIENT: outside of any scenario")
        assert said.endswith("the client sent something that is no FIX message")
        shown.shows("CLIENT (FIX.4.4): failed: 2 cases: 1 failed, 1 not run")
        assert shown.process.wait() == 1
