"""What the writer makes of the pieces of one connection."""

from __future__ import annotations

from fixgw.messages.lines import DISCONNECT, GAP, IN, NOTE, OUT, parse
from fixgw.messages.writer import Stream

LOGON = b"8=FIX.4.4\x019=5\x0135=A\x01554=s3cret\x01"


def written(stream: Stream, kind: bytes, data: bytes) -> list[tuple[bytes, bytes]]:
    entries = [parse(text) for text in stream.lines(0, kind, data)]
    return [(entry.kind, entry.data) for entry in entries if entry]


def test_secrets_are_hidden_also_in_what_never_ends() -> None:
    stream = Stream("ALPHA")
    assert written(stream, IN, LOGON[:-3]) == [(IN, LOGON[:19])]
    assert written(stream, OUT, b"35=0\x01") == [(OUT, b"35=0\x01")]
    assert written(stream, IN, LOGON[-3:-2]) == []
    assert written(stream, DISCONNECT, b"by the client") == [(IN, b"554=***"), (DISCONNECT, b"by the client")]


def test_what_follows_a_gap_may_be_half_a_secret() -> None:
    stream = Stream("ALPHA")
    assert written(stream, IN, LOGON[:-3]) == [(IN, LOGON[:19])]
    assert written(stream, GAP, b"1 pieces left out") == [(GAP, b"1 pieces left out")]
    assert written(stream, IN, LOGON[-3:]) == []
    assert written(stream, NOTE, b"a note") == [(NOTE, b"a note")]
    assert written(stream, IN, LOGON) == [(IN, LOGON.replace(b"s3cret", b"***"))]
