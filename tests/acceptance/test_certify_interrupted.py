"""`fixgw certify` that is ended from outside: at once, with a report, and with nothing left behind."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acceptance.report import verify
from tests.acceptance.certifying import until
from tests.acceptance.test_certify import ORDER, written
from tests.process import ROOT

LONG = "title: It takes long\nversions: FIX.4.4\nsteps:\n  - logon: A\n  - {expect: nothing, for: 600}\n"
OWN = "alone: yes\n" + LONG.replace("title: It", "title: It, on a venue of its own,")

SESSION = re.compile(r"session (\w+) connected")
STARTED_WITHIN = 120.0
"""seconds for two venues, beside many others"""


class Run:
    def __init__(self, folder: Path, *words: object) -> None:
        (folder / "tmp").mkdir(exist_ok=True)
        self.folder = folder
        command = [sys.executable, "-m", "fixgw", "certify", "--patience", "60", *map(str, words)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
        self._out, self._err = (folder / "out").open("w"), (folder / "err").open("w")
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=self._out, stderr=self._err
        )

    @property
    def out(self) -> str:
        return (self.folder / "out").read_text()

    @property
    def err(self) -> str:
        return (self.folder / "err").read_text()

    def folders(self) -> list[Path]:
        return list((self.folder / "tmp").glob("fixgw-certify-*"))

    def venues(self) -> list[int]:
        """Processes that work in one of the folders."""
        found = []
        for each in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = each.read_bytes()
            except OSError:
                continue
            if bytes(self.folder / "tmp") in words:
                found.append(int(each.parent.name))
        return found

    def plays(self, scripts: int) -> None:
        """Waits until a client of each has connected."""

        def connected() -> str:
            logs = [log for folder in self.folders() for log in folder.glob("errors")]
            names = {(log, name) for log in logs for name in SESSION.findall(log.read_text())}
            return "yes" * (len(names) == scripts)

        until(connected, f"{scripts} clients", STARTED_WITHIN)


@contextmanager
def running(folder: Path, *words: object) -> Iterator[Run]:
    run = Run(folder, *words)
    try:
        yield run
    finally:
        run.process.kill()
        run.process.wait()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_it_with_a_report_and_leaves_nothing(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    long, own = written(tmp_path, name="a.yaml", text=LONG), written(tmp_path, name="b.yaml", text=OWN)
    short = written(tmp_path, name="c.yaml", text="versions: FIX.4.4\n" + ORDER)
    with running(tmp_path, short, long, own, "--report", "report", "--key", "k.pem") as run:
        run.plays(scripts=3)
        until(lambda: "yes" * run.out.startswith("passed"), "the first verdict")
        run.process.send_signal(number)
        assert run.process.wait(60) == code
        assert not run.folders() and not run.venues() and not run.err
        summary = f"incomplete: interrupted by {number.name}: 3 cases: 1 passed, 2 not run, in "
        assert summary in run.out
    report = tmp_path / "report" / "report.json"
    assert verify(report).valid and verify(report.with_suffix(".html")).valid
    found = json.loads(report.read_text())["report"]
    assert found["interrupted"] == number.name
    assert [case["outcome"] for case in found["cases"]] == ["passed", "not run", "not run"]
    assert found["cases"][1]["why"] == f"the run was interrupted by {number.name}"
    assert "before all was played" in report.with_suffix(".html").read_text()


def test_a_venue_outlives_no_runner_that_is_killed(tmp_path: Path) -> None:
    long, own = written(tmp_path, name="a.yaml", text=LONG), written(tmp_path, name="b.yaml", text=OWN)
    with running(tmp_path, long, own) as run:
        run.plays(scripts=2)
        assert len(run.venues()) == 2
        run.process.kill()
        until(lambda: "gone" * (not run.venues() and not run.folders()), "the end of the venues")


def test_what_a_killed_run_has_left_goes_with_the_next(tmp_path: Path) -> None:
    """But not what is in use, or is not ours to judge."""
    script = written(tmp_path, text="versions: FIX.4.4\n" + ORDER)
    left, used, odd = (tmp_path / "tmp" / f"fixgw-certify-{name}" for name in ("left", "used", "odd"))
    for folder in (left, used, odd):
        (folder / "data").mkdir(parents=True)
    (left / "lock").touch()
    with (used / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with running(tmp_path, script) as run:
            assert run.process.wait() == 0, run.out
            assert sorted(run.folders()) == [odd, used]


def test_a_signal_before_anything_is_played(tmp_path: Path) -> None:
    """Or has come far: on a machine that has much else to do the script must not be over first."""
    long = written(tmp_path, text=LONG.replace("versions: FIX.4.4\n", ""))
    with running(tmp_path, long, "--report", "report", "--key", "k.pem") as run:
        until(lambda: "yes" * bool(run.folders()), "a folder for the venue")
        run.process.terminate()
        assert run.process.wait(60) == 143
        assert not run.folders() and not run.venues() and not run.err
        assert "incomplete: interrupted by SIGTERM: 2 cases: 2 not run" in run.out
    assert verify(tmp_path / "report" / "report.json").valid
