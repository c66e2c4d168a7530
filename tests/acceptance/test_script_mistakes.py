"""What an author gets wrong is told with file and line before anything is sent; above all what would have
made a script pass that proves nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from acceptance.loading import load_all
from acceptance.reading import ScriptError
from acceptance.runner import scripts_in

HEAD = "title: t\nversions: [FIX.4.4]\nsessions: [A, B]\nsteps:\n  - logon: A\n"
LINE = 6
"""of the first step after the Logon"""


def mistake(folder: Path, text: str, name: str = "script.yaml") -> str:
    path = folder / name
    path.write_text(text)
    with pytest.raises(ScriptError) as caught:
        scripts_in([path])
    found = str(caught.value)
    assert "\n" not in found and found.startswith(str(folder))
    return found.removeprefix(f"{folder}/")


def sent(fields: str) -> str:
    return f"{{send: NewOrderSingle, fields: {{{fields}}}}}"


def expected(fields: str) -> str:
    return f"{{expect: ExecutionReport, fields: {{{fields}}}}}"


MISTAKES = [
    # values that the field does not have
    (sent("Side: BYU"), "Side: 'BYU' is no value of it in FIX.4.4; did you mean BUY?; {text: BYU} takes it"),
    (sent("TimeInForce: GTC"), "TimeInForce: 'GTC' is no value of it in FIX.4.4"),
    (sent("Side: Buy"), "'Buy' is no value of it"),
    (expected("OrdStatus: REJECTD"), "'REJECTD' is no value of it in FIX.4.4; did you mean REJECTED?"),
    (expected("OrdStatus: {one of: [NEW, FILED]}"), "OrdStatus: one of: 'FILED' is no value"),
    (expected("ExecInst: 1 BOGUS"), "'1 BOGUS' is no value of it"),
    (sent("NoPartyIDs: [{PartyRole: BOSS}]"), "NoPartyIDs: PartyRole: 'BOSS' is no value of it"),
    (sent("NoPartyIDs: [a]"), "NoPartyIDs: a list is a repeating group, with entries such as {PartyID: X}"),
    (sent("'²': x"), "'²' is no field of FIX.4.4"),
    (sent(f"'{'9' * 12}': x"), "is no field of FIX.4.4"),
    # conditions that cannot fail, or mean something else
    (expected("OrdStatus: {not: REJECTD}"), "OrdStatus: not: 'REJECTD' is no value of it"),
    (expected("OrdStatus: {not: present}"), "not: `present` would make it right or wrong for all values"),
    (expected("OrdStatus: {not: {pattern: 8}}"), "OrdStatus: not: takes one value or {one of: [...]}"),
    (expected("OrdStatus: {not: {one of: [absent]}}"), "not: `absent` would make it right or wrong"),
    (expected("OrdStatus: {not: [1, 2]}"), "OrdStatus: not: takes one text"),
    (expected("OrdStatus: {one of: [absent, present]}"), "one of: `present` would make it right or wrong"),
    (expected("OrdStatus: {one of: []}"), "OrdStatus: one of: any of a list"),
    (expected("OrdStatus: {one of: [{new: x}]}"), "one of: its list has plain values, or conditions"),
    (expected("LastPx: {one of: [0, {above: x}]}"), "LastPx: one of: above: 'x' is no number"),
    (expected("OrdStatus: {}"), "OrdStatus: there is no condition in {}"),
    (expected("Price: {not: $prise}"), "no step before has sent or remembered it; did you mean $price?"),
    (expected("ClOrdID: $nobody"), "$nobody is not known here"),
    (expected('Text: "x ${nobody}"'), "$nobody is not known here"),
    (expected("LastPx: {below: 1O}"), "LastPx: below: '1O' is no number"),
    (expected("LastPx: {at most: ten}"), "LastPx: at most: 'ten' is no number"),
    (expected("LastPx: {at most: 1e5}"), "'1e5' is no number"),
    (expected("Text: {above: 5}"), "Text: above: Text(58) is neither a number nor a time"),
    (expected("TransactTime: {above: noon}"), "TransactTime: above: 'noon' is no time"),
    (expected("Text: {pattern: '(a'}"), "Text: pattern: not a regular expression: missing )"),
    (expected("OrderID: {same: {a: b}}"), "OrderID: same: takes one text"),
    (expected("OrderID: {same: a-b}"), "OrderID: same: 'a-b' is no name: letters, digits, _ and spaces"),
    (expected("OrderID: {remember: price}"), "OrderID: remember: $price has a meaning of its own"),
    (expected("SenderCompID: {same: session b}"), "SenderCompID: same: $session b has a meaning of its own"),
    # what is sent
    (sent("ClOrdID: {one of: [a, b]}"), "ClOrdID: what is sent is a text, or {text: ...}"),
    (sent("ClOrdID: present"), "ClOrdID: only what is expected may be `present`"),
    (sent("ClOrdID: $order-x"), "ClOrdID: '$order-x' is none of $name, $name+1, $name*2"),
    (sent('Text: "a ${b!} c"'), "is none of $name"),
    (sent("ClOrdID: $new+1"), "$new is not known here"),
    (sent("TransactTime: $now+99999999999999"), "is too far from now: at most 1000000000 seconds"),
    (sent("TransactTime: $now*2"), "is too far from now"),
    (sent("ExpireDate: $today+1"), "'$today+1': $today is a date, and nothing can be added to it"),
    ("send raw: 8=${versoin!}|", "is none of $name"),
    ("send: Lo", "'Lo' is no message of FIX.4.4"),
    # what is expected
    ("expect: Lo", "'Lo' is no message of FIX.4.4"),
    ('expect: ""', "'' is no message of FIX.4.4"),
    ("expect: {one of: []}", "expect: one of: takes only messages"),
    ("{expect: nothing, fields: {Text: present}}", "`expect: nothing` does not take 'fields'"),
    ("{expect: nothing, after: 1}", "`expect: nothing` does not take 'after'"),
    ("{expect: disconnect, fields: {Text: present}}", "`expect: disconnect` does not take 'fields'"),
    ("{expect: nothing, for: -1}", "for: must be seconds, above 0 and at most 3600, not '-1'"),
    ("{expect: nothing, for: 0}", "for: must be seconds, above 0"),
    ("{expect: Heartbeat, within: nan}", "within: must be seconds"),
    ("{expect: Heartbeat, within: inf}", "within: must be seconds"),
    ("{expect: Heartbeat, skip: {a: b}}", "skip: must be a message or a list of messages"),
    ("{expect: Heartbeat, skip: [[Heartbeat]]}", "skip: must be a message or a list of messages"),
    # numbers, commands
    ("numbers: {next out: abc}", "numbers: next out: must be a number, or such as $next+1, not 'abc'"),
    ("numbers: {next out: $next+0.5}", "not '$next+0.5'"),
    ("numbers: {next out: [1]}", "numbers: next out: must be a number"),
    ("restart: kill", "`restart` goes with `alone: yes`, as other scripts use the venue"),
    ("admin: halt", "`admin` goes with `alone: yes`, as other scripts use the venue; or"),
    ("admin: 'halt \"${symbol}'", "admin: No closing quotation"),
    ("{admin: 'market ${symbol} halted', refused: ''}", "refused: must be words of the answer"),
    ("{admin: 'market ${symbol} halted', refused: [no]}", "refused: must be a text"),
    ("{note: hello, refused: no}", "`note` does not take 'refused'"),
    ("{connect: A, over: tls, certificate: {x: y}}", "certificate: must be a text"),
    # connections
    ("{expect: disconnect, on: B}", "B is not connected here: `connect` or `logon` comes first"),
    ("{send: Heartbeat, on: B}", "B is not connected here"),
    ("any order: [{expect: Heartbeat, on: B}]", "B is not connected here"),
    ("disconnect: A\n  - expect: disconnect", "`disconnect` in line 6 has closed the connection"),
    ("logout: A\n  - expect: nothing", "`logout` in line 6 has closed the connection"),
    ("expect: disconnect\n  - expect: disconnect", "the step in line 6 is the end of its connection"),
    # a YAML that grows
    ("{expect: Heartbeat, fields: &a {Text: x}}\n  - {expect: Heartbeat, fields: *a}", "an alias is not"),
]  # fmt: skip


@pytest.mark.parametrize(("step", "said"), MISTAKES)
def test_a_mistake_in_a_step(tmp_path: Path, step: str, said: str) -> None:
    found = mistake(tmp_path, f"{HEAD}  - {step}\n")
    line = LINE + (step.count("\n") if "\n" in step else 0)
    assert found.startswith(f"script.yaml:{line}") and said in found


@pytest.mark.parametrize("value", ["$ecret!-word", "{remember: S3-ecret-word}"])
def test_a_mistake_with_a_password_does_not_show_it(tmp_path: Path, value: str) -> None:
    found = mistake(tmp_path, f"{HEAD}  - {{expect: Logon, fields: {{Password: {value}}}}}\n")
    assert "Password: " in found and "ecret" not in found


TOPS = [
    ("title: t\nversions: [FIX.4.4]\nnedes: [x]\nsteps:\n  - logon: A\n", 3, "'nedes' is not a key"),
    ("title: t\nmatirx:\n  A.1.a: {}\n", 2, "'matirx' is not a key of a script; did you mean matrix?"),
    ("title: [a]\nsteps:\n  - logon: A\n", 1, "title: must be one line of text"),
    ("title: t\nsessions: []\nsteps:\n  - logon: A\n", 2, "sessions: must not be empty"),
    ("title: t\nversions: []\nsteps:\n  - logon: A\n", 2, "versions: must not be empty"),
    ("title: t\nmatrix:\n  A.1.a: {}\nsteps:\n  - logon: A\n", 4, "a file has either `matrix:` or `steps:`"),
    ("title: t\nsteps: &s\n  - any order: *s\n", 3, "an alias is not taken here"),
    ("title: t\nx: " + "y" * (300 << 10) + "\n", 1, "too long: a script has at most 256 KiB"),
]


@pytest.mark.parametrize(("text", "line", "said"), TOPS)
def test_a_mistake_at_the_top(tmp_path: Path, text: str, line: int, said: str) -> None:
    found = mistake(tmp_path, text)
    assert found.startswith(f"script.yaml:{line}: ") and said in found


ROWS = [
    ("[new, X, ten]", "['new', 'X', 'ten']: 'ten' is no quantity"),
    ("[new, x, 10]", "'x' is no id: one capital letter"),
    ("[new, X, 10]\n      - [X, NEWW, NEW, 10, 0, 10, 0]", "'NEWW' is no value of it"),
    ("[new, X, 10]\n      - [X, NEW, NEW, 10, none, 10, 0]", "'none' is no quantity"),
]


@pytest.mark.parametrize(("rows", "said"), ROWS)
def test_a_mistake_in_a_cell(tmp_path: Path, rows: str, said: str) -> None:
    assert said in mistake(
        tmp_path, f"title: t\nmatrix:\n  A.1.a:\n    title: x\n    rows:\n      - {rows}\n"
    )


TEMPLATES = """\
opening:
  parameters: {Client_1: ~, the-text: hello, fields: {}}
  steps:
    - logon: A
    - send: TestRequest
      fields: {TestReqID: <Client_1>, Text: <the-text>, <fields>: ~}
