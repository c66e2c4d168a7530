"""How long the stages of a turn take: poll (QuickFIX), decode (FIX text to commands), engine, record (all
else before the commit: checks, reports, journal), commit, send. Decoding and matching happen message by
message, so only one turn in SAMPLE measures them: the clock, read twice for each, would cost more than all
else here."""

from collections.abc import Callable
from typing import Any

from fixgw.cycle.recorder import Recorder
from fixgw.frontend.frontend import FrontEnd
from fixgw.metrics.meter import LIMITS, Meter
from fixgw.metrics.table import CAUSES, COMMIT, DECODE, ENGINE, LONG_TURN, POLL, RECORD, SEND, place

SAMPLE = 16

_CYCLE, _CYCLES, _TURNS, _IN, _OUT, _BACKLOG = map(
    place, ("cycle_seconds", "cycles", "turns", "messages_in", "messages_out", "backlog_sessions")
)
_POLL, _DECODE, _ENGINE, _RECORD, _COMMIT, _SEND = (
    place("cycle_stage_seconds", stage) for stage in (POLL, DECODE, ENGINE, RECORD, COMMIT, SEND)
)
_CAUSES = [place("long_turn_causes", cause) for cause in CAUSES]


class Stopwatch:
    """Stands before a function and adds up the time in it."""

    __slots__ = ("_clock", "function", "spent")

    def __init__(self, function: Callable[..., Any], clock: Callable[[], int]) -> None:
        self.function = function
        self._clock = clock
        self.spent = 0
        """nanoseconds"""

    def __call__(self, *arguments: Any) -> Any:
        begin = self._clock()
        try:
            return self.function(*arguments)
        finally:
            self.spent += self._clock() - begin


class Turns:
    """Told by the cycle, in this order: begin, read for each chunk of a session, decided, committed, end."""

    def __init__(self, meter: Meter, front_end: FrontEnd, recorder: Recorder) -> None:
        self._meter = meter
        self.clock = meter.clock
        self._front_end = front_end
        self._recorder = recorder
        self._begin = self._decided = self._committed = 0
        self._polled = 0
        self._messages = 0
        self._sequence = 0
        self._until_sample = SAMPLE - 1
        self._stopwatches: tuple[Stopwatch, Stopwatch, Stopwatch] | None = None

    def begin(self) -> None:
        self._polled = self._messages = 0
        self._sequence = self._recorder.sequence
        self._meter.longest = (0, 0)
        if self._until_sample <= 0:
            self._start_stopwatches()
        self._begin = self.clock()

    def read(self, begin: int, end: int, messages: int) -> None:
        """QuickFIX has taken a chunk of one session, from which so many messages came."""
        self._polled += end - begin
        self._messages += messages

    def decided(self) -> None:
        self._decided = self.clock()

    def committed(self) -> None:
        self._committed = self.clock()

    def end(self, backlog: int) -> None:
        """`backlog`: sessions that have more to do."""
        meter, begin, end = self._meter, self._begin, self.clock()
        numbers, recorder = meter.numbers, self._recorder
        numbers[_TURNS] += 1
        numbers[_BACKLOG] = backlog
        if self._messages or recorder.sequence != self._sequence:
            numbers[_CYCLES] += 1
            numbers[_IN] += self._messages
            meter.observe(_CYCLE, end - begin)
            meter.observe(_POLL, self._polled)
            meter.observe(_COMMIT, self._committed - self._decided)
            meter.observe(_SEND, end - self._committed)
            self._until_sample -= 1
        if recorder.posted:
            numbers[_OUT] += recorder.posted
            recorder.posted = 0
        if self._stopwatches is not None:
            self._stop_stopwatches()
        if end - begin >= LIMITS[LONG_TURN]:
            numbers[_CAUSES[meter.longest[1]]] += 1
            meter.span(LONG_TURN, begin, end, meter.longest[1])

    def _start_stopwatches(self) -> None:
        front_end, recorder, clock = self._front_end, self._recorder, self.clock
        fields, decode = Stopwatch(front_end.fields, clock), Stopwatch(front_end.decode, clock)
        engine = Stopwatch(recorder.apply, clock)
        front_end.fields, front_end.decode, recorder.apply = fields, decode, engine
        self._stopwatches = fields, decode, engine

    def _stop_stopwatches(self) -> None:
        assert self._stopwatches is not None
        fields, decode, engine = self._stopwatches
        self._front_end.fields, self._front_end.decode = fields.function, decode.function
        self._recorder.apply = engine.function
        self._stopwatches = None
        if self._until_sample < 0:  # it had something to do
            self._until_sample = SAMPLE - 1
            decoding = fields.spent + decode.spent
            rest = self._decided - self._begin - self._polled - decoding - engine.spent
            self._meter.observe(_DECODE, decoding, SAMPLE)
            self._meter.observe(_ENGINE, engine.spent, SAMPLE)
            self._meter.observe(_RECORD, max(rest, 0), SAMPLE)
