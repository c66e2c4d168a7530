"""The schema editors are given: all scripts keep to it, and what it refuses is refused by the loader too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from acceptance.command import SUITES
from acceptance.loading import load
from acceptance.reading import ScriptError
from acceptance.schema import schema
from tests.acceptance.test_loading import GOOD

VALIDATOR = Draft202012Validator(schema())


def objections(text: str) -> list[str]:
    content: Any = yaml.load(text, yaml.BaseLoader)
    return [error.message for error in VALIDATOR.iter_errors(content)]


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


def test_all_scripts_keep_to_it() -> None:
    scripts = [path for path in SUITES.rglob("*.yaml") if path.name != "templates.yaml"]
    assert (
        scripts
        and {str(path): objections(path.read_text()) for path in scripts if objections(path.read_text())}
        == {}
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: An order\n", ""),
        ("proves: [new order]", "versions: FIX.4.2"),
        ("proves: [new order]", "by hand: resends"),
        ("proves: [new order]", "sessions: [X1Y]"),
        ("logon: A", "restart: now"),
        ("logon: A", "logon: A\n    times: 5"),
        ("fields: {ClOrdID: $a}", "fields: {ClOrdID: {more: 5}}"),
        ("fields: {ClOrdID: $a}", "fields: [5]"),
        ("logon: A", "lgon: A"),
        ("fields: {ClOrdID: $a}", "fields: {ClOrdID: {not: {pattern: x}}}"),
        ("fields: {ClOrdID: $a}", "fields: {ClOrdID: {not: [x]}}"),
        ("fields: {ClOrdID: $a}", "fields: {ClOrdID: {one of: []}}"),
        ("fields: {ClOrdID: $a}", "fields: {ClOrdID: {one of: x}}"),
        ("fields: {ClOrdID: $a}", "fields: {ClOrdID: {}}"),
    ],
)
def test_what_it_refuses(tmp_path: Path, old: str, new: str) -> None:
    assert old in GOOD and not objections(GOOD)
    path = tmp_path / "script.yaml"
    path.write_text(GOOD.replace(old, new, 1))
    assert objections(path.read_text())
    with pytest.raises(ScriptError):
        load(path)
