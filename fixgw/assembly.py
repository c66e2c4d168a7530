"""Puts the rooms of one venue together."""

import asyncio
import logging
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from fixgw import opening
from fixgw.bridge.bridge import Bridge
from fixgw.codec.dictionary import compose
from fixgw.codec.frame import Frame
from fixgw.codec.standard import forget, names
from fixgw.codec.times import utc_timestamp
from fixgw.cycle.absence import Absences
from fixgw.cycle.cycle import Cycle
from fixgw.cycle.hours import Hours
from fixgw.cycle.phases import Phases
from fixgw.cycle.recorder import Recorder
from fixgw.cycle.recovery import recover
from fixgw.door.attempts import Attempts
from fixgw.door.door import Door
from fixgw.door.gate import Gate
from fixgw.frontend.frontend import FrontEnd
from fixgw.frontend.parking import Parking
from fixgw.messages.log import MessageLog
from fixgw.messages.writer import Writer
from fixgw.metrics.meter import Meter
from fixgw.metrics.turns import Turns
from fixgw.opening_accounts import NoPlace, open_accounts
from fixgw.publish.supervisor import Outputs
from fixgw.record.making import make_record
from fixgw.record.record import RecordError
from fixgw.residents.agent import Agent
from fixgw.residents.keeper import Keeper
from fixgw.sessions.acceptor import Acceptor
from fixgw.sessions.identity import Identity
from fixgw.sessions.mailbox import Mailbox
from fixgw.sessions.outflow import Outflow
from fixgw.sessions.session import Session
from fixgw.settings import Session as SessionSettings
from fixgw.settings import Settings, SettingsError, schedules, trading_day
from fixgw.store.days import Days
from fixgw.store.directory import DirectoryLock
from fixgw.store.keys import outbox_prefix
from fixgw.store.pulse import PROCESS, Pulse
from fixgw.store.room import Room, check_disk
from fixgw.store.sessions import SessionRecord, load
from fixgw.store.store import Store

RULES = Path(__file__).resolve().parent.parent / "dictionaries"
MIB = 1 << 20
OPENED = 1000
"""accounts of the file that are opened in one turn"""
RECORD = b"record"
"""in the store's `meta`: which record the users are in"""
DECIMALS = {"milliseconds": 3, "microseconds": 6, "nanoseconds": 9}
log = logging.getLogger("fixgw")


def _private_folder(directory: Path) -> Path:
    """For dictionaries and sockets of this run; empty at first, whatever a killed process left behind."""
    folder = directory / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return folder


