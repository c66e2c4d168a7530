"""Accept or refuse: duplicate check, modes, the engine's word. Only what is accepted reaches the journal, and
only then is its ClOrdID spent."""

import logging
from collections.abc import Callable, Mapping

import msgspec

from engine import refusals
from engine.commands import CancelMany, CancelOrder, NewOrder, OrderCommand
from engine.refusals import Refusal
from engine.words import ACCOUNT, CLIENT, GOOD_TILL_CANCEL
from fixgw.codec.fields import fields
from fixgw.codec.masses import decode_mass_cancel
from fixgw.codec.orders import decode
from fixgw.codec.refusals import (
    BAD_CL_ORD_ID,
    CANCELED_FIRST,
    NOT_READ,
    NOT_UNDERSTOOD,
    OTHER_ORDER,
    THROTTLED,
    TOO_LATE,
)
from fixgw.codec.reports import NO_ORDER, not_understood, throttled
from fixgw.cycle.recorder import CANCELED_AT_ONCE, Recorder
from fixgw.frontend.answers import Answers
from fixgw.frontend.objections import WAITS, Objections
from fixgw.frontend.parking import Parking, Waiting
from fixgw.frontend.queries import Queries
from fixgw.sessions.session import Session
from fixgw.store.keys import clordid_key
from fixgw.store.store import Store

CANCELS = "F", "q"
"""never throttled (MsgType 35)"""
QUERIES = "H", "AF", "x", "e", "g"

log = logging.getLogger("fixgw.frontend")


