"""One running venue for each module, and a market of its own for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.venue.floor import Floor, running


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with running(tmp_path_factory.mktemp("floor")) as venue:
        yield venue


@pytest.fixture(scope="module")
def next_market() -> Callable[[], str]:
    numbers = count()
    return lambda: f"M{next(numbers)}-USD"


@pytest.fixture
def market(next_market: Callable[[], str]) -> str:
    return next_market()