class Assembly:
    """A recovered venue whose door is still shut. Raises SettingsError or StoreError."""

    def __init__(
        self, settings: Settings, source: str, directory: Path, fail: Callable[[BaseException], None]
    ) -> None:
        self.settings = settings
        """of this moment"""
        self.source = source
        """the file they are from"""
        self.certificates_digest = ""
        """of the bytes of certificates and keys, as last read"""
        self.reshaping = asyncio.Lock()
        """held by who changes sessions in more than one turn"""
        self.outputs = Outputs(Path(source), directory, lambda: self.settings)
        self._lock = DirectoryLock(directory)
        check_disk(directory)
        self.store = Store(directory, settings.store.map_size_mib * MIB)
        self._pulse = Pulse.make(directory)
        self.meter = Meter(self._pulse.numbers)
        self.store.tell(self.meter.synced, self.meter.committed)
        self.record = make_record(settings.record, directory, Path(source))
        opening.check_venue(self.store, settings.venue.comp_id)
        opening.check_currencies(self.store, settings, source)
        begin = self.meter.clock()
        recovered = recover(self.store, directory)
        self.meter.recovered(begin, self.meter.clock(), recovered.replayed)
        self.replayed = recovered.replayed
        self.mailboxes = self._make_mailboxes()
        self.recorder = Recorder(
            self.store,
            Room(self.store, settings.store.reserve_mib * MIB),
            Days(self.store, settings.store.clordid_days),
            trading_day(settings),
            recovered.venue,
            self.mailboxes,
            recovered.sequence,
            recovered.event_sequence,
        )
        opening.check_descriptors(settings, source)
        opening.check_accounts(self.recorder, settings, source)
        opening.check_instruments(self.recorder, settings, source)
        self.hours = Hours(schedules(settings))
        self.clean = opening.begin(
            self.store, self.recorder, self.mailboxes, self.hours, settings, time.time_ns()
        )
        if self._lock.mode & 0o077:
            mode = self._lock.mode
            log.warning("%s: other users may enter it (mode %03o); its files are private", directory, mode)
        for remark in opening.remarks(self.recorder, None, settings, source):
            log.warning("%s", remark)
        self._private = _private_folder(directory)
        self._dictionaries = compose(RULES, self._private)
        self.sessions = {
            name: self._make_session(each, self.mailboxes[name]) for name, each in settings.sessions.items()
        }
        forget()
        self.agent: Agent
        self.cycle: Cycle
        self.parking = Parking(self.store, lambda user: self.agent.reader.want(user))
        self.front_end = FrontEnd(
            self.store,
            self.recorder,
            self.parking,
            self.sessions,
            lambda user, time: self.agent.reader.is_unknown(user, time),
            lambda: self.settings.users.parked,
            self.meter.rejected,
        )
        self.agent = Agent(
            self.record,
            self.recorder,
            lambda operation: self.cycle.operate(operation),
            self.front_end.arrived,
            self.parking.awaits,
            lambda: self.settings.users.unknown_seconds,
            self._recognize,
        )
        self.bridge = Bridge(
            settings.node, self.recorder, lambda operation: self.cycle.operate(operation), Path(source)
        )
        self.cycle = Cycle(
            self.store,
            self.recorder,
            self.front_end,
            Absences(self.recorder, self.mailboxes, self.sessions, self.front_end.refuse_session),
            Phases(self.recorder, lambda: self.settings.restart),
            Keeper(self.recorder, lambda: self.settings.users, self.front_end.refuse_overdue),
            self.agent,
            self.bridge.wake,
            self.sessions,
            self.hours,
            self._pulse,
            Turns(self.meter, self.front_end, self.recorder),
            time.time_ns,
            settings.cycle.messages,
            fail,
        )
        self.gate = Gate(settings.venue.comp_id, self.sessions, Attempts(settings.door))
        self._message_log = self._make_message_log(directory)
        self.door = Door(settings.door, self.gate, self.cycle.knock, self._message_log)

    async def begin(self) -> None:
        """In the loop, before the door opens: the record is made ready, accounts that no one knows are
        opened, and what was under way goes on. Raises SettingsError if the record cannot be used but must."""
        new = opening.new_accounts(self.recorder, self.settings)
        try:
            await self.record.open()
            await self.agent.contact.meet()
            new = await opening.unknown_accounts(self.record, new)
        except RecordError as problem:
            if new or not problem.passing:
                raise SettingsError(f"{self.source}: record: {problem}") from None
            log.warning("the record cannot be used yet: %s", problem)
        self.front_end.load_parked(time.time_ns())
        self.agent.begin()
        self.cycle.begin(self.clean)
        try:
            await open_accounts(self.cycle, new, OPENED, lambda *_: None)
        except NoPlace:
            raise SettingsError(f"{self.source}: {self.no_place()}") from None
        await self.bridge.begin()

    def no_place(self) -> str:
        """In words, for the operator."""
        trouble = (
            f", as the record cannot be used: {self.agent.contact.trouble}"
            if self.agent.contact.trouble
            else ""
        )
        return (
            f"users.resident: {self.recorder.venue.resident} accounts are in memory on a shard, and none of "
            f"them leaves{trouble}: accounts of the file found no place"
        )

    def _recognize(self, identity: str) -> None:
        with self.store.read() as transaction:
            known = transaction.get(RECORD, db=self.store.meta)
        if known is None:
            self.cycle.operate(
                lambda recorder, _: recorder.transaction.put(RECORD, identity.encode(), db=self.store.meta)
            )
        elif known.decode() != identity:
            raise RecordError(
                "it is not the record that this venue had before: put that one back, or name it in the file",
                passing=False,
            )

    async def close(self) -> None:
        """After the last cycle: marks the stop as clean and lets go of everything."""
        await self.agent.close()
        await self.bridge.close()
        if self._message_log is not None:
            self._message_log.close()
        opening.end(self.store, self.recorder)
        for session in self.sessions.values():
            session.close()
        shutil.rmtree(self._private, ignore_errors=True)
        self.store.close()
        self.meter.close()
        self._pulse.numbers[PROCESS] = 0
        self._pulse.close()
        self._lock.release()

    def add(self, name: str) -> Session:
        """A session of `settings` that can be logged on to from here on; about 5 ms. One of this name that
        was there before goes on with its numbers. To be settled in the next turn."""
        settings = self.settings.sessions[name]
        record = SessionRecord(settings.begin_string, settings.comp_id)
        if name in self.mailboxes:
            record = self.mailboxes[name].record.belonging_to(settings.begin_string, settings.comp_id)
        mailbox = self.mailboxes[name] = self._make_mailbox(name, record)
        session = self.sessions[name] = self._make_session(settings, mailbox)
        self.cycle.add(session)
        self.gate.add(session)
        return session

    def remove(self, session: Session) -> None:
        """One without a client. Its mailbox stays: its orders live on and still get their reports."""
        self.gate.remove(session)
        self.cycle.remove(session)
        del self.sessions[session.name]
        session.close()

    def _make_message_log(self, directory: Path) -> MessageLog | None:
        settings = self.settings.message_log
        if settings.on == "no":
            return None
        # It stops well before the disk is so full that orders are refused.
        reserve = 2 * self.settings.store.reserve_mib * MIB
        return MessageLog(Writer(directory, settings.file_mib * MIB, settings.files, reserve), time.time_ns)

    def _make_mailboxes(self) -> dict[str, Mailbox]:
        """Of all configured sessions and of those that were: their orders may still be live."""
        records = load(self.store)
        for name, each in self.settings.sessions.items():
            known = records.get(name, SessionRecord(each.begin_string, each.comp_id))
            records[name] = known.belonging_to(each.begin_string, each.comp_id)
        return {name: self._make_mailbox(name, record) for name, record in records.items()}

    def _make_mailbox(self, name: str, record: SessionRecord) -> Mailbox:
        decimals = self._decimals(name)
        frame = Frame(record.begin_string, self.settings.venue.comp_id, record.comp_id, decimals)
        outflow = Outflow(
            self.store,
            outbox_prefix(name),
            frame,
            lambda: utc_timestamp(time.time_ns(), decimals),
            self.settings.door,
        )
        outflow.replayed = self.meter.replayed
        session = self.settings.sessions.get(name)
        pending_new = session is not None and session.pending_new == "yes"
        return Mailbox(name, record, self.store, frame, outflow, pending_new)

    def _make_session(self, settings: SessionSettings, mailbox: Mailbox) -> Session:
        identity = Identity(settings.begin_string, self.settings.venue.comp_id, settings.comp_id)
        latency, decimals = settings.max_latency_seconds, DECIMALS[settings.timestamps]
        acceptor = Acceptor(identity, self._dictionaries, latency, decimals, self._private)
        return Session(settings, mailbox, acceptor, names(settings.begin_string))

    def _decimals(self, name: str) -> int:
        session = self.settings.sessions.get(name)
        return DECIMALS[session.timestamps] if session is not None else 3
