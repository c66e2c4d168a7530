"""What scripts of sessions need of the language: messages field by field, one of several messages, the
session's own numbers in what is expected, TLS, times of day in settings."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from acceptance.loading import load
from acceptance.matching import Matching
from acceptance.reading import ScriptError
from acceptance.script import Step
from acceptance.standard import standard
from acceptance.values import Variables, timed
from acceptance.wire import Parser, completed


def first_step(directory: Path, step: str) -> Step:
    script = directory / "script.yaml"
    script.write_text(f"title: a script\nsteps:\n  - connect: A\n  - {step}\n")
    return load(script).steps[1]


def right(expected: object, came: str | None, numbers: dict[str, int] | None = None) -> bool:
    matching = Matching(standard("FIX.4.4"), Variables({}, Decimal(1), str), numbers or {})
    matching.compare([] if came is None else [(34, came)], {"MsgSeqNum": expected})
    return matching.right


def test_a_raw_message_gets_its_length_and_sum() -> None:
    raw = completed(b"8=FIX.4.4\x019=?\x0135=0\x0134=7\x0110=?\x01")
    assert Parser().feed(raw)[0].sequence == 7
    assert b"\x019=10\x01" in raw


def test_only_what_is_left_open_is_filled_in() -> None:
    assert completed(b"8=FIX.4.4\x019=5\x0135=0\x0110=000\x01") == b"8=FIX.4.4\x019=5\x0135=0\x0110=000\x01"
    assert completed(b"8=FIX.4.4\x019=?\x0135=0\x01") == b"8=FIX.4.4\x019=5\x0135=0\x01"


def test_own_numbers_may_be_expected() -> None:
    numbers = {"next": 8, "expected": 5}
    assert right("$next-1", "7", numbers)
    assert right({"at least": "$expected"}, "5", numbers)
    assert not right("$next", "7", numbers)


def test_absent_may_be_one_of_several() -> None:
    assert right({"one of": ["7", "absent"]}, None)
    assert not right({"one of": ["7", "absent"]}, "8")
    assert not right({"one of": ["7", "8"]}, None)
    assert not right({"remember": "number"}, None)


def test_one_of_several_messages(tmp_path: Path) -> None:
    assert first_step(tmp_path, "expect: {one of: [Logout, Reject]}").what == "Logout or Reject"
    with pytest.raises(ScriptError, match=r"'Logut' is no message of FIX.4.4; did you mean Logout"):
        first_step(tmp_path, "expect: {one of: [Logut, Reject]}")
    with pytest.raises(ScriptError, match="takes only messages"):
        first_step(tmp_path, "expect: {one of: [Logout, disconnect]}")
    with pytest.raises(ScriptError, match="takes a message, or"):
        first_step(tmp_path, "expect: {any of: [Logout]}")


def test_a_connection_over_tls(tmp_path: Path) -> None:
    step = first_step(tmp_path, "{connect: A, over: tls, certificate: member}")
    assert (step.over, step.certificate) == ("tls", "member")
    with pytest.raises(ScriptError, match="over: must be tcp, tls or market data"):
        first_step(tmp_path, "{connect: A, over: ssl}")


def test_times_of_day_in_settings() -> None:
    found = timed({"schedules": {"LATER": {"start": "$clock+60", "end": "17:00"}}})["schedules"]["LATER"]
    assert found["end"] == "17:00"
    hour = int(re.fullmatch(r"(\d\d):\d\d", found["start"])[1])  # type: ignore[index]
    assert (hour - datetime.now(UTC).hour) % 24 in (0, 1)
