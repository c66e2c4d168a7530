"""The suite starts some hundred venues: see prefork.py."""

from __future__ import annotations

import subprocess

import pytest

from acceptance import server
from tests import prefork, process

pytest_plugins = ["pytester"]

process.launch = server.launch = prefork.launch


@pytest.fixture
def from_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Venues are started as an operator starts them, and end as Python does."""
    monkeypatch.setattr(process, "launch", subprocess.Popen)
