"""A run with one case of each outcome, as reports are made of."""

from __future__ import annotations

from acceptance.results import CaseResult, Difference, Report, Said, StepResult

LOGON = "8=FIX.4.4|9=87|35=A|49=ALPHA|56=VENUE|34=1|52=20260105-09:00:00.000|98=0|108=30|554=***|10=128|"
REPORT = "8=FIX.4.4|9=120|35=8|49=VENUE|56=ALPHA|34=2|150=8|39=8|11=A1|58=no such symbol|10=020|"


def passed() -> CaseResult:
    return CaseResult(
        file="session/1b_logon.yaml",
        title="A valid Logon is answered with a Logon",
        version="FIX.4.4",
        proves=["1B.b", "feature 3"],
        outcome="passed",
        seconds=0.0213,
        steps=[
            StepResult(4, "connect ALPHA", "passed", 0.001),
            StepResult(5, "logon ALPHA HeartBtInt=30", "passed", 0.02),
        ],
        conversation=[
            Said(0.002, "ALPHA", "out", LOGON, "Logon(A) 34=1 HeartBtInt=30 Password=***"),
            Said(0.02, "ALPHA", "in", LOGON, "Logon(A) 34=1 HeartBtInt=30"),
        ],
    )


def failed(received: str = "8 REJECTED") -> CaseResult:
    return CaseResult(
        file="orders/new.yaml",
        title="A limit order is acknowledged",
        version="FIXT.1.1",
        proves=["D1"],
        outcome="failed",
        why="line 9: ExecType(150) is wrong",
        seconds=1.5,
        steps=[
            StepResult(8, "send NewOrderSingle ClOrdID=A1 Side=BUY", "passed", 0.1),
            StepResult(
                9,
                "expect ExecutionReport ExecType=NEW ClOrdID=A1",
                "failed",
                1.4,
                "no message is as expected; this one comes closest",
                [
                    Difference("ExecType(150)", "0 NEW", received, False),
                    Difference("ClOrdID(11)", "A1", "A1", True),
                    Difference("OrderID(37)", "any", "", False),
                ],
            ),
            StepResult(10, "expect disconnect", "not reached"),
        ],
        conversation=[
            Said(
                0.1,
                "ALPHA",
                "out",
                "8=FIXT.1.1|35=D|11=A1|54=1|10=000|",
                "NewOrderSingle(D) ClOrdID=A1 Side=BUY",
            ),
            Said(
                0.2,
                "ALPHA",
                "in",
                REPORT,
                "ExecutionReport(8) ExecType=REJECTED OrdStatus=REJECTED ClOrdID=A1",
            ),
            Said(1.4, "ALPHA", "note", "the script ends here"),
        ],
    )


def left_out() -> list[CaseResult]:
    return [
        CaseResult(
            "orders/stop.yaml", "A stop order waits", "FIX.4.4", ["D7"], "not offered", "no stop orders"
        ),
        CaseResult(
            "venue/restart.yaml", "Nothing is lost", "FIX.4.4", [], "not run", "needs a venue of its own"
        ),
    ]


def run(*cases: CaseResult) -> Report:
    return Report(
        title="Order entry, session and orders",
        tool="fixgw 0.1.0",
        target="127.0.0.1:9878",
        by="ops@gateway",
        started="2026-01-05T09:00:00Z",
        seconds=12.25,
        cases=list(cases) or [passed(), failed(), *left_out()],
        settings={"Sessions": "ALPHA, BETA"},
    )
