"""`fixgw publish history`: follows the log and writes it to the database. A database that is slow or away is
waited for: the log has everything."""

import logging
import os
import select
import signal
import time
from pathlib import Path

import sqlalchemy as sa

from fixgw.history import database
from fixgw.history.database import FOLDER, NOWHERE, Position
from fixgw.history.writing import Writing
from fixgw.publish import standing
from fixgw.publish.reading import Records
from fixgw.publish.standing import Standing
from fixgw.settings import Settings, SettingsError
from fixgw.store.follow import Follower

BATCH = 2_000
"""journal entries in one transaction"""
PAUSE = 0.05
"""seconds between looks at a log that has nothing new: what has come meanwhile is one transaction"""
AGAIN = 1.0
"""seconds until a database that could not be used is tried again"""

log = logging.getLogger("fixgw.history")


class Stop:
    """Told by SIGTERM, Ctrl-C, and the end of the process `beside`."""

    def __init__(self, beside: int | None) -> None:
        self.told = False
        self._reads, self._writes = os.pipe()
        self._waits = [self._reads]
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._tell)
        if beside is not None:
            try:
                self._waits.append(os.pidfd_open(beside))
            except OSError:  # it has ended already
                self._tell()

    def _tell(self, *_: object) -> None:
        self.told = True
        os.write(self._writes, b".")

    def wait(self, seconds: float) -> None:
        self.told = self.told or bool(select.select(self._waits, [], [], seconds)[0])


class HistoryWriter:
    """Raises SettingsError for tables that are not of this log."""

    def __init__(self, engine: sa.Engine, directory: Path, stop: Stop) -> None:
        self._engine = engine
        self._directory = directory
        self._stop = stop
        self._follower = Follower(directory)
        self._records = Records(self._follower)
        self._writing: Writing | None = None
        self._at = NOWHERE
        self._trouble = ""
        self._told = 0.0

    def run(self) -> None:
        while not self._stop.told:
            try:
                self._go_on()
            except sa.exc.DBAPIError as problem:
                self._writing = None
                self._engine.dispose()
                self._complain(database.in_a_line(problem))
                self._stop.wait(AGAIN)

    def begin(self) -> Position:
        """Where it goes on."""
        self._begin()
        return self._at

    def _begin(self) -> None:
        if self._writing is not None:
            return
        at, follower = database.prepare(self._engine), self._follower
        if at.log and at.log != follower.owner:
            raise SettingsError(
                f"the history is of another log than {self._directory} has; name another database, or make "
                "it again with `fixgw history rebuild`"
            )
        if at.journal and follower.fingerprint(at.journal) != at.entry:
            raise SettingsError(
                f"the history goes up to journal entry {at.journal}, and the log has another entry there, or "
                "none: it was set back. `fixgw history rebuild` makes the history again"
            )
        with self._engine.connect() as connection:
            self._writing = Writing(connection, at.day)
        follower.go_to(at.journal + 1)
        self._at = at
        if self._trouble:
            log.info("the database can be used again")
            self._trouble = ""

    def _go_on(self) -> None:
        while not self._stop.told:
            if not self.step():
                self._stop.wait(PAUSE)

    def step(self) -> int:
        """One batch; 0 if there was nothing to do."""
        self._begin()
        assert self._writing is not None
        entries = self._follower.entries(BATCH)
        if entries:
            number, entry = entries[-1]
            at = Position(
                self._follower.owner, entry.first_event + len(entry.events) - 1, number,
                self._follower.fingerprint(number, entry), entry.command.time, "",
            )  # fmt: skip
            records = [each for pair in entries for each in self._records.of(*pair)]
            with self._engine.begin() as connection:
                if database.standing(connection)[:4] != self._at[:4]:
                    self._writing = None  # another process writes, too
                    return 1
                self._writing.write(connection, records, at)
            self._at = at
        self._tell()
        return len(entries)

    def _tell(self) -> None:
        now = time.monotonic()
        if now > self._told + standing.EVERY:
            self._told = now
            folder = self._directory / FOLDER
            folder.mkdir(mode=0o700, exist_ok=True)
            standing.write(folder, Standing(self._at.event, self._at.time))

    def _complain(self, trouble: str) -> None:
        if trouble != self._trouble:
            log.error("the database cannot be used: %s; it is tried again every %g s", trouble, AGAIN)
            self._trouble = trouble


def publish(settings: Settings, source: Path, directory: Path, port: int | None, beside: int | None) -> int:
    """Exit code. Raises SettingsError or StoreError."""
    stop = Stop(beside)
    writer = HistoryWriter(database.make_engine(settings.history, source, directory), directory, stop)
    print(f"ready fixgw history {settings.history.url or 'sqlite'}", flush=True)
    writer.run()
    return 0
