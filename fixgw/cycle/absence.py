"""Cancel on disconnect (feature V5): the orders of a client that is gone and does not come back in time."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from engine.commands import CancelSession
from engine.masses import canceled_by
from fixgw.codec.times import SECOND
from fixgw.cycle.recorder import CANCELED_AT_ONCE, Recorder
from fixgw.sessions.disconnect import GONE, on_departure
from fixgw.sessions.mailbox import Mailbox
from fixgw.sessions.session import Session


class Absences:
    def __init__(
        self,
        recorder: Recorder,
        mailboxes: Mapping[str, Mailbox],
        sessions: Mapping[str, Session],
        refuse_parked: Callable[[str, int, bool], None],
    ) -> None:
        """`refuse_parked`: refuses, at a time, the orders of a session that wait for users to be read, and
        whether the GTC ones, too."""
        self._recorder = recorder
        self._refuse_parked = refuse_parked
        self._mailboxes = mailboxes
        self._sessions = sessions
        self._due: dict[str, int] = {}
        """by session, the logged time at which its orders end unless its client is back"""

    def begin(self, time: int) -> None:
        """At a start: who was connected when the venue ended, or away, is away from now on."""
        for mailbox in self._mailboxes.values():
            if mailbox.cancels:
                if mailbox.cancels not in GONE:
                    mailbox.cancels = on_departure(mailbox.cancels, logged_out=False)
                self.note(mailbox, time)

    def note(self, mailbox: Mailbox, time: int) -> None:
        """Its client may have gone, or be back."""
        if mailbox.cancels not in GONE:
            self._due.pop(mailbox.name, None)
        elif mailbox.name not in self._due:
            session = self._sessions.get(mailbox.name)
            grace = session.settings.cancel_grace_seconds if session is not None else 0
            self._due[mailbox.name] = time + grace * SECOND

    def due(self, time: int) -> bool:
        return bool(self._due) and min(self._due.values()) <= time

    def cancel(self, time: int) -> None:
        """Begins to cancel what is due."""
        for name in [name for name, due in self._due.items() if due <= time]:
            del self._due[name]
            mailbox = self._mailboxes[name]
            if mailbox.cancels in GONE:
                self._cancel(mailbox, time)

    def _cancel(self, mailbox: Mailbox, time: int) -> None:
        recorder, session = self._recorder, self._sessions.get(mailbox.name)
        gtc = session is not None and session.settings.cancel_gtc == "yes"
        self._refuse_parked(mailbox.name, time, gtc)
        command = CancelSession(time, mailbox.name, mailbox.cancels, gtc, CANCELED_AT_ONCE)
        if next(canceled_by(recorder.venue, command), None) is not None:
            recorder.accept(replace(command, most=recorder.room.take(CANCELED_AT_ONCE)))
        mailbox.cancels = ""
        recorder.touched[mailbox.name] = mailbox
