from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.process import VenueProcess
from tests.sessions.client import VERSIONS, Client


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VenueProcess]:
    """One venue for all tests of a module. It must outlive them, and say nothing of an error."""
    with VenueProcess(tmp_path_factory.mktemp("data")) as running:
        yield running
        assert running.process.poll() is None, running.errors[-3000:]
        assert "Traceback" not in running.errors, running.errors[-3000:]


@pytest.fixture(params=VERSIONS)
def client(request: pytest.FixtureRequest, venue: VenueProcess) -> Iterator[Client]:
    """Logged on, one of each version; both sides are at number 3 and nothing is outstanding."""
    with Client(venue, request.param) as connected:
        connected.begin()
        yield connected
