"""The reference venue: a good conversation goes well in both versions, and each fault can be seen."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
import yaml

from acceptance.reference.faults import Fault, Faults
from acceptance.reference.settings import DEFAULT
from tests.acceptance.conversations import CONVERSATIONS, transcript
from tests.process import ServerProcess
from tests.raw import BUY, SELL, Disconnected, RawClient, cancel, new_order, replace

VERSIONS = {"ALPHA": "FIX.4.4", "ALPHA2": "FIX.4.4", "BRAVO": "FIX.4.4", "CHARLIE": "FIXT.1.1"}
LINE = "admin.sock"


class ReferenceProcess(ServerProcess):
    def __init__(self, data: Path, *arguments: str) -> None:
        super().__init__(
            sys.executable, "-m", "acceptance.reference", "--port", "0", "--data", str(data), *arguments
        )

    def client(self, name: str = "ALPHA", **how: str) -> RawClient:
        version = how.pop("begin_string", VERSIONS.get(name, "FIX.4.4"))
        return RawClient(self.host, self.port, name, begin_string=version, **how)


@contextmanager
def running(
    data: Path, *faults: Fault, settings: dict[str, object] | None = None
) -> Iterator[ReferenceProcess]:
    arguments = [word for fault in faults for word in ("--fault", fault.label)]
    data.mkdir(parents=True, exist_ok=True)
    if settings is not None:
        path = data / "settings.yaml"
        path.write_text(yaml.safe_dump(settings))
        arguments += ["--settings", str(path)]
    with ReferenceProcess(data, *arguments) as venue:
        yield venue
        assert "Traceback" not in venue.errors, venue.errors


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReferenceProcess]:
    with running(tmp_path_factory.mktemp("reference")) as reference:
        yield reference
        assert reference.terminate() == 0


@pytest.mark.parametrize("name", ["ALPHA", "CHARLIE"])
def test_a_good_conversation(venue: ReferenceProcess, name: str) -> None:
    """Logon, order, fill, replace, cancel, resend, gap fill, logout."""
    with venue.client(name) as client, venue.client("BRAVO") as bravo:
        for each in (client, bravo):
            each.logon(reset=True)
            each.settle()
        account = f"{name}-1"
        client.send(*new_order(f"{name}a", BUY, 3, 100, account=account))
        order_id = client.expect("8", t150="0", t39="0", t151="3.0000")[37]
        bravo.send(*new_order(f"{name}s", SELL, 1, 99, account="BRAVO-1"))
        bravo.expect("8", t150="0")
        bravo.expect("8", t150="F", t39="2", t31="100.00")
        fill = client.expect("8", t150="F", t39="1", t151="2.0000", t14="1.0000", t6="100.00", t37=order_id)
        client.send(*replace(f"{name}r", f"{name}a", BUY, 4, 101, account=account))
        client.expect("8", t150="5", t39="1", t11=f"{name}r", t41=f"{name}a", t38="4.0000")
        client.send(*cancel(f"{name}c", f"{name}r"))
        client.expect("8", t150="4", t39="4", t41=f"{name}r", t151="0.0000")
        client.send(*cancel(f"{name}x", f"{name}r"))
        client.expect("9", t102="0", t434="1", t39="4", t37=order_id)
        client.send("2", [(7, 1), (16, fill.sequence)])
        client.expect("4", t34="1", t43="Y", t123="Y", t36="3")
        client.expect("8", t34="3", t43="Y", t150="0")
        client.expect("8", t34=fill.sequence, t43="Y", t122=fill[52], t17=fill[17])
        client.logout()
        bravo.logout()


@pytest.mark.parametrize("kill", [False, True])
def test_numbers_reports_and_orders_survive_a_restart(tmp_path: Path, kill: bool) -> None:
    with running(tmp_path) as venue:
        client = venue.client()
        client.logon()
        client.send(*new_order("a", BUY, 3, 100))
        report = client.expect("8", t150="0")
        venue.kill9() if kill else venue.terminate()
        client.close()
        venue.start()
        client.address = (venue.host, venue.port)
        assert client.logon().sequence == report.sequence + (1001 if kill else 2)
        client.send("2", [(7, report.sequence), (16, report.sequence)])
        client.expect("8", t34=report.sequence, t43="Y", t17=report[17])
        client.send(*new_order("a", BUY, 3, 100))
        client.expect("8", t39="8", t103="6")
        client.send(*cancel("c", "a"))
        client.expect("8", t150="4")
        client.close()


def test_the_operator_closes_and_opens_a_market(venue: ReferenceProcess) -> None:
    data = Path(venue.command[venue.command.index("--data") + 1])

    def cancel_only(on: bool) -> None:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(data / LINE))
            line.sendall(json.dumps({"type": "cancel-only", "on": on, "symbol": "ETH-USD"}).encode() + b"\n")
            assert json.loads(line.makefile().readline())["ok"]

    with venue.client() as client:
        client.logon(reset=True)
        client.settle()
        cancel_only(True)
        client.send(*new_order("closed", BUY, 1, 100, symbol="ETH-USD"))
        assert "cancel-only" in client.expect("8", t39="8", t103="0")[58]
        cancel_only(False)
        client.send(*new_order("closed", BUY, 1, 100, symbol="ETH-USD"))
        client.expect("8", t150="0")
        client.logout()


def test_unknown_faults_and_settings_are_refused_in_words(tmp_path: Path) -> None:
    for arguments, words in (
        (("--fault", "nothing"), "no fault 'nothing'"),
        (("--settings", "none"), "none: "),
    ):
        process = ReferenceProcess(tmp_path, *arguments).spawn()
        assert process.wait() == 2
        assert words in process.errors and "Traceback" not in process.errors


# Faults


@cache
def sound(name: str, session: str) -> list[str]:
    return transcript(name, session, Faults())


def hears(client: RawClient, *, timeout: float = 0.6) -> list[str]:
    """MsgType, number and text of all that comes, and whether it ends."""
    said = []
    try:
        while True:
            message = client.receive(timeout)
            said.append(
                f"{message.msg_type} {message[34]} {message.get(45)} {message.get(112)} {message.get(43)}"
            )
    except Disconnected:
        said.append("closed")
    except AssertionError:
        pass
    client.close()
    return said


def knocks(venue: ReferenceProcess, **how: str) -> list[str]:
    """A Logon of a stranger."""
    name = how.pop("name", "ALPHA")
    client = venue.client(name, **how).connect()
    client.send_logon()
    return hears(client)


def second_client(venue: ReferenceProcess) -> list[str]:
    with venue.client() as first:
        first.logon()
        return knocks(venue)


def restart(venue: ReferenceProcess) -> list[str]:
    client = venue.client()
    client.logon()
    for _ in range(3):
        client.send(*new_order(f"a{client.next_outbound}", BUY, 1, 100))
        client.expect("8")
    venue.kill9()
    client.close()
    venue.start()
    client.address = (venue.host, venue.port)
    client.connect().send_logon()
    client.send("2", [(7, 2), (16, 4)])
    client.send(*cancel("c", "a2"))
    return hears(client)


def soon_back(venue: ReferenceProcess) -> list[str]:
    client = venue.client()
    client.logon()
    client.send(*new_order("a", BUY, 1, 100))
    client.expect("8")
    client.close()
    client.connect().send_logon()
    client.send(*cancel("c", "a"))
    return hears(client)


LOCKED = DEFAULT | {"sessions": {"ALPHA": {"client": "ALPHA", "username": "a", "password": "b"}}}
PATIENT = DEFAULT | {
    "sessions": {"ALPHA": {"client": "ALPHA", "cancel_on_disconnect": "loss", "cancel_grace_seconds": 60}}
}
SETTINGS = {Fault.PASSWORD_NOT_CHECKED: LOCKED, Fault.NO_GRACE: PATIENT}
OUTSIDE: dict[Fault, Callable[[ReferenceProcess], list[str]]] = {
    Fault.ANY_SENDER_TAKEN: lambda venue: knocks(venue, name="NOBODY"),
    Fault.ANY_TARGET_TAKEN: lambda venue: knocks(venue, target="OTHER"),
    Fault.ANY_VERSION_TAKEN: lambda venue: knocks(venue, begin_string="FIX.4.2"),
    Fault.PASSWORD_NOT_CHECKED: knocks,
    Fault.SECOND_CLIENT_TAKES_OVER: second_client,
    Fault.NO_GRACE: soon_back,
    Fault.NUMBERS_FORGOTTEN: restart,
    Fault.NUMBERS_GO_BACK: restart,
    Fault.REPORTS_FORGOTTEN: restart,
    Fault.ORDERS_FORGOTTEN: restart,
}
"""faults around the sessions, in sockets and on disk"""


@pytest.mark.parametrize(
    "fault", [each for each in Fault if each not in OUTSIDE], ids=lambda fault: fault.label
)
def test_each_fault_can_be_seen(fault: Fault) -> None:
    """In at least one conversation the venue says something else than it should."""
    faults = Faults([fault])
    for name in CONVERSATIONS:
        for session in ("ALPHA", "CHARLIE"):
            if transcript(name, session, faults) != sound(name, session):
                return
    pytest.fail(f"{fault.label} changes nothing: {fault.words}")


@pytest.mark.parametrize("fault", OUTSIDE, ids=lambda fault: fault.label)
def test_each_fault_outside_of_the_sessions_can_be_seen(tmp_path: Path, fault: Fault) -> None:
    settings = SETTINGS.get(fault)
    said = []
    for name, faults in (("right", []), ("wrong", [fault])):
        with running(tmp_path / name, *faults, settings=settings) as venue:
            said.append(OUTSIDE[fault](venue))
    assert said[0] != said[1], said[0]


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_is_always_the_same(name: str, session: str) -> None:
    """Without this a difference would prove nothing."""
    assert transcript(name, session, Faults()) == sound(name, session) != []
