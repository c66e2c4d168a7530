"""A start on a full disk: said in words, never taken for damage, and nothing is changed by it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import lmdb
import pytest

from fixgw.store.failures import StoreError, in_words
from tests.process import ROOT, VenueProcess
from tests.venue.floor import Floor
from tests.venue.starting import refused, starts, used

SIZE = 16 << 20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own, where the machine lets us have one."""
    path = tmp_path / "disk"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(path)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no disk can be mounted here")
    yield path
    subprocess.run(["umount", "--lazy", str(path)], check=True)


def leave(disk: Path, free: int) -> None:
    """Fills it but for so many bytes."""
    filler = disk / "filler"
    filler.unlink(missing_ok=True)
    state = os.statvfs(disk)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, state.f_bavail * state.f_frsize - free)


@pytest.mark.parametrize("free", [0, 4096, 1 << 20, 8 << 20])
def test_a_first_start(tmp_path: Path, disk: Path, free: int) -> None:
    venue = Floor(tmp_path)
    leave(disk, free)
    said = refused(VenueProcess(disk / "data", config=venue.config))
    assert said.startswith(f"{disk / 'data'}: ") and "the disk is full" in said
    (disk / "filler").unlink()
    starts(VenueProcess(disk / "data", config=venue.config))


@pytest.mark.parametrize("free", [0, 4096, 65536, 1 << 19])
def test_a_start_on_what_is_there(tmp_path: Path, disk: Path, free: int) -> None:
    """With LMDB's lock file lost as well, which would have it killed by the kernel. The last stop still
    counts as clean afterwards."""
    venue = used(tmp_path)
    shutil.copytree(venue.data, disk / "data")
    (disk / "data" / "venue.mdb-lock").unlink()
    leave(disk, free)
    again = VenueProcess(disk / "data", config=venue.config)
    assert "the disk is full" in refused(again)
    (disk / "filler").unlink()
    starts(again)
    assert "the last stop was not clean" not in again.errors


def test_a_limit_that_is_met_halfway_is_not_taken_for_damage(tmp_path: Path) -> None:
    """As far as no look at the disk can see it: a limit on the size of files, here."""
    venue = Floor(tmp_path)
    serve = [sys.executable, "-m", "fixgw", "serve", "--port", "0", "--config", str(venue.config)]
    for kib in ("16", "64"):
        done = subprocess.run(
            ["bash", "-c", f'ulimit -f {kib}; exec "$@"', "bash", *serve, "--data", str(tmp_path / kib)],
            cwd=ROOT, capture_output=True, text=True, timeout=30, check=False,
        )  # fmt: skip
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
        assert "damaged" not in done.stderr


def test_what_the_database_says_of_a_full_disk(tmp_path: Path) -> None:
    for problem, text in (
        (lmdb.DiskError("mdb_txn_commit: No space left on device"), "the disk is full"),
        (lmdb.Error("mdb_txn_commit: Input/output error"), "Input/output error"),
        (OSError(122, "Disk quota exceeded", "there"), "the disk is full"),
    ):
        with pytest.raises(StoreError, match=text), in_words(tmp_path):
            raise problem
