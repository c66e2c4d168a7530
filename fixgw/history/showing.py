"""Rows as a table for people, as CSV, as JSON lines, as a Parquet file."""

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from fixgw.publish.json_lines import iso_time
from fixgw.settings import SettingsError

TIMES = {"time", "entered", "changed"}
WIDE = 1000
"""rows whose widths are looked at, so that a long answer begins at once"""
Rows = Iterable[Sequence[Any]]


def show_table(names: list[str], rows: Rows) -> None:
    """Empty columns are left out."""
    rest = iter(rows)
    first = [row for _, row in zip(range(WIDE), rest, strict=False)]
    texts = [[_text(name, value) for name, value in zip(names, row, strict=True)] for row in first]
    shown = [place for place in range(len(names)) if any(row[place] for row in texts)] if texts else []
    widths = [max(len(names[place]), *(len(row[place]) for row in texts)) for place in shown]
    for line in [names, *texts] if texts else []:
        print(
            "  ".join(line[place].ljust(width) for place, width in zip(shown, widths, strict=True)).rstrip()
        )
    for row in rest:
        cells = [
            _text(names[place], row[place]).ljust(width) for place, width in zip(shown, widths, strict=True)
        ]
        print("  ".join(cells).rstrip())


def show_csv(names: list[str], rows: Rows) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_text(name, value) for name, value in zip(names, row, strict=True)])


def show_json(names: list[str], rows: Rows) -> None:
    for row in rows:
        print(json.dumps({name: _value(name, each) for name, each in zip(names, row, strict=True)}))


def write_parquet(path: Path, names: list[str], rows: Rows) -> int:
    """How many rows. Amounts are decimal(38, 18), times are timestamps in UTC. Raises SettingsError."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise SettingsError("--parquet needs pyarrow: pip install 'fixgw[parquet]'") from None
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    arrays = []
    for name, column in zip(names, columns, strict=True):
        if name in TIMES:
            arrays.append(pa.array(column, pa.timestamp("ns", tz="UTC")))
        elif any(isinstance(value, Decimal) for value in column):
            arrays.append(pa.array(column, pa.decimal256(60, 18)))
        else:
            arrays.append(pa.array(column))
    try:
        pq.write_table(pa.table(arrays, names=names), path)
    except OSError as problem:
        raise SettingsError(f"{path}: {problem.strerror or problem}") from None
    return len(columns[0])


def _value(name: str, value: Any) -> str | int | None:
    """In JSON: amounts and times are texts."""
    if value is None or (isinstance(value, int) and name not in TIMES):
        return value
    return _text(name, value)


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in TIMES:
        return iso_time(value)
    return format(value, "f") if isinstance(value, Decimal) else str(value)
