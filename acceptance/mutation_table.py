"""Which scripts catch which fault of the reference venue, as a table in a page of docs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from acceptance.reference.faults import Fault

PAGE = Path(__file__).parent.parent / "docs" / "certification-mutations.md"
BEGIN, END = "<!-- table: python -m acceptance.mutation --write -->", "<!-- end of table -->"
ENOUGH = 10
"""scripts that catch a fault, after which the others are not played"""
FEW = 3
"""scripts named for a fault"""


def few(names: list[str]) -> str:
    return ", ".join(names[:FEW]) + (", ..." if len(names) > FEW else "")


def counted(names: list[str]) -> str:
    return f"{ENOUGH}+" if len(names) >= ENOUGH else str(len(names))


def with_table(page: str, caught: Mapping[Fault, list[str]], scripts: int, idle: int) -> str:
    """The page with these counts and this table between its marker lines."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    found = sum(bool(names) for names in caught.values())
    lines = [
        f"{found} of {len(caught)} faults are caught; {scripts - idle} of {scripts} scripts notice one.",
        "",
        "| fault | what the venue does wrong | case | caught by | scripts |",
        "|---|---|---|---|---|",
    ]
    for fault in Fault:
        names = caught[fault]
        lines.append(f"| `{fault.label}` | {fault.words} | {fault.case} | {few(names)} | {counted(names)} |")
    table = "\n".join(lines)
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def catchers(page: str) -> dict[str, list[str]]:
    """Faults, by their labels, to the scripts that the table names."""
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]*) \| \d+\+? \|$", page, re.MULTILINE)
    return {label: [name for name in names.split(", ") if name not in ("", "...")] for label, names in rows}
