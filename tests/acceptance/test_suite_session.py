"""The session suite on our own venue: every script passes, but for those of which it is known that the venue
does otherwise."""

from __future__ import annotations

import pytest

from acceptance.cases import DEVIATIONS
from acceptance.runner import Runner, scripts_in
from acceptance.script import VERSIONS
from acceptance.target import OwnVenue
from acceptance.traceability import SUITE


@pytest.mark.slow
def test_the_session_suite_passes_on_our_venue() -> None:
    scripts = scripts_in([SUITE])
    with OwnVenue() as venue:
        report = Runner(venue, patience=10, jobs=10).run(scripts, list(VERSIONS))
    found = {f"{case.file} {case.version}: {case.outcome}: {case.why}": case for case in report.cases}
    known = tuple(str(SUITE / name) for name in DEVIATIONS)
    assert [
        words for words, case in found.items() if case.outcome != "passed" and case.file not in known
    ] == []
    assert [words for words, case in found.items() if case.outcome == "passed" and case.file in known] == []
    assert report.count("passed") > 150
