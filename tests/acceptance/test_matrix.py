"""Matrices become scripts; their mistakes are one line that names the scenario."""

from pathlib import Path

import pytest

from acceptance.loading import load_all
from acceptance.reading import ScriptError

HEAD = "title: t\nmatrix:\n  A.1.a:\n    title: filled\n    rows:\n"


def written(folder: Path, rows: str) -> Path:
    path = folder / "m.yaml"
    path.write_text(HEAD + rows)
    return path


def test_rows_become_steps(tmp_path: Path) -> None:
    (script,) = load_all(
        written(tmp_path, "      - [new, X, 10]\n      - [X, NEW, NEW, 10, 0, 10, 0]\n      - [trade, 2]\n")
    )
    assert script.title == "A.1.a filled"
    assert script.proves == ["matrix A.1.a"]
    said = [(step.verb, step.what, step.on) for step in script.steps]
    assert said[2:] == [
        ("send", "NewOrderSingle", "A"),
        ("expect", "ExecutionReport", "A"),
        ("send", "NewOrderSingle", "B"),
        ("expect", "ExecutionReport", "B"),
        ("expect", "ExecutionReport", "B"),
        ("expect", "nothing", "A"),
    ]
    report = script.steps[3].fields
    assert report["CumQty"] == "$quantity*0"
    assert report["OrigClOrdID"] == "absent"


def test_a_refusal_answers_the_request_it_names(tmp_path: Path) -> None:
    rows = "      - [cancel, Y, X]\n      - [Y(X), refused, FILLED, TOO_LATE_TO_CANCEL]\n"
    (script,) = load_all(written(tmp_path, rows))
    reject = script.steps[3]
    assert (reject.what, reject.fields["CxlRejResponseTo"]) == ("OrderCancelReject", "1")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("      - [X, NEW, NEW, 10]\n", "too many or too few cells"),
        ("      - [trad, 2]\n", "did you mean trade?"),
        ("      - new\n", "is no row"),
        ("      - [X, NEW, NEW, 10, 0, 10, 0, {NoSuchField: 1}]\n", "NoSuchField"),
        ("      - [cancel, Y]\n", "too many or too few cells"),
        ("      - [Y(X), refused, FILLED, OTHER]\n", "no row above"),
        ("    row: []\n", "rows"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, rows: str, said: str) -> None:
    with pytest.raises(ScriptError) as problem:
        load_all(written(tmp_path, rows))
    assert said in str(problem.value)
    assert "m.yaml:" in str(problem.value)
    assert "\n" not in str(problem.value)
