"""A venue that answers an order with whatever a test says, right or wrong: what no real venue would send."""

from __future__ import annotations

import re
import socket
import threading
import time
from pathlib import Path
from typing import Self

from acceptance.profile import Profile, profile_of
from acceptance.results import CaseResult
from acceptance.runner import Runner, scripts_in
from acceptance.target import Elsewhere
from acceptance.wire import encode, frame, utc_now

Reply = str | bytes | float
"""`8 11=$ID|39=0|` is a message, `@50:8 ...` one with this MsgSeqNum, `close` the end; bytes are sent as they
are; a number is a pause in seconds. $ID is the order's ClOrdID"""
PROFILE = {"sessions": {name: {"account": "ACC"} for name in ("X", "Y")}, "symbols": ["S"]}
LOGON = "A 98=0|108=30|"
HEAD = "title: t\nversions: [FIX.4.4]\nsessions: [A, B]\nsteps:\n"
ORDER = "  - logon: A\n  - {send: NewOrderSingle, fields: {ClOrdID: $o, Side: BUY, OrderQty: 10, Price: 5}}\n"


class FakeVenue:
    """For as long as the context lasts."""

    def __init__(self, *replies: Reply, logon: Reply = LOGON, header: str = "49=FIXGW|56=X|") -> None:
        self.heard: list[bytes] = []
        self._replies, self._logon, self._header = replies, logon, header
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._serving = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Self:
        self._serving.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._serving.join()

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        number, buffer = 1, b""
        while data := line.recv(1 << 16):
            buffer += data
            while found := re.match(rb".*?\x0110=\d{3}\x01", buffer, re.DOTALL):
                buffer = buffer[found.end() :]
                self.heard.append(found[0])
                sent = dict(field.partition(b"=")[::2] for field in found[0].split(b"\x01"))
                for reply in self._answer(sent):
                    if isinstance(reply, float):
                        time.sleep(reply)
                    elif reply == "close":
                        line.close()
                        return
                    elif isinstance(reply, bytes):
                        line.sendall(reply)
                    else:
                        text = reply.replace("$ID", sent.get(b"11", b"").decode())
                        number = self._say(line, text, 1 if sent[b"35"] == b"A" else number)

    def _answer(self, sent: dict[bytes, bytes]) -> tuple[Reply, ...]:
        match sent[b"35"]:
            case b"A":
                return (self._logon,)
            case b"1":
                return (f"0 112={sent[b'112'].decode()}|",)
            case b"5":
                return ("5 ", "close")
            case b"D":
                return self._replies
        return ()

    def _say(self, line: socket.socket, text: str, number: int) -> int:
        """The number of the next message."""
        kind, _, rest = text.partition(" ")
        if kind.startswith("@"):
            given, _, kind = kind[1:].partition(":")
            number = int(given)
        head = encode([(35, kind), (34, number), (52, utc_now())])
        line.sendall(frame("FIX.4.4", head + (self._header + rest).replace("|", "\x01").encode("latin1")))
        return number + 1


def framed(body: str) -> bytes:
    """A message with right BodyLength and CheckSum, whatever is in it."""
    return frame("FIX.4.4", body.replace("|", "\x01").encode())


def case_of(
    folder: Path,
    steps: str,
    venue: FakeVenue,
    patience: float = 1.0,
    head: str = HEAD,
    profile: object = PROFILE,
) -> CaseResult:
    """The script with these steps, played."""
    path = folder / "script.yaml"
    path.write_text(head + steps)
    known: Profile = profile_of(profile)
    with venue, Elsewhere("127.0.0.1", venue.port, known) as target:
        (case,) = Runner(target, patience).run(scripts_in([path]), ["FIX.4.4"]).cases
    return case


def why(folder: Path, expect: str, *replies: Reply) -> str:
    """What is said of an order answered like this, and expected to be answered so; "" if it passes."""
    case = case_of(folder, f"{ORDER}  - {expect}\n", FakeVenue(*replies))
    assert (case.outcome == "passed") == (not case.why)
    return case.why