class FrontEnd:
    def __init__(
        self,
        store: Store,
        recorder: Recorder,
        parking: Parking,
        sessions: Mapping[str, Session],
        is_unknown: Callable[[str, int], bool],
        most_parked: Callable[[], int],
        refused: Callable[[str], object],
    ) -> None:
        """`is_unknown`: whether the record did not know an account, at a logged time. `refused` is told
        the reason of each refusal: one of fixgw.codec.refusals."""
        self.fields: Callable[[str], dict[str, str]] = fields
        self.decode: Callable[..., OrderCommand | Refusal] = decode
        """a stopwatch may stand before these two"""
        self._refused = refused
        self._store = store
        self._parking = parking
        self._sessions = sessions
        self._is_unknown = is_unknown
        self._most_parked = most_parked
        self._recorder = recorder
        self._venue = recorder.venue
        self._days = recorder.days
        self._instruments = recorder.instruments
        self._queries = Queries(recorder)
        self._answers = Answers(recorder, refused)
        self._objections = Objections(store, recorder, parking, self._answers)

    def handle(self, session: Session, text: str, time: int) -> None:
        """One application message, in the cycle's transaction and at its logged time."""
        try:
            found = self.fields(text)
            if found["35"] not in CANCELS and (wait := session.spend()):
                limit = session.settings.messages_per_second
                self._refused(THROTTLED)
                self._recorder.refuse(session.mailbox, *throttled(found, limit, wait))
                return
            if len(self._parking) and found["35"] not in CANCELS:
                user = self._parking.behind(session.client, found)
                if user is not None:
                    self._wait_behind(session, text, found, user, time)
                    return
        except Exception:
            self._give_up(session, text)
            return
        self._decide(session, text, found, time)

    def _decide(
        self,
        session: Session,
        text: str,
        found: dict[str, str],
        time: int,
        command: OrderCommand | CancelMany | Refusal | None = None,
    ) -> None:
        """`command`: what the message says, if that is known already."""
        try:
            msg_type = found["35"]
            if msg_type in QUERIES:
                self._queries.handle(session, found)
                return
            if msg_type == "j":
                return  # of one of our reports: there is nothing to decide
            if command is not None:
                pass
            elif msg_type == "q":
                command = decode_mass_cancel(
                    found, self._instruments, session.client, session.name, time, CANCELED_AT_ONCE
                )
            else:
                command = self.decode(found, session.terms, self._instruments, time)
        except Exception:
            self._give_up(session, text)
            return
        if type(command) is Refusal and command.reason == BAD_CL_ORD_ID:
            self._answers.refuse(session, found, command)
            return
        refusal = command if isinstance(command, Refusal) else self._objections.why_not(command, found)
        if not self._is_first(session.client, found, spends=refusal is None):
            # A possible resend (97) of what was seen is done already: test case 19.
            if found.get("97") != "Y":
                self._answers.refuse(session, found, Refusal(refusals.DUPLICATE))
            return
        if refusal is not None and refusal.reason == refusals.NOT_RESIDENT:
            assert not isinstance(command, Refusal | CancelMany)
            refusal = self._wait(session, text, found, command, str(refusal.value), time)
            if refusal is None:
                return
        elif refusal is not None and refusal.reason == WAITS:
            assert isinstance(command, CancelOrder)
            refusal = self._cancel_waiting(command, found, time)
            if refusal is None:
                self._is_first(session.client, found, spends=True)
        if refusal is not None:
            self._answers.refuse(session, found, refusal)
        elif isinstance(command, CancelMany):
            most = self._recorder.room.take(command.most)
            self._recorder.accept(msgspec.structs.replace(command, most=most))
            asked = command.account, command.symbol, command.side
            self._refuse_parked(command.client, *asked, time)
        elif not isinstance(command, Refusal):
            self._recorder.accept(command)

    def _is_first(self, client: str, found: dict[str, str], spends: bool) -> bool:
        """The ClOrdID was not used today. `spends`: it is used now."""
        key, transaction = clordid_key(client, found["11"]), self._recorder.transaction
        if len(self._parking) and found["35"] in CANCELS and self._parking.named(client, found["11"]):
            return False  # what waits under it came first
        if spends:
            return self._days.spend(transaction, key, self._recorder.sequence + 1)
        return not self._days.is_spent(transaction, key)

    def _give_up(self, session: Session, text: str) -> None:
        """Nothing has changed yet, so a message that we cannot read is no reason to stop for all."""
        self._refused(NOT_UNDERSTOOD)
        log.exception("session %s: cannot read %r", session.name, text)
        self._recorder.refuse(session.mailbox, *not_understood(text))

    # -- users who are not in memory -----------------------------------------------------------------

    def _wait(
        self,
        session: Session,
        text: str,
        found: dict[str, str],
        command: OrderCommand,
        user: str,
        time: int,
    ) -> Refusal | None:
        """The message waits for its user, unless there is a reason not to."""
        if self._is_unknown(user, time):
            return Refusal(refusals.UNKNOWN_ACCOUNT, user)
        if self._store.full:
            return Refusal(refusals.STORE_FULL)
        if len(self._parking) >= self._most_parked():
            return Refusal(NOT_READ, user)
        self._park(session, text, found, user, time, command if type(command) is NewOrder else None)
        return None

    def _wait_behind(self, session: Session, text: str, found: dict[str, str], user: str, time: int) -> None:
        """What is said about an order that waits has no more room than orders have."""
        if not self._store.full and len(self._parking) < self._most_parked():
            self._park(session, text, found, user, time)
        elif found["35"] in QUERIES:
            self._decide(session, text, found, time)
        else:
            self._answers.refuse(session, found, Refusal(NOT_READ, user))

    def _park(
        self,
        session: Session,
        text: str,
        found: dict[str, str],
        user: str,
        time: int,
        command: NewOrder | None = None,
    ) -> None:
        transaction = self._recorder.transaction
        self._parking.park(transaction, session.name, session.client, user, text, found, command, time)

    def load_parked(self, time: int) -> None:
        """At a start: what waited when the venue stopped."""

        def client_of(name: str) -> str:
            session = self._sessions.get(name)
            return "" if session is None else session.client

        self._parking.load(client_of, time)

    def arrived(self, user: str, time: int) -> None:
        """The user is in memory, or the record does not know it: what waited is decided, in its order. If it
        has left again meanwhile, the rest goes on waiting in that order."""
        before = self._parking.last
        for waiting in self._parking.of_user(user):
            self._parking.take(self._recorder.transaction, waiting)
            session = self._sessions.get(waiting.session)
            if session is None:  # it is gone with its orders: no one has heard of this one
                continue
            text, found, command = waiting.text, waiting.found, waiting.command
            behind = self._parking.behind(session.client, found, before)
            if behind is not None:
                self._park(session, text, found, behind, time, command)
                continue
            if command is not None:
                command = msgspec.structs.replace(command, time=time)
            self._decide(session, text, found, time, command)

    def _cancel_waiting(self, command: CancelOrder, found: dict[str, str], time: int) -> Refusal | None:
        """A cancel of an order that waits ends it at once, with the replaces of it that the cancel is about.
        None if the cancel is of a live order after all."""
        client, name = command.client, command.orig_cl_ord_id
        first = self._parking.named(client, name)[0]
        for unit, own, theirs in (
            ("Symbol", command.symbol, first.found.get("55", "")),
            ("Side", command.side, first.found.get("54", "")),
            ("Account", found.get("1", first.user), first.user),
        ):
            if own != theirs:
                return Refusal(refusals.MISMATCH, own, theirs, unit)
        if (order_id := found.get("37", NO_ORDER)) != NO_ORDER:
            return Refusal(OTHER_ORDER, order_id, NO_ORDER, name)
        for waiting in self._parking.line(client, name):
            self._refuse_waiting(waiting, Refusal(CANCELED_FIRST), time)
        return (
            self._objections.why_not(command, found) if self._venue.order(client, name) else Refusal(TOO_LATE)
        )

    def refuse_overdue(self, time: int, since: int) -> None:
        """What has waited since then or longer waits no more."""
        for waiting in self._parking.overdue(since):
            self._refuse_waiting(waiting, Refusal(NOT_READ, waiting.user), time)

    def refuse_session(self, name: str, time: int, good_till_cancel: bool) -> None:
        """Its client is gone, and its orders with it; those that are GTC only if so."""
        for waiting in self._parking.of_session(name):
            found = waiting.found
            if found["35"] == "D" and (good_till_cancel or found.get("59") != GOOD_TILL_CANCEL):
                self._refuse_waiting(waiting, Refusal(CANCELED_FIRST), time)

    def refuse_killed(self, scope: str, name: str, time: int) -> None:
        """A kill switch is on, also for the orders that wait."""
        client, account = (name if scope == each else "" for each in (CLIENT, ACCOUNT))
        self._refuse_parked(client, account, "", "", time)

    def _refuse_parked(self, client: str, account: str, symbol: str, side: str, time: int) -> None:
        """Those of them that are asked for; "" is any."""
        asked = ("1", account), ("55", symbol), ("54", side)
        for waiting in self._parking.of_client(client):
            found = waiting.found
            if found["35"] == "D" and all(value in ("", found.get(tag)) for tag, value in asked):
                self._refuse_waiting(waiting, Refusal(CANCELED_FIRST), time)

    def _refuse_waiting(self, waiting: Waiting, refusal: Refusal, time: int) -> None:
        """An order is refused; what waited behind it is decided as if the order had never come."""
        self._parking.take(self._recorder.transaction, waiting)
        session = self._sessions.get(waiting.session)
        if session is None:
            return
        if waiting.found["35"] == "D":
            self._answers.refuse(session, waiting.found, refusal)
        else:
            self._decide(session, waiting.text, waiting.found, time)

    def go_on(self, session: Session) -> bool:
        """What takes more than a turn; whether there is more of it."""
        return self._queries.go_on(session)

    def waits(self, session: Session) -> bool:
        """There is more, which waits until the client has read."""
        return self._queries.waits(session)
