"""`python -m acceptance.traceability`: which script proves which case, as tables in a page of docs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from acceptance.cases import CASES, NOT_OFFERED, WITHOUT
from acceptance.runner import scripts_in
from acceptance.script import VERSIONS, Script

SUITE = Path(__file__).parent / "scripts" / "session"
PAGE = Path(__file__).parent.parent / "docs" / "certification-session.md"
BEGIN, END = "<!-- tables: python -m acceptance.traceability -->", "<!-- end of tables -->"
HEAD = ["| {} | script | what it shows | this venue |", "|---|---|---|---|"]
FEATURE = "feature "


def tables() -> str:
    """Of the standard's cases, then of what they do not cover."""
    scripts = scripts_in([SUITE])
    others = dict.fromkeys(point for script in scripts for point in script.proves if _is_other(point))
    lines = [HEAD[0].format("case"), HEAD[1]]
    for case, words in CASES.items():
        lines += _rows(f"{case}: {words}", case, scripts)
    lines += ["", "What those never cover:", "", HEAD[0].format("point"), HEAD[1]]
    for point in sorted(others):
        lines += _rows(point, point, scripts)
    return "\n".join(lines) + "\n"


def _is_other(point: str) -> bool:
    return point not in CASES and not point.startswith(FEATURE)


def _rows(first: str, point: str, scripts: list[Script]) -> Iterator[str]:
    proving = [script for script in scripts if point in script.proves]
    if not proving:
        yield f"| {first} | none | {WITHOUT.get(point, '')} | |"
    for script in proving:
        name = script.file.relative_to(SUITE).as_posix()
        only = "" if script.versions == list(VERSIONS) else f" ({', '.join(script.versions)})"
        link = f"[{name.removesuffix('.yaml')}](../acceptance/scripts/session/{name})"
        yield f"| {first} | {link} | {script.title}{only} | {NOT_OFFERED.get(name, 'passes')} |"
        first = ""


def with_tables(page: str) -> str:
    """The page with the tables of now between its marker lines."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text()))
    print(f"{PAGE}: tables written")
