"""Waits for what a script expects of one session, and says field by field what came in its place."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from acceptance.definitions import compare
from acceptance.matching import Matching
from acceptance.patterns import Patterns
from acceptance.results import Difference
from acceptance.script import OR, Step, Values
from acceptance.speaker import Gone, Silent, Speaker
from acceptance.standard import Standard
from acceptance.values import Variables
from acceptance.wire import Message

PROBE = "certify-probe"
GLANCE = 0.02
"""seconds for one session, where messages of several are awaited"""


class Wrong(Exception):
    """A step went wrong: one line, and the fields if it was about a message."""

    def __init__(self, problem: str, differences: list[Difference] | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.differences = differences or []


@dataclass(frozen=True)
class Wanted:
    kinds: list[str]
    """MsgTypes, one of which it has"""
    fields: Values
    within: float
    """seconds it may take, from the beginning of the step"""
    after: float
    """seconds it must take"""

    def names(self, names: Standard) -> set[int]:
        """The tags it speaks of."""
        return {tag for name in self.fields if (tag := names.tag(name)) is not None}


class Expecting:
    """Of one step. Its time begins now."""

    def __init__(
        self, speaker: Speaker, variables: Variables, patience: float, skip: Iterable[str] = ()
    ) -> None:
        """`skip`: names of messages that may come in between. `patience`: seconds, where a step has none."""
        self._speaker = speaker
        self._names = speaker.names
        self._variables = variables
        self._skip = {self._names.msg_type(name) for name in skip}
        self._patience = patience
        self._began = time.monotonic()
        self.rest: list[Wanted] = []

    def want(self, name: str, fields: Values, within: float | None, after: float = 0.0) -> None:
        """A message, once; a name may be several, with `or` between."""
        kinds = [self._names.msg_type(each) or each for each in name.split(OR)]
        self.rest.append(Wanted(kinds, fields, self._patience if within is None else within, after))

    def message(self, name: str, fields: Values, within: float | None, after: float = 0.0) -> None:
        self.want(name, fields, within, after)
        self.take()

    def take(self, seconds: float | None = None) -> None:
        """Waits for the next of what is wanted, in any order, and lets nothing else pass. With `seconds`, for
        so long only. Raises Wrong."""
        wanted = " or ".join(
            dict.fromkeys(self._names.message(kind) for each in self.rest for kind in each.kinds)
        )
        message = self._next(wanted, seconds)
        if message is None:
            return
        meant = [each for each in self.rest if message.msg_type in each.kinds]
        if not meant:
            came = self._names.message(message.msg_type)
            difference = Difference("MsgType(35)", wanted, came, False)
            raise Wrong(f"expected {wanted}, received {self._names.words(message)}", [difference])
        tried = [(self._compare(message, each.fields), each) for each in meant]
        best, one = min(tried, key=lambda pair: pair[0].wrong)
        named = one.names(self._names)
        miscounted = self._speaker.count(message)
        problem = self._speaker.fault(message, named) or (miscounted if 34 not in named else None)
        if not best.right:
            raise Wrong(_summary(best.differences), best.differences)
        if problem:
            raise Wrong(f"{self._names.message(message.msg_type)}: {problem}")
        self._early(one.after)
        for name, value in best.remembered.items():
            self._variables.remember(name, value)
        for name, value in best.used:
            self._variables.use(name, value)
        self.rest.remove(one)

    def exactly(self, text: str, known: Patterns) -> None:
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
        while True:
            try:
                message = self._receive(self._patience if seconds is None else seconds)
            except Silent:
                if seconds is None:
                    raise Wrong("the TestRequest was not answered") from None
                return
            if message.get(112) == PROBE and message.msg_type == "0":
                self._pass(message)
                return
            if not self._passes(message):
                raise Wrong(f"expected nothing, received {self._names.words(message)}")

    def disconnect(self, within: float | None, after: float) -> None:
        try:
            while True:
                message = self._receive(self._patience if within is None else within)
                if not self._passes(message):
                    raise Wrong(f"expected the end of the connection, received {self._names.words(message)}")
        except Silent:
            raise Wrong("the venue keeps the connection open") from None
        except Gone:
            self._early(after)

    def _next(self, wanted: str, seconds: float | None) -> Message | None:
        """The next message that is no matter of course; None if none came in so many seconds."""
        within = min(each.within for each in self.rest)
        until = within if seconds is None else min(within, time.monotonic() - self._began + seconds)
        while True:
            try:
                message = self._receive(until)
            except Silent:
                if until < within:
                    return None
                raise Wrong(f"expected {wanted}, nothing came") from None
            except Gone:
                raise Wrong(f"expected {wanted}, the venue closed the connection") from None
            meant = [each.fields for each in self.rest if message.msg_type in each.kinds]
            if any(self._compare(message, fields).right for fields in meant):
                return message
            if not self._passes(message):
                return message

    def _receive(self, within: float) -> Message:
        return self._speaker.receive(max(self._began + within - time.monotonic(), 0.0))

    def _passes(self, message: Message) -> bool:
        """Whether it may come in between; then it is counted, and answered if that is due."""
        if message.msg_type not in self._skip and not self._speaker.is_of_course(message):
            return False
        self._pass(message)
        self._speaker.answer(message)
        return True

    def _pass(self, message: Message) -> None:
        """Also what nobody has asked for must be right. Raises Wrong."""
        problem = self._speaker.count(message) or self._speaker.fault(message)
        if problem:
            raise Wrong(f"{self._names.message(message.msg_type)}: {problem}")

    def _early(self, after: float) -> None:
        waited = time.monotonic() - self._began
        if waited < after:
            raise Wrong(f"it came after {waited:.2f} s, not before {after} s was right")

    def _compare(self, message: Message, fields: Values) -> Matching:
        matching = Matching(self._names, self._variables, self._speaker.numbers)
        matching.compare(message.fields, fields)
        return matching


def in_any_order(
    steps: list[Step], speakers: dict[str, Speaker], variables: Variables, patience: float
) -> None:
    """All of one session, or of several: each is looked at in turn, so that their times are their own. What
    one entry may skip may come before any of its session. Raises Wrong."""
    open_ones: list[Expecting] = []
    for role in dict.fromkeys(step.on for step in steps):
        own = [step for step in steps if step.on == role]
        skip = {name for step in own for name in step.skip}
        open_ones.append(Expecting(speakers[role], variables, patience, skip))
        for step in own:
            open_ones[-1].want(step.what, step.fields, step.within, step.after)
    while open_ones := [each for each in open_ones if each.rest]:
        for each in open_ones:
            each.take(GLANCE if len(open_ones) > 1 else None)


def _summary(differences: list[Difference]) -> str:
    wrong = [each for each in differences if not each.right]
    return "; ".join(
        f"{each.name}: expected {each.expected}, received {each.received or 'nothing'}" for each in wrong
    )
