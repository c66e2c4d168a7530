"""Scripts as they are written: each mistake is one line with file and line; templates fill in."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.loading import load
from acceptance.reading import ScriptError

GOOD = """\
title: An order
proves: [new order]
steps:
  - logon: A
  - send: NewOrderSingle
    fields: {ClOrdID: $a, Side: BUY}
  - expect: ExecutionReport
    fields: {ClOrdID: $a}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "script.yaml"
    path.write_text(text)
    return path


def test_a_script_says_what_is_in_its_file(tmp_path: Path) -> None:
    script = load(written(tmp_path, GOOD))
    assert (script.title, script.proves, script.versions) == (
        "An order",
        ["new order"],
        ["FIX.4.4", "FIXT.1.1"],
    )
    assert [(step.verb, step.what, step.on, step.line) for step in script.steps] == [
        ("logon", "A", "A", 4), ("send", "NewOrderSingle", "A", 5), ("expect", "ExecutionReport", "A", 7),
    ]  # fmt: skip
    assert script.steps[1].text == "send: NewOrderSingle, fields: ClOrdID: $a, Side: BUY"


MISTAKES = [
    ("title: An order", "titel: An order", 1, "'titel' is not a key of a script; did you mean title?"),
    ("title: An order\n", "", 1, "`title:` is missing: one line: what the script does"),
    ("proves: [new order]", "versions: FIX.4.2", 2, "versions: 'FIX.4.2' is none of FIX.4.4, FIXT.1.1"),
    ("proves: [new order]", "sessions: [X1Y]", 2, "sessions: 'X1Y' is not a role such as A, B or A2"),
    ("proves: [new order]", "by hand: resends", 2, "by hand: 'resends' is none of test requests, heartbeats"),
    ("proves: [new order]", "alone: maybe", 2, "alone: must be yes or no"),
    ("proves: [new order]", "venue: 5", 2, "venue: must be a mapping of settings"),
    ("proves: [new order]", "proves: {a: b}", 2, "proves: must be a word or a list of words"),
    ("logon: A", "logon: B", 4, "'B' is none of the script's sessions: A"),
    ("- logon: A", "- logno: A", 4, "; did you mean logon?; not logno"),
    ("- logon: A", "- logon", 3, "'logon' is not a step such as `expect: Heartbeat`"),
    ("logon: A", "restart: now", 4, "restart: must be stop or kill"),
    (
        "send: NewOrderSingle",
        "send: NewOrderSngle",
        5,
        "'NewOrderSngle' is no message of FIX.4.4; did",
    ),
    ("expect: ExecutionReport", "expect: [A]", 7, "`expect` takes one word or text, not '[A]'"),
    ("Side: BUY", "Sid: BUY", 6, "'Sid' is no field of FIX.4.4; did you mean Side?"),
    ("fields: {ClOrdID: $a}", "fields: 5", 7, "fields: must be a mapping such as {Side: BUY}, not '5'"),
    (
        "fields: {ClOrdID: $a}",
        "within: soon",
        8,
        "within: must be seconds, above 0 and at most 3600",
    ),
    ("fields: {ClOrdID: $a}", "for: 5", 7, "`for` goes with `expect: nothing`; use `within` or `after`"),
    (
        "fields: {ClOrdID: $a}",
        "times: 5",
        8,
        "`expect` does not take 'times'; it takes after, fields",
    ),
    ("fields: {ClOrdID: $a}", "fields: {ClOrdID: {more: 5}}", 8, "ClOrdID: 'more' is none of one of, not,"),
    ("fields: {ClOrdID: $a}", "fields: {ClOrdID: {pattern: '['}}", 8, "ClOrdID: pattern: not a regular"),
    ("fields: {ClOrdID: $a}", "fields: {ClOrdID: {one of: a}}", 8, "ClOrdID: one of: any of a list"),
    ("logon: A", "any order: [{logon: A}]", 4, "any order: takes only expects of messages"),
    ("logon: A", "numbers: {out: 5}", 4, "numbers: takes {next out: N} or {next in: N} or both"),
    ("  - logon: A", "  - logon: A\n  - logon: A\n -", 6, ""),
    ("title: An order", "title: An order\ntitle: Another", 2, "key 'title' is there twice"),
    (GOOD, "- a list", 1, "must be a mapping that begins with `title:`"),
]


@pytest.mark.parametrize(("old", "new", "line", "said"), MISTAKES)
def test_a_mistake_is_one_line(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(ScriptError) as caught:
        load(path)
    text = str(caught.value)
    assert text.startswith(f"{path}:{line}: ") and said in text and "\n" not in text


TEMPLATES = """\
new order:
  parameters: {id: ~, side: BUY, fields: {}}
  steps:
    - send: NewOrderSingle
      fields: {ClOrdID: <id>, Side: <side>, Text: "order <id>", <fields>: ~}
twice:
  parameters: {id: ~}
  steps:
    - new order: {id: <id>1}
    - new order: {id: <id>2, side: SELL}
"""


def test_templates_are_filled_in(tmp_path: Path) -> None:
    (tmp_path / "templates.yaml").write_text(TEMPLATES)
    (tmp_path / "below").mkdir()
    steps = "steps:\n  - logon: A\n  - twice: {id: $a}\n  - new order: {id: x, fields: {Price: 5}}\n"
    script = load(written(tmp_path / "below", "title: T\n" + steps))
    assert [step.fields for step in script.steps[1:]] == [
        {"ClOrdID": "$a1", "Side": "BUY", "Text": "order $a1"},
        {"ClOrdID": "$a2", "Side": "SELL", "Text": "order $a2"},
        {"ClOrdID": "x", "Side": "BUY", "Text": "order x", "Price": "5"},
    ]
    assert [step.line for step in script.steps[1:]] == [4, 4, 5], "the line of the script that asks for them"


@pytest.mark.parametrize(
    ("templates", "step", "said"),
    [
        (
            TEMPLATES,
            "new order: {sid: SELL}",
            "takes id, side, fields, not 'sid'; did you mean side?",
        ),
        (TEMPLATES, "new order: {side: SELL}", "'new order' needs id"),
        ("new order: {steps: [{note: <x>}]}", "new order:", "uses <x>, which is no parameter of it"),
        ("new order: {parameters: {}}", "new order:", "template 'new order' must have `steps:`"),
        ("new order: {parameters: [], steps: [{note: x}]}", "new order: {}", "'new order' takes nothing"),
        ("again: {steps: [{again: {}}]}", "again: {}", "a template that uses itself"),
    ],
)
def test_a_mistake_with_templates(tmp_path: Path, templates: str, step: str, said: str) -> None:
    (tmp_path / "templates.yaml").write_text(templates)
    path = written(tmp_path, f"title: T\nsteps:\n  - {step}\n")
    if said.endswith("takes nothing"):
        path = written(tmp_path, "title: T\nsteps:\n  - new order: {x: y}\n")
    with pytest.raises(ScriptError) as caught:
        load(path)
    assert said in str(caught.value)
