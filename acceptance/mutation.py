"""`python -m acceptance.mutation`: do the scripts notice what is wrong?

Plays them against the small reference venue: as it is, when all must pass, and then with one behaviour broken
at a time, when one must fail. Says which scripts catch which fault, which faults nobody notices, and which
scripts notice none."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from acceptance.command import SUITES
from acceptance.reading import ScriptError
from acceptance.reference.faults import Fault
from acceptance.results import CaseResult, Report
from acceptance.runner import Runner, scripts_in
from acceptance.script import VERSIONS, Script
from acceptance.target import OwnVenue, Serve

PATIENCE = 1.0
"""seconds a step waits for a message; the reference venue answers at once"""
JOBS = 12
LACKS = (
    "789 in the answer to a Logon above a gap",
    "schedules",
    "TLS",
    "NewPassword",
    "reset by the operator",
)
"""what the reference venue does not offer"""
CAUGHT, UNCAUGHT, UNUSABLE = 0, 1, 2


def serves(fault: Fault | None) -> Serve:
    """The reference venue, broken or not."""

    def words(settings: Path, data: Path, port: int) -> list[str]:
        broken = ["--fault", fault.label] if fault else []
        place = ["--settings", str(settings), "--data", str(data), "--port", str(port)]
        return ["acceptance.reference", *place, *broken]

    return words


def play(scripts: list[Script], fault: Fault | None) -> Report:
    with OwnVenue(serve=serves(fault), lacks=LACKS) as venue:
        return Runner(venue, PATIENCE, JOBS).run(scripts, list(VERSIONS))


class Harness:
    """`caught`: of each fault the scripts that failed."""

    def __init__(self, scripts: list[Script]) -> None:
        """Scripts that are not for the reference venue are left out; one that fails on it raises Unsound."""
        self._sound = play(scripts, None)
        failed = [case for case in self._sound.cases if case.outcome == "failed"]
        if failed:
            raise Unsound(failed)
        self.names = {case.file for case in self._sound.cases if case.outcome == "passed"}
        self.scripts = [script for script in scripts if str(script.file) in self.names]
        self.caught: dict[Fault, list[str]] = {}

    def try_fault(self, fault: Fault) -> list[str]:
        """The files of scripts that failed."""
        report = play(self.scripts, fault)
        self.caught[fault] = list(dict.fromkeys(c.file for c in report.cases if c.outcome == "failed"))
        return self.caught[fault]

    def uncaught(self) -> list[Fault]:
        return [fault for fault, files in self.caught.items() if not files]

    def idle(self) -> list[str]:
        """Scripts that no fault made fail."""
        useful = {file for files in self.caught.values() for file in files}
        return sorted(self.names - useful)


class Unsound(Exception):
    """Scripts fail on the venue that is not broken."""

    def __init__(self, cases: list[CaseResult]) -> None:
        super().__init__("\n".join(f"{case.file} ({case.version}): {case.why}" for case in cases))


def main() -> int:
    parser = argparse.ArgumentParser(prog="acceptance.mutation", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="scripts, folders; default: all")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME", help="only this one")
    args = parser.parse_args()
    try:
        faults = _chosen(args.fault)
        harness = Harness(scripts_in(args.paths or [SUITES]))
    except (ScriptError, ValueError) as problem:
        print(f"acceptance.mutation: {problem}", file=sys.stderr)
        return UNUSABLE
    except Unsound as problem:
        print(f"the reference venue, unbroken, fails:\n{problem}", file=sys.stderr)
        return UNUSABLE
    print(f"{len(harness.names)} scripts pass on the reference venue as it is")
    for fault in faults:
        files = harness.try_fault(fault)
        named = ", ".join(Path(file).stem for file in files[:3]) + (", ..." if len(files) > 3 else "")
        print(f"{len(files):4}  {fault.label:34}{fault.words}  [{named or 'UNCAUGHT'}]", flush=True)
    idle = harness.idle() if len(faults) == len(Fault) else []
    for file in idle:
        print(f"notices nothing: {file}")
    print(
        f"{len(faults) - len(harness.uncaught())} of {len(faults)} faults caught; "
        f"{len(idle)} of {len(harness.names)} scripts notice none"
    )
    return UNCAUGHT if harness.uncaught() or idle else CAUGHT


def _chosen(names: Iterable[str]) -> list[Fault]:
    known = {fault.label: fault for fault in Fault}
    for name in names:
        if name not in known:
            raise ValueError(
                f"there is no fault {name!r}; `python -m acceptance.reference --faults` lists them"
            )
    return [known[name] for name in names] or list(Fault)


if __name__ == "__main__":
    sys.exit(main())
