"""`fixgw publish market-data`: FIX sessions that subscribe to books and trades."""

import logging
import math
import ssl
from datetime import UTC, datetime
from pathlib import Path

import uvloop

from fixgw.door.tls import server_context
from fixgw.marketdata.desk import MarketDataDesk
from fixgw.publish.replica import Replica
from fixgw.settings import Settings
from fixgw.station.running import fail, run
from fixgw.station.station import Station
from fixgw.store import journal

AT_ONCE = 1000
"""journal entries read at a time, until it is where the venue is"""
RULES = "market-data"
"""the folder of the rules of engagement, and the data directory"""

log = logging.getLogger("fixgw.marketdata")


def publish(settings: Settings, source: Path, directory: Path, port: int | None, beside: int | None) -> int:
    """Returns the exit code. Raises SettingsError or StoreError."""
    wanted = settings.market_data
    context: ssl.SSLContext | None = None
    if wanted.tls == "yes":
        context = server_context(settings.tls, source, datetime.now(UTC))
    replica = Replica(directory)
    first = replica.venue.sequence
    while entries := replica.following(AT_ONCE):
        for sequence, entry in entries:
            replica.apply(sequence, entry)
    log.info(
        "the books of %d entries, %d of them replayed", replica.venue.sequence, replica.venue.sequence - first
    )
    desk = MarketDataDesk(replica, _last_time(replica), wanted.sessions, settings.door.unread_bytes)
    own = directory / RULES
    own.mkdir(mode=0o700, exist_ok=True)
    station = Station(settings, wanted.sessions, own, RULES, replica.follower.owner, desk, fail, math.inf)
    at = wanted.port if port is None else port
    return uvloop.run(run(station, RULES, wanted.address, at, context, beside))


def _last_time(replica: Replica) -> int:
    """Of the last journal entry that it has; 0 if there is none."""
    store = replica.follower.store
    with store.read() as transaction:
        entry = journal.read(store, transaction, replica.venue.sequence)
    return 0 if entry is None else entry.command.time
