"""All that Prometheus gets, in its own words. Families are said here or in fixgw.metrics.table, once each."""

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from fixgw import __version__
from fixgw.metrics.around import Sizes
from fixgw.metrics.buckets import TOTAL, cumulative
from fixgw.metrics.counter import Counter
from fixgw.metrics.page import Looker, Page
from fixgw.metrics.table import COUNTER, FAMILIES, GAUGE, HISTOGRAM, OF_SHARDS, Family
from fixgw.metrics.tally import EXEC_TYPES, Tally
from fixgw.store.directory import in_use
from fixgw.store.pulse import EVENT, JOURNAL

PREFIX = "fixgw_"
LASTING = "start_time_seconds", "recovery_seconds", "spans_longest_seconds"
"""gauges that say something of a venue that has stopped as well; all others are 0 then"""

UP = Family("up", GAUGE, "1 while a venue runs on the data directory")
BUILD = Family("build_info", GAUGE, "The release of this process", "version")
JOURNALED = Family("journal_entries", COUNTER, "Entries of the journal that are on disk")
LOGGED = Family("log_events", COUNTER, "Events of the output log that are on disk")
READER_EVENTS = Family("reader_behind_events", GAUGE, "Events that a reader has not taken", "reader")
READER_SECONDS = Family(
    "reader_behind_seconds", GAUGE, "How long the first of them has waited for it", "reader"
)
SESSION_EVENTS = Family(
    "reader_session_behind_events", GAUGE, "Events that a FIX session of a reader was not sent", "reader"
)
FILE_BYTES = Family("file_bytes", GAUGE, "What a file takes on disk", "file")
TABLE_BYTES = Family("table_bytes", GAUGE, "Pages of a table of the database", "table")
TABLE_ENTRIES = Family("table_entries", GAUGE, "Entries of a table of the database", "table")
MAP_BYTES = Family("database_map_bytes", GAUGE, "What the database may grow to")
USED_BYTES = Family("database_used_bytes", GAUGE, "What it has grown to")
DISK_FREE = Family("disk_free_bytes", GAUGE, "Free on the disk of the data directory")
SNAPSHOT_BYTES = Family("snapshots_bytes", GAUGE, "All snapshots together")
SNAPSHOT_ENTRY = Family(
    "snapshot_journal_entry", GAUGE, "Journal entry of the newest snapshot; 0: there is none"
)
COMMANDS = Family("commands", COUNTER, "Accepted commands by type", "command")
EVENTS = Family("events", COUNTER, "Events by type", "event")
EXECUTIONS = Family("executions", COUNTER, "Steps of orders by ExecType(150)", "symbol")
TRADES = Family("trades", COUNTER, "Trades", "symbol")
VOLUME = Family("trade_volume", COUNTER, "What was traded, in the base currency", "symbol")
VALUE = Family("trade_value", COUNTER, "What was paid for it, in the quote currency", "symbol")
DENIED = Family("denials", COUNTER, "Accepted requests that a market on another node has refused", "reason")
HYDRATIONS = Family("hydrations", COUNTER, "Users that came into memory from the record", "shard")
EVICTIONS = Family("evictions", COUNTER, "Users that have left memory", "shard")
MARKET_STATE = Family("market_state", GAUGE, "1 for the state that a market is in", "symbol")
DAY = Family("trading_day", GAUGE, "1 for the trading day that is", "day")
LOG_TIME = Family("log_time_seconds", GAUGE, "Logged time of the last entry counted here, since the epoch")

OTHERS = (
    UP, BUILD, JOURNALED, LOGGED, READER_EVENTS, READER_SECONDS, SESSION_EVENTS, FILE_BYTES, TABLE_BYTES,
    TABLE_ENTRIES, MAP_BYTES, USED_BYTES, DISK_FREE, SNAPSHOT_BYTES, SNAPSHOT_ENTRY, COMMANDS, EVENTS,
    EXECUTIONS, TRADES, VOLUME, VALUE, DENIED, HYDRATIONS, EVICTIONS, MARKET_STATE, DAY, LOG_TIME,
)  # fmt: skip
Values = Iterable[tuple[Iterable[str], float]]
"""values of the labels, and the number"""


def names() -> set[str]:
    """Of all samples that there can be, as a query names them."""
    found = set()
    for family in (*FAMILIES, *OF_SHARDS, *OTHERS):
        name = PREFIX + family.name
        if family.kind == HISTOGRAM:
            found |= {f"{name}_{end}" for end in ("bucket", "sum", "count")}
        else:
            found.add(f"{name}_total" if family.kind == COUNTER else name)
    return found


def simple(family: Family, values: Values, *labels: str) -> Metric:
    """`labels`: further ones, after the family's own."""
    kind = CounterMetricFamily if family.kind == COUNTER else GaugeMetricFamily
    own = (family.label,) if family.label else ()
    metric = kind(PREFIX + family.name, family.help, labels=[*own, *labels])
    for names, value in values:
        metric.add_metric(list(names), value)
    return metric


