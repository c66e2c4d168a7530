"""The same journal gives the same bytes on another Python: invariant 1 of the engine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.replay import play

ROOT = Path(__file__).resolve().parents[2]
OTHERS = [f"python3.{minor}" for minor in (14, 13, 12, 11) if minor != sys.version_info.minor]
NEEDED = "msgspec>=0.18,<1", "sortedcontainers>=2.4,<3"


def _others() -> Iterator[str | Path]:
    """On the path, or where pyenv keeps them."""
    for name in OTHERS:
        kept = sorted((Path.home() / ".pyenv/versions").glob(f"*/bin/{name}"))
        yield from [*kept, *filter(None, [shutil.which(name)])]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of another version, with what the engine needs."""
    for found in _others():
        folder = tmp_path_factory.mktemp("other")
        if subprocess.run([found, "-m", "venv", folder], capture_output=True).returncode:
            continue
        install = [folder / "bin/python", "-m", "pip", "install", "--quiet", *NEEDED]
        if not subprocess.run(install, capture_output=True).returncode:
            return folder / "bin/python"
    pytest.skip(f"none of {', '.join(OTHERS)} is here and can be given what the engine needs")


@pytest.mark.slow
def test_another_python_gives_the_same_bytes(other: Path) -> None:
    """Feature 24, 65: all kinds of commands, every event and the digests."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}
    command = [other, "-m", "tests.engine.replay", "7", "200"]
    output = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True).stdout
    assert len(output) > 100_000, "too little came out to prove anything"
    assert output == play(7, 200)
