"""What a session is sent: every report gets its MsgSeqNum here, when it is born, and is kept in the outbox
under it, whether the client is there or not."""

import logging
from itertools import islice

from msgspec.structs import replace

from fixgw.codec.admin import resent
from fixgw.codec.frame import Frame
from fixgw.codec.queries import is_status
from fixgw.sessions.client import Line
from fixgw.sessions.outflow import Outflow
from fixgw.store import outbox
from fixgw.store.keys import outbox_key, outbox_prefix
from fixgw.store.sessions import SessionRecord, save
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction

SESSION_MESSAGES = (b"3\x01", b"5\x01", b"A\x01")
"""how records of the session messages start that take the place of others"""
log = logging.getLogger("fixgw.sessions")

CARRY = 100
"""reports carried over a reset in one transaction"""
SWEEP = 200
"""records of earlier generations deleted in one transaction"""


class Mailbox:
    """The outbound side of one session, and its numbers. It outlives connections, and also the session's
    place in the configuration: orders that live on still get their reports."""

    def __init__(
        self,
        name: str,
        record: SessionRecord,
        store: Store,
        frame: Frame,
        outflow: Outflow,
        pending_new: bool = False,
    ) -> None:
        self.name = name
        self.begin_string = record.begin_string
        self.comp_id = record.comp_id
        self.sender = record.sender
        self.target = record.target
        self.generation = record.generation
        self.delivered = record.delivered
        self.last_report = record.last_report
        self.period = record.period
        self.blocked = record.blocked
        self.cancels = record.cancels
        self.signed = record.signed
        self.password = record.password
        self.password_before = record.password_before
        self.outflow = outflow
        self.decimals = frame.decimals
        self.pending_new = pending_new
        """an order is told to be pending first, whatever its market is"""
        self.resends = 0
        """resend requests since the venue has started"""
        self.rejects = 0
        """messages that were rejected on the session level since then"""
        self._store = store
        self._frame = frame
        self._prefix = outbox_prefix(name)
        self._saved: SessionRecord | None = None
        self._missing = (1, 0)
        """first and last number of reports this connection was not sent"""
        self._carry = list(record.carry)
        self._sweep = record.generation > 0
        self._kept: dict[bytes, bytes] = {}
        """records to be put into the outbox at the end of the cycle"""

    def post(self, transaction: Transaction, msg_type: str, sending_time: str, body: bytes) -> None:
        """A new application message: numbered, kept, and due once the transaction is committed."""
        self._post(transaction, _record(msg_type, sending_time, body))

    def tell(self, msg_type: str, sending_time: str, body: bytes) -> None:
        """The same, but not kept: it is gap-filled when asked for again."""
        self.administer(_record(msg_type, sending_time, body))

    def _post(self, transaction: Transaction, record: bytes) -> None:
        sequence = self.sender
        self.sender = sequence + 1
        self.last_report = sequence
        key = outbox_key(self._prefix, self.generation, sequence)
        fresh = outbox.put(self._store, transaction, key, record)
        assert fresh, f"{self.name}: MsgSeqNum {sequence} was used before"
        self.outflow.report(self.generation, sequence, self._frame.first_send(sequence, record))

    def administer(self, record: bytes) -> None:
        """A session message of the venue's own: spends a number, is gap-filled when asked for again."""
        self.outflow.administer(self._frame.first_send(self.sender, record))
        self.sender += 1

    def rewrite(self, sequence: int, record: bytes) -> None:
        """Another message under a number that QuickFIX has spent. One that is no session message is kept, so
        that it can come again; but not in a full store."""
        self.outflow.administer(self._frame.first_send(sequence, record))
        if not record.startswith(SESSION_MESSAGES) and not self._store.full:
            self._kept[outbox_key(self._prefix, self.generation, sequence)] = record
            self.last_report = sequence

    def open(self, line: Line) -> None:
        """A new connection. Reports that may not have arrived on earlier ones are missing on it."""
        self.outflow.open(line)
        self._missing = (self.delivered + 1, self.last_report)

    def replay(self, first: int, end: int) -> None:
        """The client asks for [first, end) again."""
        self.resends += 1
        if end >= self.sender - 1:  # all there is: then it has what is before
            self.prove(first - 1, self.generation)
        low, high = max(self._missing[0], self.delivered + 1), self._missing[1]
        if first <= low:
            self._missing = (max(low, end), high)
        self.outflow.replay(self.generation, first, end)

    @property
    def unbroken(self) -> bool:
        """This connection was sent every report that is not proven to have arrived. Else a client that
        answers or leaves in good order may lack what an earlier one lost, if it does not mind gaps."""
        low, high = self._missing
        return max(low, self.delivered + 1) > high

    def prove(self, sequence: int, generation: int) -> None:
        """The client has shown that it has everything up to `sequence` of that generation."""
        if generation == self.generation and self.delivered < sequence < self.sender:
            self.delivered = sequence

    def choose_password(self, chosen: str, before: str) -> None:
        """The client has a password of its own from now on: its hash, and a mark of the configured one."""
        self.password, self.password_before = chosen, before

    def jump(self, distance: int) -> None:
        """After an unclean stop: a number that may have been on the wire is never used for another message.
        The client sees a gap, asks, and gets its reports and a gap fill."""
        if self.sender > 1:
            self.sender += distance

    def reset(self) -> None:
        """The numbers start again at 1. Reports that may not have arrived are to be carried over."""
        if self.last_report > self.delivered:
            self._carry.append((self.generation, self.delivered + 1, self.last_report + 1))
        self.generation += 1
        self.delivered = self.last_report = 0
        self.sender = 1
        self._missing = (1, 0)
        self._sweep = True
        self.outflow.forget()

    def carry_over(self, transaction: Transaction, sending_time: str) -> bool:
        """After a reset: sends what may be missing again, under new numbers, with PossResend(97)=Y. A piece
        at a time; True while there is more, which also outlives a restart."""
        if not self._carry:
            return False
        generation, first, end = self._carry[0]
        missing = outbox.records(self._store, transaction, self._prefix, generation, first, end)
        piece: list[tuple[int, bytes]] = []
        try:
            piece += islice(missing, CARRY)
            rest = piece[-1][0] + 1 if len(piece) == CARRY else end
        except outbox.DamagedReport as damage:
            log.critical("%s; it cannot be sent again", damage)
            rest = damage.sequence + 1
        for _, record in piece:
            if is_status(record):
                continue  # of then, and an order that ended since would seem to live: who asks again is told
            self._post(transaction, resent(record, sending_time))
        if rest < end:
            self._carry[0] = (generation, rest, end)
        else:
            del self._carry[0]
        return self.carries

    @property
    def carries(self) -> bool:
        return bool(self._carry)

    @property
    def unsettled(self) -> bool:
        """There is work from before the last reset, whether a client is there or not; or a proof that came
        after the client had left is to be kept."""
        proven = self._saved is not None and self._saved.delivered != self.delivered
        return bool(self._carry) or self._sweep or proven

    @property
    def needs_sweep(self) -> bool:
        return self._sweep and not self._carry

    def sweep(self, transaction: Transaction) -> None:
        """Deletes records from before the last reset, a piece at a time."""
        swept = outbox.sweep(self._store, transaction, self._prefix, self.generation, SWEEP)
        self._sweep = swept == SWEEP

    def settle(self, transaction: Transaction, ahead: int = 0) -> None:
        """The end of a cycle: what has moved is written. So many messages less one that are not kept may be
        ahead of the number that is on disk: less than it jumps after an unclean stop."""
        for key, kept in self._kept.items():
            outbox.put(self._store, transaction, key, kept)
        self._kept.clear()
        record, saved = self.record, self._saved
        if ahead and saved is not None and 0 < record.sender - saved.sender < ahead:
            saved = replace(saved, sender=record.sender)
        if record != saved:
            save(self._store, transaction, self.name, record)
            self._saved = record

    @property
    def record(self) -> SessionRecord:
        """What is kept of the session."""
        return SessionRecord(
            self.begin_string,
            self.comp_id,
            self.sender,
            self.target,
            self.generation,
            self.delivered,
            tuple(self._carry),
            self.last_report,
            self.period,
            self.blocked,
            self.cancels,
            self.signed,
            self.password,
            self.password_before,
        )


def _record(msg_type: str, sending_time: str, body: bytes) -> bytes:
    return f"{msg_type}\x01{sending_time}\x01".encode("ascii") + body
