"""`fixgw metrics tail`: what makes the slowest turns slow, by name."""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from fixgw.codec.times import utc_timestamp
from fixgw.metrics.buckets import TOTAL, percentile
from fixgw.metrics.meter import LIMITS
from fixgw.metrics.page import Looker, Page, Span
from fixgw.metrics.table import (
    CAUSES,
    GC_PAUSE,
    KINDS,
    LONG_REPLAY,
    LONG_START,
    LONG_TICK,
    LONG_TURN,
    SLOW_COMMIT,
    SLOW_FSYNC,
    SNAPSHOT,
    STAGES,
)
from fixgw.store.directory import data_path, in_use

UNUSABLE = 2
"""exit code"""
ROWS = (
    ("turn", "cycle_seconds", ""),
    *((f"  {stage}", "cycle_stage_seconds", stage) for stage in STAGES),
    ("fsync", "fsync_seconds", ""),
    ("database commit", "database_commit_seconds", ""),
    *((f"GC, generation {number}", "gc_pause_seconds", number) for number in "012"),
    ("replay", "replay_seconds", ""),
    ("tick", "tick_seconds", ""),
)
"""a histogram each, and how it is called here"""
_DETAILS: dict[str, Callable[[int], str]] = {
    SLOW_FSYNC: lambda size: f"{size:,} bytes",
    SLOW_COMMIT: lambda _: "",
    GC_PAUSE: lambda generation: f"generation {generation}",
    LONG_REPLAY: lambda messages: f"{messages:,} messages",
    LONG_TURN: lambda cause: f"longest in it: {CAUSES[cause]}" if cause else "nothing in it has a name",
    LONG_TICK: lambda _: "",
    SNAPSHOT: lambda sequence: f"asked for at journal entry {sequence}",
    LONG_START: lambda entries: f"{entries:,} journal entries replayed",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Look at the numbers that a venue writes while it works, without asking it: also of one that hangs, "
        "or has stopped. `fixgw publish metrics` serves them to Prometheus."
    )
    kinds = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    tail = kinds.add_parser("tail", help="p50, p99 and p99.9 of turns and stages, and what was slow")
    tail.add_argument("--data", type=data_path, default=Path("data"), help="the venue's data directory")
    tail.add_argument(
        "--seconds", type=float, default=0.0, metavar="S", help="of the next S seconds, not since the start"
    )


def metrics_command(args: argparse.Namespace) -> int:
    """Exit code: 0, or 2 where there are no numbers."""
    looker = Looker(args.data)
    before = looker.look()
    if before is None:
        print(f"fixgw metrics: {args.data}: there are no numbers of a venue of this release", file=sys.stderr)
        return UNUSABLE
    page = before
    if args.seconds > 0:
        time.sleep(args.seconds)
        page = looker.look() or before
    runs = in_use(args.data)
    print("\n".join(report(page, before if args.seconds > 0 else None, runs, args.seconds)))
    looker.close()
    return 0


def report(page: Page, before: Page | None, runs: bool, seconds: float) -> list[str]:
    """`before`: what is not of the time that is asked for; None: all is."""
    began = page.number("start_time_seconds")
    since = f"the last {seconds:g} s" if before is not None else f"since the start at {utc_timestamp(began)}"
    lines = [f"{since}{'' if runs else '; the venue does not run'}", ""]
    lines += _percentiles(page, before)
    lines += ["", f"long turns, above {_time(LIMITS[LONG_TURN])}, by the longest that has a name in them"]
    causes = {cause: _since(page, before, "long_turn_causes", cause) for cause in CAUSES}
    lines += [f"  {cause:<22}{count:>9,}" for cause, count in _most_first(causes)] or ["  none"]
    lines += ["", f"{'spans':<24}{'count':>9}{'together':>12}{'longest':>12}"]
    counts = {kind: _since(page, before, "spans", kind) for kind in KINDS}
    for kind, count in _most_first(counts):
        together = _since(page, before, "spans_seconds", kind)
        longest = page.number("spans_longest_seconds", kind)  # since the start, whatever is asked for
        lines.append(f"  {kind:<22}{count:>9,}{_time(together):>12}{_time(longest):>12}")
    if not any(counts.values()):
        lines.append("  none")
    return [*lines, "", "the last spans", *(map(_span, page.spans()) if page.spans() else ["  none"])]


def _percentiles(page: Page, before: Page | None) -> list[str]:
    lines = [f"{'':<24}{'count':>9}{'p50':>12}{'p99':>12}{'p99.9':>12}"]
    for title, name, value in ROWS:
        places = list(page.histogram(name, value))
        if before is not None:
            places = [new - old for new, old in zip(places, before.histogram(name, value), strict=True)]
        count = sum(places[:TOTAL])
        times = [_time(percentile(places, share)) if count else "" for share in (0.5, 0.99, 0.999)]
        lines.append(f"{title:<24}{count:>9,}" + "".join(f"{each:>12}" for each in times))
    return lines


def _since(page: Page, before: Page | None, name: str, value: str) -> int:
    return page.number(name, value) - (before.number(name, value) if before is not None else 0)


def _most_first(counts: dict[str, int]) -> list[tuple[str, int]]:
    """Of those that there were."""
    return sorted(((name, count) for name, count in counts.items() if count), key=lambda pair: -pair[1])


def _span(span: Span) -> str:
    head = f"  {utc_timestamp(span.begin)}  {span.kind:<22}{_time(span.duration):>10}"
    return f"{head}  {_DETAILS[span.kind](span.detail)}".rstrip()


def _time(nanoseconds: int) -> str:
    if nanoseconds >= 1_000_000_000:
        return f"{nanoseconds / 1e9:.2f} s"
    if nanoseconds >= 1_000_000:
        return f"{nanoseconds / 1e6:.2f} ms"
    return f"{nanoseconds / 1e3:.1f} us"
