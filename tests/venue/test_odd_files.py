"""A data directory with something else where a file of the venue belongs, or that is another user's: `serve`,
`log` and `admin` say so in one line, and wait for nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.process import ROOT, VenueProcess
from tests.venue.floor import Floor
from tests.venue.starting import refused, used

NOBODY = 65534
NOWHERE = "a link to nowhere"
FILES = ["venue.mdb", "venue.mdb-lock", "tail", "lock"]
PUT: dict[str, Callable[[Path], object]] = {
    "a directory": lambda path: path.mkdir(),
    "a file": lambda path: path.write_text("x"),
    "a pipe": lambda path: os.mkfifo(path),
    NOWHERE: lambda path: path.symlink_to("nowhere"),
}


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Floor:
    return used(tmp_path_factory.mktemp("stopped"))


def fixgw(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fixgw", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)


@pytest.mark.parametrize(
    ("name", "kind", "wanted"),
    [
        *((name, kind, "a file") for name in FILES for kind in ("a directory", "a pipe", NOWHERE)),
        *(("run", kind, "a directory") for kind in ("a file", "a pipe", NOWHERE)),
        *(("admin.sock", kind, "a socket") for kind in ("a directory", "a pipe", NOWHERE)),
    ],
)
def test_what_stands_where_a_file_of_the_venue_belongs(
    tmp_path: Path, stopped: Floor, name: str, kind: str, wanted: str
) -> None:
    data = tmp_path / "data"
    shutil.copytree(stopped.data, data)
    odd = data / name
    odd.unlink(missing_ok=True)
    PUT[kind](odd)
    text = f"{odd}: is {kind}; {wanted} belongs there"
    assert refused(VenueProcess(data, config=stopped.config)) == text
    if kind == "a pipe":
        log = fixgw("log", "journal", "--data", data)
        assert (log.returncode, log.stdout, log.stderr) == (2, "", f"fixgw log: {text}\n")


def as_another_user(*words: object) -> subprocess.CompletedProcess[str]:
    """Whoever runs the tests may be root, who may enter everywhere."""
    program = (
        "import locale, os, sys, fixgw.cli, fixgw.serve, fixgw.publish.log, fixgw.admin.command\n"
        f"os.geteuid() or os.setuid({NOBODY})\n"
        "sys.exit(fixgw.cli.main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)


@pytest.mark.parametrize("words", [["log", "journal"], ["serve", "--port", "0"]])
def test_data_of_another_user(stopped: Floor, words: list[str]) -> None:
    with tempfile.TemporaryDirectory() as directory:  # one that others may enter, as pytest's may not be
        Path(directory).chmod(0o755)
        data = Path(directory) / "data"
        shutil.copytree(stopped.data, data)
        data.chmod(0o700 if os.geteuid() == 0 else 0)
        assert complaint(words, data).endswith(": Permission denied")
        data.chmod(0o755)
        (data / "lock").chmod(0o666)
        (data / "venue.mdb").chmod(0o600 if os.geteuid() == 0 else 0)
        assert complaint(words, data) == f"{data}/venue.mdb: Permission denied"


def complaint(words: list[str], data: Path) -> str:
    """The one line it says to a user who may not."""
    done = as_another_user(*words, "--data", data)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith(f"fixgw {words[0]}: {data}") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip().removeprefix(f"fixgw {words[0]}: ")


@pytest.mark.parametrize("words", [["serve"], ["log", "journal"], ["admin", "status"]])
def test_no_directory_is_not_the_current_one(words: list[str]) -> None:
    """--data "$DATA" with DATA not set."""
    done = fixgw(*words, "--data", "")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith(
        "error: argument --data: is empty; a dot means the current directory"
    )
