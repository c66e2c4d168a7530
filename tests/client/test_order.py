"""`fixgw order` against a scripted venue: what it sends, what it prints, how it exits."""

from __future__ import annotations

import argparse

import pytest

from fixgw.client.order import add_arguments, order_command
from tests.client.scripted import Script, ScriptedVenue
from tests.process import CONFIG
from tests.raw import Received

BUY = ["BUY", "2", "BTC-USD", "@", "50000.00"]


def order(port: int, words: list[str], *options: str) -> int:
    """Runs the command on the demo venue's settings; returns its exit code."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    args = [*words, "--id", "mine", "--config", str(CONFIG), "--port", str(port), *options]
    return order_command(parser.parse_args(args))


def accept(venue: ScriptedVenue, request: Received) -> None:
    venue.report(request)


def test_sends_what_the_words_say() -> None:
    venue = ScriptedVenue("ALPHA", "FIX.4.4", accept)
    assert order(venue.port, BUY, "--tif", "IOC") == 0
    sent = next(message for message in venue.finish() if message.msg_type == "D")
    expected = {11: "mine", 1: "ALPHA-1", 55: "BTC-USD", 54: "1", 38: "2", 40: "2", 44: "50000.00", 59: "3"}
    assert {tag: sent.get(tag) for tag in expected} == expected


@pytest.mark.parametrize(
    ("words", "msg_type", "fields"),
    [
        (["sell", "1", "BTC-USD"], "D", {54: "2", 38: "1", 40: "1", 44: None, 41: None}),
        (["CANCEL", "a1", "BUY", "ETH-USD"], "F", {41: "a1", 54: "1", 55: "ETH-USD", 38: None, 59: None}),
        (
            ["REPLACE", "a1", "BUY", "3", "BTC-USD", "@", "51000"],
            "G",
            {41: "a1", 38: "3", 40: "2", 44: "51000", 1: None},
        ),
        (
            ["REPLACE", "a1", "BUY", "3", "BTC-USD", "--stop", "52000", "--account", "ALPHA-2"],
            "G",
            {41: "a1", 38: "3", 40: "3", 44: None, 99: "52000", 1: "ALPHA-2"},
        ),
    ],
)
def test_every_kind_of_request(words: list[str], msg_type: str, fields: dict[int, str | None]) -> None:
    venue = ScriptedVenue("ALPHA", "FIX.4.4", accept)
    assert order(venue.port, words) == 0
    sent = next(message for message in venue.finish() if message.msg_type == msg_type)
    assert {tag: sent.get(tag) for tag in fields} == fields


@pytest.mark.parametrize(("session", "begin_string"), [("ALPHA", "FIX.4.4"), ("CHARLIE", "FIXT.1.1")])
def test_no_fill_is_lost_to_an_unknown_tag(
    session: str, begin_string: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A client that rejects a fill for a tag or a value it does not know has lost a fill."""

    def fill(venue: ScriptedVenue, request: Received) -> None:
        venue.report(
            request, (9999, "new"), (20001, "x"), (40, "?"), (31, "50000.00"), (32, 2), exec_type="F"
        )

    venue = ScriptedVenue(session, begin_string, fill)
    assert order(venue.port, BUY, "--session", session) == 0
    assert [message for message in venue.finish() if message.msg_type in "3j"] == []
    assert "50000.00" in capsys.readouterr().out.splitlines()[-1]


def test_prints_all_reports_that_are_due(capsys: pytest.CaptureFixture[str]) -> None:
    """The first report is not the last: fills that follow at once are printed too."""

    def trade(venue: ScriptedVenue, request: Received) -> None:
        venue.report(request)
        venue.report(request, (31, "49999.00"), (32, 1), exec_type="F")
        venue.report(request, (31, "49998.00"), (32, 1), exec_type="F")

    venue = ScriptedVenue("ALPHA", "FIX.4.4", trade)
    assert order(venue.port, BUY) == 0
    printed = capsys.readouterr().out
    assert "49999.00" in printed and "49998.00" in printed


def reject(msg_type: str, *fields: tuple[int, object]) -> Script:
    def script(venue: ScriptedVenue, request: Received) -> None:
        venue.send(msg_type, [(58, "the reason"), *fields])

    return script


@pytest.mark.parametrize(
    "script",
    [
        lambda venue, request: venue.report(request, (58, "the reason"), exec_type="8"),
        reject("9", (37, "NONE"), (11, "mine"), (41, "a1"), (39, "8"), (434, "1"), (102, "1")),
        reject("3", (45, 2)),
        reject("j", (45, 2), (372, "D"), (380, 3)),
    ],
    ids=["ExecutionReport", "OrderCancelReject", "Reject", "BusinessMessageReject"],
)
def test_a_reject_is_exit_code_1_and_printed(script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    venue = ScriptedVenue("ALPHA", "FIX.4.4", script)
    assert order(venue.port, BUY) == 1
    venue.finish()
    assert "the reason" in capsys.readouterr().out


def test_reports_on_earlier_orders_are_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """What the session missed comes first, with PossResend, and decides nothing. (feature 56)"""

    def resend_then_accept(venue: ScriptedVenue, request: Received) -> None:
        earlier = [
            (37, 9),
            (17, 9),
            (150, "8"),
            (39, "8"),
            (11, "earlier"),
            (151, 0),
            (14, 0),
            (58, "missed"),
        ]
        venue.send("8", earlier, possresend=True)
        venue.report(request)

    venue = ScriptedVenue("ALPHA", "FIX.4.4", resend_then_accept)
    assert order(venue.port, BUY) == 0
    assert "missed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "options", "complaint"),
    [
        (["BUY", "2", "BTC-USD", "50000"], [], "BUY|SELL QUANTITY SYMBOL"),
        (["BUY", "two", "BTC-USD"], [], "'two' is not a decimal number"),
        (["CANCEL", "a1", "HOLD", "BTC-USD"], [], "side 'HOLD'"),
        (["BUY", "1", "BTC\x01USD"], [], "printable"),
        (["BUY", "1", "BTC-USD"], ["--id", "a\x0144=1"], "printable"),
        (["BUY", "1", "BTC-USD"], ["--account", "a b"], "printable"),
        (BUY, ["--session", "NOBODY"], "ALPHA, BRAVO, CHARLIE"),
        (BUY, ["--config", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_misuse_is_exit_code_2(
    words: list[str], options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert order(1, words, *options) == 2
    assert complaint in capsys.readouterr().err
