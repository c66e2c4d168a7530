"""Runs a publisher with FIX sessions until it is told to stop, or the venue beside which it was started has
gone."""

import asyncio
import logging
import os
import signal
import ssl
import sys
import traceback
from contextlib import suppress

from fixgw.settings import SettingsError
from fixgw.station.station import Station

GOODBYE = 1.0
"""seconds clients have to answer the Logout"""
UNUSABLE, FAILED = 2, 70
"""exit codes"""

log = logging.getLogger("fixgw.station")


def stop_with(beside: int | None) -> asyncio.Event:
    """Set by SIGTERM, Ctrl-C, and the end of the process `beside`."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if beside is not None:
        try:
            loop.add_reader(os.pidfd_open(beside), stop.set)
        except OSError:  # it has ended already
            stop.set()
    return stop


async def run(
    station: Station, name: str, address: str, port: int, context: ssl.SSLContext | None, beside: int | None
) -> int:
    """Returns the exit code. `context`: for TLS."""
    stop = stop_with(beside)
    opening = station.door.open(address, port)
    if context is not None:
        opening.close()
        opening = station.door.open_tls(address, port, context)
    try:
        where = await opening
    except OSError as problem:
        reason = os.strerror(problem.errno) if problem.errno and problem.errno > 0 else str(problem)
        station.close()
        raise SettingsError(f"cannot listen on {address}:{port}: {reason}") from None
    print(f"ready fixgw {name} {where[0]}:{where[1]} sessions={len(station.sessions)}", flush=True)
    turns = station.turns
    tasks = [asyncio.ensure_future(turns.look()), asyncio.ensure_future(turns.tick())]
    for task in tasks:
        task.add_done_callback(_end_with)
    await stop.wait()
    station.door.shut()
    for task in tasks:
        task.cancel()
    turns.log_out("the venue is closing")
    deadline = asyncio.get_running_loop().time() + GOODBYE
    while turns.connected and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(0.01)
    turns.stop()
    station.close()
    return 0


def _end_with(task: "asyncio.Future[None]") -> None:
    with suppress(asyncio.CancelledError):
        problem = task.exception()
        if problem is not None:
            fail(problem)


def fail(error: BaseException) -> None:
    """Nothing of the turn was sent; the process ends, and is started again."""
    log.critical("it stops: %s", error)
    traceback.print_exception(error)
    sys.stderr.flush()
    os._exit(FAILED)
