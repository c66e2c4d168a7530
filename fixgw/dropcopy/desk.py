"""What drop copy sessions get, and when."""

from collections.abc import Mapping

from fixgw.codec.fields import fields
from fixgw.dropcopy import positions
from fixgw.dropcopy.copies import Choice, choice, copied
from fixgw.dropcopy.log import Log
from fixgw.dropcopy.positions import Position
from fixgw.publish.standing import Standing
from fixgw.sessions.session import Session
from fixgw.settings import DropCopySession
from fixgw.station.desk import Sender
from fixgw.store.failures import StoreError
from fixgw.store.store import Store

PIECE = 100
"""entries that one session gets in one turn"""
UNCHOSEN = 5_000
"""entries without anything for a session that are passed over in one turn"""
FORGETFUL = 100_000
"""events after which a position is written even if there was nothing to send: those are looked at again after
a crash"""
REPLAY_REQUEST = "U1"
"""MsgType"""


class DropCopyDesk:
    def __init__(self, log: Log, settings: Mapping[str, DropCopySession]) -> None:
        self._log = log
        self._settings = settings
        self._choices: dict[str, Choice] = {name: choice(each) for name, each in settings.items()}
        self.positions: dict[str, Position] = {}

    def open(self, store: Store, sessions: Mapping[str, Session]) -> None:
        """A session that never was begins where its settings say, from this moment on."""
        self._store = store
        with store.write() as transaction:
            for name in sessions:
                known = positions.load(store, name)
                begin = 1 if self._settings[name].begin == "log" else self._log.next
                self.positions[name] = position = known or Position(begin)
                if position.next > self._log.next:
                    raise StoreError(
                        f"{store.directory}: session {name} was sent copies up to event {position.sent}, and "
                        f"the log ends with event {self._log.next - 1}: it was set back"
                    )
                positions.save(store, transaction, name, position)

    def look(self) -> bool:
        return self._log.look()

    def standing(self) -> Standing:
        sessions = {name: position.next - 1 for name, position in self.positions.items()}
        return Standing(self._log.next - 1, self._log.time, sessions)

    def logged_on(self, session: Session, sender: Sender) -> None:
        """It goes on where it was."""

    def left(self, session: Session) -> None:
        """What it was not sent is in the log."""

    def due(self, session: Session) -> bool:
        return self.positions[session.name].next < self._log.next

    def serve(self, session: Session, sender: Sender) -> None:
        position, chosen = self.positions[session.name], self._choices[session.name]
        mailbox, passed, posted = session.mailbox, 0, False
        while not posted and passed < UNCHOSEN and position.next < self._log.next:
            pieces, following = self._log.piece(position.next, PIECE)
            for told in pieces:
                if chosen(told.event):
                    again = told.sequence <= position.sent
                    report = copied(
                        told, self._log.instruments, mailbox.begin_string, mailbox.decimals, again
                    )
                    sender.post(session, *report)
                    position.sent = max(position.sent, told.sequence)
                    posted = True
            position.next = following
            passed += PIECE
        if posted or position.next > position.kept + FORGETFUL:
            positions.save(self._store, sender.transaction, session.name, position)

    def handle(self, session: Session, text: str, sender: Sender) -> None:
        """A request for what came before. A BusinessMessageReject of the client's is in the message log."""
        found = fields(text)
        if found["35"] != REPLAY_REQUEST:
            return
        first, last = found["17"], self._log.next - 1
        if not (first.isdecimal() and first.isascii() and len(first) < 20 and 1 <= int(first) <= last + 1):
            why = f"BeginExecID(17) must be from 1 to {last + 1}, as ExecIDs are numbers of events"
            body = f"45={found['34']}\x0158={why}\x01372={REPLAY_REQUEST}\x01380=0\x01"
            sender.post(session, "j", body.encode("ascii"))
            return
        position = self.positions[session.name]
        position.next = int(first)
        positions.save(self._store, sender.transaction, session.name, position)
