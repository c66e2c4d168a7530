"""`python -m acceptance.mutation`: do the scripts notice what is wrong?

Plays them against the small reference venue: as it is, when all must pass, and then with one behaviour broken
at a time, when one must fail. Says which scripts catch which fault, which faults nobody notices, and which
scripts notice none."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from acceptance.command import SUITES
from acceptance.mutation_table import ENOUGH, PAGE, counted, few, with_table
from acceptance.reading import ScriptError
from acceptance.reference.faults import Fault
from acceptance.results import CaseResult
from acceptance.runner import Runner, scripts_in
from acceptance.script import Script
from acceptance.target import OwnVenue, Serve

PATIENCE = 1.0
"""seconds a step waits for a message; the reference venue answers at once"""
JOBS, AT_ONCE = 12, 3
"""scripts played side by side, and faults"""
LACKS = (
    "accounts with money", "at the close", "at the opening", "auctions", "GTD", "iceberg orders",
    "kill switch", "market orders by value", "market states", "mass cancel", "mass status", "MinQty",
    "NewPassword", "open order limits", "order status", "orders canceled by the operator",
    "phases after a restart", "post-only orders", "price bands", "reset by the operator", "schedules",
    "security list", "security status", "self-trade prevention", "stop orders", "stop-limit orders", "TLS",
    "trade bust", "trade correct", "trading session status", "value limits", "volatility halts",
)  # fmt: skip
"""what the reference venue does not offer"""
CAUGHT, UNCAUGHT, UNUSABLE = 0, 1, 2

Case = tuple[Script, str]
"""a script, and the version in which it is played"""


def serves(fault: Fault | None) -> Serve:
    """The reference venue, broken or not."""

    def words(settings: Path, data: Path, port: int) -> list[str]:
        broken = ["--fault", fault.label] if fault else []
        place = ["--settings", str(settings), "--data", str(data), "--port", str(port)]
        return ["acceptance.reference", *place, *broken]

    return words


def name_of(script: Script) -> str:
    """`orders/ioc/partly`, `matrix/c-quantity:C.1.a`"""
    inside = script.file.resolve()
    inside = inside.relative_to(SUITES) if inside.is_relative_to(SUITES) else Path(inside.name)
    name = inside.with_suffix("").as_posix()
    scenarios = (point.removeprefix("matrix ") for point in script.proves if point.startswith("matrix "))
    here = [each for each in scenarios if script.title.startswith(f"{each} ")]
    return f"{name}:{here[0]}" if here else name


def play(cases: Sequence[Case], fault: Fault | None, enough: int = sys.maxsize) -> list[CaseResult | None]:
    """None: not played, since `enough` had failed. Those that start a venue come last, and not at all if
    others have failed and there is an `enough`."""
    found: dict[int, CaseResult] = {}
    with OwnVenue(serve=serves(fault), lacks=LACKS) as venue:
        runner = Runner(venue, PATIENCE, JOBS)
        with closing(runner):
            for group in (False, True):
                places = [place for place, case in enumerate(cases) if costly(case) is group]
                found |= _side_by_side(runner, {place: cases[place] for place in places}, enough)
                if enough < sys.maxsize and any(each.outcome == "failed" for each in found.values()):
                    break
    return [found.get(place) for place in range(len(cases))]


def _side_by_side(runner: Runner, cases: dict[int, Case], enough: int) -> dict[int, CaseResult]:
    """By the same numbers. Failures must happen twice if they are few: a busy machine may have been late."""
    failed: list[int] = []

    def one(place: int) -> CaseResult | None:
        if len(failed) >= enough:
            return None
        result = runner.case(*cases[place])
        if result.outcome == "failed":
            failed.append(place)
        return result

    with ThreadPoolExecutor(JOBS) as pool:
        found = dict(zip(cases, pool.map(one, cases), strict=True))
    if len(failed) < ENOUGH:
        found |= {place: runner.case(*cases[place]) for place in failed}
    return {place: result for place, result in found.items() if result is not None}


def costly(case: Case) -> bool:
    script, _ = case
    return script.alone or bool(script.venue)


class Harness:
    """`caught`: of each fault the names of scripts that failed, in alphabetical order."""

    def __init__(self, scripts: list[Script]) -> None:
        """Scripts that are not for the reference venue are left out; one that fails on it raises Unsound."""
        cases = [(script, version) for script in scripts for version in script.versions]
        sound = [each for each in play(cases, None) if each is not None]
        failed = [case for case in sound if case.outcome == "failed"]
        if failed:
            raise Unsound(failed)
        self.cases = [case for case, result in zip(cases, sound, strict=True) if result.outcome == "passed"]
        self.names = {name_of(script) for script, _ in self.cases}
        self.caught: dict[Fault, list[str]] = {}

    def try_fault(self, fault: Fault) -> list[str]:
        """Names of scripts that failed, each in its first version; if none did, in the other one. Another
        script is the first for each fault."""
        first = list({name_of(script): (script, version) for script, version in self.cases[::-1]}.values())
        other = [case for case in self.cases if case not in first]
        turn = 7 * list(Fault).index(fault) % max(1, len(first))
        names = self._play([*first[turn:], *first[:turn]], fault) or self._play(other, fault)
        self.caught[fault] = names
        return names

    def wake(self) -> None:
        """Plays those that have noticed nothing yet against faults to which they may not have been played:
        those caught by most first."""
        for fault in sorted(self.caught, key=lambda each: -len(self.caught[each])):
            idle = set(self.idle())
            if not idle:
                return
            if self.caught[fault]:
                cases = [case for case in self.cases if name_of(case[0]) in idle]
                self.caught[fault] = sorted({*self.caught[fault], *self._play(cases, fault, sys.maxsize)})

    def uncaught(self) -> list[Fault]:
        return [fault for fault, names in self.caught.items() if not names]

    def idle(self) -> list[str]:
        """Scripts that no fault made fail."""
        useful = {name for names in self.caught.values() for name in names}
        return sorted(self.names - useful)

    def _play(self, cases: list[Case], fault: Fault, enough: int = ENOUGH) -> list[str]:
        results = play(cases, fault, enough)
        failed = (
            name_of(script)
            for (script, _), result in zip(cases, results, strict=True)
            if result is not None and result.outcome == "failed"
        )
        return sorted(set(failed))


class Unsound(Exception):
    """Scripts fail on the venue that is not broken."""

    def __init__(self, cases: list[CaseResult]) -> None:
        super().__init__("\n".join(f"{case.file} ({case.version}): {case.why}" for case in cases))


def main() -> int:
    parser = argparse.ArgumentParser(prog="acceptance.mutation", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="scripts, folders; default: all")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME", help="only this one")
    parser.add_argument("--write", action="store_true", help=f"what was found into {PAGE.name}")
    args = parser.parse_args()
    try:
        faults = chosen(args.fault)
        if args.write and (args.paths or args.fault):
            raise ValueError("--write is for all scripts and all faults")
        harness = Harness(scripts_in(args.paths or [SUITES]))
    except (ScriptError, ValueError) as problem:
        print(f"acceptance.mutation: {problem}", file=sys.stderr)
        return UNUSABLE
    except Unsound as problem:
        print(f"the reference venue, unbroken, fails:\n{problem}", file=sys.stderr)
        return UNUSABLE
    print(f"{len(harness.names)} scripts pass on the reference venue as it is", flush=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for fault, names in zip(faults, pool.map(harness.try_fault, faults), strict=True):
            print(
                f"{counted(names):>4}  {fault.label:36}{fault.words}  [{few(names) or 'UNCAUGHT'}]",
                flush=True,
            )
    all_faults = len(faults) == len(Fault)
    if all_faults:
        harness.wake()
    idle = harness.idle() if all_faults else []
    for name in idle:
        print(f"notices nothing: {name}")
    print(
        f"{len(faults) - len(harness.uncaught())} of {len(faults)} faults caught; "
        f"{len(idle)} of {len(harness.names)} scripts notice none"
    )
    if args.write:
        PAGE.write_text(with_table(PAGE.read_text(), harness.caught, len(harness.names), len(idle)))
    return UNCAUGHT if harness.uncaught() or idle else CAUGHT


def chosen(names: Iterable[str]) -> list[Fault]:
    """All, if none is named. Raises ValueError."""
    known = {fault.label: fault for fault in Fault}
    for name in names:
        if name not in known:
            raise ValueError(
                f"there is no fault {name!r}; `python -m acceptance.reference --faults` lists them"
            )
    return [known[name] for name in names] or list(Fault)


if __name__ == "__main__":
    sys.exit(main())
