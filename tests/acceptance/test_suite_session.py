"""The session suite on our own venue: every script passes, but for those that need what it does not offer."""

from __future__ import annotations

import pytest

from acceptance.cases import NOT_OFFERED
from acceptance.runner import Runner, scripts_in
from acceptance.script import VERSIONS, Script
from acceptance.target import OwnVenue
from acceptance.traceability import SUITE


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_session_suite_passes_on_our_venue(version: str) -> None:
    scripts = scripts_in([SUITE])
    with OwnVenue() as venue:
        report = Runner(venue, patience=10, jobs=10).run(scripts, [version])
    failed = [f"{case.file}: {case.why}" for case in report.cases if case.outcome == "failed"]
    assert failed == []
    unplayed = {case.file for case in report.cases if case.outcome != "passed"}
    unbuilt = {str(script.file) for script in scripts if version in script.versions and _unbuilt(script)}
    assert unplayed == unbuilt


def _unbuilt(script: Script) -> bool:
    return script.file.relative_to(SUITE).as_posix() in NOT_OFFERED
