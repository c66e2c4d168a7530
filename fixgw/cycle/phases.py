"""Market states that change because of the time: the way back after an unclean stop, and the end of a
volatility auction (docs/market.md, 7.8, 9.3). And what others are told of a change."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from engine.auction import NOTHING, Outcome, outcome
from engine.commands import Command, SetState, TellIndicative
from engine.events import StateSet
from engine.market import Market
from engine.words import (
    CANCEL_ONLY,
    CONTINUOUS,
    OPENING_AUCTION,
    PRE_OPEN,
    RESTART,
    VOLATILITY,
)
from fixgw.codec.statuses import security_status, trading_session_status
from fixgw.codec.times import SECOND
from fixgw.cycle.recorder import Recorder
from fixgw.sessions.session import Session
from fixgw.settings import Restart

ONE_BY_ONE = 20
"""more markets that change in one turn are told as the venue's state: a message each, for each session, would
be too many"""
LATER = 5
"""seconds after which a market that the store has no room to open tries again"""
WAY = (CANCEL_ONLY, OPENING_AUCTION)
"""back to continuous trading, after an unclean stop"""


class Phases:
    def __init__(self, recorder: Recorder, settings: Callable[[], Restart]) -> None:
        self._recorder = recorder
        self._markets = recorder.venue.markets
        self._settings = settings
        self._due: dict[str, tuple[int, int]] = {}
        """by symbol, the logged time at which its state ends, and which step of the WAY comes then"""
        self._told: dict[str, Outcome] = {}
        """the indicative price last told of a market in a call phase"""
        self._tell_at = 0

    def begin(self, time: int, clean: bool) -> None:
        """In the first turn after a start: markets that were trading at an unclean stop take cancels only,
        and go on from there; so do those that were on this way."""
        for symbol, market in self._markets.items():
            trading = market.state == CONTINUOUS or market.reason == VOLATILITY
            if market.reason == RESTART or (trading and not clean):
                self._go_on(symbol, 0, time)
            elif market.reason == VOLATILITY:
                self._await_end(symbol, time)

    def advance(self, time: int) -> None:
        """Carries out what is due."""
        for symbol in [symbol for symbol, (due, _) in self._due.items() if due <= time]:
            _, step = self._due.pop(symbol)
            self._go_on(symbol, step, time)
        if time >= self._tell_at:
            self._tell_at = time + SECOND
            self._tell_indicatives(time)

    def due(self, time: int) -> bool:
        return any(due <= time for due, _ in self._due.values())

    def note(self, time: int) -> None:
        """After a turn: who else has set a state has decided on what comes next as well."""
        for _, event in self._recorder.changes:
            if event.symbol not in self._markets:
                continue  # on another node, which sees to it
            if event.reason == VOLATILITY:
                self._await_end(event.symbol, time)
            elif event.reason != RESTART:
                self._due.pop(event.symbol, None)

    def _go_on(self, symbol: str, step: int, time: int) -> None:
        """The next state on the WAY that is to last for a while; at its end, continuous trading."""
        settings, market = self._settings(), self._markets[symbol]
        seconds = settings.cancel_only_seconds, settings.auction_seconds
        while step < len(WAY) and not seconds[step]:
            step += 1
        if step == len(WAY) and not self._recorder.room_to_enter(symbol, CONTINUOUS):
            self._due[symbol] = time + LATER * SECOND, step
            return
        if step < len(WAY):
            self._recorder.accept(SetState(time, symbol, WAY[step], RESTART))
            self._due[symbol] = time + seconds[step] * SECOND, step + 1
        elif (market.state, market.reason) != (CONTINUOUS, ""):
            self._recorder.accept(SetState(time, symbol, CONTINUOUS))

    def _await_end(self, symbol: str, time: int) -> None:
        seconds = self._settings().volatility_seconds
        if seconds:
            self._due[symbol] = time + seconds * SECOND, len(WAY)

    def _tell_indicatives(self, time: int) -> None:
        for symbol, market in self._markets.items():
            if not _indicates(market):
                self._told.pop(symbol, None)
                continue
            now = outcome(market)
            if now != self._told.get(symbol, NOTHING):
                self._told[symbol] = now
                self._recorder.accept(TellIndicative(time, symbol))


def _indicates(market: Market) -> bool:
    return market.in_call_phase and market.state != PRE_OPEN


def announce(recorder: Recorder, sessions: Iterable[Session]) -> None:
    """Tells everyone who is logged on of each change of this turn, in order: a market's by itself, that of
    all markets by one command as the venue's. If they are too many to be told one by one, what the venue has
    come to is told once."""
    changes = list(_in_words(recorder.changes))
    states = list(recorder.venue.market_states().values())
    if sum(symbol != "" for symbol, _ in changes) > ONE_BY_ONE:
        changes = [("", "")]
    for session in sessions:
        if not session.attended:
            continue
        mailbox = session.mailbox
        for symbol, state in changes:
            if symbol:
                recorder.refuse(mailbox, *security_status(symbol, state, recorder.time_for(mailbox)))
            else:
                recorder.refuse(mailbox, *trading_session_status([state] if state else states))


def _in_words(changes: Iterable[tuple[Command, StateSet]]) -> Iterator[tuple[str, str]]:
    """(symbol, state); symbol "" for all markets. A market that was halted by what such a command has let it
    trade is told by itself as well."""
    for command, of_command in groupby(changes, key=itemgetter(0)):
        if not isinstance(command, SetState) or command.symbol:
            yield from ((event.symbol, event.state) for _, event in of_command)
            continue
        yield "", command.state
        yield from ((event.symbol, event.state) for _, event in of_command if event.reason == VOLATILITY)
