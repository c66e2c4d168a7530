"""Scenarios for clients, as they are written: the documented table, and what mistakes say."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.acceptor.command import SCENARIOS
from acceptance.acceptor.scenario import load, load_all
from acceptance.reading import ScriptError
from tests.process import ROOT

TEXT = """\
title: An order
quantity: 10-19
steps:
  - prompt: Send an order.
  - await: NewOrderSingle
"""


def test_the_documented_table_is_that_of_the_files() -> None:
    lines = (ROOT / "docs" / "certify-clients.md").read_text().splitlines()
    rows = [line for line in lines if line.startswith("| ") and line[2].isdigit()]
    known = [f"| {each.first}-{each.last} | `{each.name}` | {each.title} | " for each in load_all(SCENARIOS)]
    assert [row[: len(start)] for row, start in zip(rows, known, strict=True)] == known


MISTAKES = [
    ("", "quantity: 10-19", "quantity: 19-10", "quantity: must be such as 10-19, not '19-10'"),
    ("", "title: An order", "titel: x", "'titel' is not a key of a scenario; did you mean title?"),
    ("", "  - await: NewOrderSingle\n", "", "steps: must begin with a prompt and `await: NewOrderSingle`"),
    ("  - awiat: Logon\n", "", "", "6: 'awiat' is not a step; did you mean await?"),
    ("  - await: Logonn\n", "", "", "6: await: 'Logonn' is no message of FIX.4.4; did you mean Logon?"),
    ("  - await: Logon or disconect\n", "", "", "'disconect' is no message"),
    ("  - report: FILLED\n", "", "", "6: report: 'FILLED' is no ExecType(150) of the standard"),
    ("  - report: NEW\n    within: 2\n", "", "", "6: `report` does not take 'within'; it takes "),
    ("  - await: Logon\n    fields: {HeartBeat: 1}\n", "", "", "'HeartBeat' is no field of FIX.4.4"),
    ("  - await: Logon\n    fields: {HeartBtInt: {abov: 1}}\n", "", "", "'abov' is none of one of, not, "),
    ("  - await: Logon\n    within: soon\n", "", "", "6: within: must be such as 2 or 3 heartbeats"),
    ("  - silence: yes\n", "", "", "6: silence: must be on or off, not 'yes'"),
    ("  - wait: long\n", "", "", "6: wait: must be a number, not 'long'"),
]


@pytest.mark.parametrize(("more", "old", "new", "said"), MISTAKES)
def test_a_mistake_is_one_line_with_its_place(
    more: str, old: str, new: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "order.yaml"
    path.write_text(TEXT.replace(old, new) + more)
    with pytest.raises(ScriptError) as mistake:
        load(path)
    assert str(mistake.value).startswith(f"{path}:") and said in str(mistake.value)
    assert "\n" not in str(mistake.value)


def test_a_quantity_belongs_to_one_scenario(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(TEXT)
    (tmp_path / "two.yaml").write_text(TEXT.replace("10-19", "19-30"))
    with pytest.raises(ScriptError, match=r"two.yaml:1: quantity: 19-30 is taken in part by one.yaml"):
        load_all(tmp_path)
