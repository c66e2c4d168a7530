"""Every case of the standard has a script, or a reason why it has none, and the page says so."""

from __future__ import annotations

import re

from acceptance.cases import CASES, NOT_OFFERED, WITHOUT
from acceptance.runner import scripts_in
from acceptance.traceability import PAGE, SUITE, with_tables


def test_the_page_is_up_to_date() -> None:
    page = PAGE.read_text()
    assert page == with_tables(page), "run `python -m acceptance.traceability`"


def test_every_case_has_a_script_or_a_reason() -> None:
    proven = {point for script in scripts_in([SUITE]) for point in script.proves}
    assert CASES.keys() - proven == WITHOUT.keys()


def test_no_script_names_a_case_that_is_not_there() -> None:
    named = {point for script in scripts_in([SUITE]) for point in script.proves}
    assert {point for point in named if re.match(r"\d+[A-Z]?(\.|$)", point)} <= CASES.keys()


def test_what_is_not_offered_is_scripts() -> None:
    assert all((SUITE / name).is_file() for name in NOT_OFFERED)
