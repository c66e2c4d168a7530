"""Medians of several rounds as one readable table, and the figures the venue is judged by."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]

KIND = ("server", "stored", "window", "rate", "crossing", "sessions")
"""what was measured; all other values of a row are figures"""

HEAD = (
    f"{'':28}{'crossing':>9}{'sessions':>9}{'orders/s':>10}{'reports/s':>10}"
    f"{'p50 µs':>10}{'p99 µs':>10}{'p99.9 µs':>10}{'generator':>10}{'own MiB':>9}{'mapped':>8}"
)


def medians(rows: list[Row], kind: tuple[str, ...] = KIND) -> list[Row]:
    """One row for each kind of measurement, in the order of the first round; `kind` names what tells them
    apart, all else are figures."""
    kinds: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        kinds.setdefault(tuple(row.get(name) for name in kind), []).append(row)
    return [
        {
            name: value if name in kind else statistics.median(row[name] for row in same)
            for name, value in same[0].items()
        }
        for same in kinds.values()
    ]


def machine() -> str:
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, Python {platform.python_version()}"


def render(rows: list[Row]) -> Iterator[str]:
    """The table's lines. `rows` are medians."""
    yield HEAD
    for row in rows:
        yield _line(row)
    yield ""
    yield from _verdicts(rows)


def _line(row: Row) -> str:
    what = f"{row['server']} "
    what += f"at {row['rate']:,}/s" if "rate" in row else f"window {row['window']:,}"
    what = f"{row['stored']} ids" if "stored" in row else what
    if "orders_per_second" not in row:
        return f"{what:56}" + "".join(f"{row[name]:>10,.0f}" for name in ("p50", "p99", "p999"))
    return (
        f"{what:28}{row['crossing']:>8.0%} {row['sessions']:>8}{row['orders_per_second']:>11,.0f}"
        f"{row['reports_per_second']:>10,.0f}{row['p50']:>10,.0f}{row['p99']:>10,.0f}{row['p999']:>10,.0f}"
        f"{row['generator_cpu']:>10.0%}{row['own_mib']:>9,.0f}{row['mapped_mib']:>8,.0f}"
        + (f"  {row['rejects']:,.0f} REJECTED" if row["rejects"] else "")
    )


def _verdicts(rows: list[Row]) -> Iterator[str]:
    plain = {
        (row["server"], row["window"]): row
        for row in rows
        if "window" in row
        and "stored" not in row
        and row.get("crossing", 0) == 0
        and row.get("sessions", 1) == 1
    }
    echoes = {
        window: [plain[name, window] for name in ("echo", "spinning echo")]
        for window in (1, 16, 1000)
        if ("echo", window) in plain and ("venue", window) in plain
    }
    for window, both in echoes.items():
        ceiling = max(row["orders_per_second"] for row in both)
        ratio = plain["venue", window]["orders_per_second"] / ceiling
        yield f"orders/s, window {window:,}: venue / echo = {ratio:.2f}" + "  (aim: at least 0.65)" * (
            window == 1000
        )
    if 1 in echoes and ("fdatasync", 1) in plain:
        disk, venue = plain["fdatasync", 1]["p50"], plain["venue", 1]["p50"]
        echo = min(row["p50"] for row in echoes[1])
        yield (
            f"p50, window 1: venue {venue:.0f} / (fdatasync {disk:.0f} + echo {echo:.0f}) = "
            f"{venue / (disk + echo):.2f}  (aim: at most 1.6)"
        )
    stored = {row["stored"]: row for row in rows if "stored" in row}
    for kind, aim in (("sequential", "  (aim: at least 0.8)"), ("random", "")):
        if kind in stored:
            ratio = stored[kind]["orders_per_second"] / stored["none"]["orders_per_second"]
            yield (
                f"orders/s with {stored[kind]['ids']:,.0f} {kind} ids stored / with none = {ratio:.2f}{aim}; "
                f"{stored[kind]['bytes_per_id']:.0f} bytes an id"
            )
