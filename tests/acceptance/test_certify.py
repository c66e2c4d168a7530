"""`fixgw certify` as a person runs it: verdicts, what a failure shows, exit codes."""

from __future__ import annotations

import argparse
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.command import add_arguments, certify_command
from acceptance.runner import Runner, scripts_in
from acceptance.script import VERSIONS
from acceptance.target import OwnVenue
from tests.process import VenueProcess

ORDER = """\
title: An order
steps:
  - logon: A
  - send: NewOrderSingle
    fields: {ClOrdID: $a, Side: BUY, OrderQty: 1, OrdType: LIMIT, Price: $price, TimeInForce: DAY}
  - expect: ExecutionReport
    fields: {ClOrdID: $a, ExecType: NEW, OrdStatus: NEW, OrderID: {remember: order}, LeavesQty: 1}
"""


def certify(*words: object) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return certify_command(parser.parse_args([str(word) for word in words]))


def written(folder: Path, more: str = "", name: str = "order.yaml", text: str = ORDER) -> Path:
    path = folder / name
    path.write_text(text + more)
    return path


@pytest.fixture(scope="module")
def own() -> Iterator[OwnVenue]:
    with OwnVenue() as venue:
        yield venue


def why(own: OwnVenue, script: Path, version: str = "FIX.4.4") -> str:
    """What is said of a script that fails; "" if it passes."""
    (case,) = Runner(own, patience=1.0).run(scripts_in([script]), [version]).cases
    assert (case.outcome == "passed") == (not case.why)
    return case.why


PING = "  - send: TestRequest\n    fields: {TestReqID: x}\n"
CANCEL = "  - send: OrderCancelRequest\n    fields: {ClOrdID: $b, OrigClOrdID: $a, Side: BUY}\n"
CANCELED = "{expect: ExecutionReport, fields: {ClOrdID: $b, OrderID: $order, ExecType: CANCELED}}"
GAP = "  - send: Heartbeat\n    fields: {MsgSeqNum: $next+5}\n  - expect: ResendRequest\n"
FAILURES = [
    ("  - expect: nothing\n    for: 0.1\n", ""),
    ("  - expect: nothing\n", ""),
    ("  - logout: A\n  - connect: A\n  - expect: nothing\n", "nothing: the venue has closed the"),
    ("  - expect: Reject\n    within: 0.2\n", "Reject, within: 0.2: expected Reject(3), nothing came"),
    ("  - expect: disconnect\n    within: 0.1\n", "the venue keeps the connection open"),
    (PING + "  - expect: nothing\n", "expected nothing, received Heartbeat(0)"),
    (PING + "  - expect: Heartbeat\n    fields: {TestReqID: y}\n", "TestReqID(112): expected y, received x"),
    (PING + "  - expect: Reject\n    skip: Heartbeat\n    within: 0.2\n", "expected Reject(3), nothing came"),
    (PING + "  - expect: Heartbeat\n    after: 30\n", "not before 30.0 s"),
    ("  - numbers: {next in: 9}\n" + PING + "  - expect: Heartbeat\n    fields: {TestReqID: x}\n",
     "MsgSeqNum(34) is 3, expected 9"),
    (CANCEL + f"  - any order:\n    - {CANCELED}\n", ""),
    (CANCEL + "  - expect: OrderCancelReject\n", "OrderCancelReject(9), received ExecutionReport(8)"),
    (GAP + "    fields: {BeginSeqNo: $next, EndSeqNo: 0}\n", ""),
    (GAP + "    fields: {BeginSeqNo: $next+1}\n", "BeginSeqNo(7): expected 4, received 3"),
    ("  - send raw: 8=FIX.4.4|9=5|35=0|10=000|\n  - expect: nothing\n", ""),
    ("  - send: Heartbeat\n    fields: {MsgSeqNum: $a+5}\n", "nothing can be added to it"),
    ("  - admin: halt ${symbol} now\n", "fixgw admin halt "),
    ("  - admin: market ${symbol}X halted\n    refused: there is no market\n", ""),
    ("  - admin: market ${symbol}X halted\n    refused: another\n", "must be refused with 'another'; fixgw "),
    ("  - admin: market ${symbol} continuous\n    refused: no\n", "with 'no', and was carried out"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "said"), FAILURES)
def test_a_failure_says_what_was_expected_and_what_came(
    tmp_path: Path, own: OwnVenue, more: str, said: str
) -> None:
    found = why(own, written(tmp_path, more))
    assert said in found and bool(said) == bool(found)


def test_a_failed_step_field_by_field(tmp_path: Path, own: OwnVenue) -> None:
    script = written(tmp_path, text=ORDER.replace("OrdStatus: NEW", "OrdStatus: FILLED"))
    (case,) = Runner(own).run(scripts_in([script]), ["FIXT.1.1"]).cases
    assert [step.outcome for step in case.steps] == ["passed", "passed", "failed"]
    shown = {each.name: (each.expected, each.received, each.right) for each in case.steps[2].differences}
    assert shown["OrdStatus(39)"] == ("FILLED(2)", "NEW(0)", False)
    assert shown["LeavesQty(151)"] == ("1", "1.0000", True)
    sent = [said for said in case.conversation if said.way == "out"]
    assert sent[1].words.startswith("NewOrderSingle(D) MsgSeqNum=2 ") and "|35=D|34=2|" in sent[1].text


