"""Scripts fail on a venue that does it wrong: a sample of what `python -m acceptance.mutation` plays in full,
and its page."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from acceptance.command import SUITES
from acceptance.mutation import CAUGHT, UNCAUGHT, UNUSABLE, Case, name_of, play
from acceptance.mutation_table import PAGE, catchers, with_table
from acceptance.reference.faults import Fault
from acceptance.runner import scripts_in
from acceptance.server import ROOT

SAMPLE = [
    Fault.ANY_TARGET_TAKEN,
    Fault.NEXT_EXPECTED_WRONG,
    Fault.GAP_ASKED_AGAIN,
    Fault.CHECKSUM_NOT_CHECKED,
    Fault.NO_REF_TAG_ID,
    Fault.GAP_FILL_TOO_FAR,
    Fault.GTC_CANCELED,
    Fault.FOK_FILLED_IN_PART,
    Fault.DECREASE_LOSES_PRIORITY,
    Fault.CUM_NOT_SUMMED,
    Fault.WRONG_RESPONSE_TO,
]
CATCHERS = catchers(PAGE.read_text())


@cache
def cases_of(fault: Fault) -> list[Case]:
    """The scripts that the page names for it, each in its first version."""
    names = CATCHERS[fault.label]
    files = dict.fromkeys(SUITES / f"{name.partition(':')[0]}.yaml" for name in names)
    return [(script, script.versions[0]) for script in scripts_in(files) if name_of(script) in names]


def test_the_sample_passes_on_the_reference_venue_as_it_is() -> None:
    cases = [case for fault in SAMPLE for case in cases_of(fault)]
    failed = [(each.file, each.why) for each in play(cases, None) if each and each.outcome != "passed"]
    assert len(cases) >= len(SAMPLE) and failed == []


@pytest.mark.parametrize("fault", SAMPLE, ids=lambda fault: fault.label)
def test_the_scripts_of_the_page_catch_the_fault(fault: Fault) -> None:
    outcomes = {each.title: each.outcome for each in play(cases_of(fault), fault) if each}
    assert outcomes and set(outcomes.values()) == {"failed"}, outcomes


def test_every_fault_stands_on_the_page_with_a_script_that_catches_it() -> None:
    page = PAGE.read_text()
    assert list(CATCHERS) == [fault.label for fault in Fault], "run `python -m acceptance.mutation --write`"
    assert [label for label, names in CATCHERS.items() if not names] == []
    for fault in Fault:
        assert f"| `{fault.label}` | {fault.words} | {fault.case} |" in page


def test_every_script_of_the_page_is_there() -> None:
    names = {name_of(script) for script in scripts_in([SUITES])}
    assert {name for named in CATCHERS.values() for name in named} <= names


def test_the_table_can_be_read_back() -> None:
    caught = {fault: ["orders/a", "matrix/b:B.1.c", "c", "d"] for fault in Fault}
    page = with_table(PAGE.read_text(), caught, scripts=4, idle=0)
    assert catchers(page) == {fault.label: caught[fault][:3] for fault in Fault}
    assert page.startswith(PAGE.read_text()[:200])


BLIND = """title: An order, and nothing is asked of its report
proves: [new]
versions: [FIX.4.4]
steps:
  - logon: A
  - send: NewOrderSingle
    fields: {ClOrdID: $a, Side: BUY, OrderQty: $quantity, OrdType: LIMIT, Price: $price}
  - expect: ExecutionReport
"""


def test_a_fault_that_no_script_notices_is_named(tmp_path: Path) -> None:
    script = tmp_path / "blind.yaml"
    script.write_text(BLIND)
    blind = mutation("--fault", "wrong_side", str(script))
    assert blind.returncode == UNCAUGHT and "UNCAUGHT" in blind.stdout and "0 of 1" in blind.stdout
    script.write_text(BLIND + "    fields: {Side: BUY}\n")
    sees = mutation("--fault", "wrong_side", str(script))
    assert sees.returncode == CAUGHT and "[blind]" in sees.stdout


def test_a_script_that_the_sound_venue_fails_proves_nothing(tmp_path: Path) -> None:
    script = tmp_path / "wrong.yaml"
    script.write_text(BLIND + "    fields: {Side: SELL}\n")
    run = mutation("--fault", "wrong_side", str(script))
    assert run.returncode == UNUSABLE and "unbroken, fails" in run.stderr and "wrong.yaml" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fault", "nothing"], "no fault 'nothing'"),
        (["--write", "--fault", "wrong_side"], "--write is for all"),
    ],
)
def test_wrong_arguments_are_told_in_words(arguments: list[str], words: str) -> None:
    run = mutation(*arguments)
    assert run.returncode == UNUSABLE and words in run.stderr and "Traceback" not in run.stderr


def mutation(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "acceptance.mutation", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
