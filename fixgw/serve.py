"""`fixgw serve`: opens the door, runs the cycle, closes in good order."""

import argparse
import asyncio
import gc
import logging
import os
import signal
import ssl
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import uvloop

from engine import venue
from fixgw import __version__
from fixgw.admin.server import AdminServer
from fixgw.assembly import Assembly
from fixgw.cycle.cycle import TICKS
from fixgw.door.tls import files_digest, server_context
from fixgw.metrics.watch import Watch
from fixgw.reload import reload
from fixgw.settings import SettingsError, check_addresses, load, port_number
from fixgw.snapshots.supervisor import Supervisor
from fixgw.store.directory import data_path
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
        "SIGTERM or Ctrl-C logs the sessions out, commits and ends it; SIGHUP reads settings "
        "and certificates again."
    )
    parser.add_argument("--config", type=Path, default=Path("config/venue.yaml"), help="the venue's settings")
    parser.add_argument(
        "--data", type=data_path, default=Path("data"), help="its data directory, made if missing"
    )
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
        check_addresses(settings, args.config)
        context = server_context(settings.tls, args.config, datetime.now(UTC))
        with in_words(args.data):
            assembly = Assembly(settings, str(args.config), args.data, _fail)
        assembly.certificates_digest = files_digest(settings.tls, args.config)
    except (SettingsError, StoreError) as problem:
        print(f"fixgw serve: {problem}", file=sys.stderr)
        return UNUSABLE
    port = settings.venue.port if args.port is None else args.port
    # What lives now lives for good; later collections need not look at it again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    assembly.meter.watch_gc()
    return uvloop.run(_serve(assembly, args.data, port, context))


async def _serve(assembly: Assembly, directory: Path, port: int, context: ssl.SSLContext | None) -> int:
    settings, loop = assembly.settings, asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):  # importing quickfix took SIGINT's handler away
        loop.add_signal_handler(number, stop.set)
    door = assembly.door
    admin = AdminServer(directory, assembly)
    try:
        await assembly.begin()
    except SettingsError as problem:
        print(f"fixgw serve: {problem}", file=sys.stderr)
        await assembly.close()
        return UNUSABLE
    where = (settings.venue.address, port)
    try:
        open_at = [await door.open(*where)]
        if context is not None:
            where = (settings.tls.address, settings.tls.port)
            open_at.append(await door.open_tls(*where, context))
        await admin.open()
    except OSError as problem:
        print(f"fixgw serve: cannot listen on {_written(where)}: {_reason(problem)}", file=sys.stderr)
        await assembly.close()
        return UNUSABLE
    _reload_on_hangup(assembly)
    _tell_ready(assembly, *map(_written, open_at))
    ticking = loop.create_task(_tick(assembly, Watch(assembly)))
    supervisor = Supervisor(
        directory, lambda: assembly.settings.snapshots, lambda: assembly.recorder.sequence, assembly.meter
    )
    following = loop.create_task(supervisor.run())
    assembly.outputs.follow()
    await stop.wait()
    following.cancel()
    closing = loop.create_task(assembly.outputs.close())
    door.shut()
    await admin.shut()
    await _log_out(assembly)
    await closing
    ticking.cancel()
    await assembly.close()
    log.info("stopped at journal entry %d", assembly.recorder.sequence)
    return 0


def _tell_ready(assembly: Assembly, plain: str, tls: str = "") -> None:
    recorder = assembly.recorder
    line = (
        f"ready fixgw {__version__} {plain} journal={recorder.sequence} "
        f"state={recorder.venue.digest()[:16]} sessions={len(assembly.sessions)}"
    )
    print(f"{line} tls={tls}" if tls else line, flush=True)
    if not venue.__file__.endswith(".py"):
        log.info("the engine is compiled: %s", venue.__file__)
    if not assembly.clean:
        log.warning("the last stop was not clean; %d journal entries replayed", assembly.replayed)


async def _tick(assembly: Assembly, watch: Watch) -> None:
    loop, meter = asyncio.get_running_loop(), assembly.meter
    due = loop.time()
    while True:
        due = max(due + 0.5 / TICKS, loop.time())  # however long the tick before has taken
        await asyncio.sleep(due - loop.time())
        begin = meter.clock()
        assembly.cycle.tick()
        watch.tick()
        meter.ticked(begin, meter.clock())


def _reload_on_hangup(assembly: Assembly) -> None:
    """SIGHUP does the same as `fixgw admin reload`, which has someone to answer."""
    loop = asyncio.get_running_loop()
    running: set[asyncio.Task[None]] = set()

    async def read_again() -> None:
        with suppress(SettingsError):  # which is in the log
            await reload(assembly, "SIGHUP")

    def begin() -> None:
        task = loop.create_task(read_again())
        running.add(task)  # the loop itself would let it be collected
        task.add_done_callback(running.discard)

    loop.add_signal_handler(signal.SIGHUP, begin)


async def _log_out(assembly: Assembly) -> None:
    deadline = asyncio.get_running_loop().time() + GOODBYE
    assembly.cycle.log_out("the venue is closing")
    while assembly.cycle.connected and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(0.01)
    assembly.cycle.stop()


def _written(where: tuple[str, int]) -> str:
    return f"{where[0]}:{where[1]}"


def _reason(problem: OSError) -> str:
    """In the system's own words; asyncio's are longer."""
    return os.strerror(problem.errno) if problem.errno and problem.errno > 0 else str(problem)


def _fail(error: BaseException) -> None:
    """A cycle was not completed: nothing of it was sent, and memory may be ahead of the store."""
    log.critical("the venue stops: %s", error)
    traceback.print_exception(error)
    sys.stderr.flush()
    os._exit(FAILED)