def test_a_logon_after_a_restart_is_on_a_new_connection(tmp_path: Path) -> None:
    """On a venue of the script's own: numbers go on after a stop, and jump after a kill."""
    seen = "  - restart: stop\n  - expect: disconnect\n    skip: Logout\n  - logon: A\n"
    steps = seen + "  - restart: stop\n  - logon: A\n    within: 5\n  - restart: kill\n  - logon: A\n"
    script = written(tmp_path, steps, text="alone: yes\n" + ORDER)
    with OwnVenue() as venue:
        report = Runner(venue).run(scripts_in([script]), list(VERSIONS))
    for case in report.cases:
        assert "logon: A: Logon(A): MsgSeqNum(34) is 10" in case.why


KILLED = """\
  - restart: kill
  - connect: A
  - send: Logon
  - expect: Logon
    fields: {MsgSeqNum: {at least: $expected}}
  - send: ResendRequest
    fields: {BeginSeqNo: 3, EndSeqNo: 0}
  - expect: SequenceReset
"""


def test_a_logon_after_a_kill_is_written_out(tmp_path: Path) -> None:
    """As README.md has it."""
    script = written(tmp_path, KILLED, text="alone: yes\n" + ORDER)
    with OwnVenue() as venue:
        report = Runner(venue).run(scripts_in([script]), list(VERSIONS))
    assert [case.why for case in report.cases] == ["", ""]


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = written(tmp_path)
    written(tmp_path, "  - expect: Reject\n    within: 0.1\n", "bad.yaml")
    assert certify(good) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("passed: 2 cases: 2 passed, in ")
    assert certify(tmp_path, "--version", "FIX.4.4") == 1
    out = capsys.readouterr().out
    assert (
        "failed: 2 cases: 1 passed, 1 failed, in " in out
        and "line 8: expect: Reject" in out
        and "! " not in out
    )
    assert certify(good, "--list") == 0 and "An order" in capsys.readouterr().out
    assert certify(tmp_path / "nowhere.yaml") == 2
    assert "nowhere.yaml:1: No such file" in capsys.readouterr().err
    assert certify(good, "--target", "nowhere") == 2
    assert "--target: must be HOST:PORT, not 'nowhere'" in capsys.readouterr().err
    assert certify(good, "--target", "127.0.0.1:1") == 2
    assert "needs a --profile or at least one --session" in capsys.readouterr().err
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        assert certify(good, "--target", place, "--session", "ALPHA") == 3
    assert capsys.readouterr().err == f"fixgw certify: no venue at {place}: Connection refused\n"


def test_a_report_is_written_and_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, key = tmp_path / "report", tmp_path / "key.pem"
    assert certify(written(tmp_path), "--report", report, "--key", key, "--version", "FIX.4.4") == 0
    capsys.readouterr()
    for name in ("report.json", "report.html"):
        capsys.readouterr()
        assert certify("--verify", report / name) == 0
        said = capsys.readouterr().out
        assert said.startswith(f"{report / name}: valid: signed with key sha256:")
        assert "1 case: 1 passed" in said
        fingerprint = said.split("signed with key ")[1].split(";")[0]
        assert certify("--verify", report / name, "--fingerprint", fingerprint) == 0
        assert certify("--verify", report / name, "--fingerprint", "sha256:" + "0" * 64) == 1
        (report / name).write_bytes((report / name).read_bytes().replace(b"An order", b"No order", 1))
        assert certify("--verify", report / name) == 1
    key.write_text("nothing")
    assert certify(tmp_path / "order.yaml", "--report", report, "--key", key) == 2
    assert "holds no private key" in capsys.readouterr().err


