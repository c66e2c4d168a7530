"""The session suite on our own venue: every script passes, but for those that need what it does not offer."""

from __future__ import annotations

import pytest

from acceptance.cases import NOT_OFFERED
from acceptance.runner import Runner, scripts_in
from acceptance.script import VERSIONS
from acceptance.target import OwnVenue
from acceptance.traceability import SUITE


@pytest.mark.slow
def test_the_session_suite_passes_on_our_venue() -> None:
    scripts = scripts_in([SUITE])
    with OwnVenue() as venue:
        report = Runner(venue, patience=10, jobs=10).run(scripts, list(VERSIONS))
    failed = [f"{case.file} {case.version}: {case.why}" for case in report.cases if case.outcome == "failed"]
    assert failed == []
    unplayed = {case.file for case in report.cases if case.outcome != "passed"}
    assert unplayed == {str(SUITE / name) for name in NOT_OFFERED}
