"""Is a report, as JSON or as a page, what the venue has signed?"""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from acceptance.report.document import Document, ReportError, from_bytes
from acceptance.report.key import fingerprint
from acceptance.report.page import LAYOUT, MARK, embedded, layout, page
from acceptance.report.words import counts, printable

_FINGERPRINT = re.compile("(?:sha256:)?([0-9a-f]{64})")
_ASK = "compare the key with the fingerprint the venue gave you"


class Finding(Struct, frozen=True):
    """What is true of a file."""

    valid: bool
    text: str
    """one line for people, with the file's name"""


def verify(path: Path, expected: str | None = None) -> Finding:
    """Reads `report.json` or `report.html` and says whether it is as it was signed, to the last byte; of a
    page also that what it shows is what the signed report in it says. Never raises for what the file holds.

    The key is in the file, and anyone can sign with a key of his own. Who knows the venue's key gives its
    `fingerprint` as `expected`, with or without `sha256:`; without it, the text asks the reader to compare.
    Raises ValueError for an `expected` that is no fingerprint."""
    expected = None if expected is None else _fingerprint(expected)
    try:
        data = path.read_bytes()
        document = _genuine(data, expected)
        text = _praise(document)
    except OSError as problem:
        return Finding(False, f"{path}: cannot be read: {problem.strerror}")
    except ReportError as problem:
        return Finding(False, f"{path}: not valid: {problem}")
    return Finding(True, f"{path}: {text}" if expected is not None else f"{path}: {text}; {_ASK}")


def _fingerprint(text: str) -> str:
    found = _FINGERPRINT.fullmatch(text.strip().lower())
    if found is None:
        raise ValueError(f"must be sha256: and 64 hexadecimal digits, not {text!r}")
    return f"sha256:{found[1]}"


def _genuine(data: bytes, expected: str | None) -> Document:
    shown = MARK in data
    document = embedded(data) if shown else from_bytes(data)
    if not document.genuine:
        raise ReportError("changed: the signature does not fit the report")
    key = fingerprint(document.key)
    if expected is not None and key != expected:
        raise ReportError(f"signed with another key: {key}, expected {expected}")
    if not shown and document.to_bytes() != data:
        raise ReportError("changed: the report in it is as signed, but the file is not as it was written")
    if shown and page(document) != data:
        raise ReportError(_page_differs(data))
    return document


def _page_differs(data: bytes) -> str:
    """What another version has drawn looks different without being wrong; that is no reason to believe it."""
    if layout(data) != LAYOUT:
        return (
            f"the report in it is as signed, but its page is of layout {layout(data)} and only {LAYOUT} can "
            "be checked here; verify the JSON file, or use the version of fixgw that wrote it"
        )
    return "changed: the report in it is as signed, but the page does not show what it says"


def _praise(document: Document) -> str:
    report = document.report()
    who = f"run by {report.by} on {report.started} against {report.target}"
    return f"valid: signed with key {fingerprint(document.key)}; {printable(who)}; {counts(report)}"
