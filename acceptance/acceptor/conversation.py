"""What was said in one play, as it stands in the report."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from acceptance.acceptor.line import Line
from acceptance.masking import masked
from acceptance.results import Said
from acceptance.wire import Message


class Conversation:
    def __init__(self, line: Line, sent: Callable[[Message], None], last: int | None = None) -> None:
        """`sent` hears of each message to the client. `last`: how many lines are kept, if not all."""
        self._names = line.names
        self._client = line.session.settings.comp_id
        self._sent = sent
        self._began = time.monotonic()
        self.said: deque[Said] = deque(maxlen=last)

    def now(self) -> float:
        """Seconds since the play began."""
        return round(time.monotonic() - self._began, 4)

    def note(self, text: str) -> None:
        self.said.append(Said(self.now(), "", "note", text))

    def tell(self, way: str, text: bytes | str) -> None:
        """`way`: in, out or note."""
        words = ""
        if isinstance(text, bytes):
            message = _message(text)
            if message is not None:
                words = self._names.words(message)
                if way == "out":
                    self._sent(message)
            text = masked(text)
        self.said.append(Said(self.now(), self._client, way, text, words))  # type: ignore[arg-type]


def _message(raw: bytes) -> Message | None:
    try:
        return Message(raw)
    except ValueError:
        return None
