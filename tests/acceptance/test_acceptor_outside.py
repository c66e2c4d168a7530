"""`fixgw certify --acceptor`: what the venue rejects while no scenario is played is charged to the client;
orders that no venue takes are rejected whatever the scenario."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acceptance.acceptor.outside import MOST
from tests.acceptance.certifying import Certifier, until
from tests.acceptance.test_acceptor import ALL
from tests.raw import RawClient, cancel, frame, new_order, replace, utc_now

OUTSIDE = "outside of any scenario"
FILLED = ALL["filled"].last


@pytest.fixture(scope="module")
def certifier() -> Iterator[Certifier]:
    with Certifier("--patience", "5", "--wait", "5") as certifier:
        yield certifier


def charged(certifier: Certifier, client: str) -> list[str]:
    """The reasons, so far."""
    lines = list(certifier.output)
    heads = [place for place, line in enumerate(lines[:-1]) if line == f"failed   {client}  {OUTSIDE}"]
    return [lines[place + 1].strip() for place in heads]


def order(cl_ord_id: str, **change: object) -> list[tuple[int, object]]:
    fields = dict(new_order(cl_ord_id, quantity=FILLED, price=100)[1])
    fields |= {int(tag[1:]): value for tag, value in change.items()}
    return [(tag, value) for tag, value in fields.items() if value is not None]


def twice(client: RawClient) -> None:
    client.send(*new_order("once", quantity=5000, price=1))
    client.expect("8", t150="0")
    client.send(*new_order("once", quantity=5000, price=1))
    assert "has been used before" in client.expect("8", t11="once", t150="8", t103="6")[58]


def rejected(msg_type: str, **change: object) -> Callable[[RawClient], None]:
    """An order that is wrong in this way."""

    def wrong(client: RawClient) -> None:
        client.send("D", order("o", **change))
        client.expect(msg_type, t11=None if msg_type == "3" else "o")

    return wrong


def replaced_by_nothing(client: RawClient) -> None:
    client.send(*new_order("r-1", quantity=5000, price=1))
    client.expect("8", t150="0")
    client.send(*replace("r-2", "r-1", quantity=0, price=1))
    client.expect("9", t11="r-2", t41="r-1")


def canceled_unknown(client: RawClient) -> None:
    client.send(*cancel("c-1", "never"))
    client.expect("9", t11="c-1", t102="1")


def number_too_low(client: RawClient) -> None:
    client.send("0", sequence=1)
    client.expect("5")


def garbled(client: RawClient) -> None:
    client.send("0", checksum="999", header=[(58, "x")])


def second_logon(client: RawClient) -> None:
    client.send_logon()
    client.expect_disconnect()


def another_target(client: RawClient) -> None:
    client.close()
    client.connect().send("A", [(98, 0), (108, 30)], target="ELSEWHERE")
    client.expect_disconnect()


WRONG: list[tuple[str, Callable[[RawClient], None], str]] = [
    ("no Side", rejected("3", t54=None), "Required tag missing"),
    ("a Side that is none", rejected("3", t54=9999), "RefTagID=54"),
    ("a TransactTime that is none", rejected("3", t60="garbage"), "RefTagID=60"),
    ("an empty ClOrdID", rejected("3", t11=""), "Tag specified without a value"),
    ("a ClOrdID twice", twice, "NewOrderSingle(D): ClOrdID(11) once has been used before"),
    ("no Price", rejected("8", t44=None), "Price(44) is missing, and the order has a limit"),
    ("no OrderQty", rejected("8", t38=None), "OrderQty(38) is missing"),
    ("OrderQty below 0", rejected("8", t38=-5), "OrderQty(38) is -5, and must be above 0"),
    ("OrderQty 0", rejected("8", t38="0.00"), "OrderQty(38) is 0.00, and must be above 0"),
    ("a replace by 0", replaced_by_nothing, "OrderCancelReplaceRequest(G): OrderQty(38) is 0, and"),
    ("a cancel of nothing", canceled_unknown, "there never was an order with OrigClOrdID(41) never"),
    ("MsgSeqNum too low", number_too_low, "MsgSeqNum too low, expecting 2 but received 1"),
    ("a wrong CheckSum", garbled, "the client sent something that is no FIX message"),
    ("a second Logon", second_logon, "the client's message ended the session, without a word"),
    ("another TargetCompID", another_target, "TargetCompID(56) of W13's Logon is ELSEWHERE"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)), ids=[name for name, _, _ in WRONG])
def test_what_the_venue_rejects_is_charged(number: int, certifier: Certifier) -> None:
    _, wrong, said = WRONG[number]
    name = f"W{number}"
    with RawClient("127.0.0.1", certifier.port, name) as client:
        client.logon()
        wrong(client)
        until(lambda: "yes" * bool(charged(certifier, name)), f"the failed case of {name}")
    (why,) = charged(certifier, name)
    assert said.replace("W13", name) in why


def test_what_is_no_mistake_is_not_charged(certifier: Certifier) -> None:
    """A late cancel, a possible resend, the id of what was refused, a market order without a price, an order
    by value."""
    with RawClient("127.0.0.1", certifier.port, "GOOD") as client:
        client.logon()
        client.send(*new_order("g-1", quantity=5000, price=1))
        client.expect("8", t11="g-1", t150="0")
        client.send(*cancel("g-2", "g-1"))
        client.expect("8", t11="g-2", t150="4")
        client.send(*cancel("g-3", "g-1"))
        client.expect("9", t11="g-3", t102="0")
        client.send(*new_order("g-1", quantity=5000, price=1), possresend=True)
        client.send(*new_order("g-3", quantity=5000, price=1))
        client.expect("8", t11="g-3", t150="0")
        client.send(*new_order("g-4", quantity=5000))
        client.expect("8", t11="g-4", t150="0")
        client.send("D", [(11, "g-5"), (1, "A"), (55, "X"), (54, 1), (60, utc_now()), (40, 1), (152, 7)])
        client.expect("8", t11="g-5", t150="0")
        client.send("D", order("g-6", t54=None))
        until(lambda: "yes" * bool(charged(certifier, "GOOD")), "what is charged at last")
        client.logout()
    assert len(charged(certifier, "GOOD")) == 1


def test_inside_of_a_scenario_it_fails_the_scenario(certifier: Certifier) -> None:
    with RawClient("127.0.0.1", certifier.port, "INSIDE") as client:
        client.logon()
        client.send(*new_order("i-1", quantity=ALL["cancelled"].last, price=1))
        client.expect("8", t11="i-1", t150="0")
        client.send(*new_order("i-1", quantity=5000, price=1))
        verdict = certifier.verdict("INSIDE", "cancelled")
        assert "the venue says NewOrderSingle(D): ClOrdID(11) i-1 has been used before" in verdict
        client.send("D", order("i-2", t54=None))
        until(lambda: "yes" * bool(charged(certifier, "INSIDE")), "the other case")
    assert len(charged(certifier, "INSIDE")) == 1, "not charged twice"


def test_it_is_in_the_report_with_the_conversation(tmp_path: Path) -> None:
    words = ["--report", str(tmp_path), "--key", str(tmp_path / "key"), "--patience", "20"]
    with Certifier(*words) as certifier, RawClient("127.0.0.1", certifier.port, "BAD") as client:
        client.logon()
        client.send("D", order("o-1", t54=None))
        client.send("D", order("o-2"))
        client.expect("3")
        client.expect("8", t150="0")
        client.expect("8", t150="F")
        request = client.expect("1")
        client.send("0", [(112, request[112])])
        assert certifier.verdict("BAD", "filled") == "passed"
        client.send_bytes(frame("FIX.4.4", b"35=0\x0134=x\x01"))
        client.expect("3")
        certifier.process.send_signal(signal.SIGHUP)
        assert certifier.wait() == 1
    summary = "BAD (FIX.4.4): failed: 3 cases: 1 passed, 2 failed"
    assert any(line.startswith(summary) for line in certifier.output)
    cases = json.loads((tmp_path / "report.json").read_text())["report"]["cases"]
    assert [case["title"] for case in cases] == [OUTSIDE, ALL["filled"].title, OUTSIDE]
    said = [line["words"] for line in cases[0]["conversation"]]
    assert any(words.startswith("NewOrderSingle(D)") and "ClOrdID=o-1" in words for words in said)
    assert cases[0]["why"].startswith("Reject(3)") and cases[0]["why"] in said
    assert OUTSIDE in (tmp_path / "report.html").read_text()


def test_a_client_that_does_everything_wrong_is_not_endless(certifier: Certifier) -> None:
    with RawClient("127.0.0.1", certifier.port, "ENDLESS") as client:
        client.logon()
        for number in range(MOST + 20):
            client.send("D", order(f"e-{number}", t54=None))
        until(lambda: "yes" * (len(charged(certifier, "ENDLESS")) == MOST), "as many as are told")
        client.send("5")
        while client.receive().msg_type != "5":
            pass
    assert charged(certifier, "ENDLESS")[-1].endswith("; what else it does wrong is not told")


def test_a_stranger_is_refused_and_not_charged(tmp_path: Path) -> None:
    """But a client of the run in another version than was said is."""
    with Certifier("--client-id", "KNOWN:FIXT.1.1") as certifier:
        for name in ("STRANGER", "KNOWN"):
            with RawClient("127.0.0.1", certifier.port, name) as client:
                client.send_logon()
                client.expect_disconnect()
        until(lambda: "yes" * bool(charged(certifier, "KNOWN")), "the failed case")
        certifier.process.send_signal(signal.SIGINT)
        assert certifier.wait() == 1
    assert not charged(certifier, "STRANGER")
    assert any("STRANGER with FIX.4.4 is not a client of this run" in line for line in certifier.output)


@pytest.mark.parametrize("asked", [(), ("--scenario", "gap")])
def test_a_client_that_never_came_is_no_success(asked: tuple[str, ...]) -> None:
    with Certifier(*asked) as certifier:
        certifier.process.send_signal(signal.SIGTERM)
        assert certifier.wait() == 4
    said = "1 case: 1 not run" if asked else "no cases"
    assert f"no client: incomplete: {said}" in certifier.output[-1]
