"""The settings of a running venue, read again: what differs is done, and sessions that do not differ do not
notice."""

import asyncio
import logging
import ssl
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import asdict, replace

from engine.commands import LimitAccount, ListInstrument, OpenAccount, SetRules
from engine.user_commands import ShapeShards
from fixgw import opening
from fixgw.assembly import Assembly
from fixgw.codec.standard import names
from fixgw.cycle.recorder import Recorder
from fixgw.door.credentials import forget_replaced
from fixgw.door.tls import files_digest, server_context
from fixgw.opening_accounts import NoPlace, open_accounts
from fixgw.record.record import RecordError
from fixgw.sessions.leaving import see_out
from fixgw.sessions.session import Session
from fixgw.settings import Settings, SettingsError, check_addresses, load, schedules, trading_day
from fixgw.settings.difference import Difference, difference
from fixgw.settings.reading import Mistake

PIECE = 20
"""changes made in one turn: more would keep the others waiting"""
READ_WITHIN = 30.0
"""seconds"""
PAUSE = 0.01
"""seconds between two sessions that are made: making one takes about 5 ms, in which all others wait"""
NO_CHANGE = "nothing has changed"
REMOVED = "this session is no longer configured"
REBUILT = "the settings of this session have changed: log on again"

log = logging.getLogger("fixgw.reload")

Step = tuple[str, Callable[[Recorder, int], None]]
"""its line, and what is done in a turn's transaction at its logged time"""


class Plan(NamedTuple):
    difference: Difference
    new: Settings
    """the file's; some of it is not taken"""
    openings: list[opening.Opening]
    accounts: list[OpenAccount]
    """that this venue never had"""
    remarks: list[str]
    certificates: ssl.SSLContext | None
    """as their files are now; None without a TLS port"""
    certificates_digest: str
    """of the files' bytes"""


async def reload(assembly: Assembly, who: str) -> list[str]:
    """Reads the venue's file again and does what differs; returns a line for each change, and for what was
    not taken. Raises SettingsError for a file that is not good: then nothing has changed."""
    async with assembly.reshaping:
        try:
            plan = await _read(assembly)
            plan = plan._replace(accounts=await _accounts(assembly, plan.new))
        except SettingsError as problem:
            log.error("%s: reload: %s; nothing has changed", who, problem)
            raise
        done = await _Reload(assembly, who).carry_out(plan)
    if not done:
        log.info("%s: reload: %s", who, NO_CHANGE)
    not_done = [*plan.difference.not_taken, *(f"! {line}" for line in plan.remarks)]
    for line in not_done:
        log.warning("%s: reload: %s", who, line)
    return [*(done or [NO_CHANGE]), *not_done]


async def _read(assembly: Assembly) -> Plan:
    """In a thread that nothing waits for: a disk that hangs must keep no one from stopping the venue."""
    future: Future[Plan] = Future()

    def work() -> None:
        future.set_running_or_notify_cancel()  # from here on nobody can take it away
        try:
            future.set_result(_plan(assembly))
        except Exception as problem:
            future.set_exception(problem)

    threading.Thread(target=work, name="reload", daemon=True).start()
    try:
        return await asyncio.wait_for(asyncio.wrap_future(future), READ_WITHIN)
    except TimeoutError:
        text = f"it, or a file it names, could not be read within {READ_WITHIN:g} s"
        raise SettingsError(f"{assembly.source}: {text}") from None


async def _accounts(assembly: Assembly, new: Settings) -> list[OpenAccount]:
    """To be opened. Looked up by the loop's own thread, as the store has its open transaction there."""
    opening.check_accounts(assembly.recorder, new, assembly.source)
    accounts = opening.new_accounts(assembly.recorder, new)
    try:
        return await opening.unknown_accounts(assembly.record, accounts)
    except RecordError as problem:
        raise SettingsError(f"{assembly.source}: record: {problem}") from None


def _plan(assembly: Assembly) -> Plan:
    """Everything that can be refused is refused here. It reads what nothing but a reload changes."""
    source, recorder = assembly.source, assembly.recorder
    new = load(source)
    try:
        found = difference(assembly.settings, new)
    except Mistake as mistake:
        raise SettingsError(f"{source}: {mistake}") from None
    for settings in (new, found.settings):
        check_addresses(settings, source)
    opening.check_descriptors(new, source)
    for session in new.sessions.values():
        names(session.begin_string)  # read once, and not by the loop
    context = server_context(found.settings.tls, Path(source), datetime.now(UTC))
    opening.check_instruments(recorder, new, source)
    remarks = opening.remarks(recorder, assembly.settings, new, source)
    digest = files_digest(found.settings.tls, Path(source))
    return Plan(found, new, opening.new_openings(recorder, new), [], remarks, context, digest)


