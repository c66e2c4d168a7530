"""The suite `orders`, played against a venue of our own in both versions of FIX. The one of the matrices is
collected by the plugin."""

from pathlib import Path

import pytest

from acceptance.command import SUITES
from acceptance.features import FEATURES
from acceptance.results import Report
from acceptance.runner import Runner, scripts_in
from acceptance.script import VERSIONS, Script
from acceptance.target import OFFERS, OwnVenue

ORDERS, MATRIX = SUITES / "orders", SUITES / "matrix"


@pytest.fixture(scope="module")
def scripts() -> list[Script]:
    return scripts_in([ORDERS, MATRIX])


@pytest.fixture(scope="module")
def report() -> Report:
    with OwnVenue() as venue:
        return Runner(venue, patience=20, jobs=8).run(scripts_in([ORDERS]), list(VERSIONS))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_nothing_fails_and_everything_is_played(report: Report) -> None:
    wrong = [case for case in report.cases if case.outcome in ("failed", "not run")]
    assert not wrong, "\n".join(f"{case.version} {case.file} {case.title}: {case.why}" for case in wrong)
    assert report.count("passed")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_just_what_is_not_built_is_not_offered(report: Report) -> None:
    expected = {
        (str(script.file), script.title, version)
        for script in scripts_in([ORDERS])
        for version in script.versions
        if not set(script.needs) <= set(OFFERS)
    }
    found = {(case.file, case.title, case.version) for case in report.cases if case.outcome == "not offered"}
    assert found == expected


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