def test_another_venue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By its sessions, or by a profile; what it does not have is said."""
    order, alone = written(tmp_path), written(tmp_path, name="alone.yaml", text="alone: yes\n" + ORDER)
    two = written(tmp_path, name="two.yaml", text="sessions: [A, B]\n" + ORDER)
    rare = written(tmp_path, name="rare.yaml", text="needs: corporate actions\n" + ORDER)
    profile = written(tmp_path, name="profile.yml", text=(
        "offers: [limit orders]\nprice: '200'\nsessions:\n"
        "  ALPHA: {account: ALPHA-1}\n  CHARLIE: {begin_string: FIXT.1.1, account: CHARLIE-1}\n"
    ))  # fmt: skip
    with VenueProcess(tmp_path / "data") as venue:
        place = f"127.0.0.1:{venue.port}"
        session = ["--session", "ALPHA:FIX.4.4:ALPHA-1", "--symbol", "ETH-USD", "--version", "FIX.4.4"]
        assert certify(order, "--target", place, *session) == 0
        capsys.readouterr()
        assert certify(order, alone, two, rare, "--target", place, "--profile", profile) == 4
    out = capsys.readouterr().out
    assert "incomplete: 8 cases: 2 passed, 2 not offered, 4 not run" in out
    assert "it needs 2 clients with a session of FIX.4.4, and the profile has fewer" in out
    assert "the venue does not offer corporate actions" in out and "it needs a venue started for it" in out


def test_scripts_side_by_side_keep_out_of_each_others_way(tmp_path: Path, own: OwnVenue) -> None:
    """More scripts at once than there are sessions of a client; each has a market of its own."""
    for number in range(40):
        written(tmp_path, "  - expect: nothing\n", f"{number}.yaml", "sessions: [A, B, A2]\n" + ORDER)
    report = Runner(own, jobs=20).run(scripts_in([tmp_path]), list(VERSIONS))
    assert report.count("passed") == 80


def test_scripts_are_tests(pytester: pytest.Pytester) -> None:
    """The plugin: each script in each version; a failure as the tool shows it, a mistake as one line."""
    folder = pytester.mkdir("scripts")
    written(folder)
    written(
        folder,
        "  - expect: Reject\n    within: 0.1\n",
        "bad.yaml",
        ORDER.replace("title", "versions: FIX.4.4\ntitle"),
    )
    written(folder, name="rare.yaml", text="needs: corporate actions\nversions: FIX.4.4\n" + ORDER)
    written(folder, name="wrong.yaml", text=ORDER.replace("steps", "stepps"))
    result = pytester.runpytest_subprocess(
        "-p", "acceptance.plugin", "--continue-on-collection-errors", "scripts"
    )
    result.assert_outcomes(passed=2, failed=1, skipped=1, errors=1)
    result.stdout.fnmatch_lines(
        ["*expect: Reject, within: 0.1: expected Reject(3), nothing came", "A  out  Logon(A) *"]
    )
    result.stdout.fnmatch_lines(["*wrong.yaml:2: 'stepps' is not a key of a script; did you mean steps?"])


def test_nothing_proved_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No case, cases that are all not offered, and a venue that does not start for a script."""
    rare = written(tmp_path, name="rare.yaml", text="needs: corporate actions\n" + ORDER)
    assert certify(rare) == 4
    assert "incomplete: 2 cases: 2 not offered" in capsys.readouterr().out
    none = written(tmp_path, name="none.yaml", text="versions: FIX.4.4\n" + ORDER)
    assert certify(none, "--version", "FIXT.1.1") == 4
    assert "incomplete: no cases" in capsys.readouterr().out
    typo = written(tmp_path, name="typo.yaml", text="venue: {dor: {}}\nversions: FIX.4.4\n" + ORDER)
    assert certify(none, typo) == 4
    out = capsys.readouterr().out
    assert "incomplete: 2 cases: 1 passed, 1 not run" in out and "the venue did not start: " in out
    assert certify(none, rare) == 0


USAGE = [
    (["--certify-target", "nowhere"], "--certify-target: must be HOST:PORT, not 'nowhere'"),
    (["--certify-target", "127.0.0.1:1"], "--certify-target: needs --certify-profile"),
    (["--certify-target", "127.0.0.1:1", "--certify-profile", "none.yml"], "none.yml: cannot be read: "),
    (["--certify-profile", "none.yml"], "--certify-profile: goes with --certify-target"),
]


@pytest.mark.parametrize(("words", "said"), USAGE)
def test_the_plugin_cannot_be_used_like_this(words: list[str], said: str, pytester: pytest.Pytester) -> None:
    """Said once, not by each test."""
    written(pytester.mkdir("scripts"))
    result = pytester.runpytest_subprocess("-p", "acceptance.plugin", *words, "scripts")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {said.replace('[', '[[]')}*"])
    result.stderr.no_fnmatch_line("*Traceback*")


def test_the_plugin_finds_no_venue(pytester: pytest.Pytester) -> None:
    written(pytester.mkdir("scripts"))
    profile = pytester.makefile(".yml", profile="sessions: {ALPHA: {}}\n")
    words = ["--certify-target", "127.0.0.1:1", "--certify-profile", str(profile)]
    result = pytester.runpytest_subprocess("-p", "acceptance.plugin", *words, "scripts")
    assert result.ret == 3
    result.stdout.fnmatch_lines(["*Exit: no venue at 127.0.0.1:1: Connection refused*"])


def test_a_venue_that_does_not_start_fails_the_test(pytester: pytest.Pytester) -> None:
    """It is no reason to skip it."""
    written(pytester.mkdir("scripts"), text="venue: {dor: {}}\nversions: FIX.4.4\n" + ORDER)
    result = pytester.runpytest_subprocess("-p", "acceptance.plugin", "scripts")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["not run: the venue did not start: *"])
