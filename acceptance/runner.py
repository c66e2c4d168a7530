"""Plays many scripts, side by side where they use different sessions, and gathers what they found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path
from platform import node

from acceptance.casting import Cast
from acceptance.definitions import SUFFIX, load_definition
from acceptance.features import check_needs
from acceptance.interrupting import Interrupted
from acceptance.loading import load_all
from acceptance.play import Play
from acceptance.results import CaseResult, Outcome, Report
from acceptance.script import Script
from acceptance.side_by_side import side_by_side
from acceptance.target import OwnVenue, Target, Unreached
from acceptance.venues import Venues
from fixgw import __version__

TEMPLATES = "templates.yaml"


def scripts_in(paths: Iterable[Path]) -> list[Script]:
    """All scripts in files and folders, in the order of their names. Raises ScriptError."""
    files: list[Path] = []
    for path in paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        files += [file for file in found if not path.is_dir() or is_script(file)]
    scripts = [script for file in files for script in _scripts_of(file)]
    for script in scripts:
        check_needs(script)
    return scripts


def _scripts_of(file: Path) -> list[Script]:
    return [load_definition(file)] if file.suffix == SUFFIX else load_all(file)


def is_script(file: Path) -> bool:
    return file.suffix in (".yaml", SUFFIX) and file.name != TEMPLATES


class Runner:
    def __init__(self, target: Target, patience: float = 5.0, jobs: int = 4) -> None:
        """`patience`: seconds a step waits for a message; `jobs`: scripts at one time."""
        self._target = target
        self._cast = Cast(target.profile)
        self._patience = patience
        self._jobs = jobs
        self._venues = Venues(target.another) if isinstance(target, OwnVenue) else None

    def run(
        self, scripts: list[Script], versions: list[str], told: Callable[[CaseResult], None] = lambda _: None
    ) -> Report:
        """`told` hears of each case as it ends, in this thread. A run that is interrupted is reported too."""
        began, started = time.monotonic(), datetime.now(UTC)
        plays = _plays(scripts, versions)
        found: dict[int, CaseResult] = {}
        interrupted = ""
        # One version after the other: a venue of a script's own is free again for its other version.
        order = sorted(range(len(plays)), key=lambda place: versions.index(plays[place][1]))
        try:
            for turn, case in side_by_side(lambda place: self.case(*plays[place]), order, self._jobs):
                found[order[turn]] = case
                told(case)
            self.close()
        except Interrupted as end:
            interrupted = end.name
        finally:
            self.close()
        host, port = self._target.address
        name = f"{self._target.profile.comp_id} at {host}:{port}"
        report = unplayed_report(name, scripts, versions, interrupted)
        report.cases = [found.get(place, case) for place, case in enumerate(report.cases)]
        report.started = started.isoformat(timespec="seconds")
        report.seconds = round(time.monotonic() - began, 1)
        return report

    def close(self) -> None:
        """Ends the venues it has started; no others start."""
        if self._venues is not None:
            self._venues.close()

    def case(self, script: Script, version: str) -> CaseResult:
        """Never raises: what cannot be played says why."""
        missing = self._target.profile.lacks(script.needs)
        if missing:
            return _unplayed(script, version, "not offered", f"the venue does not offer {', '.join(missing)}")
        own = isinstance(self._target, OwnVenue)
        if script.alone or (script.venue and (own or not script.plain)):
            return self._elsewhere(script, version)
        return self._play(script, version, self._target, self._cast)

    def _elsewhere(self, script: Script, version: str) -> CaseResult:
        """On a venue with the settings it needs; to itself, or together with all that need the same."""
        if self._venues is None:
            return _unplayed(script, version, "not run", "it needs a venue started for it")
        try:
            if not (script.alone or script.plain):  # plain ones may be of one session
                shared = self._venues.share(script.venue)
                return self._play(script, version, shared.venue, shared.cast)
            with self._venues.lend(script.venue) as lent:
                result = self._play(script, version, lent.venue, lent.cast)
                # One that was restarted sends other sessions again what it is not sure they have.
                restarted = any(step.verb == "restart" for step in script.steps)
                lent.good = result.outcome == "passed" and not (script.plain or restarted)
                return result
        except Unreached as problem:
            return _unplayed(script, version, "not run", str(problem))

    def _play(self, script: Script, version: str, target: Target, cast: Cast) -> CaseResult:
        if script.plain:
            roles = dict.fromkeys(script.sessions, "")
            return Play(script, version, roles, target.profile, "", target, self._patience).run()
        why = cast.lacks(script.sessions, version)
        if why:
            return _unplayed(script, version, "not run", why)
        with cast.lend(script.sessions, version) as (roles, symbol):
            return Play(script, version, roles, target.profile, symbol, target, self._patience).run()


def unplayed_report(target: str, scripts: list[Script], versions: list[str], interrupted: str) -> Report:
    """Of a run that a signal has ended before it began."""
    why = f"the run was interrupted by {interrupted}"
    return Report(
        title="Certification of a venue",
        tool=f"fixgw {__version__}",
        target=target,
        by=f"{getuser()} on {node()}",
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=0.0,
        cases=[_unplayed(*play, "not run", why) for play in _plays(scripts, versions)],
        settings={"versions": ", ".join(versions)},
        interrupted=interrupted,
    )


def _plays(scripts: list[Script], versions: list[str]) -> list[tuple[Script, str]]:
    return [(script, version) for script in scripts for version in script.versions if version in versions]


def _unplayed(script: Script, version: str, outcome: Outcome, why: str) -> CaseResult:
    return CaseResult(str(script.file), script.title, version, script.proves, outcome, why)
