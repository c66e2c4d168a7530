"""What a run says in the terminal."""

from __future__ import annotations

import pytest

from acceptance.report import case_lines, summary_line
from acceptance.results import Said
from tests.acceptance.runs import failed, left_out, passed, run
from tests.acceptance.test_report import HOSTILE

FAILED = """\
failed       FIXT.1.1  orders/new.yaml  A limit order is acknowledged
    line 9: expect ExecutionReport ExecType=NEW ClOrdID=A1
    no message is as expected; this one comes closest
      field          expected  received
    ! ExecType(150)  0 NEW     8 REJECTED
      ClOrdID(11)    A1        A1
    ! OrderID(37)    any       (not there)
    the conversation ended with:
       0.100 s  ALPHA -> NewOrderSingle(D) ClOrdID=A1 Side=BUY
       0.200 s  ALPHA <- ExecutionReport(8) ExecType=REJECTED OrdStatus=REJECTED ClOrdID=A1
       1.400 s  ALPHA -- the script ends here"""


def test_a_failed_case_says_what_was_expected_and_what_came() -> None:
    assert "\n".join(case_lines(failed())) == FAILED


def test_other_cases_are_one_line() -> None:
    assert [line for case in (passed(), *left_out()) for line in case_lines(case)] == [
        "passed       FIX.4.4   session/1b_logon.yaml  A valid Logon is answered with a Logon",
        "not offered  FIX.4.4   orders/stop.yaml  A stop order waits: no stop orders",
        "not run      FIX.4.4   venue/restart.yaml  Nothing is lost: needs a venue of its own",
    ]


def test_the_run_in_one_line() -> None:
    assert summary_line(run()) == ("failed: 4 cases: 1 passed, 1 failed, 1 not offered, 1 not run, in 12.2 s")
    assert summary_line(run(passed())) == "passed: 1 case: 1 passed, in 12.2 s"


def test_only_the_last_messages_are_shown() -> None:
    case = failed()
    case.conversation = [Said(number, "ALPHA", "in", f"8=FIX.4.4|34={number}|") for number in range(100)]
    lines = list(case_lines(case))
    shown = [line.split("34=")[1] for line in lines if "34=" in line]
    assert shown == [f"{number}|" for number in range(92, 100)]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_moves_no_cursor(text: str) -> None:
    case = failed(text)
    case.conversation = [Said(0.1, text, "in", text)]
    for line in case_lines(case):
        assert line.isprintable()
    assert any(text[:5] in line for line in case_lines(case)) or not text[:5].isprintable()
