"""What a cycle writes: accepted commands to the journal, the engine's events to the output log, reports to
the outbox. All in the cycle's one transaction."""

from collections.abc import Mapping

import lmdb

from engine.commands import Command, EndDay
from engine.events import Execution
from engine.refusals import Refusal
from engine.venue import Venue
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.reports import execution_report
from fixgw.codec.times import day_of, end_of_day, utc_timestamp
from fixgw.sessions.mailbox import Mailbox
from fixgw.store.days import Days
from fixgw.store.journal import encode_command, encode_event
from fixgw.store.keys import number_key
from fixgw.store.store import Store


class Recorder:
    """Where the journal and the output log stand, and how they go on."""

    def __init__(
        self, store: Store, days: Days, venue: Venue, instruments: Mapping[str, InstrumentText],
        mailboxes: Mapping[str, Mailbox], sequence: int, event_sequence: int,
    ) -> None:
        self.sequence = sequence
        """of the last journal entry"""
        self.event_sequence = event_sequence
        """of the last event in the output log"""
        self.venue = venue
        self.days = days
        self.touched: dict[str, Mailbox] = {}
        """mailboxes that got something in this cycle"""
        self._store = store
        self._instruments = instruments
        self._mailboxes = mailboxes
        self.transaction: lmdb.Transaction | None = None
        self.sending_time = ""
        self._day_end = 0

    def begin(self, transaction: lmdb.Transaction, time: int) -> None:
        """A new cycle, with its transaction and its logged time; the trading day ends with the UTC day."""
        self.transaction = transaction
        self.sending_time = utc_timestamp(time)
        self.touched.clear()
        if time >= self._day_end:
            self._begin_day(transaction, time)

    def _begin_day(self, transaction: lmdb.Transaction, time: int) -> None:
        day = max(day_of(time), self.venue.day)  # a clock set back does not bring an old day back
        self._day_end = end_of_day(day)
        self.days.open(transaction, day)
        if day != self.venue.day:
            self.accept(EndDay(time, day))

    def operate(self, command: Command) -> Refusal | None:
        """Accepts a command that comes from no client, if the engine does."""
        refusal = self.venue.refusal(command)
        if refusal is None:
            self.accept(command)
        return refusal

    def accept(self, command: Command) -> None:
        """Journals a command the engine does not refuse, carries it out and reports what came of it."""
        transaction, sequence = self.transaction, self.sequence + 1
        assert transaction is not None
        self.sequence = sequence
        transaction.put(
            number_key(sequence), encode_command(sequence, command), append=True, db=self._store.journal
        )
        event_sequence = self.event_sequence
        for event in self.venue.apply(sequence, command):
            event_sequence += 1
            transaction.put(
                number_key(event_sequence), encode_event(event), append=True, db=self._store.events
            )
            if type(event) is Execution:
                self._report(transaction, event, event_sequence)
        self.event_sequence = event_sequence

    def _report(self, transaction: lmdb.Transaction, event: Execution, event_sequence: int) -> None:
        instrument = self._instruments[event.symbol]
        self._post(transaction, event.session, event, event_sequence, instrument)
        if event.requester:
            self._post(transaction, event.requester, event, event_sequence, instrument)
        if not event.leaves_quantity:
            self.days.end_order(transaction, event.order_id, event.ord_status)

    def _post(
        self, transaction: lmdb.Transaction, name: str, event: Execution, event_sequence: int,
        instrument: InstrumentText,
    ) -> None:
        mailbox = self._mailboxes[name]
        msg_type, body = execution_report(event, event_sequence, instrument, mailbox.begin_string)
        self.post(mailbox, msg_type, body)

    def post(self, mailbox: Mailbox, msg_type: str, body: bytes) -> None:
        assert self.transaction is not None
        mailbox.post(self.transaction, msg_type, self.sending_time, body)
        self.touched[mailbox.name] = mailbox
