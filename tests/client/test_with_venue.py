"""`fixgw demo` and `fixgw order` as a user runs them, against the real venue."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process import ROOT, VenueProcess
from tests.raw import RawClient


def fixgw(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fixgw", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VenueProcess]:
    with VenueProcess(tmp_path_factory.mktemp("data")) as running:
        yield running


def test_demo_trades_to_the_fill_and_cleans_up(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fixgw", "demo"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for client in ("ALPHA", "CHARLIE"):
        told = [line for line in done.stdout.splitlines() if line.startswith(client)]
        assert any("NewOrderSingle" in line for line in told)
        assert any("ExecutionReport" in line and "TRADE" in line.upper() for line in told)
    assert list(tmp_path.iterdir()) == []


def test_demo_ends_at_ctrl_c_and_leaves_no_venue(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fixgw", "demo"]
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    demo = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert demo.stdout is not None
    assert demo.stdout.readline().startswith("venue    ready")
    demo.send_signal(signal.SIGINT)
    assert demo.wait(20) in (0, 130)
    assert list(tmp_path.iterdir()) == []


def test_an_order_its_duplicate_its_replace_and_its_cancel(venue: VenueProcess) -> None:
    to = ("--port", str(venue.port))
    first = fixgw("order", "BUY", "2", "BTC-USD", "@", "40000.00", "--id", "first", "--tif", "GTC", *to)
    assert first.returncode == 0, first.stdout + first.stderr
    twice = fixgw("order", "BUY", "2", "BTC-USD", "@", "40000.00", "--id", "first", *to)
    assert twice.returncode == 1 and "Duplicate ClOrdID" in twice.stdout
    more = fixgw("order", "REPLACE", "first", "BUY", "3", "BTC-USD", "@", "41000.00", "--id", "second", *to)
    assert more.returncode == 0, more.stdout + more.stderr
    gone = fixgw("order", "CANCEL", "second", "BUY", "BTC-USD", *to)
    assert gone.returncode == 0, gone.stdout + gone.stderr
    late = fixgw("order", "CANCEL", "second", "BUY", "BTC-USD", *to)
    assert late.returncode == 1, late.stdout + late.stderr


def test_what_is_refused_ends_with_1(venue: VenueProcess) -> None:
    """Also where the answer is no reject: of a mass cancel, of a question for an order that is not there."""
    to = ("--port", str(venue.port))
    for words, text in (
        (("CANCEL-ALL", "NOPE"), "Symbol NOPE is unknown"),
        (("STATUS", "nope", "BUY", "BTC-USD"), "There is no order nope"),
    ):
        refused = fixgw("order", *words, *to)
        assert refused.returncode == 1 and text in refused.stdout, refused.stdout + refused.stderr
    assert fixgw("order", "CANCEL-ALL", "BTC-USD", *to).returncode == 0


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_a_stop_and_an_iceberg_are_replaced(venue: VenueProcess, session: str) -> None:
    to = ("--port", str(venue.port), "--session", session)
    for words, told in (
        (("BUY", "2", "BTC-USD", "--stop", "90000", "--id", "s1"), "StopPx=90000.00"),
        (("REPLACE", "s1", "BUY", "3", "BTC-USD", "--stop", "91000", "--id", "s2"), "StopPx=91000.00"),
        (("BUY", "10", "BTC-USD", "@", "10", "--show", "1", "--id", "i1"), "=1.0000"),
        (("REPLACE", "i1", "BUY", "10", "BTC-USD", "@", "9", "--show", "2", "--id", "i2"), "=2.0000"),
        (("STATUS", "i2", "BUY", "BTC-USD"), "=2.0000"),
        (("CANCEL-ALL",), "TotalAffectedOrders=2"),
    ):
        done = fixgw("order", *words, *to)
        assert done.returncode == 0 and told in done.stdout, done.stdout + done.stderr


def test_a_market_order_of_either_version_trades(venue: VenueProcess) -> None:
    to = ("--port", str(venue.port))
    rest = fixgw("order", "SELL", "1", "ETH-USD", "@", "3000.00", "--session", "BRAVO", *to)
    assert rest.returncode == 0, rest.stdout + rest.stderr
    take = fixgw("order", "BUY", "1", "ETH-USD", "--session", "CHARLIE", *to)
    assert take.returncode == 0 and "3000" in take.stdout, take.stdout + take.stderr


def test_a_session_in_use_is_explained(venue: VenueProcess) -> None:
    with RawClient(venue.host, venue.port, "BRAVO") as other:
        other.logon(reset=True)
        busy = fixgw("order", "BUY", "1", "ETH-USD", "--session", "BRAVO", "--port", str(venue.port))
        assert busy.returncode == 3
        assert "logged on already" in busy.stderr
