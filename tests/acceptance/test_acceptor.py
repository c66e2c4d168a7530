"""`fixgw certify --acceptor --unattended` with clients of two engines, and with clients that do one thing
wrong: each fails the scenario that is about it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from acceptance.acceptor.command import SCENARIOS
from acceptance.acceptor.scenario import load_all
from tests.acceptance.certifying import Certifier, EngineClient
from tests.raw import RawClient, Received, cancel, new_order, replace, utc_now

ALL = {scenario.name: scenario for scenario in load_all(SCENARIOS)}
AT_ONE_TIME = 4
"""clients, which share the scenarios"""
FINDINGS = {
    "quickfix": {},
    "fixcore": {
        # Only the first message's version decides there: later ones may have any.
        "wrong-begin-string": "expected Logout(5) or the end of the connection, nothing came within 20 s"
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("version", ["FIX.4.4", "FIXT.1.1"])
@pytest.mark.parametrize("engine", ["quickfix", "fixcore"])
def test_a_client_on_an_engine_passes_all_but_what_its_engine_gets_wrong(
    engine: str, version: str, tmp_path: Path
) -> None:
    with Certifier("--patience", "20") as certifier:

        def part(number: int) -> dict[str, str]:
            name = f"CLIENT{number}"
            with EngineClient(engine, certifier.port, name, version, tmp_path / name) as client:
                found = {}
                for scenario in list(ALL.values())[number::AT_ONE_TIME]:
                    logouts = client.heard.count("logged out")
                    client.trade(scenario)
                    found[scenario.name] = certifier.verdict(name, scenario.name)
                    if found[scenario.name] == "passed":
                        client.comes_back(scenario, logouts)
                return found

        verdicts: dict[str, str] = {}
        with ThreadPoolExecutor(AT_ONE_TIME) as pool:
            for found in pool.map(part, range(AT_ONE_TIME)):
                verdicts |= found
        certifier.process.send_signal(signal.SIGTERM)
        exit_code = certifier.wait()
    failed = {name: why for name, why in verdicts.items() if why != "passed"}
    assert verdicts.keys() == ALL.keys()
    assert failed.keys() == FINDINGS[engine].keys(), "\n".join(failed.values())
    assert exit_code == bool(failed)
    for name, words in FINDINGS[engine].items():
        assert words in failed[name]
    (summary,) = [line for line in certifier.output if ": failed: " in line or ": passed: " in line]
    assert f": {len(ALL)} cases: {len(ALL) - len(failed)} passed, " in summary


def test_a_client_that_rejects_what_it_does_not_know_loses_a_fill(tmp_path: Path) -> None:
    with (
        Certifier() as certifier,
        EngineClient("quickfix", certifier.port, "STRICT", "FIX.4.4", tmp_path / "STRICT",
                     "UseDataDictionary=Y", f"DataDictionary={_dictionary()}") as client,
    ):  # fmt: skip
        client.trade(ALL["unknown-tag"])
        assert "received Reject(3)" in certifier.verdict("STRICT", "unknown-tag")


def _dictionary() -> Path:
    from fixgw.codec.standard import FOLDER

    return FOLDER / "FIX44.xml"


# -- clients that do one thing wrong ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def impatient() -> Iterator[Certifier]:
    with Certifier("--patience", "1", "--wait", "2") as certifier:
        yield certifier


Misdeed = Callable[[RawClient], object]


def nothing(client: RawClient) -> None:
    """It goes on as if nothing had happened."""


def says(msg_type: str, *fields: tuple[int, object]) -> Misdeed:
    """It sends this after what the venue has said."""

    def misdeed(client: RawClient) -> None:
        while client.receive().get(150) is None:
            pass
        client.send(msg_type, fields)

    return misdeed


def rejects_it(client: RawClient) -> None:
    client.socket.recv(1 << 16)  # a garbled message is none that can be received
    client.send("3", [(45, 2), (58, "garbled")])


def hangs_up(client: RawClient) -> None:
    while client.receive().get(150) is None:
        pass
    client.close()


def answers(msg_type: str, answer: Callable[[Received], tuple[str, list[tuple[int, object]]]]) -> Misdeed:
    """To the first message of this type."""

    def misdeed(client: RawClient) -> None:
        while (message := client.receive()).msg_type != msg_type:
            pass
        client.send(*answer(message))

    return misdeed


def logs_on_again(reset: bool = False, more: int = 0) -> Misdeed:
    def misdeed(client: RawClient) -> None:
        client.expect_disconnect()
        client.logon(reset=reset, sequence=None if reset else client.next_outbound + more)

    return misdeed


def leaves_a_gap(client: RawClient) -> None:
    """It logs on with a number too high and does not answer the ResendRequest, only the TestRequest."""
    logs_on_again(more=3)(client)
    answers("1", lambda message: ("0", [(112, message[112])]))(client)


def replays_without_flag(client: RawClient) -> None:
    while (message := client.receive()).msg_type != "2":
        pass
    client.send(*new_order("again", quantity=1, price=100), sequence=int(message[7]))


RESEND_OF_ALL = says("2", (7, 1), (16, 0))
MISDEEDS: list[tuple[str, Misdeed, str]] = [
    ("acknowledged", hangs_up, "the client closed the connection"),
    ("filled", says("3", (45, 3), (58, "what?")), "expected Heartbeat(0), received Reject(3)"),
    ("partly-filled", says("5"), "expected Heartbeat(0), received Logout(5)"),
    ("cancelled-by-the-venue", hangs_up, "the client closed the connection"),
    ("rejected", hangs_up, "the client closed the connection"),
    ("cancelled", answers("8", lambda _: cancel("c-1", "another")), "OrigClOrdID(41): expected o-"),
    ("cancelled", nothing, "expected OrderCancelRequest(F), nothing came within 2 s"),
    ("cancel-refused", answers("8", lambda it: cancel(it[11], it[11])), "has been used before"),
    ("replaced", answers("8", lambda report: cancel("c-2", report[11])), "received OrderCancelRequest(F)"),
    ("replace-refused", answers("9", lambda _: cancel("c-3", "r-1")), "OrigClOrdID(41): expected o-"),
    ("late-acknowledgement", hangs_up, "the client closed the connection"),
    ("trade-bust", says("j", (45, 4), (372, "8"), (380, 3)), "received BusinessMessageReject(j)"),
    ("trade-correction", says("j", (45, 4), (372, "8"), (380, 3)), "received BusinessMessageReject(j)"),
    ("unknown-exec-type", says("5"), "received Logout(5)"),
    ("unknown-tag", says("3", (45, 3), (58, "tag?")), "received Reject(3)"),
    ("gap", nothing, "expected ResendRequest(2), nothing came within 1 s"),
    ("gap", RESEND_OF_ALL, "BeginSeqNo(7): expected 3, received 1"),
    ("duplicate", RESEND_OF_ALL, "expected Heartbeat(0), received ResendRequest(2)"),
    ("number-too-low", nothing, "expected Logout(5) or the end of the connection, nothing came"),
    ("logon-gap", logs_on_again(), "expected ResendRequest(2), nothing came within 1 s"),
    ("logon-gap", logs_on_again(reset=True), "ResetSeqNumFlag(141): expected one of absent, N"),
    ("test-request", nothing, "expected Heartbeat(0), nothing came within 1 s"),
    ("test-request", answers("1", lambda _: ("0", [(112, "else")])), "expected Heartbeat(0), nothing came"),
    ("test-request-during-resend", says("2", (7, 3), (16, 0)), "expected Heartbeat(0), nothing came"),
    ("silence", nothing, "expected TestRequest(1), nothing came within 3 s"),
    ("silence", says("1", (112, "?")), "expected the end of the connection, nothing came within 3 s"),
    ("gap-fill", says("2", (7, 2), (16, 0)), "expected Heartbeat(0), received ResendRequest(2)"),
    ("sequence-reset", says("2", (7, 2), (16, 0)), "expected Heartbeat(0), received ResendRequest(2)"),
    ("resend-request", nothing, "expected NewOrderSingle(D) or SequenceReset(4), nothing came"),
    ("resend-request", replays_without_flag, "MsgSeqNum too low"),
    ("lost-connection", logs_on_again(), "the client did not ask for message 4"),
    ("garbled", rejects_it, "received Reject(3)"),
    ("wrong-comp-id", nothing, "expected Logout(5) or the end of the connection, nothing came"),
    ("wrong-begin-string", nothing, "expected Logout(5) or the end of the connection, nothing came"),
    ("logout", nothing, "expected Logout(5), nothing came"),
    ("reconnect", leaves_a_gap, "did not answer the venue's ResendRequest(2) from 3 on"),
    ("reconnect", nothing, "expected Logon(A), nothing came within 2 s"),
    ("possible-resend", hangs_up, "the client closed the connection"),
]  # fmt: skip


def test_each_scenario_has_a_client_that_fails_it() -> None:
    assert {name for name, _, _ in MISDEEDS} == ALL.keys()


@pytest.mark.parametrize("number", range(len(MISDEEDS)), ids=[f"{n}-{m[0]}" for n, m in enumerate(MISDEEDS)])
def test_a_client_that_does_it_wrong_fails_and_is_told_why(number: int, impatient: Certifier) -> None:
    name, misdeed, words = MISDEEDS[number]
    with RawClient("127.0.0.1", impatient.port, f"BAD{number}") as client:
        client.logon(heartbeat=1 if name == "silence" else 30)
        client.send(*new_order(f"o-{number}", quantity=ALL[name].last, price=100))
        if name == "replace-refused":
            client.expect("8", t150="0")
            client.send(*replace("r-1", f"o-{number}", quantity=5, price=101))
        misdeed(client)
        verdict = impatient.verdict(f"BAD{number}", name)
        assert verdict.startswith("failed step ") and words in verdict


def test_a_question_that_a_gap_fill_has_covered_is_asked_again(impatient: Certifier) -> None:
    """QuickFIX does that when gaps of both sides meet: it asks for the TestRequest itself again, and never
    looks at the one it had."""
    with RawClient("127.0.0.1", impatient.port, "LATE") as client:
        client.logon()
        client.send(*new_order("l-1", quantity=ALL["lost-connection"].last, price=100))
        client.expect_disconnect()
        client.logon(sequence=client.next_outbound)
        client.send("2", [(7, 4), (16, 0)])
        question = _next(client, "1")
        client.send("2", [(7, question[34]), (16, 0)])
        while _next(client, "4")[36] != str(question.sequence + 1):
            pass
        again = _next(client, "1")
        assert again[112] == question[112]
        client.send("0", [(112, again[112])])
        assert impatient.verdict("LATE", "lost-connection") == "passed"


def _next(client: RawClient, msg_type: str) -> Received:
    while (message := client.receive()).msg_type != msg_type:
        pass
    return message


def test_what_a_failed_scenario_leaves_open_is_refused_with_the_reason(impatient: Certifier) -> None:
    with RawClient("127.0.0.1", impatient.port, "MARKET") as client:
        client.logon()
        client.send(*new_order("m-1", quantity=ALL["acknowledged"].last))
        verdict = impatient.verdict("MARKET", "acknowledged")
        assert "OrdType(40): expected LIMIT(2), received MARKET(1)" in verdict
        refused = client.expect("8", t11="m-1", t150="8")
        assert refused[58].startswith("The scenario is over: step 2, line 6")
        client.send("D", [(11, "m-2"), (1, "A"), (55, "X"), (54, 1), (60, utc_now()), (40, 1), (152, 7)])
        client.expect("8", t11="m-2", t150="0")
        client.send(*new_order("m-3", quantity=5000, price=1))
        client.expect("8", t11="m-3", t150="0")
        client.send(*replace("m-4", "m-3", quantity=6000, price=2))
        client.expect("8", t11="m-4", t41="m-3", t150="5")
        client.send(*cancel("m-5", "m-4"))
        client.expect("8", t11="m-5", t41="m-4", t150="4")
        client.send(*cancel("m-6", "m-4"))
        client.expect("9", t11="m-6", t434="1")


def test_a_scenario_that_the_end_of_the_run_cuts_short_is_in_the_report(tmp_path: Path) -> None:
    with Certifier("--report", str(tmp_path), "--key", str(tmp_path / "key")) as certifier:
        with RawClient("127.0.0.1", certifier.port, "SLOW") as client:
            client.logon()
            client.send(*new_order("s-1", quantity=ALL["cancelled"].last, price=1))
            client.expect("8", t150="0")
            certifier.process.send_signal(signal.SIGTERM)
            assert certifier.wait() == 4
        assert "the run ended during it" in (tmp_path / "report.json").read_text()
