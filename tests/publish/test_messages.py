"""A session's log, read again: over many files, cut off anywhere, and while it grows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixgw.codec.stream import CUT, GARBLED, WHOLE
from fixgw.messages.files import Files, numbered
from fixgw.messages.lines import CONNECT, DISCONNECT, GAP, IN, NOTE, OUT, line
from fixgw.publish.messages import Logged, logged
from tests.wire import encode, frame

SECOND = 10**9


def heartbeat(number: int) -> bytes:
    return frame("FIX.4.4", encode([(35, "0"), (34, number), (112, "\\ and\n")]))


LINES = [
    line(1 * SECOND, CONNECT, b"from 127.0.0.1:1"),
    line(2 * SECOND, IN, heartbeat(1) + heartbeat(2)[:20]),
    line(3 * SECOND, OUT, heartbeat(1)),
    line(4 * SECOND, IN, heartbeat(2)[20:]),
    line(5 * SECOND, NOTE, b"a note"),
    line(6 * SECOND, OUT, heartbeat(2)[:30]),
    line(7 * SECOND, DISCONNECT, b"by the client"),
    line(8 * SECOND, CONNECT, b"from 127.0.0.1:2"),
    line(9 * SECOND, IN, b"noise\x01"),
]
MESSAGES: list[Logged | None] = [
    Logged(1 * SECOND, CONNECT, b"from 127.0.0.1:1", WHOLE),
    Logged(2 * SECOND, IN, heartbeat(1), WHOLE),
    Logged(3 * SECOND, OUT, heartbeat(1), WHOLE),
    Logged(4 * SECOND, IN, heartbeat(2), WHOLE),
    Logged(5 * SECOND, NOTE, b"a note", WHOLE),
    Logged(7 * SECOND, OUT, heartbeat(2)[:30], CUT),
    Logged(7 * SECOND, DISCONNECT, b"by the client", WHOLE),
    Logged(8 * SECOND, CONNECT, b"from 127.0.0.1:2", WHOLE),
    Logged(9 * SECOND, IN, b"noise\x01", GARBLED),
]


def read(directory: Path) -> list[Logged | None]:
    return list(logged(directory, 0, follow=False))


def whole_messages(found: list[Logged | None]) -> list[Logged]:
    return [each for each in found if each is not None and each.kind in (IN, OUT) and not each.state]


@pytest.mark.parametrize("size", [1, 200, 10_000])
def test_messages_are_put_together_over_lines_and_files(tmp_path: Path, size: int) -> None:
    files = Files(tmp_path / "ALPHA", size, 1000)
    for each in LINES:
        files.append(each)
    assert len(numbered(tmp_path / "ALPHA")) == {1: len(LINES), 200: 4, 10_000: 1}[size]
    assert read(tmp_path / "ALPHA") == MESSAGES


@settings(deadline=None)
@given(end=st.integers(0, sum(map(len, LINES))))
def test_a_log_cut_off_anywhere(tmp_path_factory: pytest.TempPathFactory, end: int) -> None:
    """What is whole is shown as it is, what is not is marked; and the next run goes on behind it."""
    directory = tmp_path_factory.mktemp("log") / "ALPHA"
    directory.mkdir()
    path = directory / "000001.log"
    path.write_bytes(b"".join(LINES)[:end])
    messages = whole_messages(MESSAGES)
    found = whole_messages(read(directory))
    assert found == messages[: len(found)]
    assert len(found) >= sum(len(b"".join(LINES[:lines])) <= end for lines in (2, 3, 4))
    Files(directory, 10_000, 2).append(b"".join(LINES))
    again = read(directory)
    assert again[-len(MESSAGES) :] == MESSAGES
    assert whole_messages(again) == found + messages


def test_a_gap_ends_what_is_unfinished(tmp_path: Path) -> None:
    files = Files(tmp_path / "ALPHA", 10_000, 2)
    files.append(
        line(SECOND, IN, heartbeat(1)[:20]) + line(SECOND, GAP, b"3") + line(SECOND, IN, heartbeat(2))
    )
    assert [(each.text, each.state) for each in read(tmp_path / "ALPHA") if each] == [
        (heartbeat(1)[:20], CUT), (b"3", WHOLE), (heartbeat(2), WHOLE),
    ]  # fmt: skip


def test_following_sees_what_is_added_and_new_files(tmp_path: Path) -> None:
    """Half a line is waited for; nothing comes twice."""
    directory = tmp_path / "ALPHA"
    files = Files(directory, 300, 1000)
    files.append(LINES[0])
    following = logged(directory, 0, follow=True)
    assert [next(following), next(following), next(following)] == [MESSAGES[0], None, None]
    with (directory / "000001.log").open("ab") as file:
        file.write(LINES[1][:50])
        file.flush()
        assert next(following) is None
        file.write(LINES[1][50:])
    assert [next(following), next(following)] == [MESSAGES[1], None]
    files.append(b"".join(LINES[2:]))
    assert len(numbered(directory)) == 2
    assert [each for _ in range(9) if (each := next(following))] == MESSAGES[2:-1]
    assert next(following) is None


def test_files_that_go_meanwhile_are_passed_over(tmp_path: Path) -> None:
    directory = tmp_path / "ALPHA"
    files = Files(directory, 1, 1000)
    files.append(b"".join(LINES))
    reading = logged(directory, 0, follow=False)
    assert next(reading) == MESSAGES[0]
    for _, path in numbered(directory)[:4]:
        path.unlink()
    assert next(reading) == MESSAGES[4]