class _Reload:
    def __init__(self, assembly: Assembly, who: str) -> None:
        self._assembly = assembly
        self._who = who
        self._lines: list[str] = []

    async def carry_out(self, plan: Plan) -> list[str]:
        assembly, found = self._assembly, plan.difference
        _adopt(assembly, found.settings)
        await assembly.cycle.operate(
            lambda recorder, _: opening.keep_currencies(recorder.store, recorder.transaction, found.settings)
        )
        if plan.certificates is not None:
            assembly.door.renew(plan.certificates)
            log.info("%s: reload: the certificates were read again", self._who)
        if plan.certificates_digest != assembly.certificates_digest:
            assembly.certificates_digest = plan.certificates_digest
            await self._do([("~ tls: the certificates or keys have changed", _nothing)])
        await self._do((line, _nothing) for line in found.sections)
        await self._do(_opening(each, found.settings) for each in plan.openings)
        try:
            await open_accounts(assembly.cycle, plan.accounts, PIECE, self._opened)
        except NoPlace:
            log.warning("%s: reload: %s", self._who, assembly.no_place())
            self._lines.append(f"{assembly.source}: {assembly.no_place()}; reload again when there is one")
        await self._do((line, self._change(name)) for name, line in found.changed.items())
        removed = [assembly.sessions[name] for name in found.removed]
        rebuilt = [assembly.sessions[name] for name in found.rebuilt]
        await self._do((f"- session {each.name}", self._farewell(each, REMOVED)) for each in removed)
        await self._do((found.rebuilt[each.name], self._farewell(each, REBUILT)) for each in rebuilt)
        await see_out([*removed, *rebuilt])
        for session in [*removed, *rebuilt]:
            assembly.remove(session)
        for name in found.rebuilt:
            await assembly.cycle.operate(_settling(assembly.add(name)))
            await asyncio.sleep(PAUSE)
        for name in found.added:
            await self._do([(f"+ session {name}", _settling(assembly.add(name)))])
            await asyncio.sleep(PAUSE)
        await self._do((line, _nothing) for line in assembly.outputs.follow())
        return self._lines

    def _opened(self, recorder: Recorder, time: int, command: OpenAccount) -> None:
        line = f"+ account {command.account} of client {command.client}"
        recorder.note(time, self._who, f"reload: {line}")
        self._lines.append(line)
        log.info("%s: reload: %s", self._who, line)

    async def _do(self, steps: Iterable[Step]) -> None:
        rest = iter(steps)
        while piece := list(islice(rest, PIECE)):
            await self._assembly.cycle.operate(partial(self._do_piece, piece))
            for line, _ in piece:
                self._lines.append(line)
                log.info("%s: reload: %s", self._who, line)

    def _do_piece(self, piece: list[Step], recorder: Recorder, time: int) -> None:
        for line, step in piece:
            step(recorder, time)
            recorder.note(time, self._who, f"reload: {line}")

    def _change(self, name: str) -> Callable[[Recorder, int], None]:
        def step(recorder: Recorder, time: int) -> None:
            session = self._assembly.sessions[name]
            session.follow(self._assembly.settings.sessions[name])
            forget_replaced(session.settings, session.mailbox)
            recorder.touched[name] = session.mailbox
            session.next_change = 0

        return step

    def _farewell(self, session: Session, text: str) -> Callable[[Recorder, int], None]:
        def step(recorder: Recorder, time: int) -> None:
            session.barred = "is about to go"
            session.log_out(text)
            self._assembly.cycle.wake(session)

        return step


def _adopt(assembly: Assembly, settings: Settings) -> None:
    """Whoever holds settings has the new ones."""
    door = assembly.settings.door
    for name, value in asdict(settings.door).items():
        setattr(door, name, value)
    assembly.settings = replace(settings, door=door)
    assembly.hours.know(schedules(settings), assembly.sessions.values())
    assembly.recorder.follow(trading_day(settings))


def _nothing(recorder: Recorder, time: int) -> None:
    """Done already, by taking the new settings."""


def _opening(command: opening.Opening, settings: Settings) -> Step:
    match command:
        case ListInstrument():
            line = f"+ instrument {command.symbol}"
        case ShapeShards():
            line = f"~ users: resident {command.resident}, in_flight {command.in_flight}"
        case SetRules() | LimitAccount():
            line = opening.limits_line(command, settings)
    return line, lambda recorder, time: opening.open_all(recorder, [command], time)


def _settling(session: Session) -> Callable[[Recorder, int], None]:
    """Its record is written in this turn."""

    def step(recorder: Recorder, time: int) -> None:
        forget_replaced(session.settings, session.mailbox)
        recorder.touched[session.name] = session.mailbox

    return step
