"""`fixgw serve`: opens the door, runs the cycle, closes in good order."""

import argparse
import asyncio
import gc
import logging
import os
import signal
import sys
import traceback
from pathlib import Path

import uvloop

from fixgw import __version__
from fixgw.admin.server import AdminServer
from fixgw.assembly import Assembly
from fixgw.cycle.cycle import TICKS
from fixgw.door.door import Door
from fixgw.settings import Settings, SettingsError, is_loopback, load, open_to_the_world, port_number
from fixgw.store.failures import StoreError, in_words

GOODBYE = 1.0
"""seconds clients have to answer the Logout of a venue that stops"""
UNUSABLE = 2
"""exit code for settings or data that cannot be used"""
FAILED = 70
"""exit code when a cycle could not be completed: start again, the journal has everything"""

log = logging.getLogger("fixgw")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run the venue in the foreground. Prints one line starting with `ready` once it accepts connections; "
        "SIGTERM or Ctrl-C logs the sessions out, commits and ends it."
    )
    parser.add_argument("--config", type=Path, default=Path("config/venue.yaml"), help="the venue's settings")
    parser.add_argument("--data", type=Path, default=Path("data"), help="its data directory, made if missing")
    parser.add_argument(
        "--port", type=port_number, help="TCP port instead of the configured one; 0 takes a free one"
    )


def serve_command(args: argparse.Namespace) -> int:
    """Exit code: 0 after a clean stop, 2 for settings or data that cannot be used, 70 after a failure."""
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    try:
        settings = load(args.config)
        _check_address(settings, args.config)
        with in_words(args.data):
            assembly = Assembly(settings, str(args.config), args.data, _fail)
    except (SettingsError, StoreError) as problem:
        print(f"fixgw serve: {problem}", file=sys.stderr)
        return UNUSABLE
    port = settings.venue.port if args.port is None else args.port
    # What lives now lives for good; later collections need not look at it again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    return uvloop.run(_serve(assembly, args.data, port))


async def _serve(assembly: Assembly, directory: Path, port: int) -> int:
    settings, cycle, loop = assembly.settings, assembly.cycle, asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):  # importing quickfix took SIGINT's handler away
        loop.add_signal_handler(number, stop.set)
    door = Door(settings.door, assembly.gate, cycle.knock, assembly.message_log)
    admin = AdminServer(directory, assembly)
    try:
        address, port = await door.open(settings.venue.address, port)
        await admin.open()
    except OSError as problem:
        print(
            f"fixgw serve: cannot listen on {settings.venue.address}:{port}: {_reason(problem)}",
            file=sys.stderr,
        )
        assembly.close()
        return UNUSABLE
    _tell_ready(assembly, address, port)
    ticking = loop.create_task(_tick(assembly))
    await stop.wait()
    door.shut()
    await admin.shut()
    await _log_out(assembly)
    ticking.cancel()
    assembly.close()
    log.info("stopped at journal entry %d", assembly.recorder.sequence)
    return 0


def _tell_ready(assembly: Assembly, address: str, port: int) -> None:
    recorder = assembly.recorder
    print(
        f"ready fixgw {__version__} {address}:{port} journal={recorder.sequence} "
        f"state={recorder.venue.digest()[:16]} sessions={len(assembly.sessions)}",
        flush=True,
    )
    if not assembly.clean:
        log.warning("the last stop was not clean; %d journal entries replayed", assembly.replayed)


async def _tick(assembly: Assembly) -> None:
    while True:
        await asyncio.sleep(0.5 / TICKS)
        assembly.cycle.tick()


async def _log_out(assembly: Assembly) -> None:
    deadline = asyncio.get_running_loop().time() + GOODBYE
    assembly.cycle.log_out("the venue is closing")
    while assembly.cycle.connected and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(0.01)
    assembly.cycle.stop()


def _check_address(settings: Settings, source: Path) -> None:
    open_sessions = open_to_the_world(settings)
    if open_sessions and not is_loopback(settings.venue.address):
        raise SettingsError(
            f"{source}: venue.address: {settings.venue.address} can be reached from outside, but session "
            f"{open_sessions[0]} has no password; give every session one, or listen on 127.0.0.1"
        )


def _reason(problem: OSError) -> str:
    """In the system's own words; asyncio's are longer."""
    return os.strerror(problem.errno) if problem.errno and problem.errno > 0 else str(problem)


def _fail(error: BaseException) -> None:
    """A cycle was not completed: nothing of it was sent, and memory may be ahead of the store."""
    log.critical("the venue stops: %s", error)
    traceback.print_exception(error)
    sys.stderr.flush()
    os._exit(FAILED)
