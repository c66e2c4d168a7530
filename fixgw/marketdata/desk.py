"""What the sessions of the market data station get."""

import time
from collections.abc import Mapping

from fixgw.codec.fields import fields
from fixgw.codec.market_data import Form, request_reject
from fixgw.codec.subscriptions import TOO_MANY
from fixgw.marketdata.books import Books
from fixgw.marketdata.feeds import Feeds
from fixgw.marketdata.subscriber import Limits, Subscriber
from fixgw.publish.replica import Replica
from fixgw.publish.standing import Standing
from fixgw.sessions.session import Session
from fixgw.settings import MarketDataSession
from fixgw.station.desk import Sender
from fixgw.store.store import Store

BUDGET = 0.004
"""seconds that one look reads, if there is so much to read"""
ENTRIES = 16
"""journal entries read at a time"""
REST = 5
"""times as long as serving took, from one look to the next"""
BYTES_OF_LEVEL = 80
"""that a level takes in a message, at most"""


class MarketDataDesk:
    def __init__(
        self, replica: Replica, last_time: int, settings: Mapping[str, MarketDataSession], unread_bytes: int
    ) -> None:
        """The replica is where the journal ends, with an entry of `last_time`."""
        self._replica = replica
        self._time = last_time
        self._books = Books(replica.venue, last_time)
        self._feeds = Feeds(self._books)
        most_levels = unread_bytes // 2 // BYTES_OF_LEVEL
        self._limits = {name: _limits(session, most_levels) for name, session in settings.items()}
        self._subscribers: dict[Session, Subscriber] = {}
        self._served = 0.0
        """seconds that it took to serve since the last look"""
        self._rests_until = 0.0

    def open(self, store: Store, sessions: Mapping[str, Session]) -> None:
        """It keeps nothing: who comes back subscribes again."""

    def look(self) -> bool:
        """Whether there is more in the journal. The more there is to serve, the more is merged: the venue may
        have no other processor."""
        begin, more = time.perf_counter(), True
        if begin < self._rests_until:
            return False
        self._rests_until, self._served = begin + REST * self._served, 0.0
        end = begin + BUDGET
        while more and time.perf_counter() < end:
            entries = self._replica.following(ENTRIES)
            for sequence, entry in entries:
                self._replica.apply(sequence, entry)
                self._time = entry.command.time
                self._books.hear(entry.events)
            more = len(entries) > 0
        now = time.monotonic()
        for reader in self._feeds.advance():
            reader.subscriber.stir(reader, now)
        for session, subscriber in list(self._subscribers.items()):
            subscriber.look(now)
            if subscriber.too_slow:
                self.left(session)
                session.cut(subscriber.too_slow)
        return more

    def standing(self) -> Standing:
        return Standing(self._replica.event_sequence, self._time)

    def logged_on(self, session: Session, sender: Sender) -> None:
        form = Form(session.mailbox.begin_string, session.mailbox.decimals)
        self._subscribers[session] = Subscriber(self._feeds, form, self._limits[session.name])

    def handle(self, session: Session, text: str, sender: Sender) -> None:
        subscriber, found = self._subscribers.get(session), fields(text)
        if subscriber is None or found["35"] != "V":
            return
        if session.spend():
            limit = session.settings.messages_per_second
            words = f"more than {limit} messages per second"
            sender.tell(session, *request_reject(found["262"], TOO_MANY, words))
            return
        for report in subscriber.request(text, time.monotonic()):
            sender.tell(session, *report)

    def due(self, session: Session) -> bool:
        subscriber = self._subscribers.get(session)
        return subscriber is not None and subscriber.due(time.monotonic())

    def serve(self, session: Session, sender: Sender) -> None:
        begin = time.perf_counter()
        for report in self._subscribers[session].serve(time.monotonic()):
            sender.tell(session, *report)
        self._served += time.perf_counter() - begin

    def left(self, session: Session) -> None:
        subscriber = self._subscribers.pop(session, None)
        if subscriber is not None:
            subscriber.leave()


def _limits(session: MarketDataSession, most_levels: int) -> Limits:
    return Limits(
        interval=session.interval_ms / 1000 if session.conflation == "interval" else 0.0,
        depth=session.depth,
        full_book=session.full_book == "yes",
        subscriptions=session.subscriptions,
        unread_trades=session.unread_trades,
        stalled=session.stalled_seconds,
        most_levels=most_levels,
    )
