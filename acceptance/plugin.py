"""Scripts as tests of pytest: `pytest -p acceptance.plugin acceptance/scripts`.

Each script is a test in each of its versions, against one venue of the tool's own, or the one of
`--certify-target` and `--certify-profile`. Scripts are YAML files in or below folders named `scripts`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acceptance.keeping import UNREACHED
from acceptance.options import place
from acceptance.profile import load_profile
from acceptance.reading import ScriptError
from acceptance.runner import Runner, is_script, scripts_in
from acceptance.script import Script
from acceptance.target import Elsewhere, OwnVenue, Unreached
from fixgw.settings import SettingsError
from fixgw.settings.reading import Mistake

TARGET = pytest.StashKey[Elsewhere]()
RUNNER = pytest.StashKey[Runner]()
VENUE = pytest.StashKey[OwnVenue]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("certify", "certification scripts")
    group.addoption(
        "--certify-target", metavar="HOST:PORT", help="the venue; default: one started for the run"
    )
    group.addoption("--certify-profile", type=Path, metavar="FILE", help="what is known of it")


def pytest_configure(config: pytest.Config) -> None:
    """Raises UsageError."""
    where, profile = config.getoption("--certify-target"), config.getoption("--certify-profile")
    try:
        if where:
            host, port = place("--certify-target", where)
            if profile is None:
                raise Mistake("--certify-target", "needs --certify-profile")
            config.stash[TARGET] = Elsewhere(host, port, load_profile(profile))
        elif profile is not None:
            raise Mistake("--certify-profile", "goes with --certify-target")
    except (SettingsError, Mistake) as problem:
        raise pytest.UsageError(str(problem)) from None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScriptFile | None:
    if not is_script(file_path) or "scripts" not in (part.name for part in file_path.parents):
        return None
    return ScriptFile.from_parent(parent, path=file_path)


def pytest_unconfigure(config: pytest.Config) -> None:
    if RUNNER in config.stash:
        config.stash[RUNNER].close()
    if VENUE in config.stash:
        config.stash[VENUE].__exit__()


class ScriptFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        try:
            scripts = scripts_in([self.path])
        except ScriptError as mistake:
            raise self.CollectError(str(mistake)) from None
        for number, script in enumerate(scripts, 1):
            for version in script.versions:
                name = version if len(scripts) == 1 else f"{number}-{version}"
                yield ScriptItem.from_parent(self, name=name, script=script, version=version)


class ScriptItem(pytest.Item):
    def __init__(self, *, script: Script, version: str, **more: Any) -> None:
        super().__init__(**more)
        self._script = script
        self._version = version

    def runtest(self) -> None:
        case = _runner(self.config).case(self._script, self._version)
        if case.outcome == "not offered" or (case.outcome == "not run" and TARGET in self.config.stash):
            pytest.skip(case.why)
        if case.outcome == "not run":  # on a venue of our own there is nothing that could not be played
            raise ScriptFailed(f"not run: {case.why}")
        if case.outcome == "failed":
            said = [f"{each.session:3}{each.way:5}{each.words or each.text}" for each in case.conversation]
            raise ScriptFailed("\n".join([self._script.title, case.why, "", *said]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, ScriptFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self._script.title} ({self._version})"


class ScriptFailed(Exception):
    """What was expected and what came, and the conversation up to there."""


def _runner(config: pytest.Config) -> Runner:
    """One for the whole run, and its venue. Without one there is nothing to run."""
    if RUNNER not in config.stash:
        try:
            if TARGET in config.stash:
                config.stash[RUNNER] = Runner(config.stash[TARGET].__enter__())
            else:
                config.stash[VENUE] = venue = OwnVenue().__enter__()
                config.stash[RUNNER] = Runner(venue)
        except Unreached as problem:
            pytest.exit(str(problem), UNREACHED)
    return config.stash[RUNNER]
