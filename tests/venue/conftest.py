"""One running venue for each module, and a market of its own for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.venue.floor import Floor


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """It must be alive at the end, and stop in good order."""
    with Floor(tmp_path_factory.mktemp("floor")) as venue:
        yield venue
        assert venue.terminate() == 0, venue.errors
        assert "Traceback" not in venue.errors, venue.errors


@pytest.fixture(scope="module")
def next_market() -> Callable[[], str]:
    numbers = count()
    return lambda: f"M{next(numbers)}-USD"


@pytest.fixture
def market(next_market: Callable[[], str]) -> str:
    return next_market()
