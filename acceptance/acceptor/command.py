"""`fixgw certify --acceptor`: the tool is the venue, and clients are certified."""

from __future__ import annotations

import argparse
import signal
import threading
import time
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path
from platform import node
from typing import NamedTuple

from acceptance.acceptor.attended import Attended
from acceptance.acceptor.door import Door
from acceptance.acceptor.outside import Refused
from acceptance.acceptor.person import Person, how_it_failed
from acceptance.acceptor.scenario import Scenario, load_all, unplayed
from acceptance.acceptor.unattended import Unattended
from acceptance.interrupting import Interruptible, heeded
from acceptance.keeping import PASSED, Keeper
from acceptance.reading import meant
from acceptance.report import summary_line
from acceptance.report.words import printable
from acceptance.results import CaseResult, Report
from acceptance.saying import say
from acceptance.target import Unreached
from fixgw import __version__
from fixgw.settings.reading import Mistake

SCENARIOS = Path(__file__).parent.parent / "clients"


def certify_clients(args: argparse.Namespace, signals: Interruptible) -> int:
    """The exit code. Raises ScriptError, Mistake, ReportError, or Unreached for a port that cannot be had."""
    scenarios = chosen(load_all(SCENARIOS), args.scenario)
    if args.list:
        for scenario in scenarios:
            print(f"{scenario.first:>4}-{scenario.last:<4} {scenario.name:28} {scenario.title}")
        return PASSED
    keeper = Keeper(args)
    began, started = time.monotonic(), datetime.now(UTC)
    certify = _unattended if args.unattended else _attended
    try:
        played = certify(args, scenarios)
    except (OSError, UnicodeError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise Unreached(f"cannot listen on {args.address}:{args.port}: {why}") from None
    signals.pass_over()
    report = Report(
        title="Certification of a client",
        tool=f"fixgw {__version__}",
        target=", ".join(played.clients) or "no client",
        by=f"{getuser()} on {node()}",
        started=started.isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - began, 1),
        cases=played.cases,
        settings={"played": "unattended" if args.unattended else "with a person at the client's side"},
        interrupted=played.interrupted,
    )
    say(f"\n{printable(report.target)}: {summary_line(report)}")
    for case in report.cases:
        if case.outcome == "failed":
            say(f"  failed  {case.title}\n          {printable(case.why)}")
    return keeper.keep(report)


class Played(NamedTuple):
    cases: list[CaseResult]
    clients: list[str]
    interrupted: str = ""


def chosen(scenarios: list[Scenario], names: list[str]) -> list[Scenario]:
    """Those of these names, or all. Raises Mistake."""
    known = [scenario.name for scenario in scenarios]
    for name in names:
        if name not in known:
            raise Mistake("--scenario", f"there is no {name!r}{meant(name, known)}; --list shows them")
    return [scenario for scenario in scenarios if not names or scenario.name in names]


def _unattended(args: argparse.Namespace, scenarios: list[Scenario]) -> Played:
    """Until a signal ends it, as nothing else does. Raises OSError."""
    unattended = Unattended(scenarios, args.patience, args.wait, _told)
    door = _door(args, unattended)
    ended = threading.Event()
    for number in heeded():
        signal.signal(number, lambda *_: ended.set())
    _open(door)
    ended.wait()
    door.stop()
    unattended.join()
    cases = unattended.cases
    for scenario in scenarios if args.scenario else []:  # those that were asked for by name
        if str(scenario.file) not in {case.file for case in cases}:
            cases.append(unplayed(scenario, scenario.versions[0], "no client has played it"))
    return Played(cases, _clients(door))


def _attended(args: argparse.Namespace, scenarios: list[Scenario]) -> Played:
    """Until all are played, or the person quits. Raises OSError."""
    person = Person()
    attended = Attended(scenarios, person, args.patience, args.wait)
    door = _door(args, attended)
    _open(door)
    person.say("s and Enter skips a scenario, q and Enter ends the certification.")
    attended.run()
    door.stop()
    return Played(attended.cases, _clients(door), attended.interrupted)


def _door(args: argparse.Namespace, certify: Attended | Unattended) -> Door:
    refused = Refused(certify.tell)
    place = (args.address, args.port)
    return Door(place, args.venue_id, dict(args.client_id), certify.enter, _note, refused.charge)


def _note(text: str) -> None:
    say(f"-- {printable(text)}")


def _open(door: Door) -> None:
    door.start()
    host, port = door.address
    say(f"ready certify {__version__} {f'[{host}]' if ':' in host else host}:{port}")


def _clients(door: Door) -> list[str]:
    return [f"{name} ({version})" for name, version in door.lines]


def _told(client: str, case: CaseResult) -> None:
    name = f"  [{Path(case.file).stem}]" if case.file else ""
    lines = [f"{case.outcome:8} {printable(client)}  {case.title}{name}"]
    lines += [f"         {printable(case.why)}"] if case.why else []
    say("\n".join([*lines, *how_it_failed(case)]))
