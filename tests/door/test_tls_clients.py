"""Real FIX clients over TLS, set up as docs/tls.md says."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import quickfix
import yaml

from tests.door.authority import VENUE, Authority
from tests.process import ROOT
from tests.venue.floor import Floor, running

PAGE = (ROOT / "docs" / "tls.md").read_text()
stunnel = shutil.which("stunnel4") or shutil.which("stunnel")


def block(language: str) -> str:
    """The example in that language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


def changed(text: str, **values: str) -> str:
    """Other values for some options of a configuration of stunnel."""
    for option, value in values.items():
        text, count = re.subn(rf"^{option} = .*$", f"{option} = {value}", text, flags=re.MULTILINE)
        assert count == 1, option
    return text


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """The page's venue and certificates; that of the venue itself is from an authority of the tests."""
    directory = tmp_path_factory.mktemp("page")
    subprocess.run(["sh", "-ec", block("sh")], cwd=directory, check=True, capture_output=True)
    Authority(directory, "world").issue(VENUE, VENUE)
    sections: dict[str, Any] = yaml.safe_load(block("yaml"))
    sections["tls"] |= {"address": "127.0.0.1", "port": 0}
    with running(directory, **sections) as venue:
        yield venue


@contextmanager
def tunnel(floor: Floor, **options: str) -> Iterator[int]:
    """The page's stunnel; the port a FIX client connects to."""
    folder = floor.config.parent
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    tls = floor.ready_line.split("tls=")[1].strip()
    options = {"accept": f"127.0.0.1:{port}", "connect": tls, "CAfile": str(folder / "world.pem")} | options
    configuration = folder / "alpha.conf"
    configuration.write_text(changed(block("ini"), **options))
    assert stunnel is not None
    with subprocess.Popen([stunnel, configuration], cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = ""
            while "Configuration successful" not in said:
                line = process.stderr.readline()
                assert line, f"stunnel ended: {said}"
                said += line
            yield port
        finally:
            process.kill()


def order(floor: Floor, port: int, *words: str) -> subprocess.CompletedProcess[str]:
    """`fixgw order`, whose FIX engine is QuickFIX's initiator."""
    command = [sys.executable, "-m", "fixgw", "order", *words, "--config", str(floor.config)]
    return subprocess.run(
        [*command, "--port", str(port)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


needs_stunnel = pytest.mark.skipif(stunnel is None, reason="stunnel4 is not installed")


@needs_stunnel
def test_quickfix_behind_stunnel_trades_to_the_fill(floor: Floor) -> None:
    rest = order(floor, floor.port, "SELL", "2", "M1-USD", "@", "100.00", "--session", "BRAVO")
    assert rest.returncode == 0, rest.stdout + rest.stderr
    with tunnel(floor) as port:
        take = order(floor, port, "BUY", "2", "M1-USD", "@", "100.00")
    assert take.returncode == 0, take.stdout + take.stderr
    assert "OrdStatus=FILLED" in take.stdout, take.stdout
    assert "session ALPHA connected over TLS" in floor.errors


@needs_stunnel
def test_with_another_clients_certificate_it_is_not_let_in(floor: Floor) -> None:
    mallory = Authority(floor.config.parent, "another").issue("alpha", file="mallory")
    with tunnel(floor, cert=str(mallory.certificate), key=str(mallory.key)) as port:
        refused = order(floor, port, "BUY", "2", "M1-USD", "@", "100.00")
    assert refused.returncode == 3, refused.stdout + refused.stderr
    assert "TLS handshake: its certificate is not taken" in floor.errors


class Application(quickfix.Application):  # type: ignore[misc]
    """Sends one order, and keeps what comes."""

    def __init__(self) -> None:
        super().__init__()
        self.received: list[str] = []

    def onCreate(self, session: object) -> None: ...

    def onLogon(self, session: quickfix.SessionID) -> None:
        now = time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
        body = "11=own\x011=ALPHA-1\x0155=M2-USD\x0154=1\x0138=1\x0140=2\x0144=100.00\x01"
        order = quickfix.Message(f"8=FIX.4.4\x019=0\x0135=D\x01{body}60={now}\x0110=000\x01", False)
        quickfix.Session.sendToTarget(order, session)

    def onLogout(self, session: object) -> None: ...

    def toAdmin(self, message: object, session: object) -> None: ...

    def toApp(self, message: object, session: object) -> None: ...

    def fromAdmin(self, message: object, session: object) -> None: ...

    def fromApp(self, message: quickfix.Message, session: object) -> None:
        self.received.append(message.toString())


def test_quickfix_by_itself_if_it_was_compiled_with_tls(floor: Floor) -> None:
    folder = floor.config.parent
    dictionary = quickfix.Dictionary()
    for name, value in {
        "ConnectionType": "initiator",
        "SocketConnectHost": floor.host,
        "SocketConnectPort": floor.ready_line.rpartition(":")[2].strip(),
        "HeartBtInt": "30",
        "ReconnectInterval": "1",
        "ResetOnLogon": "Y",
        "NonStopSession": "Y",
        "UseDataDictionary": "N",
        "CertificationAuthoritiesFile": str(folder / "world.pem"),
        "CertificateVerifyLevel": "1",
        "ClientCertificateFile": str(folder / "alpha.pem"),
        "ClientCertificateKeyFile": str(folder / "alpha.key"),
    }.items():
        dictionary.setString(name, value)
    settings, session = quickfix.SessionSettings(), quickfix.SessionID("FIX.4.4", "ALPHA", "FIXGW")
    settings.set(dictionary)
    settings.set(session, dictionary)
    application, store = Application(), quickfix.MemoryStoreFactory()
    try:
        initiator = quickfix.SSLSocketInitiator(application, store, settings)
    except quickfix.ConfigError as problem:
        assert "HAVE_SSL not enabled" in str(problem)
        pytest.skip("this quickfix was compiled without TLS; docs/tls.md says how it is compiled with it")
    initiator.start()
    try:
        deadline = time.monotonic() + 20
        while not any("\x0111=own\x01" in text and "\x01150=0\x01" in text for text in application.received):
            assert time.monotonic() < deadline, floor.errors
            time.sleep(0.01)
    finally:
        initiator.stop()
