"""What a venue may send that is wrong: a failed step that says so, never an end of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.fake_venue import ORDER, FakeVenue, Reply, case_of, framed, why

NO_FIX: list[tuple[bytes, str]] = [
    (framed("35=A|34=1|abc=1|"), "not FIX: 'abc=1' is no field"),
    (framed("35=A|34=1||"), "not FIX: '' is no field"),
    (framed("35=A|34=1|58|"), "not FIX: '58' is no field"),
    (framed("35=A|34=1|²=1|"), "is no field"),
    (framed("34=1|49=FIXGW|"), "not FIX: MsgType(35) must be the third field"),
    (framed("35=A|49=FIXGW|56=X|"), "Logon(A): MsgSeqNum(34) is missing"),
    (framed("35=0|49=FIXGW|56=X|"), "Heartbeat(0): MsgSeqNum(34) is missing"),
    (framed("35=0|34=x|49=FIXGW|56=X|"), "Heartbeat(0): MsgSeqNum(34) is no number"),
    (framed("35=A|34=²|49=FIXGW|56=X|"), "Logon(A): MsgSeqNum(34) is no number"),
    (framed(f"35=A|34={'9' * 5000}|49=FIXGW|56=X|"), "Logon(A): MsgSeqNum(34) is no number"),
    (framed("35=4|34=1|36=²|123=Y|49=FIXGW|56=X|"), "expected Logon(A), received SequenceReset(4)"),
]


@pytest.mark.parametrize(("logon", "said"), NO_FIX)
def test_what_is_not_fix_fails_the_step(tmp_path: Path, logon: bytes, said: str) -> None:
    case = case_of(tmp_path, "  - logon: A\n", FakeVenue(logon=logon))
    assert case.outcome == "failed" and said in case.why


def test_what_is_right_before_it_is_taken_first(tmp_path: Path) -> None:
    logon = framed("35=A|34=1|49=FIXGW|56=X|") + framed("35=0|34=2|abc=1|")
    case = case_of(tmp_path, "  - logon: A\n  - expect: nothing\n", FakeVenue(logon=logon))
    assert [step.outcome for step in case.steps] == ["passed", "failed"]
    assert "not FIX: 'abc=1' is no field" in case.why


HEADERS = [
    ("49=OTHER|56=X|", "SenderCompID(49) is OTHER, expected FIXGW"),
    ("49=FIXGW|56=Z|", "TargetCompID(56) is Z, expected X"),
    ("49=FIXGW|49=FIXGW|56=X|", "SenderCompID(49) is there twice"),
    ("56=X|", "SenderCompID(49) is missing, expected FIXGW"),
]


@pytest.mark.parametrize(("header", "said"), HEADERS)
def test_a_wrong_header_fails_the_step(tmp_path: Path, header: str, said: str) -> None:
    case = case_of(tmp_path, "  - logon: A\n", FakeVenue(header=header))
    assert case.outcome == "failed" and said in case.why


def test_a_header_that_the_step_names_is_what_the_step_says(tmp_path: Path) -> None:
    steps = "  - connect: A\n  - send: Logon\n  - {expect: Logon, fields: {SenderCompID: OTHER}}\n"
    assert case_of(tmp_path, steps, FakeVenue(header="49=OTHER|56=X|")).outcome == "passed"


def test_another_version_fails_the_step(tmp_path: Path) -> None:
    logon = framed("35=A|34=1|49=FIXGW|56=X|").replace(b"FIX.4.4", b"FIX.4.2")
    logon = logon[:-7] + b"10=%03d\x01" % (sum(logon[:-7]) % 256)
    case = case_of(tmp_path, "  - logon: A\n", FakeVenue(logon=logon))
    assert "BeginString(8) is FIX.4.2, expected FIX.4.4" in case.why


REPORT = "expect: ExecutionReport"
NUMBERS: list[tuple[str, list[Reply], str]] = [
    (REPORT, ["@50:0 ", "@51:8 11=$ID|"], "Heartbeat(0): MsgSeqNum(34) is 50, expected 2"),
    (REPORT, ["@1:0 ", "@2:8 11=$ID|"], "Heartbeat(0): MsgSeqNum(34) is 1, expected 2"),
    (f"{{{REPORT}, skip: [OrderCancelReject]}}", ["@50:9 11=z|", "@51:8 11=$ID|"],
     "OrderCancelReject(9): MsgSeqNum(34) is 50, expected 2"),
    ("expect: nothing", ["@50:0 "], "Heartbeat(0): MsgSeqNum(34) is 50, expected 2"),
    ("expect: disconnect", ["@50:0 ", "close"], "Heartbeat(0): MsgSeqNum(34) is 50, expected 2"),
    (REPORT, ["0 ", "8 11=$ID|"], ""),
    (REPORT, ["@1:8 11=$ID|43=Y|"], ""),
    (f"{{{REPORT}, skip: [SequenceReset]}}", ["@1:4 43=Y|123=Y|36=2|", "@2:8 11=$ID|"], ""),
]  # fmt: skip


@pytest.mark.parametrize(("expect", "replies", "said"), NUMBERS)
def test_a_gap_is_seen_in_what_comes_in_between(
    tmp_path: Path, expect: str, replies: list[Reply], said: str
) -> None:
    found = why(tmp_path, expect, *replies)
    assert said in found and bool(said) == bool(found)


PARTIES = "NoPartyIDs"
FIELDS: list[tuple[str, str, str]] = [
    # a number is one as FIX writes it
    ("LastPx: {above: 0}", "31=abc|", "LastPx(31): expected above 0, received abc"),
    ("LeavesQty: {at least: 0}", "151=NaN|", "expected at least 0, received NaN"),
    ("OrderQty: 10", "38=1_0|", "expected 10, received 1_0"),
    ("Price: 5", "44= 5 |", "expected 5, received  5 "),
    ("LeavesQty: 10", "151=1E1|", "received 1E1"),
    ("CumQty: 10", "14=+10|", "received +10"),
    ("CumQty: 10, OrderQty: 10, Price: -0.5", "14=10.00|38=0010|44=-.5|", ""),
    ("TransactTime: {at least: $now-60}", "60=tomorrow|", "received tomorrow"),
    # groups
    (f"{PARTIES}: [{{PartyID: a}}, {{PartyID: b}}]", "453=7|448=a|447=D|448=b|447=D|", "7, with 2 entries"),
    (f"{PARTIES}: [{{PartyID: a}}]", "453=1|448=a|447=D|448=b|447=D|", "received 1, with 2 entries"),
    (f"{PARTIES}: [{{PartyID: a}}]", "453=²|448=a|", ", with 1 entry"),
    (f"{PARTIES}: []", "453=0|58=x|", ""),
    (f"{PARTIES}: []", "453=0|448=a|447=D|", "received 0, with 1 entry"),
    (f"{PARTIES}: []", "58=x|", "NoPartyIDs(453): expected 0, received nothing"),
    (f"{PARTIES}: absent", "58=x|", ""),
    (f"{PARTIES}: [{{PartyID: a, Text: hello}}]", "453=1|448=a|58=hello|", "hello, received nothing"),
    (f"{PARTIES}: [{{PartyID: a}}, {{PartyRole: 3}}], Text: x", "453=2|448=a|448=b|452=3|58=x|", ""),
    # a field that is there twice
    ("OrdStatus: NEW", "39=0|39=8|", "expected NEW(0), received NEW(0), then REJECTED(8)"),
    (f"{PARTIES}: [{{PartyID: a, PartyRole: 3}}]", "453=1|448=a|452=3|452=4|", "received CLIENT_ID(3), then"),
    # conditions that are turned around
    ("OrdStatus: {not: {one of: [REJECTED, CANCELED]}}", "39=8|", "not one of REJECTED(8), CANCELED(4)"),
    ("OrdStatus: {not: {one of: [REJECTED, CANCELED]}}", "39=0|", ""),
    ("OrdStatus: {not: {one of: [REJECTED, CANCELED]}}", "58=x|", "received nothing"),
    ("OrdStatus: {not: REJECTED}", "39=8|", "expected not REJECTED(8)"),
    # patterns
    ("ClOrdID: $o, Text: {pattern: $o}", "11=$ID|58=$ID|", ""),
    ('Text: {pattern: "x ${o}."}', "58=x $ID!|", ""),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "came", "said"), FIELDS)
def test_fields(tmp_path: Path, fields: str, came: str, said: str) -> None:
    found = why(tmp_path, f"{{{REPORT}, fields: {{{fields}}}}}", f"8 {came}")
    assert said in found and bool(said) == bool(found)


def test_what_was_remembered_is_text_in_a_pattern(tmp_path: Path) -> None:
    steps = f"{ORDER}  - {{{REPORT}, fields: {{Text: {{remember: x}}}}}}\n"
    steps += f"  - {{{REPORT}, fields: {{Text: {{pattern: $x}}}}}}\n"
    assert case_of(tmp_path, steps, FakeVenue("8 58=a(b|", "8 58=a(b|")).why == ""


def test_a_pattern_that_takes_too_long_fails_the_step(tmp_path: Path) -> None:
    fields = "{Text: {pattern: (a|aa)+bc*d}}"
    found = why(tmp_path, f"{{{REPORT}, fields: {fields}}}", f"8 58={'a' * 60}bd!|")
    assert "Text(58)" in found and "takes too long" in found


TWO = "{expect: ExecutionReport, fields: {OrdStatus: NEW}}"
ANY_ORDER: list[tuple[str, list[Reply], str]] = [
    ("within: 0.3, fields: {OrdStatus: FILLED}", ["8 39=0|", 0.6, "8 39=2|"], "nothing came"),
    ("within: 0.9, fields: {OrdStatus: FILLED}", ["8 39=2|", "8 39=0|"], ""),
    ("after: 0.9, fields: {OrdStatus: FILLED}", ["8 39=0|", "8 39=2|"], "not before 0.9 s"),
    ("after: 0.2, fields: {OrdStatus: FILLED}", ["8 39=0|", 0.3, "8 39=2|"], ""),
    ("skip: [OrderCancelReject], fields: {OrdStatus: FILLED}", ["8 39=0|", "9 11=$ID|", "8 39=2|"], ""),
    ("fields: {OrdStatus: FILLED}", ["8 39=0|", "9 11=$ID|", "8 39=2|"], "received OrderCancelReject(9)"),
]


@pytest.mark.parametrize(("entry", "replies", "said"), ANY_ORDER)
def test_in_any_order_each_entry_has_its_own_times(
    tmp_path: Path, entry: str, replies: list[Reply], said: str
) -> None:
    found = why(tmp_path, f"any order: [{TWO}, {{expect: ExecutionReport, {entry}}}]", *replies)
    assert said in found and bool(said) == bool(found)


def test_what_the_venue_says_of_its_heartbeats_is_not_needed(tmp_path: Path) -> None:
    for value in ("absent", "{text: thirty}"):
        steps = f"  - {{logon: A, fields: {{HeartBtInt: {value}}}}}\n  - expect: nothing\n"
        assert case_of(tmp_path, steps, FakeVenue()).outcome == "passed"
