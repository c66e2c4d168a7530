"""The venue's side of the operator's socket."""

import asyncio
import logging
import os
from pathlib import Path

import msgspec

from fixgw.admin.deeds import Refused
from fixgw.admin.operations import Operations
from fixgw.admin.sessions import session_lines
from fixgw.admin.status import status_lines
from fixgw.admin.trading import Trading
from fixgw.admin.users import UserOperations, with_accounts
from fixgw.admin.who import who
from fixgw.admin.words import (
    MAX_LINE,
    SOCKET,
    Accounts,
    Answer,
    EndOfDay,
    Kill,
    OfTrading,
    OfUsers,
    Reload,
    Request,
    Sessions,
    Shards,
    Status,
)
from fixgw.assembly import Assembly
from fixgw.cycle.day import end_of_day
from fixgw.cycle.recorder import Recorder
from fixgw.reload import reload
from fixgw.settings import SettingsError
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
            try:
                answer = await self._carry_out(line, who(writer))
            except Exception:
                log.exception("cannot carry out %r", line)
                answer = Answer(False, ["this went wrong: the venue's log says how"])
            writer.write(msgspec.json.encode(answer) + b"\n")
            await writer.drain()
        except (ConnectionError, ValueError, asyncio.CancelledError):
            pass  # the operator hung up, or sent a line without end; or the venue ends
        finally:
            writer.close()

    async def _carry_out(self, line: bytes, operator: str) -> Answer:
        try:
            request = _request.decode(line)
        except msgspec.DecodeError as problem:
            return Answer(False, [f"not a request: {problem}"])
        if isinstance(request, Status):
            await self._assembly.agent.contact.look()
            return Answer(True, status_lines(self._assembly, request.digest))
        if isinstance(request, Sessions):
            return Answer(True, await session_lines(self._assembly))
        if isinstance(request, Reload):
            return await self._reload(operator)
        if isinstance(request, OfTrading):
            answer = await self._trading(request, operator)
        elif isinstance(request, OfUsers):
            answer = await UserOperations(self._assembly, operator).carry_out(request)
        elif isinstance(request, EndOfDay):
            answer = await self._end_of_day(request, operator)
        else:
            answer = await Operations(self._assembly, operator).carry_out(request)
        for said in () if isinstance(request, Accounts | Shards) else answer.lines:
            log.log(logging.INFO if answer.ok else logging.WARNING, "%s: %s", operator, said)
        return answer

    async def _trading(self, request: OfTrading, operator: str) -> Answer:
        def deed(recorder: Recorder, time: int) -> str:
            done = Trading(recorder, time, operator).carry_out(request)
            if isinstance(request, Kill) and request.on:
                self._assembly.front_end.refuse_killed(request.scope, request.name, time)
            return done

        try:
            return Answer(True, [await with_accounts(self._assembly, deed)])
        except Refused as refusal:
            return Answer(False, [str(refusal)])

    async def _reload(self, operator: str) -> Answer:
        try:
            return Answer(True, await reload(self._assembly, operator))
        except SettingsError as problem:
            return Answer(False, [str(problem), "nothing has changed"])

    async def _end_of_day(self, request: EndOfDay, operator: str) -> Answer:
        ok, text = await self._assembly.cycle.operate(
            lambda recorder, time: end_of_day(recorder, time, operator, request.again)
        )
        return Answer(ok, [text])
