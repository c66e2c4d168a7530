"""Every story is told twice: by the engine, and by the reference."""

from __future__ import annotations

import pytest

from tests.engine.market.desk import Desk, EngineSide, ReferenceSide


@pytest.fixture(params=[EngineSide, ReferenceSide], ids=["engine", "reference"])
def desk(request: pytest.FixtureRequest) -> Desk:
    return Desk(request.param())