"""


def test_parameters_may_have_digits_and_capitals(tmp_path: Path) -> None:
    (tmp_path / "templates.yaml").write_text(TEMPLATES)
    (tmp_path / "script.yaml").write_text("title: t\nsteps:\n  - opening: {Client_1: x, the-text: y}\n")
    (script,) = load_all(tmp_path / "script.yaml")
    assert script.steps[1].fields == {"TestReqID": "x", "Text": "y"}


@pytest.mark.parametrize(
    ("templates", "step", "said"),
    [
        (TEMPLATES, "opening: hello", "script.yaml:3: 'opening' takes {Client_1: ..., the-text: "),
        (TEMPLATES, "opening: {Client_1: x, fields: Text}", ":3: 'opening': fields: must be a mapping"),
        (TEMPLATES.replace("TestReqID", "TestRqID"), "opening: {Client_1: x}",
         ":3: 'TestRqID' is no field of FIX.4.4; did you mean TestReqID? (in the template at {}:5)"),
        (TEMPLATES.replace("opening", "note"), "note: hi", ":1: template 'note' has the name of a"),
        (TEMPLATES.replace("the-text:", "the.text:"), "opening: {}", "'the.text' is no name for a parameter"),
        ("one: {steps: [{note: x}]}\ntwo: 5\n", "one: yes",  ".yaml:2: template 'two' must have `steps:`"),
    ],
)  # fmt: skip
def test_a_mistake_with_templates(tmp_path: Path, templates: str, step: str, said: str) -> None:
    (tmp_path / "templates.yaml").write_text(templates)
    found = mistake(tmp_path, f"title: t\nsteps:\n  - {step}\n")
    assert said.replace("{}", str(tmp_path / "templates.yaml")) in found


SOH = "\x01"
DEFINITIONS = [
    ("E8=FIX.4.4|abc=1|", 3, "'abc=1' is no field"),
    ("E", 3, "'' is no field"),
    ("E8=FIX.4.4|35=0|52=<TIME+99999999999999>|", 3, "<TIME+99999999999999> is too far from now"),
    ("eDISCONNECT\neDISCONNECT", 4, "the step in line 3 is the end of its connection"),
]


@pytest.mark.parametrize(("line", "number", "said"), DEFINITIONS)
def test_a_mistake_in_a_plain_script(tmp_path: Path, line: str, number: int, said: str) -> None:
    text = f"iCONNECT\nI8=FIX.4.4|35=A|\n{line}\n".replace("|", SOH)
    found = mistake(tmp_path, text, "script.def")
    assert found.startswith(f"script.def:{number}: ") and said in found


def test_bars_in_a_plain_script_are_no_separators(tmp_path: Path) -> None:
    found = mistake(tmp_path, "iCONNECT\nI8=FIX.4.4|35=A|\n", "script.def")
    assert found.startswith("script.def:2: fields end with SOH (byte 1), not with |")


@pytest.mark.parametrize(
    ("patterns", "said"),
    [
        (b"52=(\n", "fields.fmt:1: not a regular expression"),
        (b"58=\xff\n", "fields.fmt:1: is not UTF-8 text"),
    ],
)
def test_patterns_are_read_before_anything_is_sent(tmp_path: Path, patterns: bytes, said: str) -> None:
    (tmp_path / "fields.fmt").write_bytes(patterns)
    found = mistake(tmp_path, f"iCONNECT\nI8=FIX.4.4{SOH}35=A{SOH}\n", "script.def")
    assert said in found


def test_a_script_that_grows_without_end_is_refused_at_once(tmp_path: Path) -> None:
    bomb = "title: t\nx0: &x0 [a]\n" + "".join(
        f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10)}]\n" for n in range(1, 9)
    )
    began = time.monotonic()
    assert "an alias is not taken here" in mistake(tmp_path, bomb)
    assert time.monotonic() - began < 10


def test_a_note_is_only_a_note(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text(f"{HEAD}  - note: disconnect\n  - expect: nothing\n")
    assert load_all(tmp_path / "script.yaml")[0].steps[1].what == "disconnect"
