"""`fixgw publish metrics`."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from fixgw.metrics.counter import Counter
from fixgw.settings import Settings, SettingsError
from fixgw.station.running import stop_with

PAUSE = 0.05
"""seconds between looks at a log that has nothing new"""


def publish(settings: Settings, source: Path, directory: Path, port: int | None, beside: int | None) -> int:
    """Exit code. Raises SettingsError or StoreError."""
    try:
        from fixgw.metrics.endpoint import serve
        from fixgw.metrics.exposition import registry
    except ImportError as problem:
        raise SettingsError(
            f"{source}: metrics: one more package is needed: pip install 'fixgw[metrics]' ({problem})"
        ) from None
    counter = Counter(directory)
    where = settings.metrics.address, settings.metrics.port if port is None else port
    try:
        server = serve(*where, registry(directory, counter))
    except OSError as problem:
        reason = os.strerror(problem.errno) if problem.errno and problem.errno > 0 else str(problem)
        raise SettingsError(f"{source}: metrics: cannot listen on {where[0]}:{where[1]}: {reason}") from None
    try:
        print(f"ready fixgw metrics {server.server_name}:{server.server_port} path=/metrics", flush=True)
        asyncio.run(_run(counter, beside))
    finally:
        server.shutdown()
        counter.close()
    return 0


async def _run(counter: Counter, beside: int | None) -> None:
    stop = stop_with(beside)
    while not stop.is_set():
        pause = 0.0 if counter.step() else PAUSE
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), pause)
