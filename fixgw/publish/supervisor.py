"""Starts the outputs that the settings ask for, and starts again those that end. The venue never waits for
one."""

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from fixgw.publish import standing
from fixgw.publish.outputs import OUTPUTS
from fixgw.settings import Settings

PAUSE, LONG_PAUSE = 0.5, 30.0
"""seconds until an output that has ended is started again: each time twice as many, up to the longest"""
ENOUGH = 10.0
"""seconds after which it has run long enough for the pauses to begin anew"""
PATIENCE = 5.0
"""seconds that it has to end"""

log = logging.getLogger("fixgw.outputs")


class Outputs:
    def __init__(self, source: Path, directory: Path, settings: Callable[[], Settings]) -> None:
        """`settings`: of this moment; `source`: the file they are from, which each output reads itself."""
        self._source = source
        self._directory = directory
        self._settings = settings
        self._running: dict[str, asyncio.Task[None]] = {}
        self._with: dict[str, object] = {}
        """the section with which each was started"""
        self._ready: dict[str, str] = {}
        """what each has said when it was ready"""

    def follow(self) -> list[str]:
        """Starts, stops, and starts anew what the settings now say otherwise; returns a line for each."""
        settings, lines = self._settings(), []
        for name, output in OUTPUTS.items():
            section = (output.section(settings), settings.door, settings.tls, settings.message_log)
            wanted = output.wanted(settings)
            if name in self._running and not (wanted and self._with[name] == section):
                self._running.pop(name).cancel()
                lines.append(f"- output {name}" if not wanted else f"~ output {name}: is started again")
            elif wanted and name not in self._running:
                lines.append(f"+ output {name}")
            if wanted and name not in self._running:
                self._with[name] = section
                self._running[name] = asyncio.get_running_loop().create_task(self._keep(name))
        return lines

    def standing(self, event: int, now: int) -> list[tuple[str, str]]:
        """Name and state of each that is wanted, for people. `event`: the last of the log; `now`: nanoseconds
        since the epoch."""
        return [(name, self._said(name, event, now)) for name in self._running]

    def _said(self, name: str, event: int, now: int) -> str:
        if name not in self._ready:
            return "is not ready"
        found = standing.read(self._directory / name)
        return f"{self._ready[name]}; {standing.behind(found, event, now)}" if found else self._ready[name]

    async def close(self) -> None:
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def _keep(self, name: str) -> None:
        pause, clock = PAUSE / 2, asyncio.get_running_loop().time
        while True:
            begin = clock()
            code = await self._run(name)
            pause = PAUSE if clock() - begin > ENOUGH else min(2 * pause, LONG_PAUSE)
            log.error("%s has ended with %d; it is started again in %.1f s", name, code, pause)
            await asyncio.sleep(pause)

    async def _run(self, name: str) -> int:
        words = "-m", "fixgw", "publish", name, "--config", str(self._source), "--data", str(self._directory)
        process = await asyncio.create_subprocess_exec(
            sys.executable, *words, "--beside", str(os.getpid()),
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            async for line in process.stdout:
                self._ready[name] = said = line.decode(errors="replace").rstrip()
                log.info("%s: %s", name, said)
            return await process.wait()
        finally:
            self._ready.pop(name, None)
            await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), PATIENCE)
            return
        process.kill()
        await process.wait()
