"""`fixgw publish drop-copy`."""

from datetime import UTC, datetime
from pathlib import Path

import uvloop

from fixgw.door.tls import server_context
from fixgw.dropcopy.desk import DropCopyDesk
from fixgw.dropcopy.log import Log
from fixgw.settings import Settings, SettingsError
from fixgw.station.running import fail, run
from fixgw.station.station import Station

NAME = "drop-copy"


def publish(settings: Settings, source: Path, directory: Path, port: int | None, beside: int | None) -> int:
    """Exit code. Raises SettingsError or StoreError."""
    section = settings.drop_copy
    if not section.sessions:
        raise SettingsError(f"{source}: drop_copy.sessions: there are none")
    context = server_context(settings.tls, source, datetime.now(UTC)) if section.tls == "yes" else None
    log = Log(directory)
    desk = DropCopyDesk(log, section.sessions)
    station = Station(
        settings, section.sessions, directory / NAME, NAME, log.id, desk, fail, section.unread_seconds
    )
    where = section.address, section.port if port is None else port
    return uvloop.run(run(station, NAME, *where, context, beside))
