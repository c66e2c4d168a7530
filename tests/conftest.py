"""The suite starts some hundred venues: see prefork.py."""

from __future__ import annotations

import subprocess

import hypothesis
import pytest

from acceptance import server
from tests import prefork, process

pytest_plugins = ["pytester"]

hypothesis.settings.register_profile("fixgw", deadline=None)  # a busy machine proves nothing
hypothesis.settings.load_profile("fixgw")
process.launch = server.launch = prefork.launch


@pytest.fixture
def from_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Venues are started as an operator starts them, and end as Python does."""
    monkeypatch.setattr(process, "launch", subprocess.Popen)
