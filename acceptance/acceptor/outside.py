"""What a client does wrong while no scenario is played: it fails as well, or nobody would ever know."""

from __future__ import annotations

from collections.abc import Callable

from acceptance.acceptor.conversation import Conversation
from acceptance.acceptor.line import Line
from acceptance.masking import masked
from acceptance.results import CaseResult, Said
from acceptance.script import VERSIONS
from acceptance.standard import standard
from acceptance.wire import Message

TITLE = "outside of any scenario"
MOST = 100
"""failed cases of one client, and of all who are refused before they have a session"""
LAST = 40
"""lines of the conversation"""


class Outside:
    """Of one client."""

    def __init__(self, line: Line, told: Callable[[CaseResult], None]) -> None:
        self._line = line
        self._told = told
        self._count = 0
        self.listen()

    def listen(self) -> None:
        """No scenario is played from here on."""
        self._conversation = Conversation(self._line, lambda _: None, LAST)
        self._line.tell = self._conversation.tell

    def charge(self) -> None:
        """A failed case for each message the venue had to reject since the last time."""
        objections, self._line.objections = self._line.objections, []
        for why in objections:
            self._count += 1
            if self._count <= MOST:
                self._told(self._case(why))
        if objections:
            self.listen()

    def _case(self, why: str) -> CaseResult:
        more = "; what else it does wrong is not told" if self._count == MOST else ""
        said = self._conversation
        return failed(self._line.session.settings.begin_string, f"{why}{more}", list(said.said), said.now())


class Refused:
    """Connections that never became a session, whose first message said who it is."""

    def __init__(self, told: Callable[[str, CaseResult], None]) -> None:
        self._told = told
        self._known: set[tuple[str, str]] = set()
        """CompIDs and reasons: engines try again for ever"""

    def charge(self, name: str, message: Message, why: str) -> None:
        if (name, why) in self._known or len(self._known) >= MOST:
            return
        self._known.add((name, why))
        version = message[8]
        words = standard(version if version in VERSIONS else VERSIONS[0]).words(message)
        self._told(name, failed(version, why, [Said(0.0, name, "in", masked(message.bytes), words)]))


def failed(version: str, why: str, conversation: list[Said], seconds: float = 0.0) -> CaseResult:
    return CaseResult("", TITLE, version, [], "failed", why, seconds, conversation=conversation)
