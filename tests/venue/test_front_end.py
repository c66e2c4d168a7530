"""What a client cannot provoke from outside, as far as anyone knows, must not stop the venue either."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fixgw.assembly import Assembly
from fixgw.frontend import frontend
from fixgw.settings import load
from tests.process import CONFIG


def test_a_message_that_breaks_decoding_is_refused_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Feature 3: fuzzed bytes never crash."""

    def broken(*_: object) -> None:
        raise KeyError("54")

    monkeypatch.setattr(frontend, "decode", broken)
    assembly = Assembly(load(CONFIG), "test", tmp_path, pytest.fail)
    session, recorder = assembly.sessions["ALPHA"], assembly.recorder
    before = recorder.sequence
    with assembly.store.write() as transaction:
        recorder.begin(transaction, 1)
        assembly.front_end.handle(
            session, "8=FIX.4.4\x019=5\x0135=D\x0134=7\x0149=ALPHA\x0156=FIXGW\x0111=C1\x01", 1
        )
        cursor = transaction.cursor(db=assembly.store.outbox)
        assert cursor.last()
        assert b"45=7\x01" in cursor.value() and b"372=D\x01380=0\x01" in cursor.value()
    assert recorder.sequence == before
    asyncio.run(assembly.close())
