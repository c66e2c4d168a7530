"""A floor whose clock the test moves: from one day, or one session, to the next."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from fixgw.store import audit
from fixgw.store.store import Store
from tests.venue.floor import Floor

SECOND = 10**9
DAY = 24 * 3600


class Calendar(Floor):
    """Its clock begins with the true one, or at `begin`. It has few sessions, as it is started often: those
    named in `sessions`, with these settings, and one or two of each client."""

    def __init__(
        self,
        directory: Path,
        sessions: dict[str, dict[str, Any]] | None = None,
        begin: datetime | None = None,
        **sections: dict[str, Any],
    ) -> None:
        super().__init__(directory, **sections)
        settings = yaml.safe_load(self.config.read_text())
        all_sessions = settings["sessions"]
        settings["sessions"] = {
            # Clients keep the true time, whatever the venue's clock shows.
            name: all_sessions[name] | {"transact_time_seconds": "31536000"} | (sessions or {}).get(name, {})
            for name in dict.fromkeys(["ALPHA", "ALPHA2", "BRAVO", "CHARLIE", *(sessions or {})])
        }
        self.config.write_text(yaml.safe_dump(settings, default_flow_style=None))
        self._file = directory / "ahead"
        words = list(self.command)
        words[words.index("fixgw") : words.index("fixgw") + 1] = ["tests.venue.clock", str(self._file)]
        self.command = tuple(words)
        self.ahead = 0
        self.move_to(begin or datetime.now(UTC))

    def _write(self) -> None:
        whole = self._file.with_suffix(".new")
        whole.write_text(str(self.ahead))
        whole.rename(self._file)

    def move(self, seconds: int) -> None:
        """Onwards, or back. What is due then happens within a second."""
        self.ahead += seconds
        self._write()

    def move_to(self, moment: datetime) -> None:
        """To that second, at its beginning or up to a second later."""
        self.ahead = int(moment.timestamp()) - int(time.time())
        self._write()

    def next_day(self) -> None:
        self.move(DAY)

    def set_back(self) -> None:
        self.move(-DAY)

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(time.time() + self.ahead, UTC)

    @property
    def day(self) -> date:
        """The trading day, if it ends at midnight UTC."""
        return self.now.date()

    def trading_day(self) -> str:
        return self.status()["fixgw"].split("day ")[1]

    def wait_for_day(self, day: date | str | None = None) -> None:
        while self.trading_day() != str(day or self.day):
            assert self.process.poll() is None, self.errors

    def deeds(self, who: str) -> list[str]:
        """What `who` did by the audit; of a venue that is stopped in good order or just started."""
        store = Store(self.data, 0, readonly=True)
        with store.read() as transaction:
            found = [deed.what for _, deed in audit.deeds(store, transaction) if deed.who == who]
        store.close()
        return found


@contextmanager
def moving(
    directory: Path,
    sessions: dict[str, dict[str, Any]] | None = None,
    begin: datetime | None = None,
    **sections: dict[str, Any],
) -> Iterator[Calendar]:
    """One that must be alive at the end, and stop in good order."""
    with Calendar(directory, sessions, begin, **sections) as venue:
        try:
            yield venue
        except BaseException as failure:
            failure.add_note(f"the venue wrote:\n{venue.errors[-3000:]}")
            raise
        assert venue.terminate() == 0, venue.errors
        assert "Traceback" not in venue.errors, venue.errors


def next_weekday(weekday: int, clock: str, zone: str) -> datetime:
    """The first such local time from tomorrow on; 0 is Monday."""
    today = datetime.now(ZoneInfo(zone)).date()
    day = today + timedelta(days=1 + (weekday - today.weekday() - 1) % 7)
    return datetime.fromisoformat(f"{day} {clock}").replace(tzinfo=ZoneInfo(zone))
