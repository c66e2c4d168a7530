"""A venue that says exactly what a test tells it to: one connection, in a thread, raw FIX."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from tests.raw import Disconnected, RawClient, Received

Script = Callable[["ScriptedVenue", Received], None]
"""what to do with each application message"""


class ScriptedVenue(RawClient):
    """Answers Logon, TestRequest and Logout as a venue does, everything else by `script`. Without a script
    it closes each connection without a word. `received` holds all that the client sent."""

    def __init__(self, comp_id: str, begin_string: str, script: Script | None) -> None:
        super().__init__("127.0.0.1", 0, "FIXGW", target=comp_id, begin_string=begin_string)
        self.script = script
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def finish(self) -> list[Received]:
        """Waits until the client has gone; returns what it sent."""
        self._thread.join(10)
        assert not self._thread.is_alive(), "the client is still connected"
        return self.received

    def report(self, order: Received, *fields: tuple[int, object], exec_type: str = "0") -> None:
        """An ExecutionReport on `order`."""
        standard = [(37, 1), (17, self.next_outbound), (150, exec_type), (39, exec_type), (11, order[11])]
        self.send("8", [*standard, (55, order[55]), (54, order[54]), (151, 0), (14, 0), (6, 0), *fields])

    def _serve(self) -> None:
        with self._listener:
            self._listener.settimeout(10)
            probe, _ = self._listener.accept()  # the client looks first whether anyone listens
            probe.close()
            self._socket, _ = self._listener.accept()
        with self._socket, suppress(Disconnected, OSError):
            while self.script and self._answer(self.receive(), self.script):
                pass

    def _answer(self, message: Received, script: Script) -> bool:
        """Whether the connection stays open."""
        match message.msg_type:
            case "A":
                self.send("A", [(98, 0), (108, message[108]), (141, "Y"), *([(1137, 9)] * (1137 in message))])
            case "1":
                self.send("0", [(112, message[112])])
            case "5":
                self.send("5")
                return False
            case _:
                script(self, message)
        return True
