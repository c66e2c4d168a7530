"""The operator's socket: the requests of `fixgw admin` that scripts use, one JSON object a line each way."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

from acceptance.reference.desk import Desk
from acceptance.reference.session import Session

SOCKET = "admin.sock"


class Control:
    def __init__(self, directory: Path, sessions: dict[str, Session], desk: Desk) -> None:
        self._path = directory / SOCKET
        self._sessions = sessions
        self._desk = desk
        self._path.unlink(missing_ok=True)
        self.line = socket.socket(socket.AF_UNIX)
        folder = os.open(directory, os.O_RDONLY)
        try:  # a path of any length, which the address of a socket is not
            self.line.bind(f"/proc/self/fd/{folder}/{SOCKET}")
        finally:
            os.close(folder)
        self.line.listen()

    def answer(self, now: float) -> None:
        """One request."""
        line, _ = self.line.accept()
        with line:
            line.settimeout(1.0)
            try:
                request = json.loads(line.makefile("rb").readline())
                ok, text = self._carry_out(request, now)
            except (OSError, ValueError, KeyError, TypeError) as problem:
                ok, text = False, f"not a request: {problem}"
            line.sendall(json.dumps({"ok": ok, "lines": [text]}).encode() + b"\n")

    def close(self) -> None:
        self.line.close()
        self._path.unlink(missing_ok=True)

    def _carry_out(self, request: dict[str, Any], now: float) -> tuple[bool, str]:
        kind = request["type"]
        if kind == "status":
            return True, "running"
        if kind == "cancel-only":
            change = self._desk.cancel_only.add if request["on"] else self._desk.cancel_only.discard
            change(request.get("symbol", ""))
            where = request.get("symbol") or "the venue"
            return True, f"cancel-only is {'on' if request['on'] else 'off'} for {where}"
        session = self._sessions.get(request.get("session", ""))
        if session is None:
            return False, f"the reference venue cannot carry out {kind}"
        if kind == "logout":
            session.client_left = True  # its orders are those of a client that logged out
            session.log_out(request.get("text", "logged out by the operator"), now)
        elif kind == "disconnect":
            session.closed = True
        elif kind == "set-seqnum":
            session.history.sender = request.get("next_out") or session.history.sender
            session.history.target = request.get("next_in") or session.history.target
        else:
            return False, f"the reference venue cannot carry out {kind}"
        return True, f"{kind} {session.settings.name}"
