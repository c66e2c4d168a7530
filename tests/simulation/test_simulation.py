"""The venue with all that can go wrong around it (docs/simulation.md). `make simulate` plays more."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from tests.simulation.mutations import MUTATIONS, mutated, script_for
from tests.simulation.script import KEPT, generate, load
from tests.simulation.shrink import failure_of, story
from tests.simulation.world import play

SEEDS = 20
KEPT_SCRIPTS = sorted(KEPT.glob("*.json"))


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """The venue has a lot to complain about."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
def test_44_45_46_50_53_all_holds_whatever_goes_wrong(seed: int) -> None:
    found = failure_of(generate(seed))
    assert found is None, f"{found[0]}: {found[1]}\n{story(found[1])}"


@pytest.mark.parametrize("path", KEPT_SCRIPTS, ids=lambda path: path.stem)
def test_what_has_failed_once_does_not_fail_again(path) -> None:  # type: ignore[no-untyped-def]
    found = failure_of(load(path))
    assert found is None, f"{found[0]}: {found[1]}\n{story(found[1])}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", (2,))
def test_a_crash_at_any_position_of_the_journal_costs_nothing(seed: int) -> None:
    """Before an entry is on disk, and after it before anyone has heard."""
    script = generate(seed, 16)
    positions = play(script).disk.last
    assert positions > 20
    for position in range(1, positions + 1):
        for crash in ({"crash_before": position}, {"crash_after": position}):
            found = failure_of(replace(script, **crash))
            assert found is None, f"{crash}: {found[0]}: {found[1]}\n{story(found[1])}"


def test_the_same_seed_gives_the_same_bytes() -> None:
    one, other = play(generate(11)), play(generate(11))
    assert one.disk.tables == other.disk.tables
    assert one.oracle.digests == other.oracle.digests and one.loop.now == other.loop.now


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_venue_that_does_it_wrong_is_found_out(mutation) -> None:  # type: ignore[no-untyped-def]
    with mutated(mutation):
        assert failure_of(script_for(mutation)) is not None
