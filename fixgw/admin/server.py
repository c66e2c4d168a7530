"""The venue's side of the operator's socket."""

import asyncio
import logging
import os
from pathlib import Path

import msgspec

from engine.commands import SetCancelOnly
from fixgw.admin.status import status_lines
from fixgw.admin.who import who
from fixgw.admin.words import MAX_LINE, SOCKET, Answer, CancelOnly, EndOfDay, Request
from fixgw.assembly import Assembly
from fixgw.cycle.day import end_of_day
from fixgw.store.directory import short_path

_request = msgspec.json.Decoder(Request)
log = logging.getLogger("fixgw.admin")


class AdminServer:
    def __init__(self, directory: Path, assembly: Assembly) -> None:
        self._path = directory / SOCKET
        self._assembly = assembly
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Raises OSError. The lock on the directory is held: a socket that is there is nobody's."""
        self._path.unlink(missing_ok=True)
        mask = os.umask(0o177)  # the socket is born readable by its owner only
        try:
            with short_path(self._path.parent, SOCKET) as path:
                self._server = await asyncio.start_unix_server(self._answer, path, limit=MAX_LINE)
        finally:
            os.umask(mask)

    async def shut(self) -> None:
        if self._server is not None:
            self._server.close()
        self._path.unlink(missing_ok=True)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await reader.readline()
            writer.write(msgspec.json.encode(await self._carry_out(line, who(writer))) + b"\n")
            await writer.drain()
        except (ConnectionError, ValueError):
            pass  # the operator hung up, or sent a line without end
        finally:
            writer.close()

    async def _carry_out(self, line: bytes, operator: str) -> Answer:
        try:
            request = _request.decode(line)
        except msgspec.DecodeError as problem:
            return Answer(False, [f"not a request: {problem}"])
        if isinstance(request, CancelOnly):
            return await self._cancel_only(request)
        if isinstance(request, EndOfDay):
            return await self._end_of_day(request, operator)
        return Answer(True, status_lines(self._assembly))

    async def _cancel_only(self, request: CancelOnly) -> Answer:
        venue = self._assembly.recorder.venue
        if request.symbol and request.symbol not in venue.markets:
            return Answer(False, [f"no market {request.symbol}; there are {', '.join(venue.markets)}"])
        refusal = await self._assembly.cycle.operate(
            lambda recorder, time: recorder.operate(SetCancelOnly(time, request.symbol, request.on))
        )
        assert refusal is None, refusal
        word, where = ("on" if request.on else "off"), request.symbol or "the venue"
        log.info("operator: cancel-only %s for %s", word, where)
        return Answer(True, [f"cancel-only is {word} for {where}"])

    async def _end_of_day(self, request: EndOfDay, operator: str) -> Answer:
        ok, text = await self._assembly.cycle.operate(
            lambda recorder, time: end_of_day(recorder, time, operator, request.again)
        )
        log.info("operator %s: end-of-day: %s", operator, text)
        return Answer(ok, [text])
