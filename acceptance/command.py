"""`fixgw certify`: scripts played against a venue, verdicts, and a report to keep."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from acceptance.acceptor.command import add_acceptor_arguments, certify_clients
from acceptance.keeping import FAILED, PASSED, UNREACHED, UNUSABLE, keep
from acceptance.profile import Profile, load_profile, profile_of
from acceptance.reading import ScriptError
from acceptance.report import case_lines, summary_line, verify
from acceptance.results import CaseResult
from acceptance.runner import Runner, scripts_in
from acceptance.schema import schema
from acceptance.script import VERSIONS
from acceptance.target import Elsewhere, OwnVenue, Unreached
from fixgw.settings import SettingsError
from fixgw.settings.reading import Mistake

SUITES = Path(__file__).parent / "scripts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Plays certification scripts against a venue and says which pass. Without --target it starts a "
        "venue of its own. Exit code 0: none failed, 1: some did, 2: wrong usage or scripts, 3: no venue."
    )
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="scripts or folders; default: all"
    )
    parser.add_argument("--target", metavar="HOST:PORT", help="the venue")
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="its sessions, symbols and what it offers"
    )
    parser.add_argument(
        "--session", action="append", default=[], metavar="ID[:VERSION[:ACCOUNT]]",
        help="in place of a profile: a session to use, such as ALPHA:FIX.4.4:ALPHA-1; may be repeated",
    )  # fmt: skip
    parser.add_argument("--symbol", action="append", default=[], help="what it trades; may be repeated")
    parser.add_argument("--venue-id", default="FIXGW", help="its CompID; default FIXGW")
    parser.add_argument("--version", action="append", choices=VERSIONS, dest="versions", help="only this one")
    parser.add_argument("--report", type=Path, metavar="DIR", help="writes the signed report there")
    parser.add_argument(
        "--key", type=Path, default=Path("certify.pem"), metavar="FILE",
        help="signs it; made if missing; default certify.pem",
    )  # fmt: skip
    parser.add_argument("--verify", type=Path, metavar="REPORT", help="checks a report, JSON or HTML")
    parser.add_argument("--fingerprint", default="", help="of the key that must have signed it")
    parser.add_argument(
        "--patience", type=float, default=5.0, help="seconds to wait for a message; default 5"
    )
    parser.add_argument("--jobs", type=int, default=4, help="scripts at one time; default 4")
    parser.add_argument(
        "--schema", action="store_true", help="the form of scripts as JSON Schema, for editors"
    )
    parser.add_argument("--list", action="store_true", help="the scripts, without playing them")
    add_acceptor_arguments(parser)


def certify_command(args: argparse.Namespace) -> int:
    if args.verify:
        finding = verify(args.verify, args.fingerprint)
        print(finding.text)
        return PASSED if finding.valid else FAILED
    if args.schema:
        print(json.dumps(schema(), indent=1))
        return PASSED
    if args.acceptor:
        return certify_clients(args)
    try:
        scripts = scripts_in(args.paths or [SUITES])
        if args.list:
            for script in scripts:
                print(f"{script.file}  {script.title}  ({', '.join(script.proves)})")
            return PASSED
        context = target_of(args) if args.target else OwnVenue()
    except (ScriptError, SettingsError, Mistake) as problem:
        print(f"fixgw certify: {problem}", file=sys.stderr)
        return UNUSABLE
    try:
        with context as target:
            runner = Runner(target, args.patience, args.jobs)
            report = runner.run(scripts, args.versions or list(VERSIONS), _tell)
    except Unreached as problem:
        print(f"fixgw certify: {problem}", file=sys.stderr)
        return UNREACHED
    print(summary_line(report))
    return keep(report, args)


def target_of(args: argparse.Namespace) -> Elsewhere:
    """Raises SettingsError or Mistake."""
    host, _, port = args.target.rpartition(":")
    if not (host and port.isdigit()):
        raise Mistake("--target", f"must be HOST:PORT, not {args.target!r}")
    return Elsewhere(host, int(port), load_profile(args.profile) if args.profile else _profile(args))


def _profile(args: argparse.Namespace) -> Profile:
    if not args.session:
        raise Mistake("--target", "needs a --profile or at least one --session")
    sessions = {}
    for session in args.session:
        name, version, account = [*session.split(":"), "", ""][:3]
        sessions[name] = {"begin_string": version or "FIX.4.4", "account": account}
    content = {"sessions": sessions, "comp_id": args.venue_id}
    return profile_of(content | ({"symbols": args.symbol} if args.symbol else {}))


def _tell(case: CaseResult) -> None:
    print("\n".join(case_lines(case)), flush=True)
