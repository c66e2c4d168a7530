"""The conversation of one play, as it stands in the report: without secrets, and with names for tags."""

from __future__ import annotations

import time
from collections.abc import Callable

from acceptance.leaving import Orders
from acceptance.masking import Secrets
from acceptance.results import CaseResult, Said
from acceptance.standard import Standard
from acceptance.wire import Message


class Telling:
    def __init__(self, names: Standard, secrets: Secrets) -> None:
        self._names = names
        self._secrets = secrets
        self._began = time.monotonic()
        self.said: list[Said] = []

    def now(self) -> float:
        """Seconds since the play began."""
        return round(time.monotonic() - self._began, 4)

    def note(self, text: str) -> None:
        self.said.append(Said(self.now(), "", "note", self._secrets.text(text)))

    def of(self, role: str, orders: Orders) -> Callable[[str, bytes | str], None]:
        """Writes down what a speaker says and hears, and keeps count of its orders."""

        def told(way: str, text: bytes | str) -> None:
            words = ""
            if isinstance(text, bytes):
                if way == "in":
                    orders.heard(Message(text))
                else:
                    orders.sent(text)
                if way == "in" or text.startswith(b"8=FIX"):
                    words = self._secrets.text(self._words(text))
                text = self._secrets.message(text)
            else:
                text = self._secrets.text(text)
            self.said.append(Said(self.now(), role, way, text, words))  # type: ignore[arg-type]

        return told

    def _words(self, raw: bytes) -> str:
        try:
            return self._names.words(Message(raw))
        except ValueError:
            return ""

    def hide(self, case: CaseResult) -> CaseResult:
        """What steps say of messages has no secrets either."""
        hidden = self._secrets.text
        case.why = hidden(case.why)
        for step in case.steps:
            step.text, step.problem = hidden(step.text), hidden(step.problem)
            for difference in step.differences:
                difference.expected = hidden(difference.expected)
                difference.received = hidden(difference.received)
        return case
