"""The ratios the engine is judged by, then its costs as one readable table."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from tests.bench.table import Row

KIND = ("engine", "book")
OPERATIONS = ("add", "cancel", "replace", "cross", "mixed")
AIM = 250_000
"""operations a second of the mixed load"""
FLAT = 1.3


def render(medians: list[Row], rows: list[Row]) -> Iterator[str]:
    """`medians` are those of `rows`, in the same order of books and engines in which these were measured."""
    yield from _verdicts(medians, rows)
    yield ""
    yield f"{'µs':28}" + "".join(f"{name:>9}" for name in (*OPERATIONS, "a fill")) + f"{'mixed/s':>10}"
    for row in medians:
        yield (
            f"{row['book']:14}{row['engine']:14}"
            + "".join(f"{row[name]:9.2f}" for name in OPERATIONS)
            + (f"{row['sweep']:9.2f}" if "sweep" in row else f"{'':9}")
            + f"{1e6 / row['mixed']:10,.0f}"
        )


def _verdicts(medians: list[Row], rows: list[Row]) -> Iterator[str]:
    own = [row for row in medians if row["engine"] == "fixgw"]
    flat = {name: max(row[name] for row in own) / min(row[name] for row in own) for name in OPERATIONS}
    told = ", ".join(f"{name} {ratio:.2f}" for name, ratio in flat.items())
    yield f"cost at the dearest depth / at the cheapest: {told}  (aim: at most {FLAT})"
    for name in dict.fromkeys(row["engine"] for row in medians):
        if name == "fixgw":
            continue
        kinds = ("cross", "mixed", "sweep") if name.startswith(" ") else ("add", "cancel", "cross", "mixed")
        for book in dict.fromkeys(row["book"] for row in medians if row["engine"] == name):
            told = ", ".join(f"{kind} {_ratio(rows, book, name, kind):.2f}" for kind in kinds)
            what = f"with {name.strip()} / without" if name.startswith(" ") else f"{name} / fixgw"
            yield f"cost {what}, {book}: {told}"
    slowest = max(own, key=lambda row: row["mixed"])
    yield f"mixed load at its dearest depth: {1e6 / slowest['mixed']:,.0f} operations/s  (aim: {AIM:,})"


def _ratio(rows: list[Row], book: str, name: str, kind: str) -> float:
    """To fixgw's own cost: the median of the rounds' ratios, in which both were measured side by side."""
    costs: dict[str, list[float]] = {
        engine: [row[kind] for row in rows if row["book"] == book and row["engine"] == engine]
        for engine in (name, "fixgw")
    }
    return statistics.median(one / own for one, own in zip(costs[name], costs["fixgw"], strict=True))
