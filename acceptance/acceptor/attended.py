"""Scenarios one after another with a person at the client's side."""

from __future__ import annotations

import time

from acceptance.acceptor.line import Line, Stopped
from acceptance.acceptor.outside import Outside
from acceptance.acceptor.person import Person, Skipped
from acceptance.acceptor.play import Play
from acceptance.acceptor.routine import routine
from acceptance.acceptor.scenario import Scenario, unplayed
from acceptance.interrupting import Interrupted
from acceptance.report.words import printable
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
        self.interrupted = ""
        """the signal that ended the run"""

    def enter(self, line: Line) -> None:
        """A client is at the door."""
        self.line = self.line or line

    def tell(self, client: str, case: CaseResult) -> None:
        """Of what was done outside of the scenarios."""
        self.cases.append(case)
        self._person.say(printable(f"  {client}: {case.title}: {case.why}"))
        self._person.verdict(case)

    def run(self) -> None:
        """All scenarios, or up to where the person quits; what was not played is said too."""
        why = "the run ended before it"
        try:
            line = self._first()
            if line is None:
                why = f"no client logged on within {self._wait:g} s"
            else:
                self._play(line)
        except Stopped:
            pass
        except Interrupted as end:
            self.interrupted = end.name
            why = f"the run was interrupted by {end.name}"
        played = {case.file for case in self.cases}
        for scenario in self._scenarios:
            if str(scenario.file) not in played:
                self.cases.append(_unplayed(scenario, self.line, why))

    def _first(self) -> Line | None:
        """None: nobody came."""
        self._person.prompt(LOGON)
        deadline = time.monotonic() + self._wait
        while self.line is None and time.monotonic() < deadline:
            try:
                self._person.look()
            except Skipped:
                self._person.prompt(LOGON)  # there is nothing to skip yet
            time.sleep(0.05)
        return self.line

    def _play(self, line: Line) -> None:
        outside = Outside(line, lambda case: self.tell(line.session.settings.comp_id, case))
        version = line.session.settings.begin_string
        offered = [each for each in self._scenarios if version in each.versions]
        try:
            for number, scenario in enumerate(offered, 1):
                self._person.say(f"\n{number}/{len(offered)}  {scenario.title}  [{scenario.name}]")
                self.cases.append(self._one(scenario, line, outside))
            if line.connected:
                line.log_out("the certification is over")
                line.idle(FAREWELL)
        finally:
            outside.charge()

    def _one(self, scenario: Scenario, line: Line, outside: Outside) -> CaseResult:
        while True:
            try:
                if not self._logged_on(line):
                    return _unplayed(scenario, line, f"the client did not log on within {self._wait:g} s")
            except Skipped as skipped:
                return _unplayed(scenario, line, str(skipped))
            outside.charge()
            play = Play(scenario, line, self._person, self._patience, self._wait)
            case = play.run()
            outside.listen()
            for message in play.later:
                routine(line, message)
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
    return unplayed(scenario, version, why)
