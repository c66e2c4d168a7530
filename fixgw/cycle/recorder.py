"""What a cycle writes: accepted commands to the journal, the engine's events to the output log, reports to
the outbox. All in the cycle's one transaction."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from engine.commands import Command, EndDay, ExpireOrders, NewOrder, ReplaceOrder, SetState, TriggerStops
from engine.events import (
    AccountOpened,
    Event,
    Execution,
    InstrumentListed,
    ManyCanceled,
    RequestDenied,
    StateSet,
)
from engine.peer_commands import MessageSent, TakeMessage
from engine.peer_messages import PLACE
from engine.peers import SPAN
from engine.user_events import BeginDehydrate, Repaired, UserConflict, UserHydrated, UserWanted
from engine.venue import Venue
from engine.words import CLOSED, CONTINUOUS, GOOD_TILL_CANCEL, GOOD_TILL_DATE, NEW, PENDING_NEW, REJECTED
from fixgw.calendar.trading_day import TradingDay
from fixgw.codec.denials import order_denied, request_denied
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.masses import mass_cancel_report
from fixgw.codec.reports import execution_report
from fixgw.codec.times import utc_timestamp
from fixgw.sessions.mailbox import Mailbox
from fixgw.store import audit, journal
from fixgw.store.accounts import note_account
from fixgw.store.days import Days
from fixgw.store.room import Room
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction

MAY_TRADE = NewOrder, ReplaceOrder, SetState
log = logging.getLogger("fixgw.cycle")

LASTING = GOOD_TILL_CANCEL, GOOD_TILL_DATE
CANCELED_AT_ONCE = 500
"""orders that one command cancels, so that no turn is long"""
EXPIRED_AT_ONCE = 500
"""orders that one command expires, so that it stays short"""


@dataclass
class EndingDay:
    following: str
    who: str
    expired: int = 0
    """orders, since the venue was started"""


class Recorder:
    """Where the journal and the output log stand, and how they go on."""

    def __init__(
        self,
        store: Store,
        room: Room,
        days: Days,
        trading_day: TradingDay,
        venue: Venue,
        mailboxes: Mapping[str, Mailbox],
        sequence: int,
        event_sequence: int,
    ) -> None:
        self.sequence = sequence
        """of the last journal entry"""
        self.event_sequence = event_sequence
        """of the last event in the output log"""
        self.venue = venue
        self.apply: Callable[[int, Command], list[Event]] = venue.apply
        """what carries a command out; a stopwatch may stand before it"""
        self.posted = 0
        """messages that were given a number and kept, for who sets it to 0"""
        self.days = days
        self.trading_day = trading_day
        self.instruments = {
            symbol: InstrumentText(venue.instrument(symbol)) for symbol in (*venue.markets, *venue.distant)
        }
        self.touched: dict[str, Mailbox] = {}
        """mailboxes that got something in this cycle"""
        self.time = 0
        """the cycle's logged time"""
        self.changes: list[tuple[Command, StateSet]] = []
        """markets that got another state in this cycle, and by which command"""
        self.requests: list[BeginDehydrate | UserWanted | MessageSent] = []
        """what the engine asks of the world in this cycle, once it is committed"""
        self.repaired = 0
        """how often a reconciliation has put something right since the start"""
        self.store = store
        self.room = room
        self.ending_day = EndingDay(venue.ending, "venue") if venue.ending else None
        """the end of a day that has begun and waits for room"""
        self._mailboxes = mailboxes
        self._times = ("", "", "")
        self._transaction: Transaction | None = None
        self._day_end = 0

    def begin(self, transaction: Transaction, time: int) -> None:
        """A new cycle, with its transaction and its logged time; a trading day that is over ends."""
        self._transaction, self.time = transaction, time
        self._times = (utc_timestamp(time), utc_timestamp(time, 6), utc_timestamp(time, 9))
        self.touched.clear()
        self.room.begin()
        if self.ending_day is not None:
            self._go_on_ending(self.ending_day)
        elif time >= self._day_end:
            self._begin_day(transaction, time)
        while 0 < self.venue.next_expiry() <= time and (most := self.room.take_or_wait(EXPIRED_AT_ONCE)):
            self.accept(ExpireOrders(time, most))

    def _begin_day(self, transaction: Transaction, time: int) -> None:
        day = self.trading_day.name(time)
        if day > self.venue.day:
            self.end_day(time, day, "calendar")
        else:  # a start in the middle of a day, or after a clock was set back, which brings no old day back
            self._enter_day(transaction, self.venue.day)

    def end_day(self, time: int, following: str, who: str) -> int:
        """Ends the trading day: DAY orders expire, and the day `following` begins with no ClOrdID spent but
        those of live orders. Returns how many orders expired; in a full store others may still have to, and
        the day ends with them."""
        ending = EndingDay(following, who)
        self._go_on_ending(ending)
        return ending.expired

    def _go_on_ending(self, ending: EndingDay) -> None:
        if self.days.day != ending.following:
            self._enter_day(self.transaction, ending.following)
        live = self.venue.live_orders
        room = self.room.take_or_wait(live) if live else 0
        self.ending_day = ending
        if live and not room:
            return
        ended, before = self.venue.day, self.event_sequence
        self.accept(EndDay(self.time, ending.following, room if room < live else 0))
        over = self.venue.day == ending.following
        ending.expired += self.event_sequence - before - over
        if not over:
            return
        self.ending_day = None
        if ended:
            began = f"DAY orders expired: {ending.expired}; day {ending.following} began"
            self.note(self.time, ending.who, f"day {ended} ended, {began}")

    @property
    def unfinished(self) -> bool:
        """There are orders that are to end, but have not in this turn."""
        ends = self.venue.canceling or self.ending_day is not None
        return bool(ends) or 0 < self.venue.next_expiry() <= self.time

    def room_to_enter(self, symbol: str, state: str) -> bool:
        """In one command, a market ("": all) that goes on to trade or closes may end all its orders."""
        if state not in (CONTINUOUS, CLOSED) or self.room.take_all(self.venue.live_orders):
            return True
        orders = (order for orders in self.venue.live.values() for order in orders.values())
        return self.room.take_all(sum(not symbol or order.symbol == symbol for order in orders))

    def follow(self, trading_day: TradingDay) -> None:
        """From here on days end by this one; the day that is goes on until it ends by it."""
        self.trading_day = trading_day
        self._day_end = trading_day.end(self.venue.day)

    def _enter_day(self, transaction: Transaction, day: str) -> None:
        self._day_end = self.trading_day.end(day)
        self.days.open(transaction, day)

    @property
    def transaction(self) -> Transaction:
        """The current cycle's."""
        assert self._transaction is not None, "outside of a cycle"
        return self._transaction

    def time_for(self, mailbox: Mailbox) -> str:
        """The cycle's logged time as a UTCTimestamp of the session's precision."""
        return self._times[mailbox.decimals // 3 - 1]

    def note(self, time: int, who: str, what: str) -> None:
        """Puts what someone did into the audit, in the same transaction."""
        audit.note(self.store, self.transaction, audit.Deed(time, who, what))

    def accept(self, command: Command) -> None:
        """Journals a command the engine does not refuse, carries it out and reports what came of it; and so
        with the stops that it touches, before any other command (docs/market.md, 2.5)."""
        events, markets = self._accept(command), self.venue.markets
        if isinstance(command, MAY_TRADE):
            symbols: Iterable[str] = (command.symbol,) if command.symbol else markets
        elif isinstance(command, TakeMessage):
            symbols = [event.symbol for event in events if type(event) is Execution]
        else:
            return
        for symbol in symbols:
            while symbol in markets and markets[symbol].unfinished:
                self._accept(TriggerStops(command.time, symbol))

    def _accept(self, command: Command) -> list[Event]:
        transaction, sequence, number = self.transaction, self.sequence + 1, self.event_sequence + 1
        events: list[Event] = self.apply(sequence, command)
        self.sequence = sequence
        self.event_sequence += len(events)
        numbers: list[int] = []
        for event in events:
            if type(event) is Execution:
                numbers.append(self._report(transaction, event, number))
            elif type(event) is InstrumentListed:
                self._list(transaction, event.symbol)
            elif isinstance(event, AccountOpened | UserHydrated):
                self._note_account(transaction, event)
            elif isinstance(event, BeginDehydrate | UserWanted | MessageSent):
                self.requests.append(event)
            elif isinstance(event, Repaired | UserConflict):
                self._warn(event)
            elif type(event) is RequestDenied:
                self._deny(event, number, events)
            elif type(event) is StateSet:
                self.changes.append((command, event))
            elif type(event) is ManyCanceled:
                mailbox = self._mailboxes[event.session]
                self.post(mailbox, *mass_cancel_report(event, number, mailbox.begin_string, mailbox.decimals))
            number += 1
        entry = journal.Entry(command, self.event_sequence - len(events) + 1, events, numbers)
        journal.append(self.store, transaction, sequence, entry)
        return events

    def _list(self, transaction: Transaction, symbol: str) -> None:
        listed = self.venue.instrument(symbol)
        self.instruments[symbol] = InstrumentText(listed)
        journal.keep_instrument(self.store, transaction, listed)

    def _warn(self, event: Repaired | UserConflict) -> None:
        self.repaired += isinstance(event, Repaired)
        log.warning("journal entry %d: %s", self.sequence, event)

    def _note_account(self, transaction: Transaction, event: AccountOpened | UserHydrated) -> None:
        name, client = (
            (event.account, event.client)
            if isinstance(event, AccountOpened)
            else (event.user, event.row.client)
        )
        note_account(self.store, transaction, name, client)

    def _report(self, transaction: Transaction, event: Execution, event_sequence: int) -> int:
        """The MsgSeqNum that the owner's report has; 0 if it gets none."""
        if event.order_id >= SPAN:
            return 0  # of another node, which has its session
        instrument, number = self.instruments[event.symbol], 0
        if event.exec_type != REJECTED:  # of which RequestDenied tells more
            self._post(transaction, event.session, event, event_sequence, instrument)
            number = self._mailboxes[event.session].sender - 1
        if event.requester:
            self._post(transaction, event.requester, event, event_sequence, instrument)
        if not event.leaves_quantity:
            self.days.end_order(transaction, event.order_id, event.ord_status, self.sequence)
            if event.time_in_force in LASTING and not event.expire_day:
                name = event.orig_cl_ord_id or event.cl_ord_id
                self.days.keep_id(transaction, event.client, name, event.order_id)
        return number

    def _deny(self, event: RequestDenied, event_sequence: int, events: list[Event]) -> None:
        mailbox, instrument = self._mailboxes[event.session], self.instruments[event.symbol]
        if event.request == PLACE:
            order = next(each for each in events if isinstance(each, Execution))
            exec_id = event_sequence - 1  # of the event that ended it, which stands before this
            report = order_denied(order, event, exec_id, instrument, mailbox.begin_string, mailbox.decimals)
        else:
            live = self.venue.by_id(event.order_id)
            ended = self.days.ended(self.transaction, event.order_id)
            status = live.status if live is not None else ended[1] if ended is not None else REJECTED
            report = request_denied(event, status, instrument, mailbox.begin_string, self.time_for(mailbox))
        self.post(mailbox, *report)

    def _post(
        self,
        transaction: Transaction,
        name: str,
        event: Execution,
        event_sequence: int,
        instrument: InstrumentText,
    ) -> None:
        mailbox = self._mailboxes[name]
        if event.exec_type == NEW and mailbox.pending_new and event.symbol in self.venue.markets:
            pending = replace(event, exec_type=PENDING_NEW, ord_status=PENDING_NEW)
            self._post_report(mailbox, pending, f"{event_sequence}A", instrument)
        self._post_report(mailbox, event, event_sequence, instrument)

    def _post_report(
        self, mailbox: Mailbox, event: Execution, exec_id: int | str, instrument: InstrumentText
    ) -> None:
        report = execution_report(event, exec_id, instrument, mailbox.begin_string, mailbox.decimals)
        self.post(mailbox, *report)

    def post(self, mailbox: Mailbox, msg_type: str, body: bytes) -> None:
        mailbox.post(self.transaction, msg_type, self.time_for(mailbox), body)
        self.touched[mailbox.name] = mailbox
        self.posted += 1

    def refuse(self, mailbox: Mailbox, msg_type: str, body: bytes) -> None:
        """Says no. That must not take the last room of a full store: then it is sent but not kept, and a gap
        for who asks for it again."""
        if not self.store.full:
            self.post(mailbox, msg_type, body)
            return
        mailbox.tell(msg_type, self.time_for(mailbox), body)
        self.touched[mailbox.name] = mailbox
