"""Puts a station together: a data directory of its own inside of the venue's, its sessions, its door."""

import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec.structs import fields

from fixgw.codec.dictionary import compose
from fixgw.codec.frame import Frame
from fixgw.codec.standard import forget, names
from fixgw.codec.times import utc_timestamp
from fixgw.door.attempts import Attempts
from fixgw.door.credentials import forget_replaced
from fixgw.door.door import Door
from fixgw.door.gate import Gate
from fixgw.messages.log import MessageLog
from fixgw.messages.writer import Writer
from fixgw.opening import check_venue
from fixgw.sessions.acceptor import Acceptor
from fixgw.sessions.identity import Identity
from fixgw.sessions.mailbox import Mailbox
from fixgw.sessions.outflow import Outflow
from fixgw.sessions.session import Session
from fixgw.settings import Access, Settings, SettingsError
from fixgw.settings import Session as SessionSettings
from fixgw.station.desk import Desk
from fixgw.station.turns import Turns
from fixgw.store.directory import DirectoryLock
from fixgw.store.keys import outbox_prefix
from fixgw.store.room import check_disk
from fixgw.store.sessions import SessionRecord, load
from fixgw.store.store import CLEAN, Store

RULES = Path(__file__).resolve().parents[2] / "dictionaries"
MIB = 1 << 20
LOG = b"log"
"""in the store's `meta`: the id of the venue's store whose log it publishes"""
DECIMALS = {"milliseconds": 3, "microseconds": 6, "nanoseconds": 9}


class Station:
    """Its door is still shut. Raises SettingsError or StoreError."""

    def __init__(
        self,
        settings: Settings,
        sessions: Mapping[str, Access],
        directory: Path,
        rules: str,
        log_id: bytes,
        desk: Desk,
        fail: Callable[[BaseException], None],
        patience: float,
    ) -> None:
        """`rules`: the folder of its rules of engagement in `dictionaries`. `patience`: seconds after which a
        client that reads nothing is cut."""
        self._settings = settings
        self._lock = DirectoryLock(directory)
        check_disk(directory)
        self.store = Store(directory, settings.store.map_size_mib * MIB)
        check_venue(self.store, settings.venue.comp_id)
        self._check_log(log_id)
        self._private = directory / "run"
        shutil.rmtree(self._private, ignore_errors=True)
        self._private.mkdir(mode=0o700)
        self._dictionaries = compose(RULES / rules, self._private)
        self.sessions = self._make_sessions(sessions)
        forget()
        self._begin()
        desk.open(self.store, self.sessions)
        self.turns = Turns(self.store, self.sessions, desk, fail, patience, settings.store.jump)
        self._message_log = self._make_message_log(directory)
        gate = Gate(settings.venue.comp_id, self.sessions, Attempts(settings.door))
        self.door = Door(settings.door, gate, self.turns.knock, self._message_log)

    def close(self) -> None:
        """After the last turn: marks the stop as clean."""
        if self._message_log is not None:
            self._message_log.close()
        with self.store.write() as transaction:
            transaction.put(CLEAN, b"1", db=self.store.meta)
        for session in self.sessions.values():
            session.close()
        shutil.rmtree(self._private, ignore_errors=True)
        self.store.close()
        self._lock.release()

    def _check_log(self, log_id: bytes) -> None:
        with self.store.write() as transaction:
            if not transaction.put(LOG, log_id, overwrite=False, db=self.store.meta):
                known = transaction.get(LOG, db=self.store.meta)
                if known != log_id:
                    raise SettingsError(
                        f"{self.store.directory}: belongs to the log of other data than {self._outer}; "
                        "put that back, or move this directory away: its sessions begin anew then"
                    )

    @property
    def _outer(self) -> Path:
        return self.store.directory.parent

    def _begin(self) -> None:
        """Numbers jump after an unclean stop, as in the venue."""
        with self.store.write() as transaction:
            clean = transaction.delete(CLEAN, db=self.store.meta)
            for session in self.sessions.values():
                if not clean:
                    session.mailbox.jump(self._settings.store.jump)
                    session.begin_again()
                forget_replaced(session.settings, session.mailbox)
                session.mailbox.settle(transaction)

    def _make_sessions(self, sessions: Mapping[str, Access]) -> dict[str, Session]:
        records = load(self.store)
        made = {}
        for name, access in sessions.items():
            settings = _as_session(access)
            record = records.get(name, SessionRecord(access.begin_string, access.comp_id))
            record = record.belonging_to(access.begin_string, access.comp_id)
            made[name] = self._make_session(name, settings, record)
        return made

    def _make_session(self, name: str, settings: SessionSettings, record: SessionRecord) -> Session:
        venue, decimals = self._settings.venue.comp_id, DECIMALS[settings.timestamps]
        frame = Frame(record.begin_string, venue, record.comp_id, decimals)
        outflow = Outflow(
            self.store,
            outbox_prefix(name),
            frame,
            lambda: utc_timestamp(time.time_ns(), decimals),
            self._settings.door,
        )
        mailbox = Mailbox(name, record, self.store, frame, outflow)
        identity = Identity(settings.begin_string, venue, settings.comp_id)
        latency = settings.max_latency_seconds
        acceptor = Acceptor(identity, self._dictionaries, latency, decimals, self._private)
        return Session(settings, mailbox, acceptor, names(settings.begin_string))

    def _make_message_log(self, directory: Path) -> MessageLog | None:
        settings = self._settings.message_log
        if settings.on == "no":
            return None
        reserve = 2 * self._settings.store.reserve_mib * MIB
        return MessageLog(Writer(directory, settings.file_mib * MIB, settings.files, reserve), time.time_ns)


def _as_session(access: Access) -> SessionSettings:
    """No order comes in by it: what is about orders is as it may be."""
    return SessionSettings(client="", **{each.name: getattr(access, each.name) for each in fields(Access)})
