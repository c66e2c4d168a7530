"""Files that are rotated, few enough, private, and well-formed whatever happened to them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixgw.messages.files import Files, directory_of, numbered

LIMIT = 100


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return directory_of(tmp_path, "ALPHA")


def names(directory: Path) -> list[str]:
    return [path.name for _, path in numbered(directory)]


def content(directory: Path) -> bytes:
    return b"".join(path.read_bytes() for _, path in numbered(directory))


@settings(deadline=None)
@given(pieces=st.lists(st.lists(st.integers(1, 150), min_size=1, max_size=6), max_size=20))
def test_every_line_is_whole_in_one_file_of_bounded_size(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[list[int]]
) -> None:
    """Only a line that is longer than a file may be has a file that is longer."""
    directory = tmp_path_factory.mktemp("log") / "fix" / "ALPHA"
    directory.parent.mkdir()
    files = Files(directory, LIMIT, 1000)
    written = b""
    for number, sizes in enumerate(pieces):
        text = b"".join(b"%d" % (number % 10) * size + b"\n" for size in sizes)
        files.append(text)
        written += text
    found = [path.read_bytes() for _, path in numbered(directory)] if pieces else []
    assert b"".join(found) == written
    assert all(text.endswith(b"\n") and (len(text) <= LIMIT or text.count(b"\n") == 1) for text in found)


def test_the_oldest_go(directory: Path) -> None:
    files = Files(directory, LIMIT, 3)
    for number in range(10):
        files.append(b"%d" % number * 60 + b"\n")
    assert names(directory) == ["000008.log", "000009.log", "000010.log"]
    assert content(directory)[::61] == b"789"
    Files(directory, LIMIT, 2).append(b"x\n")  # the next run may have other settings
    assert names(directory) == ["000009.log", "000010.log"]


def test_nobody_else_reads_them(tmp_path: Path, directory: Path) -> None:
    mask = os.umask(0)
    try:
        Files(directory, LIMIT, 3).append(b"x\n")
    finally:
        os.umask(mask)
    modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "fix", directory, directory / "000001.log")]
    assert modes == [0o700, 0o700, 0o600]


@pytest.mark.parametrize("torn", [b"", b"abc", b"abc\n", b"abc\nd", b"\n"])
def test_the_next_run_goes_on_behind_what_a_crash_left(directory: Path, torn: bytes) -> None:
    directory.mkdir(parents=True)
    (directory / "000007.log").write_bytes(torn)
    files = Files(directory, LIMIT, 3)
    files.append(b"new\n")
    files.append(b"newer\n")
    assert names(directory) == ["000007.log"]
    assert content(directory).splitlines()[-2:] == [b"new", b"newer"]
    assert content(directory).startswith(torn)


def test_what_others_do_to_them_is_no_reason_to_stop(directory: Path) -> None:
    """Files moved away, the directory removed, files of other names."""
    files = Files(directory, LIMIT, 3)
    files.append(b"a\n")
    (directory / "000001.log").rename(directory / "kept.log")
    files.append(b"b\n")
    assert (directory / "000001.log").read_bytes() == b"b\n"
    assert names(directory) == ["000001.log"]
    for path in directory.iterdir():
        path.unlink()
    directory.rmdir()
    files.append(b"c\n")
    assert content(directory) == b"c\n"
