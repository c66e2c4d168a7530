"""`fixgw certify`: scripts played against a venue, verdicts, and a report to keep."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from acceptance.acceptor.command import certify_clients
from acceptance.interrupting import Interrupted, Interruptible, exit_code
from acceptance.keeping import FAILED, PASSED, UNREACHED, UNUSABLE, Keeper
from acceptance.options import add_arguments, complete, place, version_of
from acceptance.profile import Profile, load_profile, profile_of
from acceptance.reading import ScriptError
from acceptance.report import ReportError, case_lines, summary_line, verify
from acceptance.report.words import printable
from acceptance.results import CaseResult
from acceptance.runner import Runner, scripts_in, unplayed_report
from acceptance.schema import schema
from acceptance.script import Script
from acceptance.target import Elsewhere, OwnVenue, Unreached
from fixgw.settings import SettingsError
from fixgw.settings.reading import Mistake

__all__ = ["add_arguments", "certify_command"]

SUITES = Path(__file__).parent / "scripts"


def certify_command(args: argparse.Namespace) -> int:
    """The exit code; see options.EXIT_CODES."""
    try:
        with Interruptible() as signals:
            complete(args)
            if args.verify:
                return _verify(args.verify, args.fingerprint)
            if args.schema:
                print(json.dumps(schema(), indent=1))
                return PASSED
            return certify_clients(args, signals) if args.acceptor else _certify_venue(args, signals)
    except Interrupted as end:
        return exit_code(end.name)
    except Unreached as problem:
        print(f"fixgw certify: {problem}", file=sys.stderr)
        return UNREACHED
    except (ScriptError, SettingsError, Mistake, ReportError) as problem:
        print(f"fixgw certify: {problem}", file=sys.stderr)
        return UNUSABLE


def _verify(path: Path, fingerprint: str | None) -> int:
    try:
        finding = verify(path, fingerprint)
    except ValueError as problem:
        raise Mistake("--fingerprint", str(problem)) from None
    print(finding.text)
    return PASSED if finding.valid else FAILED


def _certify_venue(args: argparse.Namespace, signals: Interruptible) -> int:
    scripts = [script for path in args.paths or [SUITES] for script in _scripts_of(path)]
    if args.list:
        for script in scripts:
            print(printable(f"{script.file}  {script.title}  ({', '.join(script.proves)})"))
        return PASSED
    keeper = Keeper(args)
    report = None
    try:
        with target_of(args) if args.target else OwnVenue() as target:
            report = Runner(target, args.patience, args.jobs).run(scripts, args.versions, _tell)
    except Interrupted as end:
        name = args.target or "a venue of our own"
        report = report or unplayed_report(name, scripts, args.versions, end.name)
    signals.pass_over()
    print(summary_line(report))
    return keeper.keep(report)


def _scripts_of(path: Path) -> list[Script]:
    scripts = scripts_in([path])
    if not scripts:
        raise Mistake(str(path), "holds no scripts, which are files that end in .yaml or .def")
    return scripts


def target_of(args: argparse.Namespace) -> Elsewhere:
    """Raises SettingsError or Mistake."""
    host, port = place("--target", args.target)
    return Elsewhere(host, port, load_profile(args.profile) if args.profile else _profile(args))


def _profile(args: argparse.Namespace) -> Profile:
    if not args.session:
        raise Mistake("--target", "needs a --profile or at least one --session")
    sessions = {}
    for session in args.session:
        name, version, account = [*session.split(":", 2), "", ""][:3]
        try:
            sessions[name] = {"begin_string": version_of(version or "FIX.4.4"), "account": account}
        except ValueError as problem:
            raise Mistake("--session", str(problem)) from None
    content = {"sessions": sessions, "comp_id": args.venue_id}
    return profile_of(content | ({"symbols": args.symbol} if args.symbol else {}))


def _tell(case: CaseResult) -> None:
    print("\n".join(case_lines(case)), flush=True)
