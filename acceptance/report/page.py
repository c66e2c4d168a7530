"""A report as one HTML page that needs no script and nothing from outside, and carries the signed JSON."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable

from acceptance.report.case import case_section, outcome, seconds, shown
from acceptance.report.document import Document, ReportError, from_bytes
from acceptance.report.key import fingerprint
from acceptance.report.style import STYLE
from acceptance.report.words import OUTCOMES, counts
from acceptance.results import Report

LAYOUT = 1
"""raise it with every change of what a page looks like: pages of another layout cannot be compared"""
MARK = b'<script type="application/json" id="signed-report">'
"""leads the signed JSON; no text of a report can look like it, on the page or in JSON"""
_END = b"</script>"
_LAYOUT = re.compile(rb'<meta name="generator" content="fixgw report layout (\d{1,9})">')
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_VERDICTS = {
    "passed": "Passed",
    "failed": "Failed",
    "incomplete": "Incomplete: not everything was played",
}


def page(document: Document) -> bytes:
    """The same bytes for the same document, always. Raises ReportError if there is no report in it."""
    report = document.report()
    parts = [
        _head(report),
        _summary(report),
        _table(report),
        "<h2>The cases, step by step</h2>\n" if report.cases else "",
        *(case_section(number, case) for number, case in enumerate(report.cases, 1)),
        _signature(document),
    ]
    return "".join(parts).encode() + MARK + _inert(document.to_bytes()) + _END + b"\n</body>\n</html>\n"


def embedded(data: bytes) -> Document:
    """What a page carries. Raises ReportError."""
    _, mark, rest = data.partition(MARK)
    text, end, _ = rest.partition(_END)
    if not mark or not end:
        raise ReportError("there is no report in it")
    return from_bytes(text)


def layout(data: bytes) -> int:
    """The LAYOUT of a page; 0 if it does not say."""
    found = _LAYOUT.search(data)
    return int(found[1]) if found else 0


def _inert(json: bytes) -> bytes:
    """The same JSON, with nothing in it that ends or begins an element."""
    return json.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")


def _head(report: Report) -> str:
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="generator" content="fixgw report layout {LAYOUT}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{shown(report.title)}: {report.verdict}</title>
<style>{STYLE}</style>
</head>
<body>
"""


def _summary(report: Report) -> str:
    facts = {
        "Target": report.target,
        "Run by": report.by,
        "Started": report.started,
        "Duration": seconds(report.seconds),
        "Versions": ", ".join(sorted({case.version for case in report.cases})),
        "Tool": report.tool,
        "Interrupted": report.interrupted and f"by {report.interrupted}, before all was played",
    }
    return f"""<header>
<p class="overline">Certification report</p>
<h1>{shown(report.title)}</h1>
<p class="verdict {report.verdict}">{_VERDICTS[report.verdict]}</p>
{_bar(report)}<p>{counts(report)}</p>
{_failures(report)}{_facts((facts | report.settings).items())}</header>
"""


def _bar(report: Report) -> str:
    """How the outcomes share the width."""
    found = ((each, report.count(each)) for each in OUTCOMES)
    parts = (
        f'<i class="{each.replace(" ", "-")}" style="flex:{count}"></i>' for each, count in found if count
    )
    return f'<div class="bar" aria-hidden="true">{"".join(parts)}</div>\n'


def _failures(report: Report) -> str:
    links = "".join(
        f'<li><a href="#case-{number}">{shown(case.title)}</a> '
        f'<span class="soft">{shown(case.version)}</span></li>\n'
        for number, case in enumerate(report.cases, 1)
        if case.outcome == "failed"
    )
    return f'<ul aria-label="Failed cases">\n{links}</ul>\n' if links else ""


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{shown(name)}</dt><dd>{shown(value)}</dd>\n" for name, value in facts if value)
    return f"<dl>\n{rows}</dl>\n"


def _table(report: Report) -> str:
    rows = "".join(
        f"<tr><td>{outcome(case.outcome)}</td>"
        f'<td><a href="#case-{number}">{shown(case.title)}</a>'
        f"{_remark(case.why)}</td>"
        f"<td>{shown(case.version)}</td><td>{shown(', '.join(case.proves))}</td>"
        f'<td class="number">{seconds(case.seconds) if case.steps else ""}</td></tr>\n'
        for number, case in enumerate(report.cases, 1)
    )
    return f"""<h2>All cases</h2>
<table>
<thead><tr><th scope="col" class="outcome">Outcome</th><th scope="col">Case</th>
<th scope="col" class="version">Version</th><th scope="col" class="proves">Proves</th>
<th scope="col" class="number">Time</th></tr></thead>
<tbody>
{rows}</tbody>
</table>
"""


def _remark(why: str) -> str:
    return f'<br><span class="soft">{shown(why)}</span>' if why else ""


def _signature(document: Document) -> str:
    facts = {
        "Key": fingerprint(document.key),
        "Public key": base64.b64encode(document.key).decode(),
        "Signature": base64.b64encode(document.signature).decode(),
    }
    return f"""<footer>
<h2>Signature</h2>
<p>This page carries the signed report. <code>fixgw certify --verify</code> with this file checks the
signature, and that the page shows what the report says. Compare the key with the one the venue has given
you.</p>
<div class="mono">{_facts(facts.items())}</div></footer>
"""
