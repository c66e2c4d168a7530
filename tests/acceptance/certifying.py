"""`fixgw certify --acceptor` as a process, and clients of it."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from acceptance.acceptor.scenario import Scenario
from tests.process import ROOT, ServerProcess

PATIENCE = 30.0
"""seconds for what must come"""
WITH_CANCEL, WITH_REPLACE = ("cancelled", "cancel-refused"), ("replaced", "replace-refused")
"""scenarios in which the client sends a request too"""
ENDING = ("number-too-low", "silence", "wrong-comp-id", "wrong-begin-string", "logout")
"""scenarios after which the client is not logged on, if it does what it must"""


def until(found: Callable[[], str], what: str, patience: float = PATIENCE) -> str:
    """What `found` returns once that is not empty."""
    deadline = time.monotonic() + patience
    while not (value := found()):
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.01)
    return value


class Certifier(ServerProcess):
    """Unattended."""

    def __init__(self, *more: str) -> None:
        command = ["certify", "--acceptor", "--unattended", "--port", "0", *more]
        super().__init__(sys.executable, "-m", "fixgw", *command)

    def verdict(self, client: str, scenario: str) -> str:
        """Its line, and why."""

        def line() -> str:
            lines = list(self.output)
            for place, each in enumerate(lines):
                outcome, _, rest = each.partition(" ")
                failed = outcome == "failed"
                if client in rest.split() and each.endswith(f"[{scenario}]") and len(lines) > place + failed:
                    return f"{outcome} {lines[place + 1].strip()}" if failed else outcome
            return ""

        return until(line, f"the verdict on {client} in {scenario}; {self.output[-5:]}")


class EngineClient:
    """A client on an engine, in a process of its own."""

    def __init__(self, engine: str, port: int, name: str, version: str, folder: Path, *settings: str) -> None:
        folder.mkdir()
        module = f"tests.acceptance.engines.{engine}_client"
        self.name = name
        self.heard: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, str(port), name, version, str(folder), *settings],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.heard.append(line.rstrip("\n"))

    def send(self, words: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(words + "\n")
        self._process.stdin.flush()

    def messages(self) -> list[str]:
        """Those its engine has passed on."""
        return [line for line in list(self.heard) if line.startswith("8=")]

    def logged_on(self) -> None:
        def state() -> str:
            states = [line for line in list(self.heard) if line.startswith("logged")]
            return states[-1] if states[-1:] == ["logged on"] else ""

        until(state, f"the Logon of {self.name}")

    def hears(self, *fields: str) -> None:
        def line() -> str:
            texts = ["|" + line for line in list(self.heard)]
            return next((text for text in texts if all(f"|{field}|" in text for field in fields)), "")

        until(line, f"a message with {', '.join(fields)} for {self.name}; last heard: {self.heard[-3:]}")

    def comes_back(self, scenario: Scenario, logouts: int) -> None:
        """After a scenario that ends the session; `logouts` is how often that was so before."""
        if scenario.name in ENDING:
            until(lambda: "yes" * (self.heard.count("logged out") > logouts), f"the Logout of {self.name}")

    def trade(self, scenario: Scenario) -> None:
        """Sends the order that starts a scenario, and what requests it has."""
        self.logged_on()
        order = f"{self.name}-{scenario.first}"
        self.send(f"new {order} {scenario.last}")
        if scenario.name in (*WITH_CANCEL, *WITH_REPLACE):
            self.hears(f"11={order}", "150=0")
        if scenario.name in WITH_CANCEL:
            self.send(f"cancel {order}-2 {order}")
        if scenario.name in WITH_REPLACE:
            self.send(f"replace {order}-2 {order} 99")
        if scenario.name == "replace-refused":
            self.hears(f"11={order}-2", "35=9")
            self.send(f"cancel {order}-3 {order}")
