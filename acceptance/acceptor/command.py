"""`fixgw certify --acceptor`: the tool is the venue, and clients are certified."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path
from platform import node

from acceptance.acceptor.attended import Attended
from acceptance.acceptor.door import Door
from acceptance.acceptor.person import Person, how_it_failed
from acceptance.acceptor.scenario import Scenario, load_all
from acceptance.acceptor.unattended import Unattended
from acceptance.keeping import PASSED, UNREACHED, UNUSABLE, keep
from acceptance.reading import ScriptError, meant
from acceptance.report import summary_line
from acceptance.report.words import printable
from acceptance.results import CaseResult, Report
from fixgw import __version__
from fixgw.settings.reading import Mistake

SCENARIOS = Path(__file__).parent.parent / "clients"
PERSON_WAIT, TEST_WAIT = 600.0, 60.0
"""seconds, attended and unattended"""


def add_acceptor_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("certifying a client", "the tool plays the venue")
    group.add_argument("--acceptor", action="store_true", help="waits for a client and certifies it")
    group.add_argument(
        "--unattended", action="store_true", help="no one is asked: OrderQty(38) chooses the scenario"
    )
    group.add_argument("--port", type=int, default=9880, help="to listen on, 0: a free one; default 9880")
    group.add_argument("--address", default="127.0.0.1", help="to listen on; default 127.0.0.1")
    group.add_argument(
        "--client-id", action="append", default=[], metavar="COMPID[:VERSION]",
        help="a client that may log on; may be repeated; default: any",
    )  # fmt: skip
    group.add_argument(
        "--scenario", action="append", default=[], metavar="NAME", help="only this one; may be repeated"
    )
    group.add_argument(
        "--wait", type=float, metavar="SECONDS",
        help=f"for what a person or a test does; default {PERSON_WAIT:g}, unattended {TEST_WAIT:g}",
    )  # fmt: skip


def certify_clients(args: argparse.Namespace) -> int:
    """The exit code."""
    try:
        scenarios = chosen(load_all(SCENARIOS), args.scenario)
    except (ScriptError, Mistake) as problem:
        print(f"fixgw certify: {problem}", file=sys.stderr)
        return UNUSABLE
    if args.list:
        for scenario in scenarios:
            print(f"{scenario.first:>4}-{scenario.last:<4} {scenario.name:28} {scenario.title}")
        return PASSED
    began, started = time.monotonic(), datetime.now(UTC)
    certify = _unattended if args.unattended else _attended
    try:
        cases, clients = certify(args, scenarios)
    except OSError as problem:
        print(f"fixgw certify: cannot listen on {args.address}:{args.port}: {problem}", file=sys.stderr)
        return UNREACHED
    report = Report(
        title="Certification of a client",
        tool=f"fixgw {__version__}",
        target=", ".join(clients) or "no client",
        by=f"{getuser()} on {node()}",
        started=started.isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - began, 1),
        cases=cases,
        settings={"played": "unattended" if args.unattended else "with a person at the client's side"},
    )
    print(f"\n{printable(report.target)}: {summary_line(report)}")
    for case in cases:
        if case.outcome == "failed":
            print(f"  failed  {case.title}\n          {printable(case.why)}")
    return keep(report, args)


def chosen(scenarios: list[Scenario], names: list[str]) -> list[Scenario]:
    """Those of these names, or all. Raises Mistake."""
    known = [scenario.name for scenario in scenarios]
    for name in names:
        if name not in known:
            raise Mistake("--scenario", f"there is no {name!r}{meant(name, known)}; --list shows them")
    return [scenario for scenario in scenarios if not names or scenario.name in names]


def _unattended(args: argparse.Namespace, scenarios: list[Scenario]) -> tuple[list[CaseResult], list[str]]:
    """Until it is interrupted. Raises OSError."""
    unattended = Unattended(scenarios, args.patience, args.wait or TEST_WAIT, _told)
    door = _door(args, unattended)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    _open(door)
    ended.wait()
    door.stop()
    unattended.join()
    return unattended.cases, _clients(door)


def _attended(args: argparse.Namespace, scenarios: list[Scenario]) -> tuple[list[CaseResult], list[str]]:
    """Until all are played, or the person quits. Raises OSError."""
    person = Person()
    attended = Attended(scenarios, person, args.patience, args.wait or PERSON_WAIT)
    door = _door(args, attended)
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
    _open(door)
    person.say("s and Enter skips a scenario, q and Enter ends the certification.")
    attended.run(door)
    door.stop()
    return attended.cases, _clients(door)


def _door(args: argparse.Namespace, certify: Attended | Unattended) -> Door:
    clients = dict((*each.split(":", 1), "")[:2] for each in args.client_id)
    place = (args.address, args.port)
    return Door(place, args.venue_id, clients, certify.enter, _note)


def _note(text: str) -> None:
    print(f"-- {printable(text)}", flush=True)


def _open(door: Door) -> None:
    door.start()
    host, port = door.address
    print(f"ready certify {__version__} {host}:{port}", flush=True)


def _clients(door: Door) -> list[str]:
    return [f"{name} ({version})" for name, version in door.lines]


def _told(client: str, case: CaseResult) -> None:
    lines = [f"{case.outcome:8} {printable(client)}  {case.title}  [{Path(case.file).stem}]"]
    lines += [f"         {printable(case.why)}"] if case.why else []
    print("\n".join([*lines, *how_it_failed(case)]), flush=True)
