"""Puts the rooms of one venue together."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from fixgw import opening
from fixgw.codec.dictionary import compose
from fixgw.codec.frame import Frame
from fixgw.codec.standard import names
from fixgw.codec.times import utc_timestamp
from fixgw.cycle.cycle import Cycle
from fixgw.cycle.hours import Hours
from fixgw.cycle.recorder import Recorder
from fixgw.cycle.recovery import recover
from fixgw.door.gate import Gate
from fixgw.frontend.frontend import FrontEnd
from fixgw.sessions.acceptor import Acceptor, Identity
from fixgw.sessions.mailbox import Mailbox
from fixgw.sessions.outflow import Outflow
from fixgw.sessions.session import Session
from fixgw.settings import Settings, schedules, trading_day
from fixgw.store.days import Days
from fixgw.store.directory import DirectoryLock
from fixgw.store.keys import outbox_prefix
from fixgw.store.room import Room
from fixgw.store.sessions import SessionRecord, load
from fixgw.store.store import Store

RULES = Path(__file__).resolve().parent.parent / "dictionaries"
MIB = 1 << 20


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
        self._lock = DirectoryLock(directory)
        self.store = Store(directory, settings.store.map_size_mib * MIB)
        opening.check_venue(self.store, settings.venue.comp_id)
        recovered = recover(self.store)
        self.replayed = recovered.sequence
        self.mailboxes = self._make_mailboxes()
        self.recorder = Recorder(
            self.store,
            Days(self.store, settings.store.clordid_days),
            trading_day(settings),
            recovered.venue,
            self.mailboxes,
            recovered.sequence,
            recovered.event_sequence,
        )
        opening.check_accounts(self.recorder, settings, source)
        opening.check_instruments(self.recorder, settings, source)
        self.hours = Hours(schedules(settings))
        self.clean = opening.begin(
            self.store, self.recorder, self.mailboxes, self.hours, settings, time.time_ns()
        )
        self._private = _private_folder(directory)
        self.sessions = self._make_sessions()
        room = Room(self.store, settings.store.reserve_mib * MIB)
        front_end = FrontEnd(self.store, self.recorder)
        self.cycle = Cycle(
            self.store,
            room,
            self.recorder,
            front_end,
            self.sessions,
            self.hours,
            time.time_ns,
            settings.cycle.messages,
            fail,
        )
        self.gate = Gate(settings.venue.comp_id, self.sessions)

    def close(self) -> None:
        """After the last cycle: marks the stop as clean and lets go of everything."""
        opening.end(self.store, self.recorder)
        for session in self.sessions.values():
            session.close()
        shutil.rmtree(self._private, ignore_errors=True)
        self.store.close()
        self._lock.release()

    def _make_mailboxes(self) -> dict[str, Mailbox]:
        """Of all configured sessions and of those that were: their orders may still be live."""
        records = load(self.store)
        for name, each in self.settings.sessions.items():
            known = records.get(name, SessionRecord(each.begin_string, each.comp_id))
            records[name] = known.belonging_to(each.begin_string, each.comp_id)
        return {name: self._make_mailbox(name, record) for name, record in records.items()}

    def _make_mailbox(self, name: str, record: SessionRecord) -> Mailbox:
        frame = Frame(record.begin_string, self.settings.venue.comp_id, record.comp_id)
        outflow = Outflow(
            self.store,
            outbox_prefix(name),
            frame,
            lambda: utc_timestamp(time.time_ns()),
            self.settings.door.unread_bytes,
        )
        return Mailbox(name, record, self.store, frame, outflow)

    def _make_sessions(self) -> dict[str, Session]:
        dictionaries = compose(RULES, self._private)
        sessions = {}
        for name, each in self.settings.sessions.items():
            identity = Identity(each.begin_string, self.settings.venue.comp_id, each.comp_id)
            acceptor = Acceptor(identity, dictionaries, each.max_latency_seconds, self._private)
            sessions[name] = Session(each, self.mailboxes[name], acceptor, names(each.begin_string))
        return sessions
