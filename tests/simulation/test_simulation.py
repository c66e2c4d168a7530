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
def test_44_to_53_all_holds_whatever_goes_wrong(seed: int) -> None:
    found = failure_of(generate(seed))
    assert found is None, f"{found[0]}: {found[1]}\n{story(found[1])}"


@pytest.mark.parametrize("path", KEPT_SCRIPTS, ids=lambda path: path.stem)
def test_what_has_failed_once_does_not_fail_again(path) -> None:  # type: ignore[no-untyped-def]
    found = failure_of(load(path))
    assert found is None, f"{found[0]}: {found[1]}\n{story(found[1])}"


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "length"), ((2, 16), (3, 4)), ids=("one node", "several nodes"))
def test_a_crash_at_any_position_of_the_journal_costs_nothing(seed: int, length: int) -> None:
    """Before an entry is on disk, and after it before anyone has heard."""
    script = generate(seed, length)
    for site in play(script).sites:
        positions = site.disk.last
        assert positions > 20
        for position in range(1, positions + 1):
            for crash in ({"crash_before": position}, {"crash_after": position}):
                found = failure_of(replace(script, crash_node=site.number, **crash))
                assert found is None, f"{crash}: {found[0]}: {found[1]}\n{story(found[1])}"


@pytest.mark.parametrize("seed", (11, 12), ids=("one node", "several nodes"))
def test_the_same_seed_gives_the_same_bytes(seed: int) -> None:
    one, other = play(generate(seed)), play(generate(seed))
    assert one.loop.now == other.loop.now
    for site, again in zip(one.sites, other.sites, strict=True):
        assert site.disk.tables == again.disk.tables
        assert site.oracle.digests == again.oracle.digests


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_venue_that_does_it_wrong_is_found_out(mutation) -> None:  # type: ignore[no-untyped-def]
    with mutated(mutation):
        assert failure_of(script_for(mutation)) is not None