def of_page(page: Page, up: bool) -> Iterator[Metric]:
    """What the venue's process has written; `up`: it is there."""
    for family in FAMILIES:
        if family.kind == HISTOGRAM:
            yield _histogram(page, family)
        else:
            scale = 1e9 if family.name.endswith("seconds") else 1
            shown = up or family.kind == COUNTER or family.name in LASTING
            values = [(value, page.number(family.name, value) / scale * shown) for value in family.values]
            yield simple(family, [((value,) if family.label else (), number) for value, number in values])
    shards = page.shards() if up else {}
    for number, family in enumerate(OF_SHARDS):
        yield simple(
            family._replace(label="shard"), [((name,), each[number]) for name, each in shards.items()]
        )


def _histogram(page: Page, family: Family) -> Metric:
    metric = HistogramMetricFamily(
        PREFIX + family.name, family.help, labels=[family.label] if family.label else []
    )
    for value in family.values:
        places = page.histogram(family.name, value)
        metric.add_metric([value] if family.label else [], cumulative(places), places[TOTAL] / 1e9)
    return metric


def of_sizes(found: Sizes) -> Iterator[Metric]:
    for family, each in (
        (FILE_BYTES, found.files),
        (TABLE_BYTES, found.tables),
        (TABLE_ENTRIES, found.entries),
    ):
        yield simple(family, [((name,), value) for name, value in each.items()])
    for family, value in (
        (MAP_BYTES, found.map_size),
        (USED_BYTES, found.used),
        (DISK_FREE, found.disk_free),
        (SNAPSHOT_BYTES, found.snapshots),
        (SNAPSHOT_ENTRY, found.newest_snapshot),
    ):
        yield simple(family, [((), value)])


def of_tally(tally: Tally) -> Iterator[Metric]:
    for family, counts in (
        (COMMANDS, tally.commands),
        (EVENTS, tally.events),
        (TRADES, tally.trades),
        (DENIED, tally.denied),
        (HYDRATIONS, tally.hydrated),
        (EVICTIONS, tally.left),
    ):
        yield simple(family, [((name,), number) for name, number in counts.items()])
    executions = [
        ((symbol, EXEC_TYPES.get(kind, kind)), number)
        for symbol, kinds in tally.executions.items()
        for kind, number in kinds.items()
    ]
    yield simple(EXECUTIONS, executions, "type")
    sizes = {symbol: float(grid.lot) for symbol, grid in tally.grids.items()}
    volume = [((name, tally.grids[name].base), lots * sizes[name]) for name, lots in tally.lots.items()]
    yield simple(VOLUME, volume, "currency")
    value = [
        ((name, tally.grids[name].quote), steps * sizes[name] * float(tally.grids[name].tick))
        for name, steps in tally.value.items()
    ]
    yield simple(VALUE, value, "currency")
    yield simple(MARKET_STATE, [((symbol, state), 1) for symbol, state in tally.states.items()], "state")
    yield simple(DAY, [((tally.day,), 1)] if tally.day else [])
    yield simple(LOG_TIME, [((), tally.time / 1e9)])


class VenueCollector(Collector):
    """Each scrape looks at the page anew; what the log says is as fresh as its counter."""

    def __init__(self, directory: Path, counter: Counter) -> None:
        self._directory = directory
        self._counter = counter
        self._looker = Looker(directory)
        self._journal = self._event = 0
        """the highest that were seen: a venue that starts does not say at once where it is"""

    @property
    def process(self) -> int:
        """The venue's, whose memory and processor time are looked up; 0: it does not run."""
        page = self._looker.look()
        return page.process if page is not None and in_use(self._directory) else 0

    def collect(self) -> Iterator[Metric]:
        up, page = in_use(self._directory), self._looker.look()
        yield simple(UP, [((), up)])
        yield simple(BUILD, [((__version__,), 1)])
        taken, journal, event = self._counter.taken, 0, 0
        if page is not None:
            yield from of_page(page, up)
            journal, event = page.numbers[JOURNAL], page.numbers[EVENT]
        self._journal = max(self._journal, self._counter.sequence, journal)
        self._event = max(self._event, taken, event)
        yield simple(JOURNALED, [((), self._journal)])
        yield simple(LOGGED, [((), self._event)])
        yield from self._of_readers(taken, self._event, time.time_ns())
        if (sizes := self._counter.sizes) is not None:
            yield from of_sizes(sizes)
        if (tally := self._counter.tally()) is not None:
            yield from of_tally(tally)

    def _of_readers(self, taken: int, event: int, now: int) -> Iterator[Metric]:
        readers = self._counter.readers
        lags = readers.lags(event, now)
        own = readers.lag(taken, event, now)
        events = {name: each.events for name, each in lags.items()} | {"metrics": own[0]}
        seconds = {name: each.seconds for name, each in lags.items()} | {"metrics": own[1]}
        yield simple(READER_EVENTS, [((name,), number) for name, number in events.items()])
        yield simple(READER_SECONDS, [((name,), number) for name, number in seconds.items()])
        sessions = [
            ((name, session), number)
            for name, each in lags.items()
            for session, number in each.sessions.items()
        ]
        yield simple(SESSION_EVENTS, sessions, "session")


def registry(directory: Path, counter: Counter) -> CollectorRegistry:
    """All collectors: also memory, processor time and open files of both processes."""
    found = CollectorRegistry()
    collector = VenueCollector(directory, counter)
    found.register(collector)
    ProcessCollector("fixgw_venue", lambda: collector.process or "none", registry=found)
    ProcessCollector("fixgw_metrics", os.getpid, registry=found)
    return found
