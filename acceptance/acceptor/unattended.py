"""Scenarios without a person: the OrderQty(38) of a client's order chooses what happens to it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from acceptance.acceptor.line import Line, Seen, Stopped
from acceptance.acceptor.outside import Outside
from acceptance.acceptor.person import Nobody
from acceptance.acceptor.play import Play
from acceptance.acceptor.routine import routine
from acceptance.acceptor.scenario import Scenario, unplayed
from acceptance.matching import decimal
from acceptance.results import CaseResult
from acceptance.wire import Message

IDLE = 1.0
"""seconds"""


class Unattended:
    """Each client in a thread of its own, one scenario of it at a time. `told` hears of each case."""

    def __init__(
        self, scenarios: list[Scenario], patience: float, wait: float, told: Callable[[str, CaseResult], None]
    ) -> None:
        self._scenarios = scenarios
        self._patience, self._wait = patience, wait
        self._told = told
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self.cases: list[CaseResult] = []

    def enter(self, line: Line) -> None:
        """A client is at the door."""
        thread = threading.Thread(target=self._attend, args=(line,), daemon=True)
        self._threads.append(thread)
        thread.start()

    def join(self) -> None:
        """Once all lines are stopping."""
        for thread in self._threads:
            thread.join()

    def _attend(self, line: Line) -> None:
        outside = Outside(line, lambda case: self._tell(line, case))
        try:
            while True:
                line.pump(IDLE)
                outside.charge()
                message = line.heard.popleft() if line.heard else None
                if message is not None and not isinstance(message, Seen):
                    self._handle(line, outside, message)
        except Stopped:
            pass
        finally:
            line.close()
            outside.charge()

    def _handle(self, line: Line, outside: Outside, message: Message) -> None:
        if message.msg_type == "D":
            scenario = self._chosen(line, message)
            if scenario is not None:
                self._play(scenario, line, message)
                outside.listen()
                return
        routine(line, message)

    def _chosen(self, line: Line, message: Message) -> Scenario | None:
        quantity = decimal(message.get(38) or "")
        version = line.session.settings.begin_string
        for scenario in self._scenarios:
            if quantity is not None and scenario.first <= quantity < scenario.last + 1:
                return scenario if version in scenario.versions else None
        return None

    def _play(self, scenario: Scenario, line: Line, message: Message) -> None:
        play = Play(scenario, line, Nobody(), self._patience, self._wait)
        try:
            case = play.run(message)
        except Stopped:
            version = line.session.settings.begin_string
            self.cases.append(unplayed(scenario, version, "the run ended during it"))
            raise
        line.heard.extendleft(reversed(play.later))
        self._tell(line, case)

    def _tell(self, line: Line, case: CaseResult) -> None:
        self.tell(line.session.settings.comp_id, case)

    def tell(self, client: str, case: CaseResult) -> None:
        with self._lock:
            self.cases.append(case)
            self._told(client, case)
