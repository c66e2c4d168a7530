"""How far one subscription to one market has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fixgw.codec.market_data import named, numbered
from fixgw.codec.reports import Report
from fixgw.marketdata.book import Clearing, Level, Missed, PublicBook

if TYPE_CHECKING:
    from fixgw.marketdata.feed import Feed, Update
    from fixgw.marketdata.subscriber import Subscriber


class Reader:
    __slots__ = (
        "begun",
        "behind",
        "clearing",
        "dealt",
        "feed",
        "missed",
        "once",
        "reports",
        "request_id",
        "state_time",
        "step",
        "subscriber",
        "tops",
        "volume",
    )

    def __init__(self, subscriber: Subscriber, feed: Feed, request_id: str, once: bool) -> None:
        """`once`: a snapshot, and no updates"""
        self.subscriber = subscriber
        self.feed = feed
        self.request_id = request_id
        self.once = once
        self.begun = False
        """it has been told the book"""
        self.behind = False
        self.step = -1
        """the book's, when it was told everything last. With `dealt` it says all of what follows: one reader
        is told what every other of the feed is told that has come as far"""
        self.dealt = -1
        """deals it has been told"""
        self.volume = 0
        self.tops: tuple[tuple[tuple[int, Level], ...], ...] = ()
        """the levels it has been told, if it has the best ones only"""
        self.missed: Missed = {}
        """levels that have changed since, as it was told them, if it has the whole book"""
        self.clearing: Clearing | None = None
        self.reports = 0
        """RptSeq(83)"""
        self.state_time = -1
        """of the market's state that it was told last"""

    def miss(self, changed: Missed) -> None:
        """These levels have changed, in a step of the book. All who had come as far as this share one list:
        what one of them misses after it the others miss as well."""
        if not self.begun:
            return
        if not self.missed:
            self.missed = changed
            return
        for key, before in changed.items():
            self.missed.setdefault(key, before)

    def arrive(self, book: PublicBook, tops: tuple[tuple[tuple[int, Level], ...], ...]) -> None:
        """It has been told all there is."""
        self.begun = True
        self.step, self.dealt, self.volume = book.step, book.dealt, book.volume
        self.tops, self.clearing = tops, book.clearing
        self.missed = {}

    def report(self, update: Update) -> Report:
        """The message, under the numbers that come next: one for a W, and one for each entry of an X."""
        first = self.reports + 1
        self.reports += 1 if update.msg_type == "W" else update.entries
        text = update.text
        if self.feed.wanted.form.newer:
            single = update.msg_type == "W"
            text = numbered(text, [first] * update.entries if single else range(first, self.reports + 1))
        return update.msg_type, named(self.request_id, text)
