"""Waits for what a script expects of one session, and says field by field what came in its place."""

from __future__ import annotations

import re
import time

from acceptance.definitions import compare
from acceptance.matching import Matching
from acceptance.results import Difference
from acceptance.script import OR, Values
from acceptance.speaker import Gone, Silent, Speaker
from acceptance.values import Variables
from acceptance.wire import Message

PROBE = "certify-probe"
Wanted = tuple[list[str], Values]
"""MsgTypes one of which is expected, and its fields"""


class Wrong(Exception):
    """A step went wrong: one line, and the fields if it was about a message."""

    def __init__(self, problem: str, differences: list[Difference] | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.differences = differences or []


class Expecting:
    def __init__(self, speaker: Speaker, variables: Variables, skip: list[str], patience: float) -> None:
        """`skip`: names of messages that may come in between."""
        self._speaker = speaker
        self._names = speaker.names
        self._variables = variables
        self._skip = {self._names.msg_type(name) for name in skip}
        self._patience = patience

    def message(self, name: str, fields: Values, within: float | None) -> None:
        self.any_of([(name, fields)], within)

    def any_of(self, expected: list[tuple[str, Values]], within: float | None) -> None:
        """Each of them once, in any order, and nothing else. A name may be several, with `or` between."""
        rest = [(self._kinds(name), fields) for name, fields in expected]
        deadline = time.monotonic() + (self._patience if within is None else within)
        while rest:
            wanted = " or ".join(
                dict.fromkeys(self._names.message(kind) for kinds, _ in rest for kind in kinds)
            )
            message = self._next(rest, deadline, wanted)
            tried = [self._compare(message, fields) for kinds, fields in rest if message.msg_type in kinds]
            if not tried:
                came = self._names.message(message.msg_type)
                difference = Difference("MsgType(35)", wanted, came, False)
                raise Wrong(f"expected {wanted}, received {self._names.words(message)}", [difference])
            best = min(tried, key=lambda matching: matching.wrong)
            problem = self._speaker.count(message)
            if not best.right:
                raise Wrong(_summary(best.differences), best.differences)
            if problem and not _speaks_of_number(rest, message.msg_type):
                raise Wrong(problem)
            for name, value in best.remembered.items():
                self._variables.remember(name, value)
            for name, value in best.used:
                self._variables.use(name, value)
            same = [each for each in rest if message.msg_type in each[0]]
            rest.remove(same[tried.index(best)])

    def exactly(self, text: str, known: dict[int, re.Pattern[str]]) -> None:
        """The next message, whatever it is, as a `.def` script wants it."""
        try:
            message = self._speaker.receive(self._patience)
        except Silent:
            raise Wrong("expected a message, nothing came") from None
        except Gone:
            raise Wrong("expected a message, the venue closed the connection") from None
        differences = compare(self._names, text, message, known)
        if not all(difference.right for difference in differences):
            raise Wrong(_summary(differences), differences)

    def nothing(self, seconds: float | None) -> None:
        """For so many seconds; without a time, up to the answer to a TestRequest."""
        if seconds is None:
            self._speaker.send("1", [(112, PROBE)])
        deadline = time.monotonic() + (self._patience if seconds is None else seconds)
        while True:
            try:
                message = self._receive(deadline)
            except Silent:
                if seconds is None:
                    raise Wrong("the TestRequest was not answered") from None
                return
            if message.get(112) == PROBE and message.msg_type == "0":
                self._speaker.count(message)
                return
            if not self._passes(message):
                raise Wrong(f"expected nothing, received {self._names.words(message)}")

    def disconnect(self, within: float | None) -> None:
        deadline = time.monotonic() + (self._patience if within is None else within)
        try:
            while True:
                message = self._receive(deadline)
                if not self._passes(message):
                    raise Wrong(f"expected the end of the connection, received {self._names.words(message)}")
        except Silent:
            raise Wrong("the venue keeps the connection open") from None
        except Gone:
            return

    def _next(self, rest: list[Wanted], deadline: float, wanted: str) -> Message:
        """The next message that is no matter of course."""
        while True:
            try:
                message = self._receive(deadline)
            except Silent:
                raise Wrong(f"expected {wanted}, nothing came") from None
            except Gone:
                raise Wrong(f"expected {wanted}, the venue closed the connection") from None
            meant = [fields for kinds, fields in rest if message.msg_type in kinds]
            if any(self._compare(message, fields).right for fields in meant):
                return message
            if not self._passes(message):
                return message

    def _receive(self, deadline: float) -> Message:
        return self._speaker.receive(max(deadline - time.monotonic(), 0.0))

    def _kinds(self, name: str) -> list[str]:
        return [self._names.msg_type(each) or each for each in name.split(OR)]

    def _passes(self, message: Message) -> bool:
        """Whether it may come in between; then it is counted, and answered if that is due."""
        if message.msg_type in self._skip:
            self._speaker.count(message)
            return True
        return self._speaker.answer(message)

    def _compare(self, message: Message, fields: Values) -> Matching:
        matching = Matching(self._names, self._variables, self._speaker.numbers)
        matching.compare(message.fields, fields)
        return matching


def _summary(differences: list[Difference]) -> str:
    wrong = [each for each in differences if not each.right]
    return "; ".join(
        f"{each.name}: expected {each.expected}, received {each.received or 'nothing'}" for each in wrong
    )


def _speaks_of_number(rest: list[Wanted], msg_type: str) -> bool:
    return any("MsgSeqNum" in fields or "34" in fields for kinds, fields in rest if msg_type in kinds)
