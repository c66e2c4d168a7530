"""Scenarios one after another with a person at the client's side."""

from __future__ import annotations

import time

from acceptance.acceptor.door import Door
from acceptance.acceptor.line import Line, Stopped
from acceptance.acceptor.orders import Orders
from acceptance.acceptor.person import Person, Skipped
from acceptance.acceptor.play import Play
from acceptance.acceptor.routine import routine
from acceptance.acceptor.scenario import Scenario
from acceptance.results import CaseResult

FAREWELL = 2.0
"""seconds for the client's answer to the last Logout"""
LOGON = "Log on."


class Attended:
    """`wait`: seconds a person may take for what is asked."""

    def __init__(self, scenarios: list[Scenario], person: Person, patience: float, wait: float) -> None:
        self._scenarios = scenarios
        self._person = person
        self._patience, self._wait = patience, wait
        self.cases: list[CaseResult] = []
        self.line: Line | None = None
        """of the client: the first to log on"""

    def enter(self, line: Line) -> None:
        """A client is at the door."""
        self.line = self.line or line

    def run(self, door: Door) -> None:
        """All scenarios, or up to where the person quits; what was not played is said too."""
        try:
            line = self._first()
            orders = Orders(line.session.settings.begin_string)
            version = line.session.settings.begin_string
            offered = [each for each in self._scenarios if version in each.versions]
            for number, scenario in enumerate(offered, 1):
                self._person.say(f"\n{number}/{len(offered)}  {scenario.title}  [{scenario.name}]")
                self.cases.append(self._one(scenario, line, orders))
            if line.connected:
                line.log_out("the certification is over")
                line.idle(FAREWELL)
        except (Stopped, Skipped, KeyboardInterrupt):
            pass
        played = {case.file for case in self.cases}
        for scenario in self._scenarios:
            if str(scenario.file) not in played:
                self.cases.append(_unplayed(scenario, self.line, "the run ended before it"))

    def _first(self) -> Line:
        self._person.prompt(LOGON)
        while self.line is None:
            self._person.look()
            time.sleep(0.05)
        return self.line

    def _one(self, scenario: Scenario, line: Line, orders: Orders) -> CaseResult:
        while True:
            if not self._logged_on(line):
                return _unplayed(scenario, line, f"the client did not log on within {self._wait:g} s")
            play = Play(scenario, line, orders, self._person, self._patience, self._wait)
            case = play.run()
            for message in play.later:
                routine(line, orders, message)
            self._person.verdict(case)
            if case.outcome != "failed" or not self._person.again(self._wait, line.idle):
                return case

    def _logged_on(self, line: Line) -> bool:
        line.idle(0.1)
        if not line.connected:
            self._person.prompt(LOGON)
        deadline = time.monotonic() + self._wait
        while not line.connected and time.monotonic() < deadline:
            self._person.look()
            line.idle(0.1)
        return line.connected


def _unplayed(scenario: Scenario, line: Line | None, why: str) -> CaseResult:
    version = line.session.settings.begin_string if line else scenario.versions[0]
    return CaseResult(str(scenario.file), scenario.title, version, scenario.proves, "not run", why)
