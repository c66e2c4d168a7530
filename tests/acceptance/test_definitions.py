"""Plain `.def` scripts: read as the engines of the QuickFIX family read theirs, and played."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.definitions import as_sent, compare, load_definition
from acceptance.patterns import patterns_for
from acceptance.reading import ScriptError
from acceptance.runner import Runner, scripts_in
from acceptance.standard import standard
from acceptance.target import OwnVenue
from acceptance.wire import Message, Parser

NOW = datetime(2026, 2, 28, 23, 59, 30, tzinfo=UTC)
HEADER = "35={}|34={}|49=TW|52=<TIME>|56=ISLD|"
LOGON = "8=FIX.4.4|" + HEADER.format("A", 1) + "98=0|108=30|141=Y|"
SAID = "8=FIX.4.4|9=1|35={}|34={}|49=ISLD|52=0|56=TW|"
GOOD = f"""\
# A TestRequest is answered with its TestReqID
# and more

iCONNECT
I{LOGON}
E{SAID.format("A", 1)}98=0|108=30|141=Y|10=0|
I8=FIX.4.4|{HEADER.format("1", 2)}112=HELLO|
E{SAID.format("0", 2)}112=HELLO|10=0|
I8=FIX.4.4|{HEADER.format("5", 3)}
E{SAID.format("5", 3)}10=0|
iDISCONNECT
"""


def written(folder: Path, text: str, name: str = "4b_ReceivedTestRequest.def") -> Path:
    path = folder / name
    path.write_bytes(text.replace("|", "\x01").encode())
    return path


def test_a_script_is_played_on_a_venue_that_knows_its_session(tmp_path: Path) -> None:
    (script,) = scripts_in([written(tmp_path, GOOD)])
    assert (script.title, script.versions) == ("A TestRequest is answered with its TestReqID", ["FIX.4.4"])
    wrong = written(tmp_path, GOOD.replace("112=HELLO|10=0|", "112=GOODBYE|10=0|"), "wrong.def")
    more = written(tmp_path, GOOD.replace("112=HELLO|10=0|", "112=HELLO|58=x|10=0|"), "more.def")
    hung_up = written(tmp_path, GOOD.replace("iDISCONNECT", "eDISCONNECT"), "end.def")
    with OwnVenue() as venue:
        report = Runner(venue, patience=20).run(scripts_in([tmp_path]), ["FIX.4.4"])
    outcome = {Path(case.file).name: case for case in report.cases}
    assert outcome["4b_ReceivedTestRequest.def"].outcome == outcome[hung_up.name].outcome == "passed"
    assert outcome[wrong.name].why.endswith("TestReqID(112): expected GOODBYE, received HELLO")
    assert "expected Text(58), received CheckSum(10) = " in outcome[more.name].why


def test_connections_have_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, f"i1,CONNECT\ni2,CONNECT\nI2,{LOGON}\ne1,DISCONNECT\n")
    steps = [(step.verb, step.what[:10], step.on, step.line) for step in load_definition(path).steps]
    assert steps == [
        ("connect", "1", "1", 1), ("connect", "2", "2", 2), ("send plain", "8=FIX.4.4\x01", "2", 3),
        ("expect", "disconnect", "1", 4),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("iCONNECT\nxyz\n", 2, "a line begins with i, I, e, E, R or #"),
        ("iCONECT\n", 1, "'iCONECT' is none of iCONNECT, iDISCONNECT, eDISCONNECT"),
        ("eCONNECT\n", 1, "such a script plays the venue"),
        ("# nothing\n", 1, "has no steps"),
        ("iCONNECT\nI8=FIX.4.2|35=A|\n", 1, "speaks FIX.4.2, not one of FIX.4.4, FIXT.1.1"),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ScriptError) as caught:
        load_definition(path)
    assert str(caught.value).startswith(f"{path}:{line}: ") and said in str(caught.value)


def test_times() -> None:
    text = "8=FIX.4.4\x0135=0\x0152=<TIME>\x0160=<TIME+60>\x01122=<TIME-30>\x01"
    (message,) = Parser().feed(as_sent(text, NOW))
    assert [message[tag] for tag in (52, 60, 122)] == [
        "20260228-23:59:30", "20260301-00:00:30", "20260228-23:59:00",
    ]  # fmt: skip


def test_wrong_lengths_and_checksums_are_sent_as_they_are() -> None:
    whole = "8=FIX.4.4\x019=5\x0135=0\x0110=000\x01"
    assert as_sent(whole) == whole.encode()
    assert b"\x019=7\x01" in as_sent("8=FIX.4.4\x019=7\x0135=0\x01")
    assert as_sent("8=FIX.4.4\x0135=0\x0110=999\x01") == b"8=FIX.4.4\x019=5\x0135=0\x0110=999\x01"
    assert as_sent("35=0\x0134=1\x01") == b"35=0\x0134=1\x01", "no FIX, nothing to add to"


VALUE = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=5).filter(
    lambda text: "<" not in text
)


@given(st.lists(st.tuples(st.integers(11, 999), VALUE), min_size=1, max_size=5))
def test_length_and_checksum_are_right_if_they_are_left_to_us(fields: list[tuple[int, str]]) -> None:
    text = "8=FIX.4.4\x0135=0\x01" + "".join(f"{tag}={value}\x01" for tag, value in fields)
    (message,) = Parser().feed(as_sent(text))
    assert message.fields[3:-1] == fields


def test_patterns_come_from_the_nearest_file(tmp_path: Path) -> None:
    (tmp_path / "fields.fmt").write_text("52=\\d{8}-.*\n17=.\n")
    script = written(tmp_path, GOOD)
    assert patterns_for(script)[17].pattern == "."
    came = Message(b"8=FIX.4.4\x0117=abc\x0152=yesterday\x01")
    difference = compare(standard("FIX.4.4"), "8=FIX.4.4\x0117=1\x0152=0\x01", came, patterns_for(script))[-1]
    assert (difference.expected, difference.received, difference.right) == (
        r"pattern \d{8}-.*", "yesterday", False,
    )  # fmt: skip
    (tmp_path / "fields.fmt").write_text("52=(\n")
    with pytest.raises(ScriptError, match=re.escape("fields.fmt:1: not a regular expression: ")):
        patterns_for(script)
