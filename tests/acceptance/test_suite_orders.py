"""The suite `orders`, played against a venue of our own in both versions of FIX. The one of the matrices is
collected by the plugin."""

from pathlib import Path

import pytest

from acceptance.command import SUITES
from acceptance.features import FEATURES
from acceptance.runner import Runner, scripts_in
from acceptance.script import VERSIONS, Script
from acceptance.target import OFFERS, OwnVenue

ORDERS, MATRIX = SUITES / "orders", SUITES / "matrix"


@pytest.fixture(scope="module")
def scripts() -> list[Script]:
    return scripts_in([ORDERS, MATRIX])


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_fails_and_all_that_is_built_is_played(version: str) -> None:
    suite = scripts_in([ORDERS])
    with OwnVenue() as venue:
        cases = Runner(venue, patience=20, jobs=8).run(suite, [version]).cases
    wrong = [case for case in cases if case.outcome in ("failed", "not run")]
    assert not wrong, "\n".join(f"{case.file} {case.title}: {case.why}" for case in wrong)
    assert any(case.outcome == "passed" for case in cases)
    unbuilt = {
        (str(script.file), script.title)
        for script in suite
        if version in script.versions and not set(script.needs) <= set(OFFERS)
    }
    assert {(case.file, case.title) for case in cases if case.outcome == "not offered"} == unbuilt


def test_features_are_what_scripts_need_and_our_venue_offers() -> None:
    needed = {need for script in scripts_in([SUITES]) for need in script.needs}
    assert needed | set(OFFERS) == set(FEATURES)


def test_titles_tell_scripts_apart(scripts: list[Script]) -> None:
    told = [(script.title, version) for script in scripts for version in script.versions]
    assert len(told) == len(set(told))


def test_every_script_says_what_it_proves(scripts: list[Script]) -> None:
    assert [script.file for script in scripts if not script.proves] == []


def test_the_matrix_has_every_group_of_the_standard() -> None:
    names = sorted(Path(script.file).name[0] for script in scripts_in([MATRIX]))
    assert set(names) == set("abcdefghijkl")
