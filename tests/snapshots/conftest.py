from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.snapshots.busy import SETTINGS, be_busy
from tests.venue.floor import Floor, running


@pytest.fixture(scope="session")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Floor:
    """A busy venue that was stopped in good order, without a snapshot."""
    with running(tmp_path_factory.mktemp("busy"), **SETTINGS, snapshots={"entries": 0}) as venue:  # type: ignore[arg-type]
        be_busy(venue)
    return venue


@pytest.fixture
def venue(stopped: Floor, tmp_path: Path) -> Floor:
    """A copy of it of the test's own."""
    shutil.copytree(stopped.data, tmp_path / "data")
    own = Floor(tmp_path, **SETTINGS, snapshots={"entries": 0})  # type: ignore[arg-type]
    return own
