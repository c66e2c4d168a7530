"""Plays many scripts, side by side where they use different sessions, and gathers what they found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path
from platform import node

from acceptance.casting import Cast
from acceptance.definitions import SUFFIX, load_definition
from acceptance.loading import load
from acceptance.play import Play
from acceptance.results import CaseResult, Outcome, Report
from acceptance.script import Script
from acceptance.target import OwnVenue, Target, Unreached
from fixgw import __version__

TEMPLATES = "templates.yaml"


def scripts_in(paths: Iterable[Path]) -> list[Script]:
    """All scripts in files and folders, in the order of their names. Raises ScriptError."""
    files: list[Path] = []
    for path in paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        files += [file for file in found if not path.is_dir() or is_script(file)]
    return [load_definition(file) if file.suffix == SUFFIX else load(file) for file in files]


def is_script(file: Path) -> bool:
    return file.suffix in (".yaml", SUFFIX) and file.name != TEMPLATES


class Runner:
    def __init__(
        self, target: Target, patience: float = 5.0, jobs: int = 4, own: Callable[[], bool] = lambda: True
    ) -> None:
        """`patience`: seconds a step waits for a message; `jobs`: scripts at one time; `own`: whether scripts
        that need a venue of their own may start one."""
        self._target = target
        self._cast = Cast(target.profile)
        self._patience = patience
        self._jobs = jobs
        self._own = own

    def run(
        self, scripts: list[Script], versions: list[str], told: Callable[[CaseResult], None] = lambda _: None
    ) -> Report:
        """`told` hears of each case as it ends."""
        began, started = time.monotonic(), datetime.now(UTC)
        plays = [
            (script, version) for script in scripts for version in script.versions if version in versions
        ]

        def one(play: tuple[Script, str]) -> CaseResult:
            result = self.case(*play)
            told(result)
            return result

        with ThreadPoolExecutor(self._jobs) as pool:
            cases = list(pool.map(one, plays))
        host, port = self._target.address
        return Report(
            title="Certification of a venue",
            tool=f"fixgw {__version__}",
            target=f"{self._target.profile.comp_id} at {host}:{port}",
            by=f"{getuser()} on {node()}",
            started=started.isoformat(timespec="seconds"),
            seconds=round(time.monotonic() - began, 1),
            cases=cases,
            settings={"versions": ", ".join(versions)},
        )

    def case(self, script: Script, version: str) -> CaseResult:
        """Never raises: what cannot be played says why."""
        missing = self._target.profile.lacks(script.needs)
        if missing:
            return _unplayed(script, version, "not offered", f"the venue does not offer {', '.join(missing)}")
        own = isinstance(self._target, OwnVenue)
        if script.alone or (script.venue and (own or not script.plain)):
            return self._alone(script, version)
        return self._play(script, version, self._target, self._cast)

    def _alone(self, script: Script, version: str) -> CaseResult:
        if not isinstance(self._target, OwnVenue):
            return _unplayed(script, version, "not run", "it needs a venue started for it")
        try:
            with self._target.another(script.venue) as venue:
                return self._play(script, version, venue, Cast(venue.profile))
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


def _unplayed(script: Script, version: str, outcome: Outcome, why: str) -> CaseResult:
    return CaseResult(str(script.file), script.title, version, script.proves, outcome, why)
