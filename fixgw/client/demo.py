"""`fixgw demo`: a venue of its own and two QuickFIX clients that trade with each other."""

import argparse
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from fixgw.client.connection import PATIENCE, Connection, NotReached
from fixgw.client.credentials import NoLogin
from fixgw.client.login import login
from fixgw.client.requests import Conditions, Request, new_cl_ord_id, parse
from fixgw.codec.readable import readable
from fixgw.settings import Settings, SettingsError, load

START = 30.0
"""seconds the venue has to become ready"""

SELLER, BUYER = "ALPHA", "CHARLIE"


class Failed(Exception):
    """One line for people."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Start a venue in a temporary directory, log two QuickFIX clients on (one FIX.4.4, one FIX.5.0SP2), "
        "let them trade and print the conversation. Exit code 0 only if both got the fill."
    )
    parser.add_argument("--config", type=Path, default=Path("config/venue.yaml"), help="the venue's settings")


def demo_command(args: argparse.Namespace) -> int:
    """Returns the exit code: 0, 1 without the fill, 2 with unusable settings."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # importing quickfix took it away
    try:
        settings = load(args.config)
        with TemporaryDirectory(prefix="fixgw-demo-") as directory:
            _trade_on_own_venue(args.config, settings, Path(directory))
    except (SettingsError, NoLogin) as error:
        print(f"fixgw demo: {error}", file=sys.stderr)
        return 2
    except (Failed, NotReached) as error:
        print(f"fixgw demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print("\nBoth clients have the fill.")
    return 0


def _trade_on_own_venue(config: Path, settings: Settings, directory: Path) -> None:
    command = [sys.executable, "-m", "fixgw", "serve"]
    command += ["--config", str(config), "--data", str(directory / "data"), "--port", "0"]
    with open(directory / "errors", "w+") as errors:
        venue = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        try:
            ready = _ready_line(venue)
            print(f"venue    {ready}\n", flush=True)
            host, _, port = ready.split()[3].rpartition(":")
            _trade(settings, host, int(port))
        except (Failed, NotReached) as error:
            errors.seek(0)
            raise Failed(f"{error}\n{errors.read()}".rstrip()) from None
        finally:
            _stop(venue)


def _ready_line(venue: subprocess.Popen[bytes]) -> str:
    """The venue's line that says where it listens."""
    assert venue.stdout is not None
    deadline = time.monotonic() + START
    printed = b""
    while not (printed.startswith(b"ready") and b"\n" in printed):
        waiting, _, _ = select.select([venue.stdout], [], [], max(0.0, deadline - time.monotonic()))
        if not waiting:
            raise Failed(f"the venue was not ready within {START:.0f} s")
        data = os.read(venue.stdout.fileno(), 4096)
        if not data:
            raise Failed("the venue ended before it was ready")
        printed += data
    return printed.decode().splitlines()[0]


def _trade(settings: Settings, host: str, port: int) -> None:
    seller = Connection(login(settings, SELLER, host, port))
    buyer = Connection(login(settings, BUYER, host, port))
    try:
        seller.logon()
        buyer.logon()
        sell = _send(seller, parse(["SELL", "0.5", "BTC-USD", "@", "50000.00"]))
        _show_until(seller, sell, ord_status="0")
        buy = _send(buyer, parse(["BUY", "0.5", "BTC-USD", "@", "50010.00"]))
        _show_until(buyer, buy, ord_status="2")
        _show_until(seller, sell, ord_status="2")
    finally:
        seller.logout()
        buyer.logout()


def _send(connection: Connection, request: Request) -> str:
    cl_ord_id = new_cl_ord_id()
    connection.send(request.msg_type, request.body(cl_ord_id, connection.login.account, Conditions()))
    return cl_ord_id


def _show_until(connection: Connection, cl_ord_id: str, ord_status: str) -> None:
    """Prints the conversation up to the report that shows the order in that OrdStatus(39)."""
    comp_id = connection.login.comp_id
    for entry in connection.conversation(PATIENCE):
        print(f"{comp_id:8} {'->' if entry.sent else '<-'} {readable(entry.text)}", flush=True)
        found = entry.fields
        if not entry.sent and (found.get("11"), found.get("39")) == (cl_ord_id, ord_status):
            return
    raise Failed(f"{comp_id}: no report with OrdStatus(39)={ord_status} for order {cl_ord_id}")


def _stop(venue: subprocess.Popen[bytes]) -> None:
    venue.terminate()
    try:
        venue.wait(5)
    except subprocess.TimeoutExpired:
        venue.kill()
        venue.wait()
