"""Waits for what a client must do, and says in words what it did instead."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeGuard

from acceptance.acceptor.line import REQUESTS, Line, Seen
from acceptance.acceptor.scenario import DISCONNECT
from acceptance.expecting import Wrong
from acceptance.matching import Matching
from acceptance.results import Difference
from acceptance.script import Values
from acceptance.values import Variables
from acceptance.wire import Message

GLANCE = 0.2
"""seconds between looks at what the person typed"""


class Judging:
    """Of one play. `meanwhile` is called while nothing comes, and may raise to end the wait."""

    def __init__(self, line: Line, variables: Variables, meanwhile: Callable[[], None]) -> None:
        self._line = line
        self._names = line.names
        self._variables = variables
        self._meanwhile = meanwhile
        self.later: list[Message] = []
        """orders and requests that came while something else was awaited; they may have their turn later"""
        self.keep_orders = False
        self.compared: Message | None = None
        """the last order or request that was awaited and came, right or wrong"""

    def message(self, awaited: list[str], fields: Values, seconds: float, skip: list[str]) -> Message | None:
        """The first of the awaited messages; None if the client closed the connection, and that is awaited.
        Raises Wrong."""
        kinds = {self._names.msg_type(name) for name in awaited if name != DISCONNECT}
        passed_over = {self._names.msg_type(name) for name in skip}
        words = " or ".join(
            "the end of the connection" if name == DISCONNECT else self._words(name) for name in awaited
        )
        deadline = time.monotonic() + seconds
        self._line.heard.extendleft(reversed(self.later))
        self.later.clear()
        while True:
            item = self._next(deadline, f"expected {words}, nothing came within {seconds:g} s")
            if item is None:
                if DISCONNECT in awaited:
                    return None
                if "A" not in kinds:
                    raise Wrong(f"expected {words}, the client closed the connection")
            elif item.msg_type in kinds:
                self.compared = item if is_request(item) else self.compared
                if self._right(item, fields):
                    return item
            elif not (self._of_course(item) or item.msg_type in passed_over or self._put_off(item, kinds)):
                difference = Difference("MsgType(35)", words, self._names.message(item.msg_type), False)
                raise Wrong(f"expected {words}, received {self._names.words(item)}", [difference])

    def until(self, reached: Callable[[], bool], seconds: float, otherwise: str) -> None:
        """Whatever comes meanwhile. Raises Wrong(otherwise)."""
        deadline = time.monotonic() + seconds
        while not reached():
            item = self._next(deadline, otherwise)
            if item is not None:
                self._put_off(item, set())

    def objections(self) -> None:
        """Raises Wrong if the session machine had to refuse something."""
        if self._line.objections:
            raise Wrong(f"the client's message was wrong: the venue says {self._line.objections[0]}")

    def _next(self, deadline: float, otherwise: str) -> Message | None:
        while not self._line.heard:
            self.objections()
            left = deadline - time.monotonic()
            if left <= 0:
                raise Wrong(otherwise)
            self._line.pump(min(left, GLANCE))
            self._meanwhile()
        item = self._line.heard.popleft()
        if item is None:
            self.objections()
        return item

    def _right(self, message: Message, fields: Values) -> bool:
        """False: it is one that comes anyway. Raises Wrong."""
        matching = Matching(self._names, self._variables, {})
        matching.compare(message.fields, fields)
        if matching.right:
            for name, value in matching.remembered.items():
                self._variables.remember(name, value)
            return True
        if self._of_course(message):
            return False
        wrong = [each for each in matching.differences if not each.right]
        said = "; ".join(
            f"{each.name}: expected {each.expected}, received {each.received or 'nothing'}" for each in wrong
        )
        raise Wrong(f"{self._names.message(message.msg_type)}: {said}", matching.differences)

    def _of_course(self, message: Message) -> bool:
        replayed = message.possible_duplicate and message.msg_type not in REQUESTS
        return message.msg_type in ("0", "1") or replayed or isinstance(message, Seen)

    def _put_off(self, message: Message, kinds: set[str | None]) -> bool:
        """A client may trade while the venue waits for something of the session. Where no one is asked, it
        may even send the next order."""
        awaits_request = not kinds.isdisjoint(REQUESTS)
        another = self.keep_orders and message.msg_type == "D" and "D" not in kinds
        if not is_request(message) or (awaits_request and not another):
            return False
        self.later.append(message)
        return True

    def _words(self, name: str) -> str:
        return self._names.message(self._names.msg_type(name) or name)


def is_request(item: Message | None) -> TypeGuard[Message]:
    """An order or a request that has not been dealt with."""
    return item is not None and item.msg_type in REQUESTS and not isinstance(item, Seen)
